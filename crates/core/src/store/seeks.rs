//! Open challenges, and how many boards players accept.

use chrono::{DateTime, Utc};
use pbmserv_games::{Game, Options};

use crate::table::{PlayerId, Taking, Terms};

use super::row::Row;
use super::{Error, Reader, Result, Store};

/// An open challenge: a player seeks opponents for a game.
#[derive(Clone, Debug)]
pub struct Seek {
    /// The player who seeks.
    pub player: PlayerId,
    /// In the player's own capitals.
    pub userid: String,
    /// The game that is sought.
    pub game: &'static Game,
    /// How many boards may still begin.
    pub left_over: u32,
    /// Under the newest rules of the game.
    pub options: Options,
    /// The terms for its boards.
    pub terms: Terms,
    /// When the challenge was opened.
    pub since: DateTime<Utc>,
}

pub(super) const SEEK: &str = "SELECT s.player, p.userid, s.game, s.left_over, s.options, s.rated, s.nag_days, s.forfeit_days, \
    s.total_days, s.since, s.refill FROM seeks s JOIN players p ON p.id = s.player";

impl Reader {
    /// The player's open challenge in this game.
    pub fn seek(&self, player: PlayerId, game: &Game) -> Result<Option<Seek>> {
        self.db.find(
            &format!("{SEEK} WHERE s.player = $1 AND s.game = $2"),
            &[&player, &game.facts.name],
            seek,
        )
    }

    /// The open challenges of a game, oldest first.
    pub fn seeks(&self, game: &Game, limit: usize) -> Result<Vec<Seek>> {
        let sql = format!("{SEEK} WHERE s.game = $1 ORDER BY s.since, s.player LIMIT $2");
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        self.db.all(&sql, &[&game.facts.name, &limit], seek)
    }

    /// Which boards of this game the player accepts.
    pub fn taking(&self, player: PlayerId, game: &Game) -> Result<Taking> {
        let sql = "SELECT is_open, most FROM taking WHERE player = $1 AND game = $2";
        let found = self.db.find(sql, &[&player, &game.facts.name], |row| {
            Ok(Taking {
                is_open: row.get(0)?,
                most: row.get(1)?,
            })
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The number of the player's running boards of this game.
    pub fn running(&self, player: PlayerId, game: &Game) -> Result<u32> {
        let seat = |seat: &str| {
            format!("(SELECT COUNT(*) FROM boards WHERE {seat} = $1 AND game = $2 AND ended_at IS NULL)")
        };
        let sql = format!("SELECT {} + {}", seat("first_player"), seat("second_player"));
        self.db.one(&sql, &[&player, &game.facts.name], |row| row.get(0))
    }
}

impl Store {
    /// Adds or replaces an open challenge.
    pub fn set_seek(&self, seek: &Seek) -> Result<()> {
        let sql = "INSERT INTO seeks (player, game, left_over, options, rated, nag_days, forfeit_days, total_days, \
                   refill, since) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
                   ON CONFLICT (player, game) DO UPDATE SET left_over = excluded.left_over, \
                   options = excluded.options, rated = excluded.rated, nag_days = excluded.nag_days, \
                   forfeit_days = excluded.forfeit_days, total_days = excluded.total_days, \
                   refill = excluded.refill, since = excluded.since";
        self.db.write(
            sql,
            &[
                &seek.player,
                &seek.game.facts.name,
                &seek.left_over,
                &seek.options.to_string(),
                &seek.terms.rated,
                &seek.terms.nag_days,
                &seek.terms.forfeit_days,
                &seek.terms.total_days,
                &seek.terms.refill.to_string(),
                &seek.since,
            ],
        )?;
        Ok(())
    }

    /// Removes the player's open challenge in this game.
    pub fn end_seek(&self, player: PlayerId, game: &Game) -> Result<()> {
        let sql = "DELETE FROM seeks WHERE player = $1 AND game = $2";
        self.db.write(sql, &[&player, &game.facts.name])?;
        Ok(())
    }

    /// Counts down an open challenge when one of its boards begins; removes it after the last.
    pub fn take_seek(&self, player: PlayerId, game: &Game) -> Result<()> {
        for sql in [
            "UPDATE seeks SET left_over = left_over - 1 WHERE player = $1 AND game = $2",
            "DELETE FROM seeks WHERE player = $1 AND game = $2 AND left_over <= 0",
        ] {
            self.db.write(sql, &[&player, &game.facts.name])?;
        }
        Ok(())
    }

    /// Sets which boards of this game the player accepts.
    pub fn set_taking(&self, player: PlayerId, game: &Game, taking: Taking) -> Result<()> {
        let sql = "INSERT INTO taking (player, game, is_open, most) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (player, game) DO UPDATE SET is_open = excluded.is_open, most = excluded.most";
        self.db
            .write(sql, &[&player, &game.facts.name, &taking.is_open, &taking.most])?;
        Ok(())
    }
}

pub(super) fn seek(row: &Row<'_>) -> Result<Seek> {
    let (name, options): (&str, &str) = (row.get(2)?, row.get(4)?);
    let game = pbmserv_games::find(name)
        .ok_or_else(|| Error::Corrupt(format!("an open challenge has the unknown game {name}")))?;
    let options = Options::parse(game.facts, options.split_whitespace())
        .map_err(|refusal| Error::Corrupt(format!("an open challenge for {name}: {refusal}")))?;
    Ok(Seek {
        player: row.get(0)?,
        userid: row.get(1)?,
        game,
        left_over: row.get(3)?,
        options,
        terms: Terms {
            rated: row.get(5)?,
            nag_days: row.get(6)?,
            forfeit_days: row.get(7)?,
            total_days: row.get(8)?,
            refill: row.get(10)?,
        },
        since: row.get(9)?,
    })
}
