//! Items that are due at a time, without a message.
//!
//! The engine handles them one after the other, the earliest first, each in a savepoint as messages are. A [`DueTask`]
//! is one kind of items. To add a source, add a line to [`SOURCES`].

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use crate::command::InternalError;
use crate::store::{self, Reader, Store};

use super::due_task::DueTask;
use super::handler::Handler;
use super::{clocks, contests, digest, expiry, gazette};

/// Every kind of due item.
pub static SOURCES: &[&DueTask] = &[
    &clocks::BOARDS,
    &clocks::VACATIONS,
    &digest::DIGESTS,
    &expiry::UNCONFIRMED,
    &gazette::GAZETTES,
    &gazette::READERS,
    &contests::LEAGUES,
    &contests::CONTESTS,
];

/// One due item.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Its kind.
    pub source: &'static DueTask,
    /// When it is due.
    pub at: DateTime<Utc>,
    /// Its row in the table of the source.
    pub row: i64,
}

impl Due {
    /// Handles the item in the open savepoint.
    ///
    /// # Errors
    /// The server failed, and the caller must roll the savepoint back.
    pub fn act(&self, handler: &mut Handler, store: &Store, now: DateTime<Utc>) -> Result<(), InternalError> {
        (self.source.run)(handler, store, self.row, now)?;
        match (self.source.first)(store)? {
            // Without this check the engine would handle the same item in an endless loop.
            Some((at, row)) if (at, row) == (self.at, self.row) && !self.source.is_stepwise => {
                Err(InternalError::StillDue)
            }
            _ => Ok(()),
        }
    }

    /// A digest that identifies the item in the table `begun`.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let name = format!("{} {} {}", self.source.name, self.row, store::millis(self.at));
        Sha256::digest(name.as_bytes()).into()
    }
}

/// The earliest item of these sources, past or future.
pub fn first_of(sources: &[&'static DueTask], reader: &Reader) -> store::Result<Option<Due>> {
    let mut earliest: Option<Due> = None;
    for source in sources.iter().copied() {
        if let Some((at, row)) = (source.first)(reader)?
            && earliest.is_none_or(|due| at < due.at)
        {
            earliest = Some(Due { source, at, row });
        }
    }
    Ok(earliest)
}
