//! The lines of turns that players have kept on boards.

use crate::table::{BoardId, PlayerId};

use super::{Reader, Result, Store};

/// A line of turns that a player has kept under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLine {
    /// In small letters.
    pub name: String,
    /// After how many turns of the board it begins.
    pub after: u32,
    /// Its turns with a blank between them.
    pub turns: String,
}

impl Reader {
    /// The player's lines on a board, by name.
    pub fn kept_lines(&self, player: PlayerId, board: BoardId) -> Result<Vec<KeptLine>> {
        let sql = "SELECT name, begins_after, line FROM tries WHERE player = $1 AND board = $2 ORDER BY name";
        self.db.all(sql, &[&player, &board], |row| {
            Ok(KeptLine {
                name: row.get(0)?,
                after: row.get(1)?,
                turns: row.get(2)?,
            })
        })
    }
}

impl Store {
    /// Keeps a line; it replaces the one of the same name.
    pub fn keep_line(&self, player: PlayerId, board: BoardId, kept: &KeptLine) -> Result<()> {
        let sql = "INSERT INTO tries (player, board, name, begins_after, line) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (player, board, name) DO UPDATE SET begins_after = excluded.begins_after, line = excluded.line";
        self.db
            .write(sql, &[&player, &board, &kept.name, &kept.after, &kept.turns])
    }

    /// Drops the line of this name.
    pub fn drop_line(&self, player: PlayerId, board: BoardId, name: &str) -> Result<()> {
        let sql = "DELETE FROM tries WHERE player = $1 AND board = $2 AND name = $3";
        self.db.write(sql, &[&player, &board, &name])
    }
}
