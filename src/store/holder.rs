//! Who has the engine of a database that several servers use.

use chrono::{DateTime, Utc};

use super::row::Row;
use super::{Location, Reader, Result};

/// The server that has the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The machine and the process, for people.
    pub host: String,
    /// When it got the engine.
    pub since: DateTime<Utc>,
}

impl Holder {
    pub(super) fn read(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            host: row.get(0)?,
            since: row.get(1)?,
        })
    }
}

impl Location {
    /// Whether servers on several machines can use the database, of which one has the engine.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        matches!(self, Self::Server(_))
    }
}

impl Reader {
    /// Who has the engine; `None`: nobody, or the database is a file.
    pub fn holder(&self) -> Result<Option<Holder>> {
        self.db.holder()
    }
}
