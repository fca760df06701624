//! The threads in which computers think, at the lowest priority, on a copy of the position.
//!
//! What is to be thought about stands in the database: the boards whose computer is to move, and the advice that players have
//! asked for. Nothing of it is kept here, so a kill while a computer thinks costs only that time: the position is thought
//! about again, with the same seed, and its turn is played once, since it is good only for that position.
//! One that ends the program is left alone after some attempts (see `attempts`).

mod jobs;
mod thought;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::table::{BoardId, PlayerId};

use super::attempts::Attempts;
use super::meters::Meters;
use super::readers::Readers;
use super::{Engine, Unavailable, panics};
use jobs::{Job, Turns, waiting};
use thought::{Thought, thought_of};

/// After a look that found nothing, the next one is made no earlier: there is one after each commit.
const PAUSE: Duration = Duration::from_millis(50);

/// The pause after a result could not be stored, for example because the disk is full.
const TROUBLE_PAUSE: Duration = Duration::from_secs(10);

/// The most positions that are remembered as given up. More mean a fault of ours that a restart does not make worse.
const MOST_GIVEN_UP: usize = 10_000;

/// A thread that runs only while no other wants its processor. The lowest niceness is not enough: the engine then waits for the
/// end of a time slice before each step, and a turn by mail took three times as long.
const IDLE: ThreadSchedulePolicy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);

/// The operator is told once what each thought would say.
static SAID: Once = Once::new();

/// The threads in which computers think.
pub struct Thinking {
    engine: Engine,
    readers: Arc<Readers>,
    meters: Meters,
    threads: usize,
    attempts: Attempts,
    /// Ends all thinking.
    stop: Arc<AtomicBool>,
    /// What cannot be thought about because of a fault of ours, until the next start.
    given_up: Mutex<HashSet<(BoardId, DateTime<Utc>)>>,
}

