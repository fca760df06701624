//! Watchers of boards and games.

use pbmserv_games::Game;

use crate::table::{BoardId, PlayerId};

use super::row::Row;
use super::{Reader, Result, Store};

/// What a player watches.
#[derive(Clone, Copy, Debug)]
pub enum Watched {
    /// One board.
    Board(BoardId),
    /// All boards of a game.
    Game(&'static Game),
}

/// A watcher of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watcher {
    /// The player who watches.
    pub player: PlayerId,
    /// In the player's own capitals.
    pub userid: String,
    /// Whether the watcher wants to hear only of the end.
    pub ends_only: bool,
    /// Whether they watch this board, and not the whole game.
    pub is_board: bool,
}

impl Reader {
    /// The watchers of a board, in the order in which they began. What a player set for the board takes precedence over
    /// what they set for the game.
    pub fn watchers(&self, board: BoardId, game: &Game) -> Result<Vec<Watcher>> {
        let sql = "SELECT w.player, p.userid, w.ends_only, w.is_board FROM \
                   (SELECT player, ends_only, 1 AS is_board FROM watched_boards WHERE board = $1 UNION ALL \
                    SELECT g.player, g.ends_only, 0 FROM watched_games g WHERE g.game = $2 AND NOT EXISTS \
                    (SELECT 1 FROM watched_boards b WHERE b.board = $1 AND b.player = g.player)) w \
                   JOIN players p ON p.id = w.player ORDER BY w.player";
        let watcher = |row: &Row<'_>| {
            Ok(Watcher {
                player: row.get(0)?,
                userid: row.get(1)?,
                ends_only: row.get(2)?,
                is_board: row.get(3)?,
            })
        };
        self.db.all(sql, &[&board, &game.facts.name], watcher)
    }

    /// Whether anybody watches the turns of a board.
    pub fn is_watched(&self, board: BoardId, game: &Game) -> Result<bool> {
        let watchers = self.watchers(board, game)?;
        Ok(watchers.iter().any(|watcher| !watcher.ends_only))
    }

    /// Whether the player watches this; if so, whether only the ends.
    pub fn watches(&self, player: PlayerId, watched: Watched) -> Result<Option<bool>> {
        let ends_only = |row: &Row<'_>| row.get(0);
        match watched {
            Watched::Board(board) => self.db.find(
                "SELECT ends_only FROM watched_boards WHERE board = $1 AND player = $2",
                &[&board, &player],
                ends_only,
            ),
            Watched::Game(game) => self.db.find(
                "SELECT ends_only FROM watched_games WHERE game = $1 AND player = $2",
                &[&game.facts.name, &player],
                ends_only,
            ),
        }
    }

    /// The number of watchers.
    pub fn watchers_of(&self, watched: Watched) -> Result<u32> {
        let count = |row: &Row<'_>| row.get(0);
        match watched {
            Watched::Board(board) => {
                let sql = "SELECT COUNT(*) FROM watched_boards WHERE board = $1";
                self.db.one(sql, &[&board], count)
            }
            Watched::Game(game) => {
                let sql = "SELECT COUNT(*) FROM watched_games WHERE game = $1";
                self.db.one(sql, &[&game.facts.name], count)
            }
        }
    }

    /// The number of boards and games that the player watches.
    pub fn watched_by(&self, player: PlayerId) -> Result<u32> {
        let sql = "SELECT (SELECT COUNT(*) FROM watched_boards WHERE player = $1) + \
                   (SELECT COUNT(*) FROM watched_games WHERE player = $1)";
        self.db.one(sql, &[&player], |row| row.get(0))
    }
}

impl Store {
    /// Begins to watch, or changes `ends_only`.
    pub fn watch(&self, player: PlayerId, watched: Watched, ends_only: bool) -> Result<()> {
        match watched {
            Watched::Board(board) => self.db.execute(
                "INSERT INTO watched_boards (board, player, ends_only) VALUES ($1, $2, $3) \
                 ON CONFLICT (board, player) DO UPDATE SET ends_only = excluded.ends_only",
                &[&board, &player, &ends_only],
            ),
            Watched::Game(game) => self.db.execute(
                "INSERT INTO watched_games (game, player, ends_only) VALUES ($1, $2, $3) \
                 ON CONFLICT (game, player) DO UPDATE SET ends_only = excluded.ends_only",
                &[&game.facts.name, &player, &ends_only],
            ),
        }?;
        Ok(())
    }

    /// Stops watching.
    pub fn unwatch(&self, player: PlayerId, watched: Watched) -> Result<()> {
        match watched {
            Watched::Board(board) => self.db.execute(
                "DELETE FROM watched_boards WHERE board = $1 AND player = $2",
                &[&board, &player],
            ),
            Watched::Game(game) => self.db.execute(
                "DELETE FROM watched_games WHERE game = $1 AND player = $2",
                &[&game.facts.name, &player],
            ),
        }?;
        Ok(())
    }
}
