//! The gazette: its issues, what was found for them, to whom the newest is still to be sent, and the answers of its readers.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::GAMES;

use crate::table::{Board, BoardId, Played, PlayerId};

use super::boards::{BOARD, board};
use super::row::Row;
use super::{Reader, Result, Store};

/// Among how many games that of the week is chosen.
const CANDIDATES: usize = 8;

/// A game with fewer turns is not the game of the week.
const FEWEST_TURNS: u32 = 10;

/// How many of the newest games of each kind are looked through for a position to solve.
const SEARCHED: u32 = 3;

/// How old these may be.
const SEARCHED_DAYS: i64 = 28;

/// The most boards of one kind of game that are read for the results of a week.
const MAX_RESULTS: u32 = 200;

/// The turn that decided the game of the week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidingTurn {
    pub board: BoardId,
    /// Its number, from 1, over both players.
    pub number: u32,
    /// What would have been better.
    pub better: String,
    /// By how much, in thousandths of the expected result.
    pub lost: i32,
}

/// A position that its reader may solve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Riddle {
    pub board: BoardId,
    /// How many turns of the board are played in it.
    pub played: u32,
    /// In how many of its turns the player to move wins.
    pub needs: u32,
    /// The first turns that do.
    pub wins: Vec<String>,
}

/// What a search has found for an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finds {
    pub game: Option<DecidingTurn>,
    pub riddle: Option<Riddle>,
}

/// An issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gazette {
    pub number: i64,
    /// It tells of what happened after this.
    pub since: DateTime<Utc>,
    /// When the next thing is to be done for it; `None`: it is out.
    pub due_at: Option<DateTime<Utc>>,
    /// Whether the search for it has begun.
    pub is_sought: bool,
    /// `None`: it is planned.
    pub published_at: Option<DateTime<Utc>>,
    pub finds: Finds,
}

/// Games among which something for an issue is looked for, each with its turns.
#[derive(Debug, Default)]
pub struct Searched {
    /// Of the week, with the sum of the ratings of both players.
    pub games: Vec<(Board, Vec<Played>, f64)>,
    /// Of the last weeks.
    pub riddles: Vec<(Board, Vec<Played>)>,
}

/// An answer to the position of an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GazetteAnswer {
    pub gazette: i64,
    pub player: PlayerId,
    pub turn: String,
    pub is_right: bool,
}

const GAZETTE: &str = "SELECT id, since, is_sought, published_at, game, game_turn, game_better, game_lost, riddle, riddle_played, \
    riddle_needs, riddle_wins, due_at FROM gazettes";

/// Whether everybody may know who plays on the board `b` of the players `p` and `q`.
const IS_PUBLIC: &str = "p.deleted_at IS NULL AND q.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM preferences h \
    WHERE h.player IN (b.first_player, b.second_player) AND h.is_hidden = 1)";

/// Whether it was played to an end.
const IS_PLAYED_OUT: &str = "b.result IN ('first', 'second') AND b.result_by IN ('rules', 'resignation')";

