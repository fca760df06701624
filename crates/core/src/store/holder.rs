//! Who has the engine of a database that several servers use.

use chrono::{DateTime, Utc};

use super::Result;
use super::row::Row;

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
