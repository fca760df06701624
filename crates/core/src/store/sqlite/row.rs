//! Rows in SQLite's form.

use rusqlite::types::ValueRef;

use crate::store::value::Value;
use crate::store::{Error, Result};

/// The current row of a statement.
pub(in crate::store) struct Row<'a>(&'a rusqlite::Row<'a>);

impl<'a> Row<'a> {
    #[inline]
    pub(super) const fn of(row: &'a rusqlite::Row<'a>) -> Self {
        Self(row)
    }

    #[inline]
    pub(in crate::store) fn value(&self, column: usize) -> Result<Value<'_>> {
        Ok(match self.0.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Int(number),
            ValueRef::Real(number) => Value::Real(number),
            ValueRef::Text(text) => match str::from_utf8(text) {
                Ok(text) => Value::Text(text),
                Err(_) => {
                    return Err(Error::Corrupt(format!(
                        "the column {} has no text",
                        self.name(column)
                    )));
                }
            },
            ValueRef::Blob(bytes) => Value::Blob(bytes),
        })
    }

    /// The name of a column.
    pub(in crate::store) fn name(&self, column: usize) -> &str {
        self.0.as_ref().column_name(column).unwrap_or_default()
    }
}
