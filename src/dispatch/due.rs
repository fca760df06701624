//! What is due at a time of its own, without a message: the list of its sources.
//!
//! The engine does one thing after the other, the earliest first, each in a savepoint of its own as messages
//! are. A source is a kind of such things; a new one is a line in [`SOURCES`].

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use crate::command::InternalError;
use crate::store::{self, Reader, Store};

use super::handler::Handler;
use super::source::Source;
use super::{clocks, digest};

/// Every kind of things that are due.
pub static SOURCES: &[&Source] = &[&clocks::BOARDS, &clocks::VACATIONS, &digest::DIGESTS];

/// One thing that is due.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// What kind of thing.
    pub source: &'static Source,
    /// When.
    pub at: DateTime<Utc>,
    /// Which.
    pub row: i64,
}

impl Due {
    /// Does it, in the open savepoint.
    ///
    /// # Errors
    /// A fault of ours; the savepoint is then to be undone.
    pub fn act(&self, handler: &mut Handler, store: &Store, now: DateTime<Utc>) -> Result<(), InternalError> {
        (self.source.act)(handler, store, self.row, now)?;
        match (self.source.first)(store)? {
            // It would be done for ever.
            Some((at, row)) if (at, row) == (self.at, self.row) => Err(InternalError::StillDue),
            _ => Ok(()),
        }
    }

    /// What tells it from all others, for the note that it was begun.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let name = format!("{} {} {}", self.source.name, self.row, store::millis(self.at));
        Sha256::digest(name.as_bytes()).into()
    }
}

/// The earliest thing of these sources, now or in the future.
pub fn first_of(sources: &[&'static Source], reader: &Reader) -> store::Result<Option<Due>> {
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
