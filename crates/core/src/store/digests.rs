//! The daily digests: when each is due, the news collected for it, and the boards that the last ones showed.

use chrono::{DateTime, Utc};

use crate::letters::{Comment, News};
use crate::table::{Board, BoardId, PlayerId};

use super::numbers::Numbered;
use super::row::Row;
use super::{Reader, Result, Store};

/// How many daily mails of a player can still be answered: two months of them.
const KEPT_LETTERS: u32 = 60;

/// How many news of a board are kept for one player: a day's, if nobody floods.
const KEPT_NEWS: u32 = 100;

/// A board in a daily mail, as it stood then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBoard {
    pub board: BoardId,
    /// Its newest event.
    pub event: u32,
    /// Whether it waited for the reader's turn.
    pub is_waiting: bool,
}

impl ListedBoard {
    /// The board as it stands now, in a mail to this player.
    #[must_use]
    pub fn of(board: &Board, player: PlayerId) -> Self {
        Self {
            board: board.id,
            event: board.events.newest(),
            is_waiting: board.is_turn_of(player),
        }
    }
}

/// A daily mail that can be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestLetter {
    /// The number in its token.
    pub id: i64,
    /// Its reader.
    pub player: PlayerId,
    /// The boards that it showed.
    pub boards: Vec<ListedBoard>,
}

impl Reader {
    /// The digest that is due first: when, and for which player.
    pub fn first_digest(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT due_at, player FROM digests ORDER BY due_at, player LIMIT 1";
        self.db.find(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// When the player's last digest was made; or since when they want one.
    pub fn digested_at(&self, player: PlayerId) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT since FROM digests WHERE player = $1";
        self.db.find(sql, &[&player], |row| row.get(0))
    }

    /// The news collected for a player, oldest first.
    pub fn digest_news(&self, player: PlayerId) -> Result<Vec<(BoardId, News)>> {
        let sql = "SELECT board, sentence, said_by, said FROM digest_news WHERE player = $1 ORDER BY id";
        self.db
            .all(sql, &[&player], |row| Ok((row.get(0)?, news(row, 1)?)))
    }

    /// The news of a board that a player has not been mailed, oldest first.
    pub fn board_news(&self, player: PlayerId, board: BoardId) -> Result<Vec<News>> {
        let sql =
            "SELECT sentence, said_by, said FROM digest_news WHERE player = $1 AND board = $2 ORDER BY id";
        self.db.all(sql, &[&player, &board], |row| news(row, 0))
    }

    /// The daily mail with this number.
    pub fn digest_letter(&self, id: i64) -> Result<Option<DigestLetter>> {
        let sql = "SELECT player FROM digest_letters WHERE id = $1";
        let Some(player) = self.db.find(sql, &[&id], |row| row.get(0))? else {
            return Ok(None);
        };
        let sql = "SELECT board, event, is_waiting FROM digest_boards WHERE letter = $1 ORDER BY board";
        let boards = self.db.all(sql, &[&id], |row| {
            Ok(ListedBoard {
                board: row.get(0)?,
                event: row.get(1)?,
                is_waiting: row.get(2)?,
            })
        })?;
        Ok(Some(DigestLetter { id, player, boards }))
    }

    /// The number of the last daily mail to a player.
    pub fn newest_digest_letter(&self, player: PlayerId) -> Result<Option<i64>> {
        let sql = "SELECT MAX(id) FROM digest_letters WHERE player = $1";
        self.db.one(sql, &[&player], |row| row.get(0))
    }
}

impl Store {
    /// Sets when the player's next digest is due; `None`: no digest. `since`: the last one was made then.
    pub fn set_digest(
        &self,
        player: PlayerId,
        due_at: Option<DateTime<Utc>>,
        since: DateTime<Utc>,
    ) -> Result<()> {
        let Some(due_at) = due_at else {
            let sql = "DELETE FROM digests WHERE player = $1";
            self.db.write(sql, &[&player])?;
            return Ok(());
        };
        let sql = "INSERT INTO digests (player, due_at, since) VALUES ($1, $2, $3) \
                   ON CONFLICT (player) DO UPDATE SET due_at = excluded.due_at, since = excluded.since";
        self.db.write(sql, &[&player, &due_at, &since])?;
        Ok(())
    }

    /// Makes the player's next digest later.
    pub fn postpone_digest(&self, player: PlayerId, due_at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE digests SET due_at = $1 WHERE player = $2";
        self.db.write(sql, &[&due_at, &player])
    }

    /// Adds a piece of news from a board to the player's next digest, or to the next letter about that board. The last
    /// ones are kept.
    pub fn add_digest_news(&self, player: PlayerId, board: BoardId, news: &News) -> Result<()> {
        let sql =
            "INSERT INTO digest_news (player, board, sentence, said_by, said) VALUES ($1, $2, $3, $4, $5)";
        let saying = news.saying.as_ref();
        self.db.write(
            sql,
            &[
                &player,
                &board,
                &news.sentence,
                &saying.and_then(|saying| saying.by.as_ref()),
                &saying.map(|saying| &saying.text),
            ],
        )?;
        let sql = "DELETE FROM digest_news WHERE player = $1 AND board = $2 AND id <= (SELECT id FROM digest_news \
                   WHERE player = $1 AND board = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)";
        self.db.write(sql, &[&player, &board, &KEPT_NEWS])?;
        Ok(())
    }

    /// Deletes the news of a board for a player after they stood in a letter.
    pub fn forget_board_news(&self, player: PlayerId, board: BoardId) -> Result<()> {
        let sql = "DELETE FROM digest_news WHERE player = $1 AND board = $2";
        self.db.write(sql, &[&player, &board])?;
        Ok(())
    }

    /// Deletes the collected news of a player after the digest was written.
    pub fn forget_digest_news(&self, player: PlayerId) -> Result<()> {
        let sql = "DELETE FROM digest_news WHERE player = $1";
        self.db.write(sql, &[&player])?;
        Ok(())
    }

    /// Stores what a daily mail to a player shows, so that it can be answered. The oldest one can be answered no longer.
    pub fn add_digest_letter(&self, player: PlayerId, boards: &[ListedBoard]) -> Result<()> {
        let id = self.next_number_of(Numbered::Digests)?;
        let sql = "INSERT INTO digest_letters (id, player) VALUES ($1, $2)";
        self.db.write(sql, &[&id, &player])?;
        let sql = "INSERT INTO digest_boards (letter, board, event, is_waiting) VALUES ($1, $2, $3, $4)";
        for listed in boards {
            self.db
                .write(sql, &[&id, &listed.board, &listed.event, &listed.is_waiting])?;
        }
        let old = "SELECT id FROM digest_letters WHERE player = $1 ORDER BY id DESC LIMIT 1000 OFFSET $2";
        for sql in [
            format!("DELETE FROM digest_boards WHERE letter IN ({old})"),
            format!("DELETE FROM digest_letters WHERE id IN ({old})"),
        ] {
            self.db.write(&sql, &[&player, &KEPT_LETTERS])?;
        }
        Ok(())
    }
}

/// Reads news, beginning with column `first`.
fn news(row: &Row<'_>, first: usize) -> Result<News> {
    let (by, text): (_, Option<String>) = (row.get(first + 1)?, row.get(first + 2)?);
    Ok(News {
        sentence: row.get(first)?,
        saying: text.map(|text| Comment { by, text }),
    })
}
