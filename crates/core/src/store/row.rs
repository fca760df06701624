//! A row of an answer, whichever engine it is of.

use super::value::FromValue;
use super::{Error, Result, postgres, sqlite};

/// The current row of a statement.
pub(super) enum Row<'a> {
    Sqlite(sqlite::Row<'a>),
    Postgres(postgres::Row),
}

impl Row<'_> {
    /// The value in a column, counted from 0.
    #[inline]
    pub(super) fn get<'a, T: FromValue<'a>>(&'a self, column: usize) -> Result<T> {
        let value = match self {
            Self::Sqlite(row) => row.value(column)?,
            Self::Postgres(row) => row.value(column)?,
        };
        T::from_value(value).ok_or_else(|| self.unfit(column, value))
    }

    #[cold]
    fn unfit(&self, column: usize, value: impl std::fmt::Display) -> Error {
        let name = match self {
            Self::Sqlite(row) => row.name(column),
            Self::Postgres(row) => row.name(column),
        };
        Error::Corrupt(format!("the column {name} cannot hold {value}"))
    }
}
