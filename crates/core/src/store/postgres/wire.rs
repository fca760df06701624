//! A session as messages: statements out, rows back.
//! <https://www.postgresql.org/docs/current/protocol-flow.html>

use std::collections::{HashMap, VecDeque};
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend::{self, BindError};

use super::error::{Report, broken, lost, unexpected};
use super::row::{self, Body, Prepared};
use super::stream::Stream;
use crate::store::value::ToValue;
use crate::store::{Error, ErrorKind, Result};

/// Rows of a long answer that are read at a time.
const ROWS_AT_ONCE: i32 = 1000;

/// A session.
pub(super) struct Wire {
    pub(super) stream: Stream,
    input: BytesMut,
    pub(super) output: BytesMut,
    statements: HashMap<String, Arc<Prepared>>,
    /// Statements whose results have not been read, in their order.
    pub(super) deferred: VecDeque<Deferred>,
    /// How often the server will say that it is ready.
    pub(super) readies: usize,
    /// Rows changed by deferred statements.
    pub(super) changed: u64,
    /// The session is over.
    pub(super) is_over: bool,
    /// There was a warning. After a commit: it is on this server's disk, and perhaps nowhere else.
    is_unsure: bool,
}

/// A statement whose result nobody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deferred {
    /// Only an error is of interest.
    Write,
    /// It fails if no row is changed.
    WriteOne,
    /// A savepoint begins or ends.
    Bound,
}

/// The end of a statement.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// Rows changed or read.
    pub(super) rows: u64,
    /// It was a COMMIT, and nothing was committed.
    pub(super) is_rolled_back: bool,
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire").finish_non_exhaustive()
    }
}

/// What is done with each row; it says whether more are wanted.
type EachRow<'a> = dyn FnMut(&Arc<Prepared>, Body) -> Result<ControlFlow<()>> + 'a;

