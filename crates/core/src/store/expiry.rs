//! Accounts without a confirmed address, which are removed after some days.

use chrono::{DateTime, Utc};

use crate::table::PlayerId;

use super::{Reader, Result, Store};

/// Repeats the predicate of the partial index `players_by_expiry`, word for word.
const FIRST: &str =
    "SELECT expires_at, id FROM players WHERE expires_at IS NOT NULL ORDER BY expires_at, id LIMIT 1";

impl Reader {
    /// The account that is removed next: when, and its row.
    pub fn first_expiry(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        self.db.find(FIRST, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Whether the player has a confirmed address, or a seat at a board, even one that is over.
    pub fn is_established(&self, player: PlayerId) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM addresses WHERE player = $1 AND confirmed_at IS NOT NULL) \
                   OR EXISTS (SELECT 1 FROM boards WHERE first_player = $1) \
                   OR EXISTS (SELECT 1 FROM boards WHERE second_player = $1)";
        self.db.one(sql, &[&player], |row| row.get(0))
    }
}

impl Store {
    /// Sets when an account is removed; `None`: it stays.
    pub fn set_expiry(&self, player: PlayerId, at: Option<DateTime<Utc>>) -> Result<()> {
        let sql = "UPDATE players SET expires_at = $1 WHERE id = $2";
        self.db.write(sql, &[&at, &player])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_account_is_found_by_its_index_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("test.sqlite")).unwrap();
        let plan = store.db.plan(FIRST);
        assert_eq!(
            plan,
            "SEARCH players USING COVERING INDEX players_by_expiry (expires_at>?)"
        );
    }
}
