//! Statements that are sent without waiting for their results, which come with those of the next one that is waited for.
//! <https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING>

use postgres_protocol::message::backend::{DataRowBody, Message};
use postgres_protocol::message::frontend;

use super::asked::SNAPSHOT;
use super::error::{Report, unexpected};
use super::row::{Body, Effect};
use super::wire::{Deferred, Done, Wire};
use crate::store::value::ToValue;
use crate::store::{Error, ErrorKind, Result};

/// Statements that may wait for their results at once, and their bytes: as many as the server's end of the connection takes while
/// it waits for us to read.
const MOST_DEFERRED: usize = 512;
const MOST_BYTES: usize = 64 * 1024;

/// The SQLSTATE with which a statement fails that was to change a row.
const DIVISION_BY_ZERO: &str = "22012";

impl Wire {
    /// Reads the results of deferred statements, then those of the last one, and passes on its rows. If one of those has
    /// failed, the last one has failed because of it.
    pub(super) fn results(&mut self, mut row: impl FnMut(Body)) -> Result<Done> {
        let (mut done, mut fault, mut rows) = (Done::default(), None, Vec::new());
        while self.readies > 0 {
            match self.receive()? {
                Message::DataRow(body) => match self.deferred.front() {
                    None => row(self.body(&body)?),
                    Some(Deferred::Read(_) | Deferred::Snapshot) => rows.push(self.body(&body)?),
                    Some(_) => {}
                },
                Message::CommandComplete(body) => {
                    let tag = body.tag().unwrap_or_default();
                    let changed = tag.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
                    match self.deferred.pop_front() {
                        None => {
                            done.rows = changed;
                            done.is_rolled_back = tag == "ROLLBACK";
                        }
                        Some(Deferred::Read(asks)) => self.asked.have_come(&asks, std::mem::take(&mut rows)),
                        Some(Deferred::Snapshot) => {
                            let snapshot = rows.pop().and_then(|row| text(&row));
                            self.asked.end(&snapshot.unwrap_or_default());
                        }
                        Some(Deferred::Savepoint) => self.asked.savepoint(),
                        Some(Deferred::Release) => self.asked.release(),
                        Some(Deferred::Write | Deferred::WriteOne) if changed > 0 => {
                            self.asked.have_changed();
                            self.changed += changed;
                        }
                        Some(Deferred::Write | Deferred::WriteOne) => {}
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
                Message::BindComplete
                | Message::ParseComplete
                | Message::EmptyQueryResponse
                | Message::NoData => {}
                _ => {
                    self.is_over = true;
                    return Err(unexpected());
                }
            }
        }
        self.unread = 0;
        match fault {
            None => Ok(done),
            Some(fault) => {
                self.is_late |= done.is_rolled_back;
                self.asked.undo();
                Err(fault)
            }
        }
    }

    /// The error of a statement. If its message is over, the whole transaction must end: its savepoint was kept, or would have been.
    fn fault(&mut self, error: Error) -> Error {
        let is_end = |deferred: &Deferred| matches!(deferred, Deferred::Savepoint | Deferred::Release);
        if !self.deferred.iter().any(is_end) {
            return error;
        }
        self.is_late = true;
        Error::Database {
            kind: ErrorKind::Other,
            message: format!("a statement of an earlier message failed: {error}"),
        }
    }

    /// Sends the deferred statements.
    pub(super) fn send(&mut self) -> Result<()> {
        match self.output.is_empty() {
            true => Ok(()),
            false => self.flush(),
        }
    }

    /// Waits for all deferred statements.
    pub(super) fn settle(&mut self) -> Result<()> {
        if self.deferred.is_empty() {
            return Ok(());
        }
        self.put_sync();
        self.flush()?;
        self.results(|_| {}).map(drop)
    }

    /// Asks for the results of all before, and for a sign that they are over.
    pub(super) fn put_sync(&mut self) {
        frontend::sync(&mut self.output);
        self.readies += 1;
    }

    fn put_deferred(&mut self, deferred: Deferred) -> Result<()> {
        self.deferred.push_back(deferred);
        if self.deferred.len() >= MOST_DEFERRED || self.unread + self.output.len() >= MOST_BYTES {
            self.settle()?;
        }
        Ok(())
    }

    /// Runs a statement together with the next one that is waited for. An error is then that one's; with `is_one` it is one
    /// too if no row was changed.
    pub(super) fn defer(&mut self, sql: &str, values: &[&dyn ToValue], is_one: bool) -> Result<()> {
        let statement = match is_one {
            true => self.prepared_as(
                &format!("WITH changed AS ({sql} RETURNING 1) SELECT 1 / COUNT(*) FROM changed"),
                sql,
            )?,
            false => self.prepared(sql)?,
        };
        self.put(&statement, values, 0)?;
        self.asked.note(&statement, values);
        self.put_deferred(match (&statement.effect, is_one) {
            (Effect::Savepoint, _) => Deferred::Savepoint,
            (Effect::Release, _) => Deferred::Release,
            (_, true) => Deferred::WriteOne,
            (_, false) => Deferred::Write,
        })
    }

    /// Asks for rows that will be needed, together with the next statement that is waited for.
    pub(super) fn ask(&mut self, sql: &str, values: &[&dyn ToValue]) -> Result<()> {
        let statement = self.prepared(sql)?;
        let before = self.output.len();
        self.put(&statement, values, 0)?;
        let asks = self.output.get(before..).unwrap_or_default();
        if !self.asked.ask(asks, &statement, values) {
            self.output.truncate(before);
            return Ok(());
        }
        let asks = asks.to_vec();
        self.put_deferred(Deferred::Read(asks))
    }

    /// Begins a transaction; what another program may have changed is not believed any more.
    pub(super) fn begin(&mut self) -> Result<()> {
        self.defer("BEGIN", &[], false)?;
        let mut snapshot = None;
        self.execute(SNAPSHOT, &[], |row| snapshot = text(&row))?;
        self.asked.begin(&snapshot.unwrap_or_default());
        Ok(())
    }

    /// Commits it.
    pub(super) fn commit(&mut self) -> Result<Done> {
        let done = self.execute_simple("COMMIT")?;
        if done.is_rolled_back {
            self.asked.undo();
        }
        let statement = self.prepared(SNAPSHOT)?;
        self.put(&statement, &[], 0)?;
        self.put_deferred(Deferred::Snapshot)?;
        Ok(done)
    }

    /// The values of a row.
    pub(super) fn body(&mut self, row: &DataRowBody) -> Result<Body> {
        let body = Body::read(row);
        self.is_over |= body.is_err();
        body
    }
}

/// The one column of a row, a text.
fn text(row: &Body) -> Option<String> {
    String::from_utf8(row.column(0)?.to_vec()).ok()
}