impl std::fmt::Debug for Thinking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Thinking")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Thinking {
    pub(super) fn new(engine: Engine, readers: Arc<Readers>, meters: Meters, threads: usize) -> Self {
        Self {
            engine,
            readers,
            meters,
            threads,
            attempts: Attempts::default(),
            stop: Arc::default(),
            given_up: Mutex::default(),
        }
    }

    /// Thinks about whatever waits, until `stop` is true. Each player is served with one position at a time, and who was
    /// served longest ago comes first.
    pub async fn run(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut commits = self.engine.next_due();
        let mut turns = Turns::default();
        let mut tasks: JoinSet<PlayerId> = JoinSet::new();
        loop {
            let mut has_looked = false;
            while tasks.len() < self.threads && !has_looked {
                commits.mark_unchanged();
                match self.next(&mut turns).await {
                    Some(job) => {
                        let (thinking, stop) = (self.clone(), stop.clone());
                        tasks.spawn(async move {
                            thinking.serve_or_pause(job, stop).await;
                            job.player()
                        });
                    }
                    None => has_looked = true,
                }
            }
            if has_looked {
                sleep(PAUSE).await;
            }
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => break,
                Some(served) = tasks.join_next() => turns.done(served.ok()),
                changed = commits.changed(), if tasks.len() < self.threads => if changed.is_err() { break },
            }
        }
        self.stop.store(true, Ordering::Relaxed);
        while tasks.join_next().await.is_some() {}
    }

    /// Thinks about everything that waits now and while it thinks, one position after another.
    ///
    /// # Errors
    /// A result could not be stored.
    pub async fn until_idle(&self) -> Result<(), Unavailable> {
        let mut turns = Turns::default();
        while let Some(job) = self.next(&mut turns).await {
            self.serve(job).await?;
            turns.done(None);
        }
        Ok(())
    }

    /// Thinks until no receipt for this message waits for an answer.
    ///
    /// # Errors
    /// A result could not be stored.
    pub(super) async fn about(&self, inbox: i64) -> Result<(), Unavailable> {
        let is_awaited = || {
            let found = self.readers.look(|reader| reader.is_awaited(inbox));
            found.map_err(|error| Unavailable(error.to_string()))
        };
        let mut turns = Turns::default();
        while is_awaited()?
            && let Some(job) = self.next(&mut turns).await
        {
            self.serve(job).await?;
            turns.done(None);
        }
        Ok(())
    }

    /// The next position, whose player counts as busy from now on.
    async fn next(&self, turns: &mut Turns) -> Option<Job> {
        let readers = self.readers.clone();
        let waiting = tokio::task::spawn_blocking(move || readers.look(waiting)).await;
        let mut waiting = match waiting.ok()? {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::error!(%error, "what computers are to think about cannot be read");
                return None;
            }
        };
        let given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|job| !given_up.contains(&(job.board(), job.since())));
        turns.choose(&waiting)
    }

    async fn serve_or_pause(&self, job: Job, mut stop: watch::Receiver<bool>) {
        if let Err(error) = self.serve(job).await {
            tracing::warn!(%error, "what a computer has thought could not be stored");
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => {}
                () = sleep(TROUBLE_PAUSE) => {}
            }
        }
    }

    /// Thinks about one position, unless that has ended the program too often.
    async fn serve(&self, job: Job) -> Result<(), Unavailable> {
        let Some(attempt) = self.attempts.begin(&self.engine, job.position()).await? else {
            return self.leave(job).await;
        };
        let served = self.think_and_say(job).await;
        self.attempts.end(&self.engine, attempt).await?;
        served
    }

    /// Tells the player that a computer cannot think about this position.
    async fn leave(&self, job: Job) -> Result<(), Unavailable> {
        tracing::error!(
            ?job,
            "thinking about a position has ended the program several times: computers leave it alone"
        );
        let position = job.position();
        let left = self.engine.act(move |handler, store, now| match job {
            Job::Turn(_) => handler.computer_leaves(store, position, now),
            Job::Advice(advice) => handler.no_advice(store, &advice, now),
        });
        match left.await {
            Ok(()) => {
                self.meters.came_of_thought(job.kind(), false);
                Ok(())
            }
            Err(_) => self.engine.look().await.map(|()| self.give_up(job)),
        }
    }

    /// Thinks about one position, and hands the result to the engine.
    async fn think_and_say(&self, job: Job) -> Result<(), Unavailable> {
        let started = Instant::now();
        let thought = match self.think(job).await {
            Ok(thought) => thought,
            Err(why) => {
                tracing::error!(?job, %why, "a computer could not think about a position: its board waits until the next start");
                self.give_up(job);
                return Ok(());
            }
        };
        self.meters.thought(started.elapsed());
        let is_done = match (job, thought) {
            (_, Thought::Nothing) => return Ok(()),
            (Job::Turn(waiting), Thought::Turn(found)) => {
                let board = waiting.board;
                self.engine
                    .act(move |handler, store, now| {
                        handler.computer_turn(store, board, &found, now).map(drop)
                    })
                    .await
                    .is_ok()
            }
            (Job::Advice(advice), Thought::Turn(found)) => self
                .engine
                .act(move |handler, store, now| handler.hint(store, &advice, &found, now))
                .await
                .is_ok(),
            (Job::Advice(advice), Thought::Costs(costs)) => self
                .engine
                .act(move |handler, store, now| handler.review(store, &advice, &costs, now))
                .await
                .is_ok(),
            (Job::Turn(_), Thought::Costs(_)) => false,
        };
        if is_done {
            self.meters.came_of_thought(job.kind(), true);
            return Ok(());
        }
        // The database cannot be written, or our code fails for this board alone.
        match self.engine.look().await {
            Err(unavailable) => Err(unavailable),
            Ok(()) => {
                self.give_up(job);
                Ok(())
            }
        }
    }

    fn give_up(&self, job: Job) {
        self.meters.came_of_thought(job.kind(), false);
        let mut given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        if given_up.len() < MOST_GIVEN_UP {
            given_up.insert((job.board(), job.since()));
        }
    }

    /// Thinks in a thread of its own.
    async fn think(&self, job: Job) -> Result<Thought, String> {
        let (readers, stop) = (self.readers.clone(), self.stop.clone());
        let (reply, thought) = oneshot::channel();
        std::thread::Builder::new()
            .name("bot".into())
            .spawn(move || {
                // Without it thinking is only less polite.
                let thread = thread_native_id();
                if let Err(error) = set_thread_priority_and_policy(thread, ThreadPriority::Min, IDLE) {
                    SAID.call_once(|| {
                        tracing::warn!(%error, "computers think at the usual priority, so mails may wait for them");
                    });
                }
                let found = catch_unwind(AssertUnwindSafe(|| thought_of(&readers, job, &stop)));
                let found = found.unwrap_or_else(|panic| Err(panics::words(panic.as_ref()).to_owned()));
                drop(reply.send(found));
            })
            .map_err(|error| format!("the thread cannot be started: {error}"))?;
        thought
            .await
            .unwrap_or_else(|_| Err("its thread has ended".to_owned()))
    }
}
