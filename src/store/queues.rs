//! Turns that wait: those queued for one's next turn, and the one that was shown and is to be confirmed.
//!
//! A turn, a turn taken back and the end of a board clear them in `boards.rs`, so that none outlives the
//! position that it was meant for.

use rusqlite::OptionalExtension;

use crate::games::Seat;
use crate::table::BoardId;

use super::boards::{seat, seat_number};
use super::{Reader, Result, Store};

impl Reader {
    /// The turns that a player has queued on this board, in order, and who that is; `None` if nothing is queued.
    ///
    /// # Errors
    /// SQLite's, or a row that this program cannot have written.
    pub fn queue(&self, board: BoardId) -> Result<Option<(Seat, Vec<String>)>> {
        let sql = "SELECT queue, queue_by FROM boards WHERE id = $1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let found: Option<(Option<String>, Option<i64>)> = statement
            .query_row([board.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((Some(turns), Some(by))) = found else {
            return Ok(None);
        };
        Ok(Some((seat(by)?, turns.lines().map(str::to_owned).collect())))
    }

    /// The turn that waits to be confirmed on this board by the player to move.
    ///
    /// # Errors
    /// SQLite's.
    pub fn submitted(&self, board: BoardId) -> Result<Option<String>> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT submitted FROM boards WHERE id = $1")?;
        Ok(statement.query_row([board.0], |row| row.get(0))?)
    }
}

impl Store {
    /// What is queued on a board from now on, in the place of what was; no text of a turn has a line break.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_queue(&self, board: BoardId, queue: Option<(Seat, &[String])>) -> Result<()> {
        let (turns, by) = queue
            .map(|(by, turns)| (turns.join("\n"), seat_number(by)))
            .unzip();
        let sql = "UPDATE boards SET queue = $1, queue_by = $2 WHERE id = $3";
        self.conn.prepare_cached(sql)?.execute((turns, by, board.0))?;
        Ok(())
    }

    /// The turn that waits to be confirmed, in the place of one before.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_submitted(&self, board: BoardId, turn: &str) -> Result<()> {
        let sql = "UPDATE boards SET submitted = $1 WHERE id = $2";
        self.conn.prepare_cached(sql)?.execute((turn, board.0))?;
        Ok(())
    }
}
