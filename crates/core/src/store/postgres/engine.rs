//! A connection: statements with parameters, rows, and transactions.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::access;
use super::error::lost;
use super::hold::Hold;
use super::row::Row;
use super::server::Server;
use super::session;
use super::wire::{Deferred, Wire};
use crate::store::holder::Holder;
use crate::store::location::Location;
use crate::store::replication::Replication;
use crate::store::row as seen;
use crate::store::sqlite::Pages;
use crate::store::value::ToValue;
use crate::store::{Error, ErrorKind, Result};

/// Whether the account may see them, whether commits wait for them, and how many have each commit
/// (<https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-REPLICATION-VIEW>).
const STANDBYS: &str = "SELECT pg_has_role('pg_read_all_stats', 'USAGE'), \
    current_setting('synchronous_standby_names') <> '', \
    (SELECT COUNT(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) \
    WHERE NOT pg_is_in_recovery()";

/// The slot without a standby that keeps the most WAL.
const KEPT: &str = "SELECT slot_name::text, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint \
    FROM pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL AND NOT pg_is_in_recovery() \
    ORDER BY 2 DESC LIMIT 1";

/// A connection, which is made again when it was lost: that of the writer only together with the lock.
#[derive(Debug)]
pub(in crate::store) struct Postgres {
    pub(super) server: Arc<Server>,
    pub(super) wire: RefCell<Option<Wire>>,
    /// What the writer holds; `None`: this connection only reads.
    pub(super) hold: Option<Hold>,
    changed: Cell<u64>,
    pub(super) is_in_transaction: Cell<bool>,
    /// The highest number of a row of each table.
    pub(super) numbers: RefCell<HashMap<String, i64>>,
}

impl Postgres {
    pub(super) fn new(server: &Arc<Server>, hold: Option<Hold>) -> Self {
        Self {
            server: server.clone(),
            wire: RefCell::new(None),
            hold,
            changed: Cell::new(0),
            is_in_transaction: Cell::new(false),
            numbers: RefCell::default(),
        }
    }

    /// Opens a connection that only reads.
    pub(in crate::store) fn open_for_reading(server: &Arc<Server>) -> Result<Self> {
        let reader = Self::new(server, None);
        *reader.wire.borrow_mut() = Some(reader.read_only()?);
        Ok(reader)
    }

    fn read_only(&self) -> Result<Wire> {
        let mut wire = access::open(&self.server)?;
        wire.execute_simple("SET default_transaction_read_only = on")?;
        Ok(wire)
    }

    /// Does something with the session. A reader whose session was lost does it again with a new one.
    pub(super) fn with<T>(&self, run: impl Fn(&mut Wire) -> Result<T>) -> Result<T> {
        let Ok(mut slot) = self.wire.try_borrow_mut() else {
            return Err(Error::Corrupt("a statement runs while rows are read".to_owned()));
        };
        let is_reader = self.hold.is_none();
        let was_open = slot.is_some();
        let wire = match &mut *slot {
            Some(wire) => wire,
            None if is_reader => slot.insert(self.read_only()?),
            None => return Err(lost("the session with the server is lost")),
        };
        let mut done = run(wire);
        if wire.is_over && done.is_err() && is_reader && was_open {
            let wire = slot.insert(self.read_only()?);
            done = run(wire);
        }
        if let Some(wire) = &mut *slot {
            self.changed.set(self.changed.get() + wire.changed());
            if wire.is_over {
                *slot = None;
                self.is_in_transaction.set(false);
                self.numbers.borrow_mut().clear();
            }
        }
        done
    }

    pub(in crate::store) fn execute(&self, sql: &str, values: &[&dyn ToValue]) -> Result<usize> {
        let done = self.with(|wire| Ok(wire.execute(sql, values, &mut |_| {})?.1))?;
        self.changed.set(self.changed.get() + done.rows);
        Ok(usize::try_from(done.rows).unwrap_or(usize::MAX))
    }

    /// Runs a statement of a transaction together with the next one. An error is then that one's.
    pub(in crate::store) fn write(&self, sql: &str, values: &[&dyn ToValue]) -> Result<()> {
        if self.is_in_transaction.get() {
            self.with(|wire| wire.defer(sql, values, Deferred::Write))
        } else {
            self.execute(sql, values).map(drop)
        }
    }

    /// The same for a statement that changes a row: an error if there is none.
    pub(in crate::store) fn write_one(&self, sql: &str, values: &[&dyn ToValue]) -> Result<()> {
        if self.is_in_transaction.get() {
            return self.with(|wire| wire.defer(sql, values, Deferred::WriteOne));
        }
        match self.execute(sql, values)? {
            0 => Err(Error::Corrupt("a row that is changed is gone".to_owned())),
            _ => Ok(()),
        }
    }

    /// Begins or keeps a savepoint, together with the next statement.
    pub(in crate::store) fn bound(&self, sql: &str) -> Result<()> {
        self.with(|wire| wire.defer(sql, &[], Deferred::Bound))
    }

    /// Undoes a savepoint. What is undone may have failed.
    pub(in crate::store) fn undo(&self, sql: &str) -> Result<()> {
        self.numbers.borrow_mut().clear();
        match self.settle() {
            Err(error) if error.ends_the_transaction() => Err(error),
            _ => self.run(sql),
        }
    }

