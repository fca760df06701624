//! Who plays in the leagues, and when their seasons begin; who is on the ladders, and what was played there.

use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use pbmserv_games::{Game, Outcome, Seat};

use crate::seasons::LadderEvent;
use crate::table::{Board, BoardId, PlayerId};

use super::boards::outcome;
use super::{Error, Reader, Result, Store};

/// A league that somebody has joined.
#[derive(Clone, Debug)]
pub struct League {
    pub id: i64,
    pub game: &'static Game,
    /// The number of the last season that began; 0: none.
    pub season: u32,
    /// When the next one begins.
    pub due_at: DateTime<Utc>,
}

/// A game on a ladder that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderBoard {
    pub id: BoardId,
    pub number: u32,
    pub challenger: PlayerId,
    pub defender: PlayerId,
}

const LEAGUE: &str = "SELECT id, game, season, due_at FROM leagues";

impl Reader {
    /// The league of a game, if somebody has ever joined it.
    pub fn league(&self, game: &Game) -> Result<Option<League>> {
        self.db
            .find(&format!("{LEAGUE} WHERE game = $1"), &[&game.facts.name], league)
    }

    /// All leagues.
    pub fn leagues(&self) -> Result<Vec<League>> {
        self.db.all(&format!("{LEAGUE} ORDER BY game"), &[], league)
    }

    /// The league in this row.
    pub fn league_by_id(&self, id: i64) -> Result<Option<League>> {
        self.db.find(&format!("{LEAGUE} WHERE id = $1"), &[&id], league)
    }

    /// The league whose season begins first, and when.
    pub fn first_due_league(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT due_at, id FROM leagues ORDER BY due_at, id LIMIT 1";
        self.db.find(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The players of a league, in the order in which they joined.
    pub fn league_members(&self, game: &Game) -> Result<Vec<PlayerId>> {
        let sql = "SELECT player FROM league_members WHERE game = $1 ORDER BY joined_at, player";
        self.db.all(sql, &[&game.facts.name], |row| row.get(0))
    }

    /// How many players a league has.
    pub fn league_size(&self, game: &Game) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM league_members WHERE game = $1";
        self.db.one(sql, &[&game.facts.name], |row| row.get(0))
    }

    /// The leagues of a player.
    pub fn leagues_of(&self, player: PlayerId) -> Result<Vec<&'static Game>> {
        let sql = "SELECT game FROM league_members WHERE player = $1 ORDER BY game";
        self.db.all(sql, &[&player], |row| game(row.get(0)?))
    }

