//! A kind of things that are due at a time.

use chrono::{DateTime, Utc};

use crate::command::InternalError;
use crate::store::{self, Reader, Store};

use super::handler::Handler;

/// When a row is due, and its number.
pub type Row = (DateTime<Utc>, i64);

/// One kind of things that are due, each named by the number of a row.
#[derive(Debug)]
pub struct Source {
    /// What it is called in the log.
    pub name: &'static str,
    /// The earliest of them: when it is due, and its row. It is asked after each commit, so it must be one
    /// lookup in an index.
    pub first: fn(&Reader) -> store::Result<Option<Row>>,
    /// Does the one of this row at this time, which may be long after it was due. Afterwards it must be due later,
    /// or no more.
    pub act: fn(&mut Handler, &Store, i64, DateTime<Utc>) -> Result<(), InternalError>,
    /// Makes the one of this row due at that time, since there is a fault in it: so it stops nobody else.
    pub put_off: fn(&Store, i64, DateTime<Utc>) -> store::Result<()>,
}
