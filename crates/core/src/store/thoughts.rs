//! The positions that computers have begun to think about, and those that they leave alone.

use crate::table::BoardId;

use super::{Reader, Result, Store};

/// A position of a board: the event that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThoughtPosition {
    pub board: BoardId,
    /// The number of the event.
    pub event: u32,
}

impl Reader {
    /// How often a computer has begun to think about this position without an end.
    pub fn thoughts_begun(&self, position: ThoughtPosition) -> Result<u32> {
        let sql = "SELECT begun FROM thoughts WHERE board = $1 AND event = $2";
        let begun = self
            .db
            .find(sql, &[&position.board, &position.event], |row| row.get(0))?;
        Ok(begun.unwrap_or_default())
    }

    /// How many running boards stand at a position that computers leave alone, at most `limit`.
    pub(super) fn count_left_alone(&self, limit: u32) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM thoughts JOIN boards ON id = board AND position_event = event \
                   WHERE is_left = 1 AND to_move IS NOT NULL LIMIT $1) AS first";
        self.db.one(sql, &[&limit], |row| row.get(0))
    }
}

impl Store {
    /// Counts one more beginning.
    pub fn begin_thought(&self, position: ThoughtPosition) -> Result<()> {
        let sql = "INSERT INTO thoughts (board, event, begun) VALUES ($1, $2, 1) \
                   ON CONFLICT (board, event) DO UPDATE SET begun = thoughts.begun + 1";
        self.db.write(sql, &[&position.board, &position.event])?;
        Ok(())
    }

    /// A thought about this board has ended, and the program has not: earlier beginnings do not count any more.
    pub fn end_thought(&self, board: BoardId) -> Result<()> {
        self.db
            .write("DELETE FROM thoughts WHERE board = $1", &[&board])?;
        Ok(())
    }

    /// From now on the position is left alone.
    pub fn leave_thought(&self, position: ThoughtPosition) -> Result<()> {
        let sql = "UPDATE thoughts SET is_left = 1 WHERE board = $1 AND event = $2";
        self.db.write(sql, &[&position.board, &position.event])?;
        Ok(())
    }
}
