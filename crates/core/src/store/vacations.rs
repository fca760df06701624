//! The players' vacations. Each ends automatically.

use chrono::{DateTime, Utc};

use crate::table::{PlayerId, Vacation};

use super::memo::Rows;
use super::row::Row;
use super::{Reader, Result, Store};

impl Reader {
    /// The player's current vacation.
    pub fn vacation(&self, player: PlayerId) -> Result<Option<Vacation>> {
        let sql = "SELECT begun_at, ends_at FROM vacations WHERE player = $1 AND is_over = 0";
        self.db.memo.once(Rows::Vacations, player, |player| {
            self.db.find(sql, &[player], vacation)
        })
    }

    /// The player's earlier vacations that ended at or after `since`.
    pub fn vacations_since(&self, player: PlayerId, since: DateTime<Utc>) -> Result<Vec<Vacation>> {
        let sql =
            "SELECT begun_at, ends_at FROM vacations WHERE player = $1 AND ends_at >= $2 AND is_over = 1";
        self.db.all(sql, &[&player, &since], vacation)
    }

    /// The vacation that ends first, and when.
    pub fn first_ending_vacation(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT ends_at, id FROM vacations WHERE is_over = 0 ORDER BY ends_at, id LIMIT 1";
        self.db.find(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The player of this vacation row.
    pub fn on_vacation(&self, row: i64) -> Result<Option<PlayerId>> {
        let sql = "SELECT player FROM vacations WHERE id = $1";
        self.db.find(sql, &[&row], |row| row.get(0))
    }
}

impl Store {
    /// Starts a vacation until `until`, or changes the end of the current one.
    pub fn set_vacation(&self, player: PlayerId, until: DateTime<Utc>, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE vacations SET ends_at = $1 WHERE player = $2 AND is_over = 0";
        if self.db.execute(sql, &[&until, &player])? > 0 {
            return Ok(());
        }
        let sql = "INSERT INTO vacations (player, begun_at, ends_at) VALUES ($1, $2, $3)";
        self.db.write(sql, &[&player, &now, &until])?;
        Ok(())
    }

    /// Ends the current vacation. Unused days are not charged.
    pub fn end_vacation(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE vacations SET is_over = 1, ends_at = CASE WHEN ends_at > $1 THEN $1 ELSE ends_at END \
                   WHERE player = $2 AND is_over = 0";
        self.db.write(sql, &[&now, &player])?;
        Ok(())
    }

    /// Sets when the vacation of this row ends.
    pub fn set_vacation_end(&self, row: i64, at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE vacations SET ends_at = $1 WHERE id = $2";
        self.db.write(sql, &[&at, &row])?;
        Ok(())
    }
}

fn vacation(row: &Row<'_>) -> Result<Vacation> {
    Ok(Vacation {
        begun_at: row.get(0)?,
        ends_at: row.get(1)?,
    })
}
