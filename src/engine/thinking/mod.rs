//! The threads in which computers think, at the lowest priority, on a copy of the position.
//!
//! What is to be thought about stands in the database: the boards whose computer is to move, and the advice that players have
//! asked for. Nothing of it is kept here, so a kill while a computer thinks costs only that time: the position is thought
//! about again, with the same seed, and its turn is played once, since it is good only for that position.
//! One that ends the program is left alone after some attempts (see `attempts`).

mod gazette;
mod guests;
mod jobs;
mod rest;
mod thought;
mod thread;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use pbmserv_core::store::Finds;
use pbmserv_core::table::GuestGame;

use super::attempts::{Attempts, Noted};
use super::meters::{Meters, Visited};
use super::readers::Readers;
use super::{Engine, TimeSource, Unavailable};
pub use guests::{Guests, NoAnswer, digest_of};
use jobs::{Chosen, FairQueue, Job, WaitingJobs};
use thought::{Question, Thought, thought_of};
use thread::{Share, Thinker};

/// After a look that found nothing, the next one is made no earlier: there is one after each commit.
const PAUSE: Duration = Duration::from_millis(50);

/// The pause after a result could not be stored, for example because the disk is full.
const TROUBLE_PAUSE: Duration = Duration::from_secs(10);

/// After so many failures a position is left alone until the next start.
const MAX_FAILURES: u32 = 3;

/// The most positions whose failures are remembered. More mean a fault of ours that thinking again does not make worse.
const MAX_FAILED: usize = 10_000;

/// How long a computer looks for a turn with nothing but the time that nobody else wants. On a machine that is always busy that is none,
/// and a player should have an answer within ten seconds.
const IDLE_AT_MOST: Duration = Duration::from_secs(4);

/// The same for a review and for the gazette, which take longer even on a machine that has nothing else to do.
const LONG_IDLE_AT_MOST: Duration = Duration::from_secs(60);

/// How long computers think with the usual share of the processor after one had too little.
const USUAL_FOR: Duration = Duration::from_secs(60);

/// The threads in which computers think.
pub struct Thinking {
    engine: Engine,
    readers: Readers,
    meters: Meters,
    clock: TimeSource,
    threads: usize,
    /// Answers visitors, apart from all that waits here.
    pub guests: Guests,
    attempts: Attempts,
    /// Until then computers think with the usual share of the processor.
    usual_until: Mutex<Option<Instant>>,
    /// Ends all thinking when it becomes true.
    stop: watch::Sender<bool>,
    /// How often a thought about each position has failed by a fault of ours.
    failures: Mutex<HashMap<(Noted, DateTime<Utc>), u32>>,
}

