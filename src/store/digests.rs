//! The daily digests: when each is due, and the news collected for it.

use chrono::{DateTime, Utc};

use crate::letters::{Comment, News};
use crate::table::{BoardId, PlayerId};

use super::sqlite::Row;
use super::{Reader, Result, Store};

impl Reader {
    /// The digest that is due first: when, and for which player.
    pub fn first_digest(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT due_at, player FROM digests ORDER BY due_at, player LIMIT 1";
        self.db.find(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The news collected for a player, oldest first.
    pub fn digest_news(&self, player: PlayerId) -> Result<Vec<(BoardId, News)>> {
        let sql = "SELECT board, sentence, said_by, said FROM digest_news WHERE player = $1 ORDER BY id";
        let news = |row: &Row<'_>| {
            let (by, text): (_, Option<String>) = (row.get(2)?, row.get(3)?);
            let news = News {
                sentence: row.get(1)?,
                saying: text.map(|text| Comment { by, text }),
            };
            Ok((row.get(0)?, news))
        };
        self.db.all(sql, &[&player], news)
    }
}

impl Store {
    /// Sets when the player's next digest is due; `None`: no digest.
    pub fn set_digest(&self, player: PlayerId, due_at: Option<DateTime<Utc>>) -> Result<()> {
        let Some(due_at) = due_at else {
            let sql = "DELETE FROM digests WHERE player = $1";
            self.db.execute(sql, &[&player])?;
            return Ok(());
        };
        let sql = "INSERT INTO digests (player, due_at) VALUES ($1, $2) \
                   ON CONFLICT (player) DO UPDATE SET due_at = excluded.due_at";
        self.db.execute(sql, &[&player, &due_at])?;
        Ok(())
    }

    /// Adds a piece of news from a board to the player's next digest.
    pub fn add_digest_news(&self, player: PlayerId, board: BoardId, news: &News) -> Result<()> {
        let sql =
            "INSERT INTO digest_news (player, board, sentence, said_by, said) VALUES ($1, $2, $3, $4, $5)";
        let saying = news.saying.as_ref();
        self.db.execute(
            sql,
            &[
                &player,
                &board,
                &news.sentence,
                &saying.and_then(|saying| saying.by.as_ref()),
                &saying.map(|saying| &saying.text),
            ],
        )?;
        Ok(())
    }

    /// Deletes the collected news of a player after the digest was written.
    pub fn forget_digest_news(&self, player: PlayerId) -> Result<()> {
        let sql = "DELETE FROM digest_news WHERE player = $1";
        self.db.execute(sql, &[&player])?;
        Ok(())
    }
}
