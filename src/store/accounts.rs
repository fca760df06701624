//! Players, their displays, and the wrong passwords of the last hour.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row};

use crate::games::{Display, Game};
use crate::table::{Player, PlayerId};

use super::numbers::Numbered;
use super::{Reader, Result, Store, millis, time};

/// An account that is to be made.
#[derive(Clone)]
pub struct NewPlayer {
    /// As written.
    pub userid: String,
    /// The PHC string of the password's hash.
    pub password_hash: String,
    /// When.
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
    /// The player of this userid, in any case.
    ///
    /// # Errors
    /// SQLite's.
    pub fn player(&self, userid: &str) -> Result<Option<Player>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{PLAYER} WHERE userid_key = $1 AND deleted_at IS NULL"))?;
        Ok(statement
            .query_row([userid.to_ascii_lowercase()], player)
            .optional()?)
    }

    /// The player of this number.
    ///
    /// # Errors
    /// SQLite's.
    pub fn player_by_id(&self, id: PlayerId) -> Result<Option<Player>> {
        let mut statement = self.conn.prepare_cached(&format!("{PLAYER} WHERE id = $1"))?;
        Ok(statement.query_row([id.0], player).optional()?)
    }

    /// All players, in the order of their userids.
    ///
    /// # Errors
    /// SQLite's.
    pub fn players(&self) -> Result<Vec<Player>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{PLAYER} WHERE deleted_at IS NULL ORDER BY userid_key"))?;
        Ok(statement
            .query_map([], player)?
            .collect::<rusqlite::Result<_>>()?)
    }

    /// The players who are here and have a confirmed address, in the order of their userids.
    ///
    /// # Errors
    /// SQLite's.
    pub fn reachable_players(&self) -> Result<Vec<Player>> {
        let sql = format!(
            "{PLAYER} WHERE deleted_at IS NULL AND away_since IS NULL AND disabled_at IS NULL AND EXISTS (SELECT 1 FROM addresses \
             WHERE addresses.player = players.id AND confirmed_at IS NOT NULL) ORDER BY userid_key"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        Ok(statement
            .query_map([], player)?
            .collect::<rusqlite::Result<_>>()?)
    }

    /// Userids that begin as this one does: where a misspelt one is looked for, at most `limit`.
    ///
    /// # Errors
    /// SQLite's.
    pub fn userids_like(&self, userid: &str, limit: u32) -> Result<Vec<String>> {
        let first: String = userid.to_ascii_lowercase().chars().take(1).collect();
        let sql = "SELECT userid FROM players WHERE userid_key >= $1 AND userid_key < $2 AND deleted_at IS NULL \
                   ORDER BY userid_key LIMIT $3";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map((&first, format!("{first}\u{7f}"), limit), |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How this player wants to see the boards of this game.
    ///
    /// # Errors
    /// SQLite's.
    pub fn display(&self, player: PlayerId, game: &Game) -> Result<Display> {
        let sql = "SELECT display FROM displays WHERE player = $1 AND game = $2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let word: Option<String> = statement
            .query_row((player.0, game.facts.name), |row| row.get(0))
            .optional()?;
        Ok(if word.as_deref() == Some("small") {
            Display::Small
        } else {
            Display::Large
        })
    }

    /// How many wrong passwords came for this player since a time: from this sender, and from all.
    ///
    /// # Errors
    /// SQLite's.
    pub fn guesses(&self, player: PlayerId, sender_key: &str, since: DateTime<Utc>) -> Result<(u32, u32)> {
        let sql = "SELECT COALESCE(SUM(CASE WHEN sender_key = $1 THEN 1 ELSE 0 END), 0), COUNT(*) \
                   FROM guesses WHERE player = $2 AND at > $3";
        let mut statement = self.conn.prepare_cached(sql)?;
        let counts = (sender_key, player.0, millis(since));
        Ok(statement.query_row(counts, |row| Ok((row.get(0)?, row.get(1)?)))?)
    }
}

impl Store {
    /// Makes an account.
    ///
    /// # Errors
    /// SQLite's.
    pub fn add_player(&self, new: &NewPlayer) -> Result<PlayerId> {
        let id = self.next_number_of(Numbered::Players)?;
        let sql = "INSERT INTO players (id, userid, userid_key, password_hash, created_at) VALUES ($1, $2, $3, $4, $5)";
        let key = new.userid.to_ascii_lowercase();
        let values = (id, &new.userid, key, &new.password_hash, millis(new.created_at));
        self.conn.prepare_cached(sql)?.execute(values)?;
        Ok(PlayerId(id))
    }

    /// How this player wants to see the boards of this game from now on.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_display(&self, player: PlayerId, game: &Game, display: Display) -> Result<()> {
        let sql = "INSERT INTO displays (player, game, display) VALUES ($1, $2, $3) \
                   ON CONFLICT (player, game) DO UPDATE SET display = excluded.display";
        self.conn
            .prepare_cached(sql)?
            .execute((player.0, game.facts.name, display.word()))?;
        Ok(())
    }

    /// Gives a player another password hash.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_password(&self, player: PlayerId, password_hash: &str) -> Result<()> {
        let sql = "UPDATE players SET password_hash = $1 WHERE id = $2";
        self.conn
            .prepare_cached(sql)?
            .execute((password_hash, player.0))?;
        self.raise_generation(player)
    }

    /// A player is away since then, or here again. Who goes away seeks no game and watches none any more.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_away(&self, player: PlayerId, since: Option<DateTime<Utc>>) -> Result<()> {
        if since.is_some() {
            self.end_interest(player)?;
        }
        let sql = "UPDATE players SET away_since = $1 WHERE id = $2";
        self.conn
            .prepare_cached(sql)?
            .execute((since.map(millis), player.0))?;
        Ok(())
    }

    /// Erases the userid, the password, the addresses and the settings of a player. The row stays for the boards,
    /// as `deleted-` and its number, which nobody else can be called.
    ///
    /// # Errors
    /// SQLite's.
    pub fn delete_player(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        for sql in [
            "DELETE FROM addresses WHERE player = $1",
            "DELETE FROM displays WHERE player = $1",
            "DELETE FROM preferences WHERE player = $1",
            "DELETE FROM digests WHERE player = $1",
            "DELETE FROM digest_news WHERE player = $1",
            "DELETE FROM guesses WHERE player = $1",
            "DELETE FROM vacations WHERE player = $1",
            "DELETE FROM blocks WHERE player = $1",
            "DELETE FROM blocks WHERE blocked = $1",
            "DELETE FROM taking WHERE player = $1",
        ] {
            self.conn.prepare_cached(sql)?.execute([player.0])?;
        }
        self.end_interest(player)?;
        let sql = "UPDATE players SET userid = $1, userid_key = $1, password_hash = '', away_since = NULL, \
                   deleted_at = $2, generation = generation + 1 WHERE id = $3";
        let values = (format!("deleted-{}", player.0), millis(now), player.0);
        self.conn.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// Closes an account, or opens it again. A closed one seeks no game and watches none any more.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_disabled(&self, player: PlayerId, since: Option<DateTime<Utc>>) -> Result<()> {
        if since.is_some() {
            self.end_interest(player)?;
        }
        let sql = "UPDATE players SET disabled_at = $1 WHERE id = $2";
        self.conn
            .prepare_cached(sql)?
            .execute((since.map(millis), player.0))?;
        Ok(())
    }

    /// Gives a player another userid, which nobody has.
    ///
    /// # Errors
    /// SQLite's.
    pub fn rename_player(&self, player: PlayerId, userid: &str) -> Result<()> {
        let sql = "UPDATE players SET userid = $1, userid_key = $2 WHERE id = $3";
        let values = (userid, userid.to_ascii_lowercase(), player.0);
        self.conn.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// A player seeks no game and watches none any more.
    fn end_interest(&self, player: PlayerId) -> Result<()> {
        for sql in [
            "DELETE FROM seeks WHERE player = $1",
            "DELETE FROM watched_boards WHERE player = $1",
            "DELETE FROM watched_games WHERE player = $1",
        ] {
            self.conn.prepare_cached(sql)?.execute([player.0])?;
        }
        Ok(())
    }

    /// Ends the tokens that were given out to a player.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn raise_generation(&self, player: PlayerId) -> Result<()> {
        let sql = "UPDATE players SET generation = generation + 1 WHERE id = $1";
        self.conn.prepare_cached(sql)?.execute([player.0])?;
        Ok(())
    }

    /// Notes a wrong password, and forgets those that are too old to count.
    ///
    /// # Errors
    /// SQLite's.
    pub fn add_guess(&self, player: PlayerId, sender_key: &str, now: DateTime<Utc>) -> Result<()> {
        let old = now - chrono::TimeDelta::hours(1);
        self.conn
            .prepare_cached("DELETE FROM guesses WHERE at <= $1")?
            .execute([millis(old)])?;
        let sql = "INSERT INTO guesses (player, sender_key, at) VALUES ($1, $2, $3)";
        self.conn
            .prepare_cached(sql)?
            .execute((player.0, sender_key, millis(now)))?;
        Ok(())
    }
}

fn player(row: &Row<'_>) -> rusqlite::Result<Player> {
    Ok(Player {
        id: PlayerId(row.get(0)?),
        userid: row.get(1)?,
        password_hash: row.get(2)?,
        generation: row.get(3)?,
        away_since: row.get::<_, Option<i64>>(4)?.map(time),
        disabled_at: row.get::<_, Option<i64>>(5)?.map(time),
    })
}
