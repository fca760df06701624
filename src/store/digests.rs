//! The daily mails: when they are due, and what is collected for them.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row};

use crate::letters::{News, Saying};
use crate::table::{BoardId, PlayerId};

use super::{Reader, Result, Store, millis, time};

impl Reader {
    /// The earliest daily mail: when it is due, and for which player.
    ///
    /// # Errors
    /// SQLite's.
    pub fn first_digest(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT due_at, player FROM digests ORDER BY due_at, player LIMIT 1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let found = statement.query_row([], |row| Ok((time(row.get(0)?), row.get(1)?)));
        Ok(found.optional()?)
    }

    /// What is collected for a player, in the order in which it happened.
    ///
    /// # Errors
    /// SQLite's.
    pub fn digest_news(&self, player: PlayerId) -> Result<Vec<(BoardId, News)>> {
        let sql = "SELECT board, sentence, said_by, said FROM digest_news WHERE player = $1 ORDER BY id";
        let news = |row: &Row<'_>| {
            let (by, text): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
            let news = News {
                sentence: row.get(1)?,
                saying: by.zip(text).map(|(by, text)| Saying { by, text }),
            };
            Ok((BoardId(row.get(0)?), news))
        };
        let mut statement = self.conn.prepare_cached(sql)?;
        let found = statement.query_map([player.0], news)?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }
}

impl Store {
    /// When the next daily mail of a player is due; `None`: there is none.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_digest(&self, player: PlayerId, due_at: Option<DateTime<Utc>>) -> Result<()> {
        let Some(due_at) = due_at else {
            let sql = "DELETE FROM digests WHERE player = $1";
            self.conn.prepare_cached(sql)?.execute([player.0])?;
            return Ok(());
        };
        let sql = "INSERT INTO digests (player, due_at) VALUES ($1, $2) \
                   ON CONFLICT (player) DO UPDATE SET due_at = excluded.due_at";
        self.conn
            .prepare_cached(sql)?
            .execute((player.0, millis(due_at)))?;
        Ok(())
    }

    /// Keeps something that happened on a board for the next daily mail of a player.
    ///
    /// # Errors
    /// SQLite's.
    pub fn add_digest_news(&self, player: PlayerId, board: BoardId, news: &News) -> Result<()> {
        let sql =
            "INSERT INTO digest_news (player, board, sentence, said_by, said) VALUES ($1, $2, $3, $4, $5)";
        let saying = news.saying.as_ref();
        let values = rusqlite::params![
            player.0,
            board.0,
            news.sentence,
            saying.map(|saying| &saying.by),
            saying.map(|saying| &saying.text),
        ];
        self.conn.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// What was collected for a player is told.
    ///
    /// # Errors
    /// SQLite's.
    pub fn forget_digest_news(&self, player: PlayerId) -> Result<()> {
        let sql = "DELETE FROM digest_news WHERE player = $1";
        self.conn.prepare_cached(sql)?.execute([player.0])?;
        Ok(())
    }
}
