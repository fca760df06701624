//! Scheduled work: reminders, forfeits, digests and whatever else becomes due without a message.

use chrono::{DateTime, TimeDelta, Utc};

use pbmserv_core::dispatch::DueTask;
use pbmserv_core::dispatch::due::{Due, first_of};
use pbmserv_core::store;

use super::worker::{MAX_BEGUN, Worker};

/// Rows handled in one batch. The rest follows in the next batch, after the messages that wait.
const MAX_AT_ONCE: usize = 64;

/// How long a row is postponed when handling it fails.
const PUT_OFF: TimeDelta = TimeDelta::days(1);

impl Worker {
    /// The earliest row of all sources.
    pub(super) fn first_due(&self) -> store::Result<Option<Due>> {
        first_of(self.sources, &self.store)
    }

    /// Handles the rows that are due, inside the batch; returns how many.
    pub(super) fn due(&mut self, is_set_aside: bool, now: DateTime<Utc>) -> store::Result<usize> {
        let most = if self.is_cautious() { 1 } else { MAX_AT_ONCE };
        for done in 0..most {
            let Some(due) = self.first_due()?.filter(|due| due.at <= now) else {
                return Ok(done);
            };
            let Due { source, at, row } = due;
            let acted = if is_set_aside {
                Err(format!("it ended the program {MAX_BEGUN} times"))
            } else {
                self.guarded(|handler, store| due.act(handler, store, now))?
            };
            match acted {
                Ok(()) => {
                    self.store.keep_message()?;
                    if source.is_stepwise {
                        return Ok(done + 1);
                    }
                }
                Err(why) => {
                    tracing::error!(source = source.name, row, %at, %why, "scheduled work failed and is postponed by a day");
                    if !self.put_off(source, row, now)? {
                        return Ok(done);
                    }
                }
            }
            if self.is_cautious() {
                self.store.remove_begun(&due.digest())?;
            }
        }
        Ok(most)
    }

    /// Returns false if postponing fails too. The timer then tries again after a pause.
    fn put_off(&mut self, source: &'static DueTask, row: i64, now: DateTime<Utc>) -> store::Result<bool> {
        match self.guarded(|_, store| Ok((source.postpone)(store, row, now + PUT_OFF)?))? {
            Ok(()) => {
                self.store.keep_message()?;
                Ok(true)
            }
            Err(why) => {
                tracing::error!(source = source.name, row, %why, "the failed work could not be postponed either; trying again after a pause");
                Ok(false)
            }
        }
    }

    /// Tells the timer when the next row is due.
    pub(super) fn announce(&self) {
        match self.first_due() {
            Ok(due) => {
                self.next.send_replace(due.map(|due| due.at));
            }
            Err(error) => tracing::error!(%error, "the time of the next scheduled work cannot be read"),
        }
    }
}

#[cfg(test)]
#[path = "due_tests.rs"]
mod tests;
