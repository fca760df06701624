//! Challenges in the name of a player who must confirm them.

use chrono::{DateTime, TimeDelta, Utc};

use crate::table::PlayerId;

use super::numbers::Numbered;
use super::row::Row;
use super::{Reader, Result, Store};

/// For how long a proposed game can be confirmed.
pub const PROPOSED_FOR: TimeDelta = TimeDelta::days(7);

/// A challenge that a player was asked to confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The number in the token of the question.
    pub id: i64,
    /// The player who is asked.
    pub player: PlayerId,
    /// The other player.
    pub opponent: PlayerId,
    /// The challenge as a command.
    pub line: String,
    /// When the question was mailed.
    pub asked_at: DateTime<Utc>,
}

impl Reader {
    /// The proposal with this number.
    pub fn proposal(&self, id: i64) -> Result<Option<Proposal>> {
        let sql = "SELECT id, player, opponent, line, asked_at FROM proposals WHERE id = $1";
        self.db.find(sql, &[&id], proposal)
    }

    /// What a player was asked to confirm since then, the oldest first.
    pub fn proposals_to(&self, player: PlayerId, since: DateTime<Utc>) -> Result<Vec<Proposal>> {
        let sql = "SELECT id, player, opponent, line, asked_at FROM proposals WHERE player = $1 AND asked_at > $2 ORDER BY id";
        self.db.all(sql, &[&player, &since], proposal)
    }

    /// When a player was asked to confirm this line.
    pub fn proposed_at(&self, player: PlayerId, line: &str) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT asked_at FROM proposals WHERE player = $1 AND line = $2";
        self.db.find(sql, &[&player, &line], |row| row.get(0))
    }

    /// The number of the last proposal to a player.
    pub fn newest_proposal(&self, player: PlayerId) -> Result<Option<i64>> {
        let sql = "SELECT MAX(id) FROM proposals WHERE player = $1";
        self.db.one(sql, &[&player], |row| row.get(0))
    }
}

fn proposal(row: &Row<'_>) -> Result<Proposal> {
    Ok(Proposal {
        id: row.get(0)?,
        player: row.get(1)?,
        opponent: row.get(2)?,
        line: row.get(3)?,
        asked_at: row.get(4)?,
    })
}

impl Store {
    /// Adds a proposal. It replaces the one with the same line, whose token is then of no use.
    pub fn add_proposal(
        &self,
        player: PlayerId,
        opponent: PlayerId,
        line: &str,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let id = self.next_number_of(Numbered::Proposals)?;
        let sql = "INSERT INTO proposals (id, player, opponent, line, asked_at) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (player, line) DO UPDATE SET id = excluded.id, asked_at = excluded.asked_at";
        self.db.write(sql, &[&id, &player, &opponent, &line, &now])?;
        Ok(())
    }

    /// Removes a proposal, which was confirmed.
    pub fn end_proposal(&self, player: PlayerId, line: &str) -> Result<()> {
        let sql = "DELETE FROM proposals WHERE player = $1 AND line = $2";
        self.db.write(sql, &[&player, &line])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::store::NewPlayer;
    use crate::store::place_of_tests::place;

    #[test]
    fn a_line_is_proposed_once_and_a_number_is_never_given_twice() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
        let now = DateTime::from_timestamp_millis(1_800_000_000_000).unwrap();
        let player = |userid: &str| {
            let new = NewPlayer {
                userid: userid.into(),
                password_hash: String::new(),
                created_at: now,
            };
            store.add_player(&new).unwrap()
        };
        let (alice, bob) = (player("alice"), player("bob"));
        let line = "Pow2 challenge alice bob";
        assert_eq!(store.newest_proposal(alice).unwrap(), None);
        store.add_proposal(alice, bob, line, now).unwrap();
        let first = store.newest_proposal(alice).unwrap().unwrap();
        let later = now + TimeDelta::days(8);
        store.add_proposal(alice, bob, line, later).unwrap();
        let second = store.newest_proposal(alice).unwrap().unwrap();
        assert!(second > first);
        assert_eq!(store.proposal(first).unwrap(), None);
        assert_eq!(store.proposal(second).unwrap().unwrap().asked_at, later);
        assert_eq!(store.proposed_at(alice, line).unwrap(), Some(later));
        assert_eq!(store.proposed_at(bob, line).unwrap(), None);
        store.end_proposal(alice, line).unwrap();
        assert_eq!(store.newest_proposal(alice).unwrap(), None);
        for erased in [alice, bob] {
            store.add_proposal(alice, bob, line, now).unwrap();
            let third = store.newest_proposal(alice).unwrap().unwrap();
            assert!(third > second);
            store.delete_player(erased, now).unwrap();
            assert_eq!(
                store.proposal(third).unwrap(),
                None,
                "the line names both players"
            );
        }
    }
}