impl std::fmt::Debug for Thinking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Thinking")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Thinking {
    pub(super) fn new(
        engine: Engine,
        readers: Readers,
        meters: Meters,
        clock: TimeSource,
        threads: usize,
    ) -> Self {
        Self {
            engine,
            clock,
            readers,
            meters,
            threads,
            guests: Guests::default(),
            attempts: Attempts::default(),
            usual_until: Mutex::default(),
            stop: watch::Sender::new(false),
            failures: Mutex::default(),
        }
    }

    /// Thinks about whatever waits, in a fair order (`FairQueue`), until `stop` is true.
    pub async fn run(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut commits = self.engine.next_due();
        let mut queue = FairQueue::default();
        let mut tasks: JoinSet<(Chosen, Duration)> = JoinSet::new();
        loop {
            let mut has_looked = false;
            while tasks.len() < self.threads && !has_looked {
                commits.mark_unchanged();
                match self.next(&mut queue).await {
                    Some(chosen) => {
                        let (thinking, stop) = (self.clone(), stop.clone());
                        tasks.spawn(async move {
                            let taken = thinking.serve_or_pause(chosen.job, stop).await;
                            (chosen, taken)
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
                Some(served) = tasks.join_next() => match served {
                    Ok((chosen, taken)) => queue.done(&chosen, taken, Instant::now().into()),
                    // A panic of ours: nobody is to wait for it.
                    Err(_) => queue = FairQueue::default(),
                },
                changed = commits.changed(), if tasks.len() < self.threads => if changed.is_err() { break },
            }
        }
        self.stop.send_replace(true);
        while tasks.join_next().await.is_some() {}
    }

    /// Thinks about everything that waits now and while it thinks, one position after another.
    ///
    /// # Errors
    /// The database cannot be read, or a result could not be stored.
    pub async fn until_idle(&self) -> Result<(), Unavailable> {
        let mut queue = FairQueue::default();
        while let Some(chosen) = self.next(&mut queue).await {
            let taken = self.serve(chosen.job).await?;
            queue.done(&chosen, taken, Instant::now().into());
        }
        Ok(())
    }

    /// Thinks until no receipt for this message waits for an answer.
    ///
    /// # Errors
    /// The database cannot be read, or a result could not be stored.
    pub async fn about(&self, inbox: i64) -> Result<(), Unavailable> {
        let mut queue = FairQueue::default();
        while self.readers.ask(move |reader| reader.is_awaited(inbox)).await?
            && let Some(chosen) = self.next(&mut queue).await
        {
            let taken = self.serve(chosen.job).await?;
            queue.done(&chosen, taken, Instant::now().into());
        }
        Ok(())
    }

    /// The next position, whose player counts as busy from now on.
    async fn next(&self, queue: &mut FairQueue) -> Option<Chosen> {
        let now = self.clock.now();
        let waiting = self.readers.ask(move |reader| WaitingJobs::read(reader, now));
        let mut waiting = match waiting.await {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::error!(%error, "what computers are to think about cannot be read");
                return None;
            }
        };
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |job: &Job| failures.get(&(job.noted(), job.since())).copied();
        waiting.retain(|job| of(job).is_none_or(|count| count < MAX_FAILURES));
        queue.choose(&waiting, Instant::now().into())
    }

    /// The turns with which the weakest computer answers after this game of a visitor, of which it plays the second seat: several
    /// where it may move again, none if it is not to move. The same game has the same answer.
    ///
    /// # Errors
    /// [`NoAnswer`].
    pub async fn answer_visitor(&self, game: &GuestGame) -> Result<Vec<String>, NoAnswer> {
        let answer = self
            .guests
            .answer(game.clone(), (&self.attempts, &self.engine))
            .await;
        self.meters.visited(match &answer {
            Ok(_) if game.turns.len() == 1 => Visited::Begun,
            Ok(_) => Visited::Turn,
            Err(NoAnswer::Busy) => Visited::Busy,
            Err(NoAnswer::Left | NoAnswer::Fault(_)) => Visited::Failed,
        });
        answer
    }

    async fn serve_or_pause(&self, job: Job, mut stop: watch::Receiver<bool>) -> Duration {
        match self.serve(job).await {
            Ok(taken) => taken,
            Err(error) => {
                tracing::warn!(%error, "a computer's turn waits for the database");
                tokio::select! {
                    _ = stop.wait_for(|stop| *stop) => {}
                    () = sleep(TROUBLE_PAUSE) => {}
                }
                Duration::ZERO
            }
        }
    }

    /// Thinks about one position, unless that has ended the program too often. Returns what it has taken of a processor.
    async fn serve(&self, job: Job) -> Result<Duration, Unavailable> {
        let Some(attempt) = self.attempts.begin(&self.engine, job.noted()).await? else {
            self.leave(job).await?;
            return Ok(Duration::ZERO);
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
        let left = self
            .engine
            .act(move |handler, store, now| match (job, job.noted()) {
                (Job::Turn(_), Noted::Board(position)) => handler.computer_leaves(store, position, now),
                (Job::Advice(advice), _) => handler.no_advice(store, &advice, now),
                // It appears without what is looked for.
                (Job::Gazette(number, _), _) => {
                    handler.found_for_gazette(store, number, &Finds::default(), now)
                }
                (Job::Turn(_), _) => Ok(()),
            });
        match left.await {
            Ok(()) => {
                self.meters.came_of_thought(job.kind(), false);
                Ok(())
            }
            Err(_) => {
                self.engine.look().await?;
                self.failed(job, "its player could not be told: see above");
                Ok(())
            }
        }
    }

    /// Thinks about one position, and hands the result to the engine.
    async fn think_and_say(&self, job: Job) -> Result<Duration, Unavailable> {
        let started = Instant::now();
        let (thought, taken) = match self.think(job).await? {
            Ok(found) => found,
            Err(why) => {
                self.failed(job, &why);
                return Ok(Duration::ZERO);
            }
        };
        self.meters.thought(started.elapsed());
        let is_done = match (job, thought) {
            (_, Thought::Nothing) => return Ok(taken),
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
            (Job::Gazette(number, _), Thought::Gazette(finds)) => self
                .engine
                .act(move |handler, store, now| handler.found_for_gazette(store, number, &finds, now))
                .await
                .is_ok(),
            (Job::Turn(_) | Job::Advice(_) | Job::Gazette(..), _) => false,
        };
        if is_done {
            self.meters.came_of_thought(job.kind(), true);
            return Ok(taken);
        }
        // The database cannot be written, or our code fails for this board alone.
        self.engine.look().await?;
        self.failed(job, "what came of it could not be written: see above");
        Ok(taken)
    }

    /// A thought has failed by a fault of ours, or because the database was away for a moment.
    fn failed(&self, job: Job, why: &str) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_FAILED {
            failures.clear();
        }
        let count = failures.entry((job.noted(), job.since())).or_default();
        *count += 1;
        if *count < MAX_FAILURES {
            tracing::warn!(?job, %why, "a computer could not think about a position, and tries again");
            return;
        }
        self.meters.came_of_thought(job.kind(), false);
        tracing::error!(?job, %why, "a computer could not think about a position: its board waits until the next start");
    }

    /// Reads what a job is about, and thinks about it. The database is read here: a thread that gets no processor for a
    /// minute should not have a session of it, or a lock, meanwhile.
    async fn think(&self, job: Job) -> Result<Result<(Thought, Duration), String>, Unavailable> {
        let now = self.clock.now();
        let read = self.readers.ask(move |reader| Question::read(reader, job, now));
        let Some(question) = read.await? else {
            return Ok(Ok((Thought::Nothing, Duration::ZERO)));
        };
        Ok(self.thought(Arc::new(question)).await)
    }

    /// Thinks in an idle thread. If that does not come to its end, another one begins again with the usual share of the
    /// processor; the next thoughts begin so.
    async fn thought(&self, question: Arc<Question>) -> Result<(Thought, Duration), String> {
        let mut stop = self.stop.subscribe();
        let idle_at_most = match question.is_turn() {
            true => IDLE_AT_MOST,
            false => LONG_IDLE_AT_MOST,
        };
        let start = |share| {
            let question = question.clone();
            Thinker::start(share, move |stop| thought_of(&question, stop))
        };
        let usual_until = *self.usual_until.lock().unwrap_or_else(PoisonError::into_inner);
        if usual_until.is_none_or(|until| until < Instant::now()) {
            let mut thinker = start(Share::Idle)?;
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return Ok((Thought::Nothing, Duration::ZERO)),
                thought = thinker.thought() => return thought,
                () = sleep(idle_at_most) => {}
            }
            let until = Instant::now() + USUAL_FOR;
            *self.usual_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        }
        let mut thinker = start(Share::Usual)?;
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => Ok((Thought::Nothing, Duration::ZERO)),
            thought = thinker.thought() => thought,
        }
    }
}
