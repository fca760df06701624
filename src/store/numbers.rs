//! The numbers of rows that stand in tokens: each is given once, for ever.

use super::{Result, Store};

/// A table whose numbers stand in tokens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbered {
    Players,
    Addresses,
    Boards,
}

impl Numbered {
    const fn name(self) -> &'static str {
        match self {
            Self::Players => "players",
            Self::Addresses => "addresses",
            Self::Boards => "boards",
        }
    }
}

impl Store {
    /// A number that no row of this table has, had, or will have again.
    pub(super) fn next_number_of(&self, table: Numbered) -> Result<i64> {
        let sql = "UPDATE numbers SET next = next + 1 WHERE name = $1 RETURNING next - 1";
        self.db.one(sql, &[&table.name()], |row| row.get(0))
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;
    use crate::mail::Address;
    use crate::store::NewPlayer;

    /// The token of a question names the row of the address: whoever removed an address, and added one that is
    /// not theirs, could confirm it with the old token.
    #[test]
    fn the_number_of_a_removed_address_is_not_given_to_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pbmserv.sqlite");
        let store = Store::open(&path).unwrap();
        let player = NewPlayer {
            userid: "alice".into(),
            password_hash: "hash".into(),
            created_at: Utc::now(),
        };
        let alice = store.add_player(&player).unwrap();
        let add = |store: &Store, address: &str| {
            let address = Address::parse(address).unwrap();
            store.add_address(alice, &address, None, Utc::now()).unwrap()
        };
        let first = add(&store, "alice@example.org");
        store.remove_address(first).unwrap();
        let second = add(&store, "victim@example.net");
        assert_ne!(first, second);
        store.remove_address(second).unwrap();
        drop(store);
        let third = add(&Store::open(&path).unwrap(), "another@example.net");
        assert!(third != first && third != second);
    }
}
