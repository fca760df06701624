//! The rows of reads that were asked ahead. They are good until something is written to one of their tables, also for later
//! messages: this session is the only writer.
//!
//! Another program may write too, such as psql in the hands of the operator. So at the begin of each transaction, and after its
//! end, the server is asked for its snapshot. Each transaction that changes rows, and each savepoint in it, takes a number. If the
//! numbers are not those that this session has taken, or a transaction is running that is not ours, everything is forgotten. A
//! number of ours is counted only if rows have changed, so that a foreign one is never taken for it.
//! <https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT>

use std::collections::HashMap;
use std::sync::Arc;

use super::row::{Body, Effect, Prepared};

/// How many reads are kept. Then all are forgotten.
const MOST: usize = 5_000;

/// `xmin:xmax:` and the numbers of running transactions, as text.
pub(super) const SNAPSHOT: &str = "SELECT pg_current_snapshot()::text";

/// What is kept.
#[derive(Default)]
pub(super) struct Asked {
    reads: HashMap<Vec<u8>, Read>,
    /// Counts the writes.
    writes: u64,
    /// The number of the last write to each table.
    changed: HashMap<String, u64>,
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
    /// The number of the last write before it.
    since: u64,
    statement: Arc<Prepared>,
}

impl Asked {
    /// Notes a read; returns false if it was asked before and is still good.
    pub(super) fn ask(&mut self, asks: &[u8], statement: &Arc<Prepared>) -> bool {
        if self.is_asked(asks) {
            return false;
        }
        if self.reads.len() >= MOST {
            self.reads.clear();
        }
        let read = Read {
            rows: None,
            since: self.writes,
            statement: statement.clone(),
        };
        self.reads.insert(asks.to_vec(), read);
        true
    }

    /// Whether a read was asked and is still good.
    pub(super) fn is_asked(&self, asks: &[u8]) -> bool {
        self.reads.get(asks).is_some_and(|read| self.is_good(read))
    }

    fn is_good(&self, read: &Read) -> bool {
        let mut changed = self.changed.iter();
        !changed.any(|(table, when)| *when > read.since && read.statement.names(table))
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
    pub(super) fn note(&mut self, statement: &Prepared) {
        let Effect::Write(table) = &statement.effect else {
            return;
        };
        self.writes += 1;
        if table.is_empty() {
            self.forget();
        } else {
            self.changed.insert(table.clone(), self.writes);
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
        Arc::new(Prepared::new("s".to_owned(), sql, Vec::new(), Vec::new()))
    }

    #[test]
    fn a_read_is_good_until_its_table_is_written() {
        let mut asked = Asked::default();
        let (players, boards) = (
            statement("SELECT 1 FROM players WHERE id = $1"),
            statement("SELECT 1 FROM watched_boards"),
        );
        assert!(asked.ask(b"players", &players) && asked.ask(b"boards", &boards));
        assert!(!asked.ask(b"players", &players), "it is asked");
        asked.have_come(b"players", Vec::new());
        assert!(asked.rows(b"players").is_some() && asked.rows(b"boards").is_none());
        asked.note(&statement("UPDATE boards SET turns = $1"));
        assert!(asked.is_asked(b"boards"), "another table");
        asked.note(&statement("UPDATE players SET seen_at = $1"));
        assert!(!asked.is_asked(b"players") && asked.is_asked(b"boards"));
        assert!(asked.ask(b"players", &players), "it is asked again");
        asked.note(&statement("SAVEPOINT message"));
        asked.note(&statement("RELEASE message"));
        assert!(asked.is_asked(b"players"));
        asked.note(&statement("WITH x AS (SELECT 1) DELETE FROM blocks"));
        assert!(
            !asked.is_asked(b"players") && !asked.is_asked(b"boards"),
            "a statement that is not understood"
        );
    }

    #[test]
    fn what_another_program_may_have_changed_is_forgotten() {
        let read = statement("SELECT 1 FROM players");
        // A transaction in which two of three savepoints change rows, then the snapshot after it and that of the next.
        let is_kept = |after: &str, next: &str| {
            let mut asked = Asked::default();
            asked.begin("100:100:");
            asked.ask(b"read", &read);
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
        asked.ask(b"read", &read);
        asked.undo();
        assert!(!asked.is_asked(b"read"), "what was read of it is undone");
    }
}
