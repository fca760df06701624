//! The private notes of players on their boards and on other players.

use crate::table::{BoardId, PlayerId};

use super::{Reader, Result, Store};

impl Reader {
    /// The player's note on a board.
    pub fn own_note(&self, player: PlayerId, board: BoardId) -> Result<Option<String>> {
        let sql = "SELECT words FROM own_notes WHERE player = $1 AND board = $2";
        self.db.find(sql, &[&player, &board], |row| row.get(0))
    }

    /// The player's note on another player.
    pub fn player_note(&self, player: PlayerId, other: PlayerId) -> Result<Option<String>> {
        let sql = "SELECT words FROM player_notes WHERE player = $1 AND other = $2";
        self.db.find(sql, &[&player, &other], |row| row.get(0))
    }

    /// All of the player's notes on others, with the userid of each.
    pub fn player_notes(&self, player: PlayerId) -> Result<Vec<(String, String)>> {
        let sql = "SELECT userid, words FROM player_notes JOIN players ON players.id = player_notes.other \
                   WHERE player = $1 ORDER BY userid_key";
        self.db.all(sql, &[&player], |row| Ok((row.get(0)?, row.get(1)?)))
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

    /// Replaces the player's note on another player; `None` deletes it.
    pub fn set_player_note(&self, player: PlayerId, other: PlayerId, words: Option<&str>) -> Result<()> {
        let Some(words) = words else {
            let sql = "DELETE FROM player_notes WHERE player = $1 AND other = $2";
            return self.db.write(sql, &[&player, &other]);
        };
        let sql = "INSERT INTO player_notes (player, other, words) VALUES ($1, $2, $3) \
                   ON CONFLICT (player, other) DO UPDATE SET words = excluded.words";
        self.db.write(sql, &[&player, &other, &words])
    }
}
