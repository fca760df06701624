//! The tables of a contest, and the games of its rounds.

use serde::Serialize;

use pbmserv_core::command::{Grid, crosstable, swiss};
use pbmserv_core::seasons::{Format, Table};
use pbmserv_core::store::FullContest;

use super::bracket::{Bracket, bracket, result};
use super::people::Person;

/// The most rounds of a Swiss system that stand in the table; each has its games below.
const MAX_ROUNDS: u32 = 8;

/// A table of a contest.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    /// From 1; 0 for what is in no group.
    group: u32,
    columns: Vec<String>,
    rows: Vec<ShownRow>,
    /// Shortened, and in full.
    tie_break: (&'static str, &'static str),
}

#[derive(Debug, Serialize)]
struct ShownRow {
    place: String,
    person: Person,
    games: Vec<Cell>,
    points: String,
    tie_break: String,
}

#[derive(Debug, Serialize)]
struct Cell {
    text: String,
    board: Option<u32>,
}

/// What is shown of a contest that has begun.
#[derive(Debug, Serialize)]
pub(super) struct Played {
    tables: Vec<Shown>,
    bracket: Option<Bracket>,
}

/// The tables of a contest with these players, and the bracket of a knockout.
pub(super) fn played(contest: &FullContest, people: &[Person]) -> Played {
    let all = contest.facts().tables();
    let format = contest.row.new.format;
    let of = |table: &Table| match (format, table.group) {
        (Format::Knockout, _) | (Format::Groups, 0) => None,
        (Format::Swiss { .. }, _) => Some(swiss(contest, table, MAX_ROUNDS)),
        _ => Some(crosstable(contest, table)),
    };
    let tables = all
        .iter()
        .filter_map(|table| Some(shown(table.group, of(table)?, people)));
    let last = all.last().filter(|table| table.group == 0);
    let is_knockout = matches!(format, Format::Knockout | Format::Groups);
    let winner = last
        .filter(|_| contest.row.ended_at.is_some())
        .and_then(|table| {
            table
                .rows
                .iter()
                .find(|row| row.place == Some(1) && !row.is_shared)
        })
        .map(|row| row.entrant);
    Played {
        tables: tables.collect(),
        bracket: is_knockout.then(|| bracket(contest, people, winner)).flatten(),
    }
}

fn shown(group: u32, grid: Grid, people: &[Person]) -> Shown {
    let rows = grid.rows.into_iter().filter_map(|row| {
        Some(ShownRow {
            place: row.place,
            person: people.get(row.entrant)?.clone(),
            games: row
                .games
                .into_iter()
                .map(|game| Cell {
                    // A dot that can be seen and touched.
                    text: game.text.replace('.', "\u{2022}"),
                    board: game.board,
                })
                .collect(),
            points: row.points,
            tie_break: row.tie_break,
        })
    });
    Shown {
        group,
        columns: grid.columns,
        rows: rows.collect(),
        tie_break: grid.tie_break,
    }
}

/// A game in the list of a round.
#[derive(Debug, Serialize)]
pub(super) struct Game {
    first: Person,
    /// `None`: the first has a bye.
    second: Option<Person>,
    result: &'static str,
    board: Option<u32>,
}

/// The games of a round, in the order in which they were planned.
pub(super) fn games(contest: &FullContest, people: &[Person], round: u32) -> Vec<Game> {
    let of_round = contest.pairings.iter().filter(|row| row.pairing.round == round);
    let games = of_round.filter_map(|row| {
        Some(Game {
            first: people.get(row.pairing.first)?.clone(),
            second: match row.pairing.second {
                Some(second) => Some(people.get(second)?.clone()),
                None => None,
            },
            result: match row.pairing.second {
                Some(_) => result(row.pairing.score),
                None => "bye",
            },
            board: row.board.map(|board| board.number),
        })
    });
    games.collect()
}