    /// Waits for the results of all that was written.
    pub(in crate::store) fn settle(&self) -> Result<()> {
        self.with(Wire::settle)
    }

    /// Adds a row with the number that follows the highest one, as SQLite does. There is one writer, so it knows that without
    /// asking, and need not wait.
    pub(in crate::store) fn insert(&self, sql: &str, values: &[&dyn ToValue]) -> Result<i64> {
        let Some((table, columns, rest)) = sql
            .strip_prefix("INSERT INTO ")
            .and_then(|sql| sql.split_once(" ("))
            .and_then(|(table, rest)| Some((table, rest.split_once(") VALUES (")?)))
            .map(|(table, (columns, rest))| (table, columns, rest))
        else {
            return Err(Error::Corrupt(format!("no row can be numbered by {sql}")));
        };
        let known = self.numbers.borrow().get(table).copied();
        let last = match known {
            Some(last) => last,
            None => self
                .find(&format!("SELECT MAX(id) FROM {table}"), &[], |row| row.get(0))?
                .flatten()
                .unwrap_or(0),
        };
        let number: i64 = last + 1;
        let (place, rest) = (values.len() + 1, rest.trim_end_matches(')'));
        let sql = format!("INSERT INTO {table} ({columns}, id) VALUES ({rest}, ${place})");
        let all: Vec<&dyn ToValue> = values.iter().copied().chain([&number as &dyn ToValue]).collect();
        self.write(&sql, &all)?;
        self.numbers.borrow_mut().insert(table.to_owned(), number);
        Ok(number)
    }

    pub(in crate::store) fn find<T>(
        &self,
        sql: &str,
        values: &[&dyn ToValue],
        read: impl FnOnce(&seen::Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let first = self.with(|wire| {
            let mut first = None;
            let (statement, _) = wire.execute(sql, values, &mut |body| {
                first.get_or_insert(body);
            })?;
            Ok(first.map(|body| Row::new(statement, body)))
        })?;
        first.map(|row| read(&seen::Row::Postgres(row))).transpose()
    }

    pub(in crate::store) fn all(
        &self,
        sql: &str,
        values: &[&dyn ToValue],
        mut read: impl FnMut(&seen::Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let (statement, rows) = self.with(|wire| {
            let mut rows = Vec::new();
            let (statement, _) = wire.execute(sql, values, &mut |body| rows.push(body))?;
            Ok((statement, rows))
        })?;
        for body in rows {
            if read(&seen::Row::Postgres(Row::new(statement.clone(), body)))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    pub(in crate::store) fn each(
        &self,
        sql: &str,
        values: &[&dyn ToValue],
        read: impl FnMut(&seen::Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let read = RefCell::new(read);
        self.with(|wire| {
            wire.each(sql, values, &mut |statement, body| {
                let row = Row::new(statement.clone(), body);
                (*read.borrow_mut())(&seen::Row::Postgres(row))
            })
        })
    }

    pub(in crate::store) fn run(&self, sql: &str) -> Result<()> {
        self.with(|wire| wire.execute_simple(sql)).map(drop)
    }

    pub(in crate::store) fn rows_changed(&self) -> u64 {
        self.changed.get()
    }

    pub(in crate::store) fn location(&self) -> Location {
        Location::Server(self.server.clone())
    }

    pub(in crate::store) fn pages(&self) -> Result<Pages> {
        let bytes = self.find("SELECT pg_database_size(current_database())", &[], |row| {
            row.get::<i64>(0)
        })?;
        Ok(Pages {
            bytes: bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or_default(),
            free_bytes: 0,
        })
    }

    /// The number of the last migration that was applied; 0: there are no tables.
    pub(in crate::store) fn migration(&self) -> Result<i64> {
        let sql = "SELECT migration FROM engine";
        match self.find(sql, &[], |row| row.get(0)) {
            Ok(found) => Ok(found.unwrap_or_default()),
            Err(Error::Database {
                kind: ErrorKind::Unprepared,
                ..
            }) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Who has the lock of the writer.
    pub(in crate::store) fn holder(&self) -> Result<Option<Holder>> {
        match self.find(session::HOLDER, &[], Holder::read) {
            // The first server is about to make the tables.
            Err(Error::Database {
                kind: ErrorKind::Unprepared,
                ..
            }) => Ok(None),
            found => found,
        }
    }

    /// What the server says of its standbys, as far as this account may see it.
    pub(in crate::store) fn replication(&self) -> Result<Option<Replication>> {
        let kept = self.find(KEPT, &[], |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)))?;
        let kept = kept.map(|(slot, bytes)| (slot, bytes.try_into().unwrap_or_default()));
        self.find(STANDBYS, &[], |row| {
            Ok(Replication {
                is_meant: self.server.hosts.len() > 1,
                is_visible: row.get(0)?,
                waits: row.get(1)?,
                synchronous: row.get::<i64>(2)?.try_into().unwrap_or_default(),
                kept,
            })
        })
    }

    /// What the server would not say by itself.
    pub(in crate::store) fn faults(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        // The writer sets synchronous_commit itself.
        for setting in ["fsync", "full_page_writes"] {
            let is = self.find("SELECT current_setting($1)", &[&setting], |row| {
                row.get::<String>(0)
            })?;
            if is.as_deref() == Some("off") {
                found.push(format!(
                    "PostgreSQL has {setting} = off: a crash can lose what was answered with 250"
                ));
            }
        }
        Ok(found)
    }
}