impl Reader {
    /// The issue for which something is due first: when, and its number.
    pub fn first_gazette(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT due_at, id FROM gazettes WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 1";
        self.db.find(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The reader to whom the newest issue is sent next: when, and which player.
    pub fn first_gazette_post(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT due_at, player FROM gazette_posts ORDER BY due_at, player LIMIT 1";
        self.db.find(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The issue that is sought for: its number, and since when it tells.
    pub fn sought_gazette(&self) -> Result<Option<(i64, DateTime<Utc>)>> {
        let sql = "SELECT id, since FROM gazettes WHERE due_at IS NOT NULL AND is_sought = 1 AND found_at IS NULL \
                   ORDER BY id LIMIT 1";
        self.db.find(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The issue of this number, planned or out.
    pub fn gazette(&self, number: i64) -> Result<Option<Gazette>> {
        self.db
            .find(&format!("{GAZETTE} WHERE id = $1"), &[&number], gazette)
    }

    /// The newest issues that are out, at most so many.
    pub fn gazettes(&self, limit: u32) -> Result<Vec<Gazette>> {
        let sql = format!("{GAZETTE} WHERE published_at IS NOT NULL ORDER BY id DESC LIMIT $1");
        self.db.all(&sql, &[&limit], gazette)
    }

    /// Whether somebody reads the gazette.
    pub fn has_gazette_readers(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM preferences WHERE gazette = 1)";
        self.db.one(sql, &[], |row| row.get(0))
    }

    /// The games among which something for the issue of this number is looked for.
    pub fn searched_for_gazette(&self, number: i64, now: DateTime<Utc>) -> Result<Searched> {
        let Some(gazette) = self.gazette(number)? else {
            return Ok(Searched::default());
        };
        let rated = format!(
            "SELECT b.id, r.first_after + r.second_after AS together FROM boards b JOIN rated r ON r.board = b.id \
             JOIN players p ON p.id = b.first_player JOIN players q ON q.id = b.second_player \
             WHERE b.game = $1 AND b.ended_at > $2 AND b.ended_at <= $3 AND b.turns >= $4 \
             AND b.first_player > 0 AND b.second_player > 0 AND {IS_PLAYED_OUT} AND {IS_PUBLIC} \
             ORDER BY together DESC, b.id LIMIT $5"
        );
        let newest = format!(
            "SELECT b.id FROM boards b \
             JOIN players p ON p.id = b.first_player JOIN players q ON q.id = b.second_player \
             WHERE b.game = $1 AND b.ended_at > $2 AND b.ended_at <= $3 AND {IS_PLAYED_OUT} AND {IS_PUBLIC} \
             AND NOT EXISTS (SELECT 1 FROM gazettes WHERE riddle = b.id OR game = b.id) ORDER BY b.ended_at DESC, b.id DESC LIMIT $4"
        );
        let oldest = now - TimeDelta::days(SEARCHED_DAYS);
        let (mut best, mut last): (Vec<(BoardId, f64)>, Vec<BoardId>) = (Vec::new(), Vec::new());
        for game in GAMES {
            let name = &game.facts.name;
            let most = CANDIDATES as u32;
            best.extend(self.db.all(
                &rated,
                &[name, &gazette.since, &now, &FEWEST_TURNS, &most],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?);
            last.extend(self.db.all(&newest, &[name, &oldest, &now, &SEARCHED], |row| {
                row.get::<BoardId>(0)
            })?);
        }
        best.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        best.truncate(CANDIDATES);
        let mut searched = Searched::default();
        for (id, ratings) in best {
            if let Some(board) = self.board_by_id(id)? {
                searched.games.push((board, self.turns(id)?, ratings));
            }
        }
        for id in last {
            if let Some(board) = self.board_by_id(id)? {
                searched.riddles.push((board, self.turns(id)?));
            }
        }
        searched
            .riddles
            .sort_by_key(|(board, _)| std::cmp::Reverse(board.ended_at));
        Ok(searched)
    }

    /// The games of people that ended after `since` and until then, the last one first, of which everybody may know who
    /// played.
    pub fn results_between(&self, since: DateTime<Utc>, until: DateTime<Utc>) -> Result<Vec<Board>> {
        let sql = format!(
            "{BOARD} WHERE b.game = $1 AND b.ended_at > $2 AND b.ended_at <= $3 AND b.first_player > 0 AND b.second_player > 0 \
             AND b.result IN ('first', 'second', 'draw') AND {IS_PUBLIC} ORDER BY b.ended_at DESC, b.id DESC LIMIT $4"
        );
        let mut boards = Vec::new();
        for game in GAMES {
            boards.extend(
                self.db
                    .all(&sql, &[&game.facts.name, &since, &until, &MAX_RESULTS], board)?,
            );
        }
        boards.sort_by_key(|board| std::cmp::Reverse((board.ended_at, board.id.0)));
        Ok(boards)
    }

    /// The board of this row, if it still counts as a game and everybody may know who plays there.
    pub fn public_board(&self, id: BoardId) -> Result<Option<Board>> {
        let sql =
            format!("{BOARD} WHERE b.id = $1 AND b.result IN ('first', 'second', 'draw') AND {IS_PUBLIC}");
        self.db.find(&sql, &[&id], board)
    }

    /// The answer of a player to the position of an issue.
    pub fn gazette_answer(&self, gazette: i64, player: PlayerId) -> Result<Option<GazetteAnswer>> {
        let sql = "SELECT turn, is_right FROM gazette_answers WHERE gazette = $1 AND player = $2";
        self.db.find(sql, &[&gazette, &player], |row| {
            Ok(GazetteAnswer {
                gazette,
                player,
                turn: row.get(0)?,
                is_right: row.get(1)?,
            })
        })
    }

    /// How many have solved the position of an issue, and of those who agreed to be named the first ones, at most so many.
    pub fn solvers(&self, gazette: i64, limit: u32) -> Result<(u32, Vec<String>)> {
        let sql = "SELECT COUNT(*) FROM gazette_answers WHERE gazette = $1 AND is_right = 1";
        let count = self.db.one(sql, &[&gazette], |row| row.get(0))?;
        let sql = "SELECT p.userid FROM gazette_answers a JOIN players p ON p.id = a.player \
                   JOIN preferences w ON w.player = a.player WHERE a.gazette = $1 AND a.is_right = 1 \
                   AND w.is_named = 1 AND w.is_hidden = 0 AND p.deleted_at IS NULL ORDER BY a.at, a.player LIMIT $2";
        let names = self.db.all(sql, &[&gazette, &limit], |row| row.get(0))?;
        Ok((count, names))
    }
}

impl Store {
    /// Plans an issue, unless one is planned: the search for it begins then.
    pub fn plan_gazette(&self, since: DateTime<Utc>, due_at: DateTime<Utc>) -> Result<()> {
        if self.first_gazette()?.is_some() {
            return Ok(());
        }
        let sql = "INSERT INTO gazettes (id, since, due_at) SELECT COALESCE(MAX(id), 0) + 1, CAST($1 AS BIGINT), CAST($2 AS BIGINT) \
                   FROM gazettes";
        self.db.write(sql, &[&since, &due_at])
    }

    /// There is no such issue after all: nobody reads it.
    pub fn unplan_gazette(&self, number: i64) -> Result<()> {
        let sql = "DELETE FROM gazettes WHERE id = $1 AND published_at IS NULL";
        self.db.write(sql, &[&number])
    }

    /// Sets when the next thing is to be done for a planned issue, and whether its game and position are looked for.
    pub fn set_gazette(&self, number: i64, due_at: DateTime<Utc>, is_sought: bool) -> Result<()> {
        let sql = match is_sought {
            true => "UPDATE gazettes SET due_at = $1, is_sought = 1 WHERE id = $2 AND published_at IS NULL",
            false => {
                "UPDATE gazettes SET due_at = $1, is_sought = 0, found_at = NULL \
                 WHERE id = $2 AND published_at IS NULL"
            }
        };
        self.db.write(sql, &[&due_at, &number])
    }

    /// Postpones what is due for a planned issue.
    pub fn postpone_gazette(&self, number: i64, due_at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE gazettes SET due_at = $1 WHERE id = $2 AND published_at IS NULL";
        self.db.write(sql, &[&due_at, &number])
    }

    /// Stores what was found for a planned issue, if it is still looked for.
    pub fn found_for_gazette(&self, number: i64, finds: &Finds, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE gazettes SET found_at = $1, game = $2, game_turn = $3, game_better = $4, game_lost = $5, riddle = $6, \
                   riddle_played = $7, riddle_needs = $8, riddle_wins = $9 \
                   WHERE id = $10 AND published_at IS NULL AND is_sought = 1 AND found_at IS NULL";
        let (game, riddle) = (finds.game.as_ref(), finds.riddle.as_ref());
        self.db.write(
            sql,
            &[
                &now,
                &game.map(|game| game.board),
                &game.map(|game| game.number),
                &game.map(|game| &game.better),
                &game.map(|game| i64::from(game.lost)),
                &riddle.map(|riddle| riddle.board),
                &riddle.map(|riddle| riddle.played),
                &riddle.map(|riddle| riddle.needs),
                &riddle.map(|riddle| riddle.wins.join("\n")),
                &number,
            ],
        )
    }

    /// A planned issue is out: it waits for each of its readers.
    pub fn publish_gazette(&self, number: i64, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE gazettes SET due_at = NULL, published_at = $1 WHERE id = $2";
        self.db.write(sql, &[&now, &number])?;
        let sql = "INSERT INTO gazette_posts (player, gazette, due_at) SELECT player, CAST($1 AS BIGINT), CAST($2 AS BIGINT) \
                   FROM preferences WHERE gazette = 1 \
                   ON CONFLICT (player) DO UPDATE SET gazette = excluded.gazette, due_at = excluded.due_at";
        self.db.write(sql, &[&number, &now])
    }

    /// The issue that is to be sent to a reader, which is done with that.
    pub fn take_gazette_post(&self, player: PlayerId) -> Result<Option<i64>> {
        let sql = "DELETE FROM gazette_posts WHERE player = $1 RETURNING gazette";
        self.db.find(sql, &[&player], |row| row.get(0))
    }

    /// Postpones the issue for a reader.
    pub fn postpone_gazette_post(&self, player: PlayerId, at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE gazette_posts SET due_at = $1 WHERE player = $2";
        self.db.write(sql, &[&at, &player])
    }

    /// Stores the answer of a reader, unless there is one.
    pub fn add_gazette_answer(&self, answer: &GazetteAnswer, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO gazette_answers (gazette, player, turn, is_right, at) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (gazette, player) DO NOTHING";
        let GazetteAnswer {
            gazette,
            player,
            turn,
            is_right,
        } = answer;
        self.db.write(sql, &[gazette, player, turn, is_right, &now])
    }
}

fn gazette(row: &Row<'_>) -> Result<Gazette> {
    let game = match (row.get(4)?, row.get(5)?, row.get(6)?, row.get::<Option<i64>>(7)?) {
        (Some(board), Some(number), Some(better), Some(lost)) => Some(DecidingTurn {
            board,
            number,
            better,
            lost: i32::try_from(lost).unwrap_or_default(),
        }),
        _ => None,
    };
    let riddle = match (
        row.get(8)?,
        row.get(9)?,
        row.get(10)?,
        row.get::<Option<&str>>(11)?,
    ) {
        (Some(board), Some(played), Some(needs), Some(wins)) => Some(Riddle {
            board,
            played,
            needs,
            wins: wins.lines().map(str::to_owned).collect(),
        }),
        _ => None,
    };
    Ok(Gazette {
        number: row.get(0)?,
        since: row.get(1)?,
        due_at: row.get(12)?,
        is_sought: row.get(2)?,
        published_at: row.get(3)?,
        finds: Finds { game, riddle },
    })
}