impl Wire {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            input: BytesMut::new(),
            output: BytesMut::new(),
            statements: HashMap::new(),
            deferred: VecDeque::new(),
            readies: 0,
            changed: 0,
            is_over: false,
            is_unsure: false,
        }
    }

    /// Sends what is written.
    pub(super) fn flush(&mut self) -> Result<()> {
        let sent = self
            .stream
            .write_all(&self.output)
            .and_then(|()| self.stream.flush());
        self.output.clear();
        sent.map_err(|error| {
            self.is_over = true;
            broken(&error)
        })
    }

    /// The next message, but for those that the server sends at any time.
    pub(super) fn receive(&mut self) -> Result<Message> {
        let mut bytes = [0; 16 * 1024];
        loop {
            match Message::parse(&mut self.input) {
                Ok(Some(Message::NoticeResponse(notice))) => {
                    // So it says that the wait for the standby was cancelled, without a code of its own.
                    self.is_unsure |= Report::read(notice.fields()).is_warning;
                }
                Ok(Some(Message::ParameterStatus(_) | Message::NotificationResponse(_))) => {}
                Ok(Some(message)) => return Ok(message),
                Ok(None) => match self.stream.read(&mut bytes) {
                    Ok(0) => {
                        self.is_over = true;
                        return Err(lost("the server has closed the connection"));
                    }
                    Ok(read) => self
                        .input
                        .extend_from_slice(bytes.get(..read).unwrap_or_default()),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => {
                        self.is_over = true;
                        return Err(broken(&error));
                    }
                },
                Err(error) => {
                    self.is_over = true;
                    return Err(broken(&error));
                }
            }
        }
    }

    /// Whether the server has ended the session meanwhile. It looks, and does not wait.
    pub(super) fn has_ended(&mut self) -> bool {
        use super::stream::Readable;
        match self.stream.waiting() {
            Readable::Nothing => {}
            Readable::End => self.is_over = true,
            // Between two statements only the end of the session and notices come.
            Readable::Bytes => {
                if self.execute_simple("").is_err() {
                    self.is_over = true;
                }
            }
        }
        self.is_over
    }

    /// Runs statements without parameters.
    pub(super) fn execute_simple(&mut self, sql: &str) -> Result<Done> {
        self.put_simple(sql)?;
        self.flush()?;
        self.results(&mut |_| {})
    }

    pub(super) fn put_simple(&mut self, sql: &str) -> Result<()> {
        if !self.deferred.is_empty() {
            // Otherwise the server would leave it out after an error.
            self.put_sync();
        }
        frontend::query(sql, &mut self.output).map_err(|error| broken(&error))?;
        self.readies += 1;
        Ok(())
    }

    /// Prepares a statement, or finds it among those that were.
    pub(super) fn prepared(&mut self, sql: &str) -> Result<Arc<Prepared>> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        self.settle()?;
        let name = format!("s{}", self.statements.len());
        let put = frontend::parse(&name, sql, [], &mut self.output)
            .and_then(|()| frontend::describe(b'S', &name, &mut self.output));
        put.map_err(|error| broken(&error))?;
        frontend::sync(&mut self.output);
        self.flush()?;
        let (mut parameters, mut columns, mut fault) = (Vec::new(), Vec::new(), None);
        loop {
            let read = match self.receive()? {
                Message::ParameterDescription(body) => body
                    .parameters()
                    .collect()
                    .map(|found: Vec<_>| parameters = found),
                Message::RowDescription(body) => {
                    let column = body
                        .fields()
                        .map(|field| Ok((field.name().to_owned(), field.type_oid())));
                    column.collect().map(|found: Vec<_>| columns = found)
                }
                Message::ErrorResponse(body) => {
                    let report = Report::of(&body);
                    self.is_over |= report.is_fatal;
                    fault = fault.or(Some(report.into_error()));
                    if self.is_over {
                        break;
                    }
                    Ok(())
                }
                Message::ReadyForQuery(_) => break,
                _ => Ok(()),
            };
            read.map_err(|error| broken(&error))?;
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        let statement = Arc::new(Prepared {
            name,
            parameters,
            columns,
        });
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Writes a statement with its values.
    pub(super) fn put(&mut self, statement: &Prepared, values: &[&dyn ToValue], most: i32) -> Result<()> {
        let before = self.output.len();
        let pairs = statement.parameters.iter().zip(values);
        let bound = frontend::bind(
            "",
            &statement.name,
            [1],
            pairs,
            |(kind, value), out| row::write(*kind, value.to_value(), out),
            [1],
            &mut self.output,
        );
        let bound = match bound {
            Ok(()) => frontend::execute("", most, &mut self.output).map_err(|error| broken(&error)),
            Err(BindError::Conversion(error)) => Err(Error::Database {
                kind: ErrorKind::Refused,
                message: error.to_string(),
            }),
            Err(BindError::Serialization(error)) => Err(broken(&error)),
        };
        if bound.is_err() {
            self.output.truncate(before);
        }
        bound
    }

    /// Runs a statement; its rows are passed on.
    pub(super) fn execute(
        &mut self,
        sql: &str,
        values: &[&dyn ToValue],
        row: &mut dyn FnMut(Body),
    ) -> Result<(Arc<Prepared>, Done)> {
        let statement = self.prepared(sql)?;
        self.put(&statement, values, 0)?;
        self.put_sync();
        self.flush()?;
        let done = self.results(row)?;
        Ok((statement, done))
    }

    /// Runs a statement and reads only a part of its rows at a time, until `row` wants no more.
    pub(super) fn each(&mut self, sql: &str, values: &[&dyn ToValue], row: &mut EachRow<'_>) -> Result<()> {
        self.settle()?;
        let statement = self.prepared(sql)?;
        self.put(&statement, values, ROWS_AT_ONCE)?;
        frontend::flush(&mut self.output);
        self.flush()?;
        let mut read = Ok(ControlFlow::Continue(()));
        let fault = loop {
            match self.receive()? {
                Message::DataRow(body) => {
                    if matches!(read, Ok(ControlFlow::Continue(()))) {
                        read = row(&statement, self.body(&body)?);
                    }
                }
                Message::PortalSuspended if matches!(read, Ok(ControlFlow::Continue(()))) => {
                    frontend::execute("", ROWS_AT_ONCE, &mut self.output).map_err(|error| broken(&error))?;
                    frontend::flush(&mut self.output);
                    self.flush()?;
                }
                Message::BindComplete => {}
                Message::CommandComplete(_) | Message::PortalSuspended => break None,
                Message::ErrorResponse(body) => break Some(Report::of(&body)),
                _ => {
                    self.is_over = true;
                    return Err(unexpected());
                }
            }
        };
        if let Some(report) = fault {
            self.is_over |= report.is_fatal;
            read = read.and(Err(report.into_error()));
        }
        if !self.is_over {
            self.put_sync();
            self.flush()?;
            self.results(&mut |_| {})?;
        }
        read.map(|_| ())
    }

    /// Whether a commit was perhaps not replicated, or another warning came, since the last question.
    pub(super) fn was_unsure(&mut self) -> bool {
        std::mem::take(&mut self.is_unsure)
    }

    /// Rows changed by deferred statements since the last question.
    pub(super) fn changed(&mut self) -> u64 {
        std::mem::take(&mut self.changed)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if !self.is_over {
            self.output.clear();
            frontend::terminate(&mut self.output);
            // Who does not hear it finds the connection closed.
            let _ = self.flush();
        }
    }
}
