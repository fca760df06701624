//! The rows of reads that were asked ahead. They are good until a statement may have changed one of them (`scope.rs`), also for
//! later messages: this session is the only writer.
//!
//! Another program may write too, such as psql in the hands of the operator. So at the begin of each transaction, and after its
//! end, the server is asked for its snapshot. Each transaction that changes rows, and each savepoint in it, takes a number. If the
//! numbers are not those that this session has taken, or a transaction is running that is not ours, everything is forgotten. A
//! number of ours is counted only if rows have changed, so that a foreign one is never taken for it.
//! <https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT>

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::row::{Body, Effect, Prepared};
use super::scope::Pin;
use crate::store::value::ToValue;

/// How many reads are kept. Then all are forgotten.
const MOST: usize = 5_000;

/// How many writes to a table are known. A read from before them is not good.
const MOST_WRITES: usize = 1_000;

/// `xmin:xmax:` and the numbers of running transactions, as text.
pub(super) const SNAPSHOT: &str = "SELECT pg_current_snapshot()::text";

/// What is kept.
#[derive(Default)]
pub(super) struct Asked {
    reads: HashMap<Vec<u8>, Read>,
    /// Counts the writes.
    count: u64,
    /// By tables.
    writes: HashMap<String, Writes>,
    /// Of the last transaction: the next number before it, and how many it has taken since.
    before: Option<u64>,
    taken: u64,
    /// Whether the open savepoint, or the transaction, has taken one.
    has_written: bool,
    /// The next number after it, if nobody else has taken one.
    after: Option<u64>,
}

struct Read {
    /// `None`: they have not come yet.
    rows: Option<Vec<Body>>,
    /// The number of the last write that has not changed them.
    since: u64,
    statement: Arc<Prepared>,
    /// For each table of the statement the marks of its pins, in their order.
    marks: Vec<Vec<Option<u64>>>,
}

/// Writes to a table.
#[derive(Default)]
struct Writes {
    /// The last ones, each with its number.
    last: VecDeque<(u64, Write)>,
    /// The number of the last one before these.
    before: u64,
}

struct Write {
    statement: Arc<Prepared>,
    /// Of each pin of the statement.
    marks: Vec<Option<u64>>,
}

impl Writes {
    fn add(&mut self, number: u64, write: Write) {
        self.last.push_back((number, write));
        if self.last.len() > MOST_WRITES
            && let Some((number, _)) = self.last.pop_front()
        {
            self.before = number;
        }
    }

    /// Whether none of them since then has changed what was read.
    fn leave(&self, read: &Read) -> bool {
        let mut later = self
            .last
            .iter()
            .rev()
            .take_while(|(number, _)| *number > read.since);
        self.before <= read.since && later.all(|(_, write)| write.leaves(read))
    }
}

impl Write {
    fn leaves(&self, read: &Read) -> bool {
        let Effect::Write(written) = &self.statement.effect else {
            return true;
        };
        if written
            .columns
            .as_ref()
            .is_some_and(|columns| !read.statement.reads(columns))
        {
            return true;
        }
        let Some(tables) = &read.statement.read else {
            return false;
        };
        let mut tables = tables
            .iter()
            .zip(&read.marks)
            .filter(|((table, _), _)| *table == written.table);
        tables.all(|((_, pins), marks)| are_apart((&written.pins, &self.marks), (pins, marks)))
    }
}

/// Whether a column has one value in all rows written, and another one in all rows read.
fn are_apart(written: (&[Pin], &[Option<u64>]), read: (&[Pin], &[Option<u64>])) -> bool {
    let mut written = written.0.iter().zip(written.1);
    written.any(|((column, _), value)| {
        let mut read = read.0.iter().zip(read.1);
        value.is_some() && read.any(|((other, _), read)| other == column && read.is_some() && read != value)
    })
}

impl Asked {
    /// Notes a read; returns false if it was asked before and is still good.
    pub(super) fn ask(&mut self, asks: &[u8], statement: &Arc<Prepared>, values: &[&dyn ToValue]) -> bool {
        if self.is_asked(asks) {
            return false;
        }
        if self.reads.len() >= MOST {
            self.reads.clear();
        }
        let tables = statement.read.iter().flatten();
        let marks = tables.map(|(_, pins)| marks(statement, pins, values));
        let read = Read {
            rows: None,
            since: self.count,
            statement: statement.clone(),
            marks: marks.collect(),
        };
        self.reads.insert(asks.to_vec(), read);
        true
    }