    /// Since when a player is in a league.
    pub fn in_league_since(&self, game: &Game, player: PlayerId) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT joined_at FROM league_members WHERE game = $1 AND player = $2";
        self.db.find(sql, &[&game.facts.name, &player], |row| row.get(0))
    }

    /// How often a player has left a ladder since then.
    pub fn ladder_left(&self, game: &Game, player: PlayerId, since: DateTime<Utc>) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM ladder_members WHERE game = $1 AND player = $2 AND left_at > $3";
        self.db
            .one(sql, &[&game.facts.name, &player, &since], |row| row.get(0))
    }

    /// The ladders that a player is on.
    pub fn ladders_of(&self, player: PlayerId) -> Result<Vec<&'static Game>> {
        let sql =
            "SELECT DISTINCT game FROM ladder_members WHERE player = $1 AND left_at IS NULL ORDER BY game";
        self.db.all(sql, &[&player], |row| game(row.get(0)?))
    }

    /// What has happened on the ladder of a game, in its order: who came, who left, who won a place.
    pub fn ladder_events(&self, game: &Game) -> Result<Vec<LadderEvent>> {
        let sql = "SELECT player, joined_at, left_at FROM ladder_members WHERE game = $1 ORDER BY id";
        let mut dated = Vec::new();
        self.db.each(sql, &[&game.facts.name], |row| {
            let player = row.get(0)?;
            let (joined, left): (DateTime<Utc>, Option<DateTime<Utc>>) = (row.get(1)?, row.get(2)?);
            dated.push((joined, LadderEvent::Joined(player)));
            dated.extend(left.map(|left| (left, LadderEvent::Left(player))));
            Ok(ControlFlow::Continue(()))
        })?;
        let sql = "SELECT b.first_player, b.second_player, b.result, b.result_by, b.ended_at FROM ladder_boards l \
                   JOIN boards b ON b.id = l.board WHERE l.game = $1 AND b.ended_at IS NOT NULL ORDER BY b.ended_at, b.id";
        self.db.each(sql, &[&game.facts.name], |row| {
            let (result, by): (&str, Option<&str>) = (row.get(2)?, row.get(3)?);
            let has_won = match result {
                "void" => false,
                // The defender did not begin the game.
                "removed" => by == Some("first"),
                result => outcome(result)? == Outcome::Won(Seat::Second),
            };
            if has_won {
                let (defender, challenger) = (row.get(0)?, row.get(1)?);
                dated.push((row.get(4)?, LadderEvent::Won { challenger, defender }));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        // Of one time, those who came stand before what they played.
        dated.sort_by_key(|(at, _)| *at);
        Ok(dated.into_iter().map(|(_, event)| event).collect())
    }

    /// The games on the ladder of a game that run.
    pub fn ladder_boards(&self, game: &Game) -> Result<Vec<LadderBoard>> {
        let sql = "SELECT b.id, b.number, b.first_player, b.second_player FROM ladder_boards l \
                   JOIN boards b ON b.id = l.board WHERE l.game = $1 AND b.ended_at IS NULL ORDER BY b.id";
        self.db.all(sql, &[&game.facts.name], |row| {
            Ok(LadderBoard {
                id: row.get(0)?,
                number: row.get(1)?,
                defender: row.get(2)?,
                challenger: row.get(3)?,
            })
        })
    }

    /// The games on the ladder of a game that ended last, the newest first.
    pub fn ladder_games_over(&self, game: &Game, limit: u32) -> Result<Vec<BoardId>> {
        let sql = "SELECT b.id FROM ladder_boards l JOIN boards b ON b.id = l.board \
                   WHERE l.game = $1 AND b.ended_at IS NOT NULL ORDER BY b.ended_at DESC, b.id DESC LIMIT $2";
        self.db.all(sql, &[&game.facts.name, &limit], |row| row.get(0))
    }

    /// Whether a board is a game on a ladder.
    pub fn is_on_ladder(&self, board: BoardId) -> Result<bool> {
        let sql = "SELECT 1 FROM ladder_boards WHERE board = $1";
        Ok(self.db.find(sql, &[&board], |_| Ok(()))?.is_some())
    }
}

impl Store {
    /// A player joins a league whose next season begins then, unless another time is set.
    pub fn join_league(
        &self,
        game: &Game,
        player: PlayerId,
        next: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql =
            "INSERT INTO leagues (game, season, due_at) VALUES ($1, 0, $2) ON CONFLICT (game) DO NOTHING";
        self.db.write(sql, &[&game.facts.name, &next])?;
        let sql = "INSERT INTO league_members (game, player, joined_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (game, player) DO NOTHING";
        self.db.write(sql, &[&game.facts.name, &player, &now])
    }

    /// A player leaves a league; a season that runs goes on.
    pub fn leave_league(&self, game: &Game, player: PlayerId) -> Result<()> {
        let sql = "DELETE FROM league_members WHERE game = $1 AND player = $2";
        self.db.write(sql, &[&game.facts.name, &player])
    }

    /// Sets the last season of a league that began, and when the next one does.
    pub fn set_season(&self, league: i64, season: u32, due_at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE leagues SET season = $1, due_at = $2 WHERE id = $3";
        self.db.write_one(sql, &[&season, &due_at, &league])
    }

    /// A player comes onto a ladder, as its last.
    pub fn join_ladder(&self, game: &Game, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO ladder_members (game, player, joined_at) VALUES ($1, $2, $3)";
        self.db.write(sql, &[&game.facts.name, &player, &now])
    }

    /// A player leaves a ladder.
    pub fn leave_ladder(&self, game: &Game, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql =
            "UPDATE ladder_members SET left_at = $1 WHERE game = $2 AND player = $3 AND left_at IS NULL";
        self.db.write(sql, &[&now, &game.facts.name, &player])
    }

    /// A game on a ladder begins: the second player has challenged the first.
    pub fn begin_ladder_board(&self, board: &Board) -> Result<()> {
        let id = self.add_board(board)?;
        let sql = "INSERT INTO ladder_boards (board, game) VALUES ($1, $2)";
        self.db.write(sql, &[&id, &board.game.facts.name])
    }

    /// A player leaves all leagues and contests that are not over; and the ladders, if for good.
    pub fn leave_company(&self, player: PlayerId, is_for_good: bool, now: DateTime<Utc>) -> Result<()> {
        let sql = "DELETE FROM league_members WHERE player = $1";
        self.db.write(sql, &[&player])?;
        for contest in self.contests_of(player, now)? {
            self.leave_contest(contest.id, player, now)?;
        }
        let sql = "DELETE FROM cup_guests WHERE player = $1";
        self.db.write(sql, &[&player])?;
        if is_for_good {
            let sql = "UPDATE ladder_members SET left_at = $1 WHERE player = $2 AND left_at IS NULL";
            self.db.write(sql, &[&now, &player])?;
        }
        Ok(())
    }
}

fn game(name: &str) -> Result<&'static Game> {
    pbmserv_games::find(name).ok_or_else(|| Error::Corrupt(format!("a league has the unknown game {name}")))
}

fn league(row: &super::row::Row<'_>) -> Result<League> {
    Ok(League {
        id: row.get(0)?,
        game: game(row.get(1)?)?,
        season: row.get(2)?,
        due_at: row.get(3)?,
    })
}
