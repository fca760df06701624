//! What one message has read already. A message asks for the same board, addresses and preferences in several places: its
//! sender, its command, each of its letters. Within its savepoint nobody else writes, so a row stays as it was read until this
//! connection writes to its table; each statement that writes makes the rows of its table forgotten.

use std::any::Any;
use std::cell::{Cell, RefCell};

use super::Result;

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// The rows of an address.
    Addresses,
    /// The complaint of an address.
    Complaints,
    Boards,
    /// The turns of a board.
    Turns,
    Players,
    /// The preferences of a player.
    Preferences,
    /// The vacation of a player.
    Vacations,
    /// The standing of a player in a game.
    Standings,
    /// The newest mail about a board to an address. Who adds one forgets it.
    Threads,
}

/// The rows that the message in the open savepoint has read. They are few, so they are searched one by one.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// Other connections do not see what this one changes, so only the writer remembers, and only within a savepoint.
    is_open: Cell<bool>,
    kept: RefCell<Vec<Kept>>,
}

/// What was read by a key. The types of both belong to the kind.
#[derive(Debug)]
struct Kept {
    rows: Rows,
    key: Box<dyn Any + Send>,
    value: Box<dyn Any + Send>,
}

impl Memo {
    /// Begins with nothing, at the begin of a savepoint.
    pub(super) fn open(&self) {
        self.kept.borrow_mut().clear();
        self.is_open.set(true);
    }

    /// Whether a savepoint is open.
    pub(super) fn is_open(&self) -> bool {
        self.is_open.get()
    }

    /// Ends with the savepoint.
    pub(super) fn close(&self) {
        self.is_open.set(false);
        self.kept.borrow_mut().clear();
    }

    /// What is read by this key, which is done the first time.
    pub(super) fn once<K, V>(&self, rows: Rows, key: K, read: impl FnOnce(&K) -> Result<V>) -> Result<V>
    where
        K: PartialEq + Send + 'static,
        V: Clone + Send + 'static,
    {
        if let Some(value) = self.find(rows, |other: &K, _| *other == key) {
            return Ok(value);
        }
        let value = read(&key)?;
        if self.is_open.get() {
            self.keep(rows, key, value.clone());
        }
        Ok(value)
    }

    /// The first that fits of what was read.
    pub(super) fn find<K: 'static, V: Clone + 'static>(
        &self,
        rows: Rows,
        fits: impl Fn(&K, &V) -> bool,
    ) -> Option<V> {
        let kept = self.kept.borrow();
        let mut kept = kept.iter().filter(|kept| kept.rows == rows);
        kept.find_map(|kept| {
            let (key, value) = (kept.key.downcast_ref()?, kept.value.downcast_ref()?);
            fits(key, value).then(|| V::clone(value))
        })
    }

    /// Keeps what was read.
    pub(super) fn keep<K: Send + 'static, V: Send + 'static>(&self, rows: Rows, key: K, value: V) {
        if self.is_open.get() {
            self.kept.borrow_mut().push(Kept {
                rows,
                key: Box::new(key),
                value: Box::new(value),
            });
        }
    }

    /// Forgets what was read by this key.
    pub(super) fn forget<K: PartialEq + 'static>(&self, rows: Rows, key: &K) {
        let is_it = |kept: &Kept| kept.rows == rows && kept.key.downcast_ref() == Some(key);
        self.kept.borrow_mut().retain(|kept| !is_it(kept));
    }

    /// Forgets what a statement may change.
    pub(super) fn forget_changed(&self, sql: &str) {
        if !self.is_open.get() {
            return;
        }
        let changed: &[Rows] = match written(sql) {
            None | Some("inbox" | "outbox" | "tallies" | "warnings" | "digest_news" | "watched_boards") => {
                &[]
            }
            Some("addresses") => &[Rows::Addresses],
            Some("complaints") => &[Rows::Complaints],
            Some("boards") => &[Rows::Boards],
            Some("turns") => &[Rows::Turns],
            Some("preferences") => &[Rows::Preferences],
            Some("vacations") => &[Rows::Vacations],
            Some("ratings") => &[Rows::Standings],
            // A board has the names of its players.
            Some("players") => &[Rows::Players, Rows::Boards],
            Some(_) => return self.kept.borrow_mut().clear(),
        };
        if !changed.is_empty() {
            self.kept
                .borrow_mut()
                .retain(|kept| !changed.contains(&kept.rows));
        }
    }
}

/// The table that a statement writes to; `None`: it only reads. Of several statements, or of one of another kind, it is
/// unknown what they change: an empty name.
fn written(sql: &str) -> Option<&str> {
    let mut words = sql.split_ascii_whitespace();
    let table = match (words.next(), words.next()) {
        (Some("SELECT"), _) => return None,
        (Some("INSERT"), Some("INTO")) | (Some("DELETE"), Some("FROM")) => words.next(),
        (Some("UPDATE"), table) => table,
        _ => None,
    };
    Some(table.filter(|_| !sql.contains(';')).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_a_statement_is_known_or_everything_is_forgotten() {
        for (sql, table) in [
            ("SELECT 1 FROM boards", None),
            ("INSERT INTO tallies (what) VALUES ($1)", Some("tallies")),
            ("UPDATE boards SET turns = $1", Some("boards")),
            ("DELETE FROM turns WHERE board = $1", Some("turns")),
            ("WITH x AS (SELECT 1) UPDATE boards SET turns = 1", Some("")),
            ("DELETE FROM rated; DELETE FROM ratings", Some("")),
            ("ROLLBACK TO message", Some("")),
        ] {
            assert_eq!(written(sql), table, "{sql}");
        }
    }

    #[test]
    fn a_row_is_read_once_until_its_table_changes() {
        let memo = Memo::default();
        let reads = Cell::new(0);
        let read = |rows| {
            let value = memo.once(rows, "key", |_| {
                reads.set(reads.get() + 1);
                Ok(reads.get())
            });
            value.unwrap()
        };
        assert_eq!(
            [read(Rows::Boards), read(Rows::Boards)],
            [1, 2],
            "no savepoint is open"
        );
        memo.open();
        assert_eq!(
            [read(Rows::Boards), read(Rows::Boards), read(Rows::Turns)],
            [3, 3, 4]
        );
        memo.forget_changed("UPDATE boards SET turns = 1");
        assert_eq!([read(Rows::Boards), read(Rows::Turns)], [5, 4]);
        memo.forget_changed("UPDATE displays SET display = 'small'");
        assert_eq!(read(Rows::Turns), 6, "an unknown table");
        memo.close();
        assert_eq!([read(Rows::Turns), read(Rows::Turns)], [7, 8]);
    }
}