    /// Whether a read was asked and is still good.
    pub(super) fn is_asked(&mut self, asks: &[u8]) -> bool {
        let Some(read) = self.reads.get_mut(asks) else {
            return false;
        };
        let mut writes = self.writes.iter();
        let is_good = writes.all(|(table, writes)| !read.statement.reads_table(table) || writes.leave(read));
        if is_good {
            read.since = self.count;
        } else {
            self.reads.remove(asks);
        }
        is_good
    }

    /// The rows of a good read, if they have come.
    pub(super) fn rows(&self, asks: &[u8]) -> Option<&[Body]> {
        self.reads.get(asks)?.rows.as_deref()
    }

    /// The rows of a read have come, if it was not forgotten meanwhile.
    pub(super) fn have_come(&mut self, asks: &[u8], rows: Vec<Body>) {
        if let Some(read) = self.reads.get_mut(asks) {
            read.rows = Some(rows);
        }
    }

    /// This statement is about to run.
    pub(super) fn note(&mut self, statement: &Arc<Prepared>, values: &[&dyn ToValue]) {
        let Effect::Write(written) = &statement.effect else {
            return;
        };
        self.count += 1;
        if written.table.is_empty() {
            self.forget();
            return;
        }
        let marks = written
            .pins
            .iter()
            .map(|(_, parameter)| statement.mark(*parameter, values));
        let write = Write {
            statement: statement.clone(),
            marks: marks.collect(),
        };
        match self.writes.get_mut(&written.table) {
            Some(writes) => writes.add(self.count, write),
            None => self
                .writes
                .entry(written.table.clone())
                .or_default()
                .add(self.count, write),
        }
    }

    /// A savepoint has begun.
    pub(super) fn savepoint(&mut self) {
        self.has_written = false;
    }

    /// It has been kept.
    pub(super) fn release(&mut self) {
        self.has_written = true;
    }

    /// Rows have changed.
    pub(super) fn have_changed(&mut self) {
        self.taken += u64::from(!self.has_written);
        self.has_written = true;
    }

    /// Something is undone, or it is not known what is done.
    pub(super) fn undo(&mut self) {
        self.forget();
        self.has_written = true;
    }

    fn forget(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }

    /// A transaction begins with this snapshot.
    pub(super) fn begin(&mut self, snapshot: &str) {
        let next = alone(snapshot);
        if next.is_none() || next != self.after {
            self.forget();
        }
        // The transaction takes a number itself, with its first write.
        (self.before, self.taken, self.has_written, self.after) = (next, 1, true, None);
    }

    /// It has ended, and this is the snapshot after it.
    pub(super) fn end(&mut self, snapshot: &str) {
        let own = self.before.map(|before| before + self.taken);
        self.after = alone(snapshot).filter(|next| Some(*next) == own);
    }
}

/// The marks of the values that these columns have.
fn marks(statement: &Prepared, pins: &[Pin], values: &[&dyn ToValue]) -> Vec<Option<u64>> {
    pins.iter()
        .map(|(_, parameter)| statement.mark(*parameter, values))
        .collect()
}

