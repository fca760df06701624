//! The rating list of a game: its rated players, best first, and newcomers.

use chrono::{DateTime, Utc};
use pbmserv_games::Game;

use crate::table::Standing;

use super::ratings::standing;
use super::row::Row;
use super::{Reader, Result};

/// A line of the rating list.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// In the player's own capitals, with a mark if it is a computer.
    pub userid: String,
    /// The player's rating and score.
    pub standing: Standing,
    /// The number of running boards of the game.
    pub running: u32,
    /// The most boards that the player accepts.
    pub most: Option<u32>,
    /// The number of boards that the player seeks.
    pub seeking: u32,
}

/// Selects the userid of player `p` and the numbers of boards of game `$1`: running, accepted at most, sought.
const INTEREST: &str = "CASE WHEN p.id < 0 THEN p.userid || ' (computer)' ELSE p.userid END, \
    (SELECT COUNT(*) FROM boards b WHERE b.first_player = p.id AND b.game = $1 AND b.ended_at IS NULL) + \
    (SELECT COUNT(*) FROM boards b WHERE b.second_player = p.id AND b.game = $1 AND b.ended_at IS NULL), \
    (SELECT CASE WHEN t.is_open = 1 THEN t.most ELSE 0 END FROM taking t WHERE t.player = p.id AND t.game = $1), \
    COALESCE((SELECT s.left_over FROM seeks s WHERE s.player = p.id AND s.game = $1), 0)";

impl Reader {
    /// The ratings of a game, best first: the established ones, or the provisional ones.
    pub fn ranked(
        &self,
        game: &Game,
        is_established: bool,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Ranked>> {
        let sql = format!(
            "SELECT {INTEREST}, r.rating, r.deviation, r.volatility, r.won, r.lost, r.drawn, r.rated_at \
             FROM ratings r JOIN players p ON p.id = r.player \
             WHERE r.game = $1 AND (r.established_until > $2) = $3 AND p.deleted_at IS NULL \
             ORDER BY r.rating DESC, r.player LIMIT $4"
        );
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        self.db
            .all(&sql, &[&game.facts.name, &now, &is_established, &limit], |row| {
                ranked(row, standing(row, 4)?)
            })
    }

    /// Players without a rating in this game who seek a board or play one of its newest running boards, sorted by
    /// userid.
    pub fn newcomers(&self, game: &Game, limit: usize) -> Result<Vec<Ranked>> {
        // Only the newest boards are read: that bounds the cost, however many boards are running.
        let seat = |seat: &str| {
            format!(
                "SELECT player FROM (SELECT {seat} AS player FROM boards WHERE game = $1 AND ended_at IS NULL \
                 ORDER BY id DESC LIMIT $2) AS newest"
            )
        };
        let sought =
            "SELECT player FROM (SELECT player FROM seeks WHERE game = $1 ORDER BY since LIMIT $2) AS first";
        let sql = format!(
            "SELECT {INTEREST} FROM players p WHERE p.id IN ({sought} UNION {} UNION {}) AND p.id > 0 AND p.deleted_at IS NULL \
             AND NOT EXISTS (SELECT 1 FROM ratings r WHERE r.player = p.id AND r.game = $1) \
             ORDER BY p.userid_key LIMIT $2",
            seat("first_player"),
            seat("second_player")
        );
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        self.db.all(&sql, &[&game.facts.name, &limit], |row| {
            ranked(row, Standing::default())
        })
    }
}

fn ranked(row: &Row<'_>, standing: Standing) -> Result<Ranked> {
    Ok(Ranked {
        userid: row.get(0)?,
        running: row.get(1)?,
        most: row.get(2)?,
        seeking: row.get(3)?,
        standing,
    })
}
