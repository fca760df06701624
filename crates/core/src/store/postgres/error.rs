//! Translates PostgreSQL's errors into the store's.

use std::io;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::{ErrorFields, ErrorResponseBody};

use crate::store::{Error, ErrorKind};

/// What an error or a notice says.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// The SQLSTATE.
    pub(super) code: String,
    pub(super) message: String,
    /// The session is over with it.
    pub(super) is_fatal: bool,
    pub(super) is_warning: bool,
}

impl Report {
    pub(super) fn read(mut fields: ErrorFields<'_>) -> Self {
        let mut report = Self::default();
        while let Ok(Some(field)) = fields.next() {
            let value = || String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                b'C' => report.code = value(),
                // The detail may hold values of rows.
                b'M' => report.message = value(),
                b'V' => {
                    report.is_fatal = matches!(field.value_bytes(), b"FATAL" | b"PANIC");
                    report.is_warning = field.value_bytes() == b"WARNING";
                }
                _ => {}
            }
        }
        report
    }

    pub(super) fn of(body: &ErrorResponseBody) -> Self {
        Self::read(body.fields())
    }

    /// The error that it is.
    pub(super) fn into_error(self) -> Error {
        let kind = kind(&self.code, self.is_fatal);
        Error::Database {
            kind,
            message: format!("{} ({})", self.message, self.code),
        }
    }
}

/// The kind of an SQLSTATE (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
fn kind(code: &str, is_fatal: bool) -> ErrorKind {
    let class = code.get(..2).unwrap_or_default();
    match (class, code) {
        (_, "53100") => ErrorKind::DiskFull,
        (_, "55P03" | "40001" | "40P01") => ErrorKind::Locked,
        (_, "58030") => ErrorKind::Io,
        (_, "53300") => ErrorKind::Crowded,
        (_, "25006" | "42501" | "3D000") | ("28", _) => ErrorKind::NotAllowed,
        ("XX", "XX001" | "XX002") => ErrorKind::Damaged,
        ("42", _) => ErrorKind::Unprepared,
        ("22" | "23", _) => ErrorKind::Refused,
        ("08" | "57", _) => ErrorKind::Unreachable,
        _ if is_fatal => ErrorKind::Unreachable,
        _ => ErrorKind::Other,
    }
}

/// The connection is lost, or there is none.
pub(super) fn lost(why: impl Into<String>) -> Error {
    Error::Database {
        kind: ErrorKind::Unreachable,
        message: why.into(),
    }
}

/// Reading or writing has failed.
pub(super) fn broken(error: &io::Error) -> Error {
    lost(match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "the server does not answer".to_owned(),
        _ => error.to_string(),
    })
}

/// The server has sent what the protocol does not have there.
pub(super) fn unexpected() -> Error {
    lost("the server sent what was not asked for")
}