/// The number that the next transaction takes, if none is running.
fn alone(snapshot: &str) -> Option<u64> {
    let mut parts = snapshot.split(':');
    let (oldest, next, running) = (parts.next()?, parts.next()?, parts.next()?);
    let is_alone = oldest == next && running.is_empty();
    next.parse().ok().filter(|_| is_alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(sql: &str) -> Arc<Prepared> {
        Arc::new(Prepared::new("s".to_owned(), sql, vec![20; 9], Vec::new()))
    }

    /// Whether a read with 7 is good after a write with these values.
    fn is_good_after(read: &str, write: &str, values: &[i64]) -> bool {
        let mut asked = Asked::default();
        assert!(asked.ask(b"read", &statement(read), &[&7_i64]));
        assert!(!asked.ask(b"read", &statement(read), &[&7_i64]), "it is asked");
        let values: Vec<&dyn ToValue> = values.iter().map(|value| value as &dyn ToValue).collect();
        asked.note(&statement(write), &values);
        asked.is_asked(b"read")
    }

    #[test]
    fn a_read_is_good_until_a_statement_may_have_changed_its_rows() {
        let player = "SELECT userid, away_since FROM players WHERE id = $1";
        let turns = "SELECT turn FROM turns WHERE board = $1 ORDER BY ordinal";
        let board =
            "SELECT b.turns, p.userid FROM boards b JOIN players p ON p.id = b.first_player WHERE b.id = $1";
        let watchers = "SELECT EXISTS (SELECT 1 FROM watched_boards WHERE board = $1)";
        for (read, write, values, is_good) in [
            (player, "UPDATE boards SET turns = $1", &[7][..], true),
            (
                player,
                "UPDATE players SET seen_at = $1 WHERE id = $2",
                &[1, 7],
                true,
            ),
            (
                player,
                "UPDATE players SET userid = $1 WHERE id = $2",
                &[7, 8],
                true,
            ),
            (
                player,
                "UPDATE players SET userid = $1 WHERE id = $2",
                &[8, 7],
                false,
            ),
            (player, "UPDATE players SET userid = $1", &[8], false),
            (
                player,
                "INSERT INTO players (id, userid) VALUES ($1, $2)",
                &[8, 7],
                true,
            ),
            (
                player,
                "INSERT INTO players (id, userid) VALUES ($1, $2)",
                &[7, 8],
                false,
            ),
            (player, "DELETE FROM players WHERE userid = $1", &[8], false),
            (player, "WITH x AS (SELECT 1) DELETE FROM blocks", &[], false),
            (
                "SELECT * FROM players WHERE id = $1",
                "UPDATE players SET seen_at = $1",
                &[8],
                false,
            ),
            (
                "SELECT COUNT(*) FROM players WHERE id = $1",
                "UPDATE players SET seen_at = $1",
                &[8],
                true,
            ),
            (
                turns,
                "INSERT INTO turns (board, turn) VALUES ($1, $2)",
                &[8, 7],
                true,
            ),
            (
                turns,
                "INSERT INTO turns (board, turn) VALUES ($1, $2)",
                &[7, 8],
                false,
            ),
            (
                turns,
                "DELETE FROM turns WHERE board = $1 AND ordinal > $2",
                &[8, 7],
                true,
            ),
            (board, "UPDATE boards SET turns = $1 WHERE id = $2", &[7, 8], true),
            (
                board,
                "UPDATE boards SET turns = $1 WHERE id = $2",
                &[8, 7],
                false,
            ),
            // The condition is about another table's id.
            (
                board,
                "UPDATE players SET userid = $1 WHERE id = $2",
                &[7, 8],
                false,
            ),
            (
                watchers,
                "DELETE FROM watched_boards WHERE board = $1",
                &[8],
                false,
            ),
        ] {
            assert_eq!(
                is_good_after(read, write, values),
                is_good,
                "{read}; {write} {values:?}"
            );
        }
    }

    #[test]
    fn a_read_from_before_all_known_writes_is_not_good() {
        let mut asked = Asked::default();
        let read = statement("SELECT turn FROM turns WHERE board = $1");
        let write = statement("DELETE FROM turns WHERE board = $1");
        asked.ask(b"looked at", &read, &[&7_i64]);
        asked.ask(b"left", &read, &[&6_i64]);
        for _ in 0..=MOST_WRITES {
            asked.note(&write, &[&8_i64]);
            assert!(asked.is_asked(b"looked at"));
        }
        assert!(!asked.is_asked(b"left"));
    }

    #[test]
    fn what_another_program_may_have_changed_is_forgotten() {
        let read = statement("SELECT 1 FROM players");
        // A transaction in which two of three savepoints change rows, then the snapshot after it and that of the next.
        let is_kept = |after: &str, next: &str| {
            let mut asked = Asked::default();
            asked.begin("100:100:");
            asked.ask(b"read", &read, &[]);
            for is_writing in [true, false, true] {
                asked.savepoint();
                for _ in 0..2 {
                    if is_writing {
                        asked.have_changed();
                    }
                }
                asked.release();
            }
            asked.have_changed();
            asked.end(after);
            asked.begin(next);
            asked.is_asked(b"read")
        };
        assert!(is_kept("103:103:", "103:103:"));
        assert!(!is_kept("104:104:", "104:104:"), "another has written during it");
        assert!(!is_kept("103:103:", "104:104:"), "another has written after it");
        assert!(!is_kept("101:103:101", "103:103:"), "another was writing");
        assert!(!is_kept("103:103:", "103:104:103"), "another is writing");
        assert!(!is_kept("", ""));
        let mut asked = Asked::default();
        asked.ask(b"read", &read, &[]);
        asked.undo();
        assert!(!asked.is_asked(b"read"), "what was read of it is undone");
    }
}
