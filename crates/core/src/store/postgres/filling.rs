//! Filling tables with the rows of another database, by COPY in its binary form:
//! <https://www.postgresql.org/docs/current/sql-copy.html>.

use bytes::{BufMut, BytesMut};
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::engine::Postgres;
use super::error::{Report, broken, unexpected};
use super::row;
use super::wire::Wire;
use crate::store::sqlite::Table;
use crate::store::value::{Kept, ToValue};
use crate::store::{Error, ErrorKind, Result};

/// What a stream begins with: the signature, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// What it ends with.
const TRAILER: i16 = -1;

impl Postgres {
    /// Adds rows, all within the open transaction.
    pub(in crate::store) fn fill(&self, table: &Table, rows: &[Vec<Kept>]) -> Result<()> {
        let (name, columns) = (&table.name, table.listed());
        self.with(|wire| {
            let statement = wire.prepared(&format!("SELECT {columns} FROM {name}"))?;
            let mut stream = BytesMut::from(HEADER);
            for row in rows {
                stream.put_i16(i16::try_from(row.len()).unwrap_or(i16::MAX));
                for (value, (_, kind)) in row.iter().zip(&statement.columns) {
                    put(&mut stream, value, *kind)?;
                }
            }
            stream.put_i16(TRAILER);
            wire.copy(
                &format!("COPY {name} ({columns}) FROM STDIN (FORMAT binary)"),
                &stream,
            )
        })
    }

    /// Lets the numbers that the engine gives itself go on after the highest one.
    pub(in crate::store) fn go_on_numbering(&self, table: &Table) -> Result<()> {
        let (name, key) = (&table.name, table.listed_key());
        // There is no sequence where the writer numbers the rows: nothing is set then.
        let sql = format!(
            "SELECT setval(pg_get_serial_sequence('{name}', '{key}'), \
             GREATEST((SELECT COALESCE(MAX({key}), 0) FROM {name}), 0) + 1, false)"
        );
        self.find(&sql, &[], |_| Ok(())).map(drop)
    }

    /// Removes all rows.
    pub(in crate::store) fn clear(&self, tables: &[Table]) -> Result<()> {
        let names: Vec<_> = tables.iter().map(|table| table.name.as_str()).collect();
        self.run(&format!("TRUNCATE {}", names.join(", ")))
    }
}

fn put(stream: &mut BytesMut, value: &Kept, kind: postgres_protocol::Oid) -> Result<()> {
    let mut bytes = BytesMut::new();
    let refused = |message: String| Error::Database {
        kind: ErrorKind::Refused,
        message,
    };
    match row::write(kind, value.to_value(), &mut bytes).map_err(|error| refused(error.to_string()))? {
        IsNull::Yes => stream.put_i32(-1),
        IsNull::No => {
            let length = i32::try_from(bytes.len()).map_err(|error| refused(error.to_string()))?;
            stream.put_i32(length);
            stream.put_slice(&bytes);
        }
    }
    Ok(())
}

impl Wire {
    fn copy(&mut self, sql: &str, stream: &[u8]) -> Result<()> {
        self.settle()?;
        self.put_simple(sql)?;
        self.flush()?;
        match self.receive()? {
            Message::CopyInResponse(_) => {}
            Message::ErrorResponse(body) => {
                let report = Report::of(&body);
                self.is_over |= report.is_fatal;
                if !self.is_over {
                    self.results(&mut |_| {})?;
                }
                return Err(report.into_error());
            }
            _ => {
                self.is_over = true;
                return Err(unexpected());
            }
        }
        let data = frontend::CopyData::new(stream).map_err(|error| broken(&error))?;
        data.write(&mut self.output);
        frontend::copy_done(&mut self.output);
        self.flush()?;
        self.results(&mut |_| {}).map(drop)
    }
}
