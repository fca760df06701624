//! Row numbers that appear in tokens. A number is never given twice.

use super::{Result, Store};

/// A table whose row numbers appear in tokens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbered {
    Players,
    Addresses,
    Boards,
    Proposals,
    Digests,
    Joins,
}

impl Numbered {
    const fn name(self) -> &'static str {
        match self {
            Self::Players => "players",
            Self::Addresses => "addresses",
            Self::Boards => "boards",
            Self::Proposals => "proposals",
            Self::Digests => "digests",
            Self::Joins => "joins",
        }
    }
}

impl Store {
    /// A number that no row of this table has had or will have.
    pub(super) fn next_number_of(&self, table: Numbered) -> Result<i64> {
        let sql = "UPDATE numbers SET next = next + 1 WHERE name = $1 RETURNING next - 1";
        self.db.one(sql, &[&table.name()], |row| row.get(0))
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;
    use crate::store::NewPlayer;
    use crate::store::place_of_tests::place;
    use pbmserv_mail::Address;

    /// A confirmation token names the row of the address. If a number were used twice, a player could add an address,
    /// remove it, add somebody else's address, and confirm that one with the old token.
    #[test]
    fn the_number_of_a_removed_address_is_not_given_to_another() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let store = Store::open(&place).unwrap();
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
        let third = add(&Store::open(&place).unwrap(), "another@example.net");
        assert!(third != first && third != second);
    }
}
