//! Accounts, board displays, and recent wrong passwords.

use chrono::{DateTime, Utc};
use pbmserv_games::{Display, Game};

use crate::table::{Player, PlayerId};

use super::forgetting::DELETE_GUESSES;
use super::memo::Rows;
use super::numbers::Numbered;
use super::row::Row;
use super::{Reader, Result, Store};

/// Guesses that no longer count, of which each new one deletes so many; a round of forgetting deletes the others.
const OLD_GUESSES: i64 = 2;

/// A new account.
#[derive(Clone)]
pub struct NewPlayer {
    /// In the player's own capitals.
    pub userid: String,
    /// The password hash as a PHC string.
    pub password_hash: String,
    /// When the account was created.
    pub created_at: DateTime<Utc>,
}

impl std::fmt::Debug for NewPlayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewPlayer")
            .field("userid", &self.userid)
            .finish_non_exhaustive()
    }
}

const PLAYER: &str = "SELECT id, userid, password_hash, generation, away_since, disabled_at FROM players";

impl Reader {
    /// Finds a player by userid, ignoring case.
    pub fn player(&self, userid: &str) -> Result<Option<Player>> {
        self.db.find(
            &format!("{PLAYER} WHERE userid_key = $1 AND deleted_at IS NULL"),
            &[&userid.to_ascii_lowercase()],
            player,
        )
    }

    /// Finds a player by the number of the row.
    pub fn player_by_id(&self, id: PlayerId) -> Result<Option<Player>> {
        self.db.memo.once(Rows::Players, id, |id| {
            self.db.find(&format!("{PLAYER} WHERE id = $1"), &[id], player)
        })
    }

    /// When an account was made.
    pub fn joined_at(&self, id: PlayerId) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT created_at FROM players WHERE id = $1";
        self.db.find(sql, &[&id], |row| row.get(0))
    }

    /// The player of this number, unless the account was erased.
    pub fn account(&self, id: PlayerId) -> Result<Option<Player>> {
        let sql = format!("{PLAYER} WHERE id = $1 AND deleted_at IS NULL");
        self.db.find(&sql, &[&id], player)
    }

    /// All players but the computers, sorted by userid.
    pub fn players(&self) -> Result<Vec<Player>> {
        self.db.all(
            &format!("{PLAYER} WHERE id > 0 AND deleted_at IS NULL ORDER BY userid_key"),
            &[],
            player,
        )
    }

    /// The players who are active and have a confirmed address, sorted by userid.
    pub fn reachable_players(&self) -> Result<Vec<Player>> {
        let sql = format!(
            "{PLAYER} WHERE deleted_at IS NULL AND away_since IS NULL AND disabled_at IS NULL AND EXISTS (SELECT 1 FROM addresses \
             WHERE addresses.player = players.id AND confirmed_at IS NOT NULL) ORDER BY userid_key"
        );
        self.db.all(&sql, &[], player)
    }

    /// Userids with the same first letter, at most `limit`: the candidates for a suggestion when one is misspelt.
    pub fn userids_like(&self, userid: &str, limit: u32) -> Result<Vec<String>> {
        let first: String = userid.to_ascii_lowercase().chars().take(1).collect();
        let sql = "SELECT userid FROM players WHERE userid_key >= $1 AND userid_key < $2 AND deleted_at IS NULL \
                   ORDER BY userid_key LIMIT $3";
        self.db
            .all(sql, &[&first, &format!("{first}\u{7f}"), &limit], |row| {
                row.get(0)
            })
    }

    /// The player's display setting for this game.
    pub fn display(&self, player: PlayerId, game: &Game) -> Result<Display> {
        let sql = "SELECT display FROM displays WHERE player = $1 AND game = $2";
        let word: Option<String> = self
            .db
            .find(sql, &[&player, &game.facts.name], |row| row.get(0))?;
        Ok(if word.as_deref() == Some("small") {
            Display::Small
        } else {
            Display::Large
        })
    }

    /// Counts the wrong passwords for this player since `since`: under this key, and under all keys but `apart`.
    pub fn guesses(
        &self,
        player: PlayerId,
        key: &str,
        apart: &str,
        since: DateTime<Utc>,
    ) -> Result<(u32, u32)> {
        let sql = "SELECT COALESCE(SUM(CASE WHEN sender_key = $1 THEN 1 ELSE 0 END), 0), \
                   COALESCE(SUM(CASE WHEN sender_key <> $2 THEN 1 ELSE 0 END), 0) \
                   FROM guesses WHERE player = $3 AND at > $4";
        self.db.one(sql, &[&key, &apart, &player, &since], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }
}

