//! What the engine does without a message: things whose time has come.

use chrono::{DateTime, TimeDelta, Utc};

use crate::dispatch::Source;
use crate::dispatch::due::{Due, first_of};
use crate::store;

use super::worker::{MOST_BEGUN, Worker};

/// Things that are done in one batch; what else is due comes in the next one, after the messages that wait.
const MOST_AT_ONCE: usize = 64;

/// For how long a thing with a fault in it is put off.
const PUT_OFF: TimeDelta = TimeDelta::days(1);

impl Worker {
    /// The earliest thing of all sources.
    pub(super) fn first_due(&self) -> store::Result<Option<Due>> {
        first_of(self.sources, &self.store)
    }

    /// Does what is due, within the batch; gives how much that was.
    pub(super) fn due(&mut self, is_set_aside: bool, now: DateTime<Utc>) -> store::Result<usize> {
        let most = if self.is_cautious() { 1 } else { MOST_AT_ONCE };
        for done in 0..most {
            let Some(due) = self.first_due()?.filter(|due| due.at <= now) else {
                return Ok(done);
            };
            let Due { source, at, row } = due;
            let acted = if is_set_aside {
                Err(format!("it ended the program {MOST_BEGUN} times"))
            } else {
                self.guarded(|handler, store| due.act(handler, store, now))?
            };
            match acted {
                Ok(()) => self.store.keep_message()?,
                Err(why) => {
                    tracing::error!(source = source.name, row, %at, %why, "something due is put off for a day");
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

    /// Whether it could be put off. If not, it is tried again after a pause.
    fn put_off(&mut self, source: &'static Source, row: i64, now: DateTime<Utc>) -> store::Result<bool> {
        match self.guarded(|_, store| Ok((source.put_off)(store, row, now + PUT_OFF)?))? {
            Ok(()) => {
                self.store.keep_message()?;
                Ok(true)
            }
            Err(why) => {
                tracing::error!(source = source.name, row, %why, "nor can it be put off");
                Ok(false)
            }
        }
    }

    /// Tells the timer when something is due next.
    pub(super) fn announce(&self) {
        match self.first_due() {
            Ok(due) => {
                self.next.send_replace(due.map(|due| due.at));
            }
            Err(error) => tracing::error!(%error, "what is due next cannot be read"),
        }
    }
}

#[cfg(test)]
#[path = "due_tests.rs"]
mod tests;
