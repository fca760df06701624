//! The private notes of players on their boards.

use crate::table::{BoardId, PlayerId};

use super::{Reader, Result, Store};

impl Reader {
    /// The player's note on a board.
    pub fn own_note(&self, player: PlayerId, board: BoardId) -> Result<Option<String>> {
        let sql = "SELECT words FROM own_notes WHERE player = $1 AND board = $2";
        self.db.find(sql, &[&player, &board], |row| row.get(0))
    }
}

impl Store {
    /// Replaces the player's note on a board; `None` deletes it.
    pub fn set_own_note(&self, player: PlayerId, board: BoardId, words: Option<&str>) -> Result<()> {
        let Some(words) = words else {
            let sql = "DELETE FROM own_notes WHERE player = $1 AND board = $2";
            return self.db.write(sql, &[&player, &board]);
        };
        let sql = "INSERT INTO own_notes (player, board, words) VALUES ($1, $2, $3) \
                   ON CONFLICT (player, board) DO UPDATE SET words = excluded.words";
        self.db.write(sql, &[&player, &board, &words])
    }
}
