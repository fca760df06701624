//! What one message has read already. A message asks for the same board, addresses and preferences in several places: its
//! sender, its command, each of its letters. Within its savepoint nobody else writes, so a row stays as it was read until this
//! connection writes to its table; each statement that writes makes the rows of its table forgotten.

use std::cell::{Cell, RefCell};

use crate::table::{Board, BoardId, Played, Player, PlayerId, Preferences, Standing, Vacation};

use super::Result;
use super::addresses::AddressRow;
use super::complaints::Complained;

/// The rows that the message in the open savepoint has read.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// Other connections do not see what this one changes, so only the writer remembers, and only within a savepoint.
    is_open: Cell<bool>,
    pub(super) addresses: Kept<String, Vec<AddressRow>>,
    pub(super) complaints: Kept<String, Option<Complained>>,
    pub(super) boards: Kept<BoardId, Option<Board>>,
    pub(super) turns: Kept<BoardId, Vec<Played>>,
    pub(super) players: Kept<PlayerId, Option<Player>>,
    pub(super) preferences: Kept<PlayerId, Preferences>,
    pub(super) vacations: Kept<PlayerId, Option<Vacation>>,
    pub(super) standings: Kept<(PlayerId, &'static str), Standing>,
}

/// Rows of one kind by what they were asked for. A message asks for few, so they are searched one by one.
#[derive(Debug)]
pub(super) struct Kept<K, V>(RefCell<Vec<(K, V)>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K, V: Clone> Kept<K, V> {
    /// The first row that fits.
    pub(super) fn find(&self, fits: impl Fn(&K, &V) -> bool) -> Option<V> {
        let rows = self.0.borrow();
        let row = rows.iter().find(|(key, row)| fits(key, row));
        row.map(|(_, row)| row.clone())
    }

    fn forget(&self) {
        self.0.borrow_mut().clear();
    }
}

impl Memo {
    /// Begins with nothing, at the begin of a savepoint.
    pub(super) fn open(&self) {
        self.forget_all();
        self.is_open.set(true);
    }

    /// Ends with the savepoint.
    pub(super) fn close(&self) {
        self.is_open.set(false);
        self.forget_all();
    }

    /// The row for this key, which is read the first time.
    pub(super) fn once<K: PartialEq, V: Clone>(
        &self,
        kept: &Kept<K, V>,
        key: K,
        read: impl FnOnce(&K) -> Result<V>,
    ) -> Result<V> {
        if !self.is_open.get() {
            return read(&key);
        }
        if let Some(row) = kept.find(|other, _| *other == key) {
            return Ok(row);
        }
        let row = read(&key)?;
        self.keep(kept, key, row.clone());
        Ok(row)
    }

    /// Keeps a row that was read.
    pub(super) fn keep<K, V>(&self, kept: &Kept<K, V>, key: K, row: V) {
        if self.is_open.get() {
            kept.0.borrow_mut().push((key, row));
        }
    }

    /// Forgets what a statement may change.
    pub(super) fn is_run(&self, sql: &str) {
        if !self.is_open.get() {
            return;
        }
        match written(sql) {
            None | Some("inbox" | "outbox" | "tallies" | "warnings" | "digest_news" | "watched_boards") => {}
            Some("addresses") => self.addresses.forget(),
            Some("complaints") => self.complaints.forget(),
            Some("boards") => self.boards.forget(),
            Some("turns") => self.turns.forget(),
            Some("preferences") => self.preferences.forget(),
            Some("vacations") => self.vacations.forget(),
            Some("ratings") => self.standings.forget(),
            // A board has the names of its players.
            Some("players") => {
                self.players.forget();
                self.boards.forget();
            }
            Some(_) => self.forget_all(),
        }
    }

    fn forget_all(&self) {
        self.addresses.forget();
        self.complaints.forget();
        self.boards.forget();
        self.turns.forget();
        self.players.forget();
        self.preferences.forget();
        self.vacations.forget();
        self.standings.forget();
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
}
