//! Reading the whole database in small steps, to find what a disk has changed: every row of a file, and every board by a replay.
//!
//! Each step is a read of its own, so no snapshot lasts and lets the WAL grow. Known limits: a changed letter in a text that is no
//! turn is not noticed, as SQLite keeps no sums of its pages; backups have sums.

use crate::table::BoardId;

use super::sqlite::{Table, tables};
use super::transfer::page;
use super::value::Kept;
use super::{Error, ErrorKind, Reader, Result};

/// What a step reads.
const ROWS: usize = 200;
const BYTES: usize = 256 * 1024;
const BOARDS: u32 = 20;

/// The indexes of a table with more rows are not compared with it, which takes one long read.
const MAX_COMPARED_ROWS: u64 = 20_000;

/// How far it is.
#[derive(Debug)]
pub struct Scan {
    /// What is left of the tables, the next one last.
    tables: Vec<Table>,
    last: Option<Vec<Kept>>,
    rows_of_table: u64,
    /// `None`: all boards are done.
    after: Option<BoardId>,
    /// Rows read so far.
    pub rows: u64,
    /// Boards replayed so far.
    pub boards: u64,
}

impl Scan {
    /// Begins one. Of a database at a server only the boards are read: PostgreSQL keeps sums of its pages itself.
    pub fn begin(reader: &Reader) -> Result<Self> {
        let tables = match reader.file() {
            Some(_) => tables()?,
            None => Vec::new(),
        };
        Ok(Self {
            tables,
            last: None,
            rows_of_table: 0,
            after: Some(BoardId(i64::MIN)),
            rows: 0,
            boards: 0,
        })
    }

    /// Whether all is read.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.tables.is_empty() && self.after.is_none()
    }

    /// Reads a little more. Returns the faults that were found, which it passes over.
    ///
    /// # Errors
    /// The database cannot be asked now. The next step does the same again.
    pub fn step(&mut self, reader: &Reader) -> Result<Vec<String>> {
        match (self.tables.last(), self.after) {
            (Some(table), _) => {
                let name = table.name.clone();
                let read = self.rows(reader);
                self.passed_over(read, &format!("table {name}"), Self::next_table)
            }
            (None, Some(after)) => {
                let read = self.replay(reader, after);
                self.passed_over(read, "boards", |scan| scan.after = None)
            }
            (None, None) => Ok(Vec::new()),
        }
    }

    /// Makes damage a fault, behind which the scan goes on.
    fn passed_over(
        &mut self,
        read: Result<Vec<String>>,
        what: &str,
        next: impl FnOnce(&mut Self),
    ) -> Result<Vec<String>> {
        match read {
            Err(error) if is_rot(&error) => {
                next(self);
                Ok(vec![format!("{what}: {error}")])
            }
            read => read,
        }
    }

    fn next_table(&mut self) {
        self.tables.pop();
        (self.last, self.rows_of_table) = (None, 0);
    }

    fn rows(&mut self, reader: &Reader) -> Result<Vec<String>> {
        let Some(table) = self.tables.last() else {
            return Ok(Vec::new());
        };
        let rows = page(&reader.db, table, self.last.as_ref(), ROWS, BYTES)?;
        self.rows += rows.len() as u64;
        self.rows_of_table += rows.len() as u64;
        if let Some(last) = rows.into_iter().next_back() {
            self.last = Some(last);
            return Ok(Vec::new());
        }
        let faults = match self.rows_of_table {
            0..=MAX_COMPARED_ROWS => reader.db.faults_of(&table.name)?,
            _ => Vec::new(),
        };
        self.next_table();
        Ok(faults)
    }

    fn replay(&mut self, reader: &Reader, after: BoardId) -> Result<Vec<String>> {
        let boards = reader.boards_after(after, BOARDS)?;
        let mut faults = Vec::new();
        for board in &boards {
            let Err(first) = board.replay(reader.turns(board.id)?, usize::MAX) else {
                continue;
            };
            // A turn may have been played between the two reads: then the second look is good.
            let again = reader.boards_after(BoardId(board.id.0 - 1), 1)?;
            let again = again.first().filter(|again| again.id == board.id);
            if let Some(again) = again
                && again.replay(reader.turns(again.id)?, usize::MAX).is_err()
            {
                faults.push(first.to_string());
            }
        }
        self.boards += boards.len() as u64;
        self.after = boards.last().map(|board| board.id);
        Ok(faults)
    }
}

/// Whether the error is of what is stored, and not of this moment.
const fn is_rot(error: &Error) -> bool {
    matches!(
        error,
        Error::Corrupt(_)
            | Error::Database {
                kind: ErrorKind::Damaged | ErrorKind::Io,
                ..
            }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn every_row_is_read_once_in_small_steps() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pbmserv.sqlite");
        let store = Store::open(&path).unwrap();
        for number in 0..1000 {
            store.set_note(&number.to_string(), "x").unwrap();
        }
        let reader = Reader::open(&path).unwrap();
        let mut all = 0;
        for table in tables().unwrap() {
            let sql = format!("SELECT COUNT(*) FROM {}", table.name);
            all += reader.db.one(&sql, &[], |row| row.get::<i64>(0)).unwrap();
        }
        let mut scan = Scan::begin(&reader).unwrap();
        let mut steps = 0;
        while !scan.is_over() {
            assert!(scan.step(&reader).unwrap().is_empty());
            steps += 1;
        }
        assert_eq!(i64::try_from(scan.rows), Ok(all));
        assert!(all >= 1000 && steps > 1000 / ROWS, "{all} rows, {steps} steps");
    }
}
