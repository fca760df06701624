//! One kind of due item.

use chrono::{DateTime, Utc};

use crate::command::InternalError;
use crate::store::{self, Reader, Store};

use super::handler::Handler;

/// When a row is due, and its id.
pub type Row = (DateTime<Utc>, i64);

/// One kind of due item. Each item is identified by the id of a row.
#[derive(Debug)]
pub struct DueTask {
    /// Its name in the log.
    pub name: &'static str,
    /// Returns the earliest item. Called after each commit, so it must be one lookup in an index.
    pub first: fn(&Reader) -> store::Result<Option<Row>>,
    /// Handles the item of this row at this time, which may be long after it was due. Afterwards the item must be due
    /// later, or not at all.
    pub run: fn(&mut Handler, &Store, i64, DateTime<Utc>) -> Result<(), InternalError>,
    /// Whether an item is handled in steps. Then it may be due again at once, and each step ends the batch, so that mail is handled
    /// between any two.
    pub is_stepwise: bool,
    /// Postpones the item of this row to that time, because handling it failed. So it does not block the others.
    pub postpone: fn(&Store, i64, DateTime<Utc>) -> store::Result<()>,
}