impl Store {
    /// Creates an account.
    pub fn add_player(&self, new: &NewPlayer) -> Result<PlayerId> {
        let id = self.next_number_of(Numbered::Players)?;
        let sql = "INSERT INTO players (id, userid, userid_key, password_hash, created_at, seen_at) \
                   VALUES ($1, $2, $3, $4, $5, $5)";
        let key = new.userid.to_ascii_lowercase();
        self.db.write(
            sql,
            &[&id, &new.userid, &key, &new.password_hash, &new.created_at],
        )?;
        Ok(PlayerId(id))
    }

    /// Sets the player's display setting for this game.
    pub fn set_display(&self, player: PlayerId, game: &Game, display: Display) -> Result<()> {
        let sql = "INSERT INTO displays (player, game, display) VALUES ($1, $2, $3) \
                   ON CONFLICT (player, game) DO UPDATE SET display = excluded.display";
        self.db
            .write(sql, &[&player, &game.facts.name, &display.word()])?;
        Ok(())
    }

    /// Replaces the password hash.
    pub fn set_password(&self, player: PlayerId, password_hash: &str) -> Result<()> {
        let sql = "UPDATE players SET password_hash = $1 WHERE id = $2";
        self.db.write(sql, &[&password_hash, &player])?;
        self.raise_generation(player)
    }

    /// Sets or clears the away state. A player who goes away loses their open challenges and stops watching.
    pub fn set_away(&self, player: PlayerId, since: Option<DateTime<Utc>>) -> Result<()> {
        if since.is_some() {
            self.end_interest(player)?;
        }
        let sql = "UPDATE players SET away_since = $1 WHERE id = $2";
        self.db.write(sql, &[&since, &player])?;
        Ok(())
    }

    /// Disables an account, or enables it again. A disabled player loses their open challenges and stops watching.
    pub fn set_disabled(&self, player: PlayerId, since: Option<DateTime<Utc>>) -> Result<()> {
        if since.is_some() {
            self.end_interest(player)?;
        }
        let sql = "UPDATE players SET disabled_at = $1 WHERE id = $2";
        self.db.write(sql, &[&since, &player])?;
        Ok(())
    }

    /// Changes a userid. The caller has checked that the new one is free.
    pub fn rename_player(&self, player: PlayerId, userid: &str) -> Result<()> {
        let sql = "UPDATE players SET userid = $1, userid_key = $2 WHERE id = $3";
        self.db
            .write(sql, &[&userid, &userid.to_ascii_lowercase(), &player])?;
        Ok(())
    }

    /// Removes the player's open challenges and everything that the player watches.
    pub(super) fn end_interest(&self, player: PlayerId) -> Result<()> {
        for sql in [
            "DELETE FROM seeks WHERE player = $1",
            "DELETE FROM watched_boards WHERE player = $1",
            "DELETE FROM watched_games WHERE player = $1",
        ] {
            self.db.write(sql, &[&player])?;
        }
        Ok(())
    }

    /// Makes all tokens that were issued to a player invalid.
    pub(super) fn raise_generation(&self, player: PlayerId) -> Result<()> {
        let sql = "UPDATE players SET generation = generation + 1 WHERE id = $1";
        self.db.write(sql, &[&player])?;
        Ok(())
    }

    /// Records a wrong password, and deletes some of those that are too old to count.
    pub fn add_guess(&self, player: PlayerId, sender_key: &str, now: DateTime<Utc>) -> Result<()> {
        let old = now - chrono::TimeDelta::hours(1);
        self.db.write(DELETE_GUESSES, &[&old, &OLD_GUESSES])?;
        let sql = "INSERT INTO guesses (player, sender_key, at) VALUES ($1, $2, $3)";
        self.db.write(sql, &[&player, &sender_key, &now])?;
        Ok(())
    }
}

fn player(row: &Row<'_>) -> Result<Player> {
    Ok(Player {
        id: row.get(0)?,
        userid: row.get(1)?,
        password_hash: row.get(2)?,
        generation: row.get(3)?,
        away_since: row.get(4)?,
        disabled_at: row.get(5)?,
    })
}
