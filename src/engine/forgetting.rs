//! Forgetting between the batches: small steps, each a task of the engine, so that mail waits for one of them at most.

use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use pbmserv_core::store::{PROPOSED_FOR, Round, StepBounds};

use super::Engine;
use super::task::{Task, Unavailable, Work};

/// What a step may do before its commit. The rows bound the pages that the commit writes, 4 MB at most, after which SQLite
/// folds its log into the database.
const STEP: StepBounds = StepBounds {
    time: Duration::from_millis(8),
    rows: 256,
};

/// The pause after a step, as a multiple of the time that it took: forgetting has a third of the engine at most.
const PAUSE: u32 = 2;

/// What a round of forgetting has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forgotten {
    /// Rows deleted.
    pub rows: usize,
    /// Steps taken.
    pub steps: usize,
    /// The longest step, with its commit and the mail that shared it.
    pub longest: Duration,
}

impl Engine {
    /// Forgets what is too old, as long as anything is. Other tasks are done between the steps.
    ///
    /// # Errors
    /// [`Unavailable`]: a step failed. The steps before it have been kept, and the kinds of rows after it were forgotten.
    pub async fn forget(&self) -> Result<Forgotten, Unavailable> {
        let (mut round, mut done, mut failure) = (Round::default(), Forgotten::default(), None);
        while !round.is_over() {
            let (next, took) = match self.forget_few(round).await {
                Ok(step) => step,
                Err(error) => {
                    failure.get_or_insert(error);
                    round = round.of_next_kind();
                    continue;
                }
            };
            round = next;
            done = Forgotten {
                rows: round.rows,
                steps: done.steps + 1,
                longest: done.longest.max(took),
            };
            tokio::time::sleep(took * PAUSE).await;
        }
        failure.map_or(Ok(done), Err)
    }

    /// Takes one step; returns how far the round has come, and the time until the end of its commit.
    async fn forget_few(&self, round: Round) -> Result<(Round, Duration), Unavailable> {
        let (reply, done) = oneshot::channel();
        let work: Work = Box::new(move |_, store, now| {
            let begun = Instant::now();
            let next = store.forget(round, STEP, PROPOSED_FOR, now)?;
            Ok(Box::new(move || _ = reply.send((next, begun.elapsed()))))
        });
        self.hand_in(Task::Work(work)).await?;
        done.await
            .map_err(|_| Unavailable("old rows could not be deleted: see the log".into()))
    }
}
