//! Rows and parameters in PostgreSQL's binary form.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::DataRowBody;
use postgres_protocol::{IsNull, Oid};

use crate::store::value::{Value, without_nul};
use crate::store::{Error, Result};

const BOOL: Oid = 16;
const BYTEA: Oid = 17;
const INT8: Oid = 20;
const INT2: Oid = 21;
const INT4: Oid = 23;
const FLOAT4: Oid = 700;
const FLOAT8: Oid = 701;

/// A prepared statement.
#[derive(Debug)]
pub(super) struct Prepared {
    /// Its name in the session.
    pub(super) name: String,
    /// The types of its parameters.
    pub(super) parameters: Vec<Oid>,
    /// The columns of its rows, with their types.
    pub(super) columns: Vec<(String, Oid)>,
}

/// The values of a row.
#[derive(Debug)]
pub(super) struct Body {
    bytes: Bytes,
    /// Where each column is; `None`: NULL.
    places: Vec<Option<(usize, usize)>>,
}

impl Body {
    pub(super) fn read(row: &DataRowBody) -> Result<Self> {
        let places = row
            .ranges()
            .map(|place| Ok(place.map(|place| (place.start, place.end))))
            .collect();
        Ok(Self {
            places: places.map_err(|error| super::error::broken(&error))?,
            bytes: row.buffer_bytes().clone(),
        })
    }

    /// The bytes of a column; `None`: NULL, or there is no such column.
    pub(super) fn column(&self, column: usize) -> Option<&[u8]> {
        let (begin, end) = (*self.places.get(column)?)?;
        self.bytes.get(begin..end)
    }
}

pub(in crate::store) struct Row {
    statement: Arc<Prepared>,
    body: Body,
}

impl Row {
    pub(super) fn new(statement: Arc<Prepared>, body: Body) -> Self {
        Self { statement, body }
    }

    /// The name of a column.
    pub(in crate::store) fn name(&self, column: usize) -> &str {
        self.statement
            .columns
            .get(column)
            .map_or("", |(name, _)| name.as_str())
    }

    pub(in crate::store) fn value(&self, column: usize) -> Result<Value<'_>> {
        let Some((_, kind)) = self.statement.columns.get(column) else {
            return Err(Error::Corrupt(format!("a row has no column {column}")));
        };
        let Some(bytes) = self.body.column(column) else {
            return Ok(Value::Null);
        };
        read(*kind, bytes).ok_or_else(|| {
            Error::Corrupt(format!(
                "the column {} has a value of type {kind} that cannot be read",
                self.name(column)
            ))
        })
    }
}

fn read(kind: Oid, bytes: &[u8]) -> Option<Value<'_>> {
    Some(match kind {
        INT8 => Value::Int(i64::from_be_bytes(bytes.try_into().ok()?)),
        INT4 => Value::Int(i32::from_be_bytes(bytes.try_into().ok()?).into()),
        INT2 => Value::Int(i16::from_be_bytes(bytes.try_into().ok()?).into()),
        BOOL => Value::Int((*bytes.first()?).into()),
        FLOAT8 => Value::Real(f64::from_be_bytes(bytes.try_into().ok()?)),
        FLOAT4 => Value::Real(f32::from_be_bytes(bytes.try_into().ok()?).into()),
        BYTEA => Value::Blob(bytes),
        _ => Value::Text(str::from_utf8(bytes).ok()?),
    })
}

/// Writes a parameter of this type.
pub(super) fn write(
    kind: Oid,
    value: Value<'_>,
    out: &mut BytesMut,
) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
    match (value, kind) {
        (Value::Null, _) => return Ok(IsNull::Yes),
        (Value::Int(number), INT8) => out.put_i64(number),
        (Value::Int(number), INT4) => out.put_i32(number.try_into()?),
        (Value::Int(number), INT2) => out.put_i16(number.try_into()?),
        (Value::Int(number), BOOL) => out.put_u8((number != 0).into()),
        (Value::Real(number), FLOAT8) => out.put_f64(number),
        (Value::Blob(bytes), BYTEA) => out.put_slice(bytes),
        (Value::Text(text), kind) if ![INT8, INT4, INT2, BOOL, FLOAT8, BYTEA].contains(&kind) => {
            out.put_slice(without_nul(text).as_bytes());
        }
        (value, kind) => return Err(format!("{value} is no parameter of type {kind}").into()),
    }
    Ok(IsNull::No)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for (kind, value) in [
            (INT8, Value::Int(i64::MIN)),
            (INT4, Value::Int(-7)),
            (INT2, Value::Int(300)),
            (BOOL, Value::Int(1)),
            (FLOAT8, Value::Real(-0.25)),
            (BYTEA, Value::Blob(b"\0\xff")),
            (25, Value::Text("grün")),
        ] {
            let mut bytes = BytesMut::new();
            write(kind, value, &mut bytes).unwrap();
            assert_eq!(read(kind, &bytes), Some(value));
        }
        let mut bytes = BytesMut::new();
        write(25, Value::Text("a\0b"), &mut bytes).unwrap();
        assert_eq!(read(25, &bytes), Some(Value::Text("a\u{fffd}b")));
        assert!(write(INT4, Value::Int(i64::MAX), &mut bytes).is_err());
        assert!(write(INT8, Value::Text("7"), &mut bytes).is_err());
        assert_eq!(read(INT8, b"\0"), None);
    }
}
