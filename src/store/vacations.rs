//! Vacations of players: each ends by itself.

use chrono::{DateTime, Utc};
use rusqlite::OptionalExtension;

use crate::table::{PlayerId, Vacation};

use super::{Reader, Result, Store, millis, time};

impl Reader {
    /// The vacation on which this player is.
    ///
    /// # Errors
    /// SQLite's.
    pub fn vacation(&self, player: PlayerId) -> Result<Option<Vacation>> {
        let sql = "SELECT begun_at, ends_at FROM vacations WHERE player = $1 AND is_over = 0";
        let mut statement = self.conn.prepare_cached(sql)?;
        let found = statement.query_row([player.0], |row| {
            Ok(Vacation {
                begun_at: time(row.get(0)?),
                ends_at: time(row.get(1)?),
            })
        });
        Ok(found.optional()?)
    }

    /// The vacations of this player that were over at no time before this one, without the one on which they are.
    ///
    /// # Errors
    /// SQLite's.
    pub fn vacations_since(&self, player: PlayerId, since: DateTime<Utc>) -> Result<Vec<Vacation>> {
        let sql =
            "SELECT begun_at, ends_at FROM vacations WHERE player = $1 AND ends_at >= $2 AND is_over = 1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let found = statement.query_map((player.0, millis(since)), |row| {
            Ok(Vacation {
                begun_at: time(row.get(0)?),
                ends_at: time(row.get(1)?),
            })
        })?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }

    /// The vacation that ends first, and when.
    ///
    /// # Errors
    /// SQLite's.
    pub fn first_ending_vacation(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT ends_at, id FROM vacations WHERE is_over = 0 ORDER BY ends_at, id LIMIT 1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let found = statement.query_row([], |row| Ok((time(row.get(0)?), row.get(1)?)));
        Ok(found.optional()?)
    }

    /// Whose vacation this row is.
    ///
    /// # Errors
    /// SQLite's.
    pub fn on_vacation(&self, row: i64) -> Result<Option<PlayerId>> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT player FROM vacations WHERE id = $1")?;
        let found = statement.query_row([row], |row| Ok(PlayerId(row.get(0)?)));
        Ok(found.optional()?)
    }
}

impl Store {
    /// A player is on vacation until then: from now on, or still.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_vacation(&self, player: PlayerId, until: DateTime<Utc>, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE vacations SET ends_at = $1 WHERE player = $2 AND is_over = 0";
        if self
            .conn
            .prepare_cached(sql)?
            .execute((millis(until), player.0))?
            > 0
        {
            return Ok(());
        }
        let sql = "INSERT INTO vacations (player, begun_at, ends_at) VALUES ($1, $2, $3)";
        self.conn
            .prepare_cached(sql)?
            .execute((player.0, millis(now), millis(until)))?;
        Ok(())
    }

    /// The vacation of a player is over, perhaps before its time: the days that it did not take are given back.
    ///
    /// # Errors
    /// SQLite's.
    pub fn end_vacation(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE vacations SET is_over = 1, ends_at = CASE WHEN ends_at > $1 THEN $1 ELSE ends_at END \
                   WHERE player = $2 AND is_over = 0";
        self.conn.prepare_cached(sql)?.execute((millis(now), player.0))?;
        Ok(())
    }

    /// The vacation of this row ends then.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_vacation_end(&self, row: i64, at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE vacations SET ends_at = $1 WHERE id = $2";
        self.conn.prepare_cached(sql)?.execute((millis(at), row))?;
        Ok(())
    }
}
