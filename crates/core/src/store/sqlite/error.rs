//! Translates SQLite's errors into the store's.

use rusqlite::ErrorCode;

use crate::store::{Error, ErrorKind};

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database {
            kind: kind(&error),
            message: error.to_string(),
        }
    }
}

const fn kind(error: &rusqlite::Error) -> ErrorKind {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DiskFull => ErrorKind::DiskFull,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => ErrorKind::Locked,
            ErrorCode::SystemIoFailure => ErrorKind::Io,
            ErrorCode::CannotOpen | ErrorCode::NotFound => ErrorKind::CannotOpen,
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => ErrorKind::ReadOnly,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => ErrorKind::Damaged,
            ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::TooBig
            | ErrorCode::ParameterOutOfRange => ErrorKind::Refused,
            _ => ErrorKind::Other,
        },
        // A statement that cannot be prepared fails for every message, not only for this one.
        rusqlite::Error::SqlInputError { .. } => ErrorKind::Unprepared,
        _ => ErrorKind::Refused,
    }
}
