//! Statements that are sent together with the next one that is waited for, whose results come with its own.
//! <https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING>

use postgres_protocol::message::backend::{DataRowBody, Message};
use postgres_protocol::message::frontend;

use super::error::{Report, unexpected};
use super::row::Body;
use super::wire::{Deferred, Done, Wire};
use crate::store::value::ToValue;
use crate::store::{Error, ErrorKind, Result};

/// Statements that may wait for their results at once, and their bytes: as many as the server's end of the connection takes while
/// it waits for us to read.
const MAX_DEFERRED: usize = 512;
const MAX_BYTES: usize = 64 * 1024;

/// The SQLSTATE with which a statement fails that was to change a row.
const DIVISION_BY_ZERO: &str = "22012";

impl Wire {
    /// Reads the results of deferred statements, then those of the last one, and passes on its rows. If one of those has
    /// failed, the last one has failed because of it.
    pub(super) fn results(&mut self, row: &mut dyn FnMut(Body)) -> Result<Done> {
        let (mut done, mut fault) = (Done::default(), None);
        while self.readies > 0 {
            match self.receive()? {
                Message::DataRow(body) if self.deferred.is_empty() => row(self.body(&body)?),
                Message::CommandComplete(body) => {
                    let tag = body.tag().unwrap_or_default();
                    let changed = tag.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
                    match self.deferred.pop_front() {
                        None => {
                            done.rows = changed;
                            done.is_rolled_back = tag == "ROLLBACK";
                        }
                        Some(_) => self.changed += changed,
                    }
                }
                Message::ErrorResponse(body) => {
                    let report = Report::of(&body);
                    if report.is_fatal {
                        self.is_over = true;
                        return Err(report.into_error());
                    }
                    let is_gone = matches!(self.deferred.front(), Some(Deferred::WriteOne))
                        && report.code == DIVISION_BY_ZERO;
                    let error = match is_gone {
                        true => Error::Corrupt("a row that is changed is gone".to_owned()),
                        false => report.into_error(),
                    };
                    fault = fault.or(Some(self.fault(error)));
                }
                Message::ReadyForQuery(_) => {
                    // The server has left out what came after an error.
                    self.deferred.clear();
                    self.readies -= 1;
                }
                Message::DataRow(_)
                | Message::BindComplete
                | Message::ParseComplete
                | Message::EmptyQueryResponse
                | Message::NoData => {}
                _ => {
                    self.is_over = true;
                    return Err(unexpected());
                }
            }
        }
        fault.map_or(Ok(done), Err)
    }

    /// The error of a statement. If a savepoint was to begin or end after it, which was left out, the transaction must end: what is
    /// undone next would be another savepoint.
    fn fault(&self, error: Error) -> Error {
        match self.deferred.contains(&Deferred::Bound) {
            false => error,
            true => Error::Database {
                kind: ErrorKind::Other,
                message: format!("a statement before a savepoint failed: {error}"),
            },
        }
    }

    /// Waits for all deferred statements.
    pub(super) fn settle(&mut self) -> Result<()> {
        if self.deferred.is_empty() {
            return Ok(());
        }
        self.put_sync();
        self.flush()?;
        self.results(&mut |_| {}).map(drop)
    }

    /// Asks for the results of all before, and for a sign that they are over.
    pub(super) fn put_sync(&mut self) {
        frontend::sync(&mut self.output);
        self.readies += 1;
    }

    /// Runs a statement together with the next one that is waited for. An error is then that one's.
    pub(super) fn defer(&mut self, sql: &str, values: &[&dyn ToValue], what: Deferred) -> Result<()> {
        let statement = match what {
            Deferred::WriteOne => self.prepared(&format!(
                "WITH changed AS ({sql} RETURNING 1) SELECT 1 / COUNT(*) FROM changed"
            ))?,
            Deferred::Write | Deferred::Bound => self.prepared(sql)?,
        };
        self.put(&statement, values, 0)?;
        self.deferred.push_back(what);
        if self.deferred.len() >= MAX_DEFERRED || self.output.len() >= MAX_BYTES {
            self.settle()?;
        }
        Ok(())
    }

    /// The values of a row.
    pub(super) fn body(&mut self, row: &DataRowBody) -> Result<Body> {
        let body = Body::read(row);
        self.is_over |= body.is_err();
        body
    }
}
