//! Which players have blocked each other.

use crate::table::PlayerId;

use super::{Reader, Result, Store};

impl Reader {
    /// Whether `player` has blocked `other`.
    pub fn has_blocked(&self, player: PlayerId, other: PlayerId) -> Result<bool> {
        let sql = "SELECT 1 FROM blocks WHERE player = $1 AND blocked = $2";
        Ok(self.db.find(sql, &[&player, &other], |_| Ok(()))?.is_some())
    }
}

impl Store {
    /// Blocks `other` for `player`.
    pub fn block(&self, player: PlayerId, other: PlayerId) -> Result<()> {
        let sql =
            "INSERT INTO blocks (player, blocked) VALUES ($1, $2) ON CONFLICT (player, blocked) DO NOTHING";
        self.db.write(sql, &[&player, &other])?;
        Ok(())
    }

    /// Ends the block.
    pub fn unblock(&self, player: PlayerId, other: PlayerId) -> Result<()> {
        let sql = "DELETE FROM blocks WHERE player = $1 AND blocked = $2";
        self.db.write(sql, &[&player, &other])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;
    use crate::store::NewPlayer;
    use crate::store::place_of_tests::place;
    use pbmserv_mail::Address;

    #[test]
    fn an_erased_player_leaves_nothing_but_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
        let now = Utc::now();
        let player = |userid: &str| {
            let new = NewPlayer {
                userid: userid.into(),
                password_hash: format!("hash of {userid}"),
                created_at: now,
            };
            let id = store.add_player(&new).unwrap();
            let address = Address::parse(&format!("{userid}@example.org")).unwrap();
            store.add_address(id, &address, Some(now), now).unwrap();
            id
        };
        let (alice, bob) = (player("alice"), player("bob"));
        store.block(alice, bob).unwrap();
        store.block(alice, bob).unwrap();
        store.block(bob, alice).unwrap();
        assert!(store.has_blocked(alice, bob).unwrap() && store.has_blocked(bob, alice).unwrap());
        store.unblock(alice, bob).unwrap();
        assert!(!store.has_blocked(alice, bob).unwrap());
        let before = store.player("alice").unwrap().unwrap();
        store.delete_player(alice, now).unwrap();
        assert!(!store.has_blocked(bob, alice).unwrap());
        assert!(store.player("alice").unwrap().is_none());
        assert!(store.player(&format!("deleted-{}", alice.0)).unwrap().is_none());
        assert!(store.addresses(alice).unwrap().is_empty());
        let after = store.player_by_id(alice).unwrap().unwrap();
        assert_eq!(after.userid, format!("deleted-{}", alice.0));
        assert!(after.password_hash.is_empty() && after.generation > before.generation);
        let reachable: Vec<_> = store
            .reachable_players()
            .unwrap()
            .into_iter()
            .map(|p| p.id)
            .collect();
        assert_eq!(reachable, [bob]);
        store.set_away(bob, Some(now)).unwrap();
        assert!(store.reachable_players().unwrap().is_empty());
        assert_ne!(player("alice"), alice, "the userid is free, the number is not");
    }
}
