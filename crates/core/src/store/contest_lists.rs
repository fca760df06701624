//! Contests in lists, each with a bound: for pages.

use chrono::{DateTime, Utc};
use pbmserv_games::Game;

use crate::table::{BoardId, PlayerId};

use super::contests::{CONTEST, contest};
use super::{ContestRow, Reader, Result};

/// Which cups a player may know of; without a player: the public ones.
const SEEN: &str = "(is_private = $1 OR made_by = $2 OR id IN (SELECT contest FROM cup_guests WHERE player = $2) \
    OR id IN (SELECT contest FROM entrants WHERE player = $2))";

impl Reader {
    /// The divisions of a season from this one on, at most `limit`.
    pub fn divisions_from(
        &self,
        game: &Game,
        season: u32,
        division: u32,
        limit: u32,
    ) -> Result<Vec<ContestRow>> {
        let sql = format!(
            "{CONTEST} WHERE game = $1 AND season = $2 AND division >= $3 ORDER BY division LIMIT $4"
        );
        self.db
            .all(&sql, &[&game.facts.name, &season, &division, &limit], contest)
    }

    /// How many divisions a season has.
    pub fn division_count(&self, game: &Game, season: u32) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM contests WHERE game = $1 AND season = $2";
        self.db.one(sql, &[&game.facts.name, &season], |row| row.get(0))
    }

    /// The divisions of a season that ended last, the newest first.
    pub fn divisions_over(&self, game: &Game, season: u32, limit: u32) -> Result<Vec<ContestRow>> {
        let sql = format!(
            "{CONTEST} WHERE game = $1 AND season = $2 AND ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT $3"
        );
        self.db.all(&sql, &[&game.facts.name, &season, &limit], contest)
    }

    /// The games of a season that ended last, the newest first.
    pub fn season_games_over(&self, game: &Game, season: u32, limit: u32) -> Result<Vec<BoardId>> {
        let sql = "SELECT b.id FROM contests c JOIN pairings p ON p.contest = c.id JOIN boards b ON b.id = p.board \
                   WHERE c.game = $1 AND c.season = $2 AND b.ended_at IS NOT NULL ORDER BY b.ended_at DESC, b.id DESC LIMIT $3";
        self.db
            .all(sql, &[&game.facts.name, &season, &limit], |row| row.get(0))
    }

    /// When the first board of each round of a contest began.
    pub fn rounds_begun(&self, contest: i64) -> Result<Vec<(u32, DateTime<Utc>)>> {
        let sql = "SELECT p.round, MIN(b.started_at) FROM pairings p JOIN boards b ON b.id = p.board \
                   WHERE p.contest = $1 GROUP BY p.round ORDER BY p.round";
        self.db
            .all(sql, &[&contest], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The cups that are not over, the newest first: those for everybody, and the private ones of which this player may know.
    pub fn open_cups(&self, player: Option<PlayerId>, limit: u32) -> Result<Vec<ContestRow>> {
        let sql = format!(
            "{CONTEST} WHERE name IS NOT NULL AND ended_at IS NULL AND {SEEN} ORDER BY id DESC LIMIT $3"
        );
        self.db
            .all(&sql, &[&false, &player.unwrap_or(PlayerId(0)), &limit], contest)
    }

    /// The cups that were played to their end, the newest first, made before the one in this row.
    pub fn cups_over(&self, player: Option<PlayerId>, before: i64, limit: u32) -> Result<Vec<ContestRow>> {
        let sql = format!(
            "{CONTEST} WHERE name IS NOT NULL AND ended_at IS NOT NULL AND begun_at IS NOT NULL AND {SEEN} AND id < $4 \
             ORDER BY id DESC LIMIT $3"
        );
        let player = player.unwrap_or(PlayerId(0));
        self.db.all(&sql, &[&false, &player, &limit, &before], contest)
    }

    /// Whether a player is among the entrants, also of those who have left.
    pub fn is_entrant(&self, contest: i64, player: PlayerId) -> Result<bool> {
        let sql = "SELECT 1 FROM entrants WHERE contest = $1 AND player = $2";
        Ok(self.db.find(sql, &[&contest, &player], |_| Ok(()))?.is_some())
    }

    /// How many have joined a contest.
    pub fn entrant_count(&self, contest: i64) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM entrants WHERE contest = $1";
        self.db.one(sql, &[&contest], |row| row.get(0))
    }

    /// The division of a player in a season.
    pub fn division_of(&self, game: &Game, season: u32, player: PlayerId) -> Result<Option<u32>> {
        let sql = "SELECT c.division FROM entrants e JOIN contests c ON c.id = e.contest \
                   WHERE e.player = $1 AND c.game = $2 AND c.season = $3";
        self.db
            .find(sql, &[&player, &game.facts.name, &season], |row| row.get(0))
    }
}
