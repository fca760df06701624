//! Who wants to play: open challenges, and how many boards players take.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row};

use crate::games::{self, Game, Options};
use crate::table::{PlayerId, Taking, Terms};

use super::{Error, Reader, Result, Store, millis, time};

/// An open challenge.
#[derive(Clone, Debug)]
pub struct Seek {
    /// Whose.
    pub player: PlayerId,
    /// The userid as first written.
    pub userid: String,
    /// Of which game.
    pub game: &'static Game,
    /// How many boards may still begin.
    pub left_over: u32,
    /// By which options of the game, under its newest rules.
    pub options: Options,
    /// By which terms.
    pub terms: Terms,
    /// Since when.
    pub since: DateTime<Utc>,
}

const SEEK: &str = "SELECT s.player, p.userid, s.game, s.left_over, s.options, s.rated, s.nag_days, s.forfeit_days, \
    s.total_days, s.since FROM seeks s JOIN players p ON p.id = s.player";

impl Reader {
    /// What this player seeks of this game.
    ///
    /// # Errors
    /// SQLite's, or a row that this program cannot have written.
    pub fn seek(&self, player: PlayerId, game: &Game) -> Result<Option<Seek>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{SEEK} WHERE s.player = $1 AND s.game = $2"))?;
        let found = statement
            .query_row((player.0, game.facts.name), seek)
            .optional()?;
        found.transpose()
    }

    /// The open challenges of a game, the oldest first.
    ///
    /// # Errors
    /// SQLite's, or a row that this program cannot have written.
    pub fn seeks(&self, game: &Game, limit: usize) -> Result<Vec<Seek>> {
        let sql = format!("{SEEK} WHERE s.game = $1 ORDER BY s.since, s.player LIMIT $2");
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let mut statement = self.conn.prepare_cached(&sql)?;
        let found = statement.query_map((game.facts.name, limit), seek)?;
        found.map(|row| row?).collect()
    }

    /// What boards of this game the player takes.
    ///
    /// # Errors
    /// SQLite's.
    pub fn taking(&self, player: PlayerId, game: &Game) -> Result<Taking> {
        let sql = "SELECT is_open, most FROM taking WHERE player = $1 AND game = $2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let found = statement.query_row((player.0, game.facts.name), |row| {
            Ok(Taking {
                is_open: row.get(0)?,
                most: row.get(1)?,
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// How many boards of this game the player has running.
    ///
    /// # Errors
    /// SQLite's.
    pub fn running(&self, player: PlayerId, game: &Game) -> Result<u32> {
        let seat = |seat: &str| {
            format!("(SELECT COUNT(*) FROM boards WHERE {seat} = $1 AND game = $2 AND ended_at IS NULL)")
        };
        let sql = format!("SELECT {} + {}", seat("first_player"), seat("second_player"));
        let mut statement = self.conn.prepare_cached(&sql)?;
        Ok(statement.query_row((player.0, game.facts.name), |row| row.get(0))?)
    }
}

impl Store {
    /// From now on this is what the player seeks of the game.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_seek(&self, seek: &Seek) -> Result<()> {
        let sql = "INSERT INTO seeks (player, game, left_over, options, rated, nag_days, forfeit_days, total_days, \
                   since) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
                   ON CONFLICT (player, game) DO UPDATE SET left_over = excluded.left_over, \
                   options = excluded.options, rated = excluded.rated, nag_days = excluded.nag_days, \
                   forfeit_days = excluded.forfeit_days, total_days = excluded.total_days, since = excluded.since";
        let values = rusqlite::params![
            seek.player.0,
            seek.game.facts.name,
            seek.left_over,
            seek.options.to_string(),
            seek.terms.rated,
            seek.terms.nag_days,
            seek.terms.forfeit_days,
            seek.terms.total_days,
            millis(seek.since),
        ];
        self.conn.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// The player seeks no board of the game any more.
    ///
    /// # Errors
    /// SQLite's.
    pub fn end_seek(&self, player: PlayerId, game: &Game) -> Result<()> {
        let sql = "DELETE FROM seeks WHERE player = $1 AND game = $2";
        self.conn
            .prepare_cached(sql)?
            .execute((player.0, game.facts.name))?;
        Ok(())
    }

    /// One of the boards that the player seeks has begun.
    ///
    /// # Errors
    /// SQLite's.
    pub fn take_seek(&self, player: PlayerId, game: &Game) -> Result<()> {
        for sql in [
            "UPDATE seeks SET left_over = left_over - 1 WHERE player = $1 AND game = $2",
            "DELETE FROM seeks WHERE player = $1 AND game = $2 AND left_over <= 0",
        ] {
            self.conn
                .prepare_cached(sql)?
                .execute((player.0, game.facts.name))?;
        }
        Ok(())
    }

    /// What boards of this game the player takes from now on.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_taking(&self, player: PlayerId, game: &Game, taking: Taking) -> Result<()> {
        let sql = "INSERT INTO taking (player, game, is_open, most) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (player, game) DO UPDATE SET is_open = excluded.is_open, most = excluded.most";
        self.conn
            .prepare_cached(sql)?
            .execute((player.0, game.facts.name, taking.is_open, taking.most))?;
        Ok(())
    }
}

fn seek(row: &Row<'_>) -> rusqlite::Result<Result<Seek>> {
    let (name, options): (String, String) = (row.get(2)?, row.get(4)?);
    let (player, userid, left_over) = (PlayerId(row.get(0)?), row.get(1)?, row.get(3)?);
    let terms = Terms {
        rated: row.get(5)?,
        nag_days: row.get(6)?,
        forfeit_days: row.get(7)?,
        total_days: row.get(8)?,
    };
    let since: i64 = row.get(9)?;
    let read = || {
        let game = games::find(&name).ok_or_else(|| Error::Corrupt(format!("no game is called {name}")))?;
        let options = Options::parse(game.facts, options.split_whitespace());
        let options =
            options.map_err(|refusal| Error::Corrupt(format!("what is sought of {name}: {refusal}")))?;
        Ok(Seek {
            player,
            userid,
            game,
            left_over,
            options,
            terms,
            since: time(since),
        })
    };
    Ok(read())
}
