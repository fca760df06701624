//! The bracket of a knockout: its rounds, each with its matches from the top.

use pbmserv_games::Seat;
use serde::Serialize;

use pbmserv_core::command::points;
use pbmserv_core::seasons::{Format, Score};
use pbmserv_core::store::{FullContest, PairingRow};

use super::people::Person;

#[derive(Debug, Serialize)]
pub(super) struct Bracket {
    rounds: Vec<Round>,
}

#[derive(Debug, Serialize)]
struct Round {
    name: String,
    /// Empty before the round begins.
    matches: Vec<Match>,
}

/// Two players, and what they have played: after a draw a second game.
#[derive(Debug, Serialize)]
struct Match {
    sides: Vec<Side>,
    games: Vec<Played>,
}

#[derive(Debug, Serialize)]
struct Side {
    person: Person,
    points: String,
    /// Whether the player has gone on.
    is_through: bool,
}

#[derive(Debug, Serialize)]
struct Played {
    result: &'static str,
    board: Option<u32>,
}

/// The bracket as far as it is known; `None` before its first round. `winner` is who has won the cup, once it is over.
pub(super) fn bracket(contest: &FullContest, people: &[Person], winner: Option<usize>) -> Option<Bracket> {
    let first = match contest.row.new.format {
        Format::Groups => 2,
        _ => 1,
    };
    let of_round = |round: u32| -> Vec<&PairingRow> {
        let rows = contest.pairings.iter();
        rows.filter(|row| row.pairing.group == 0 && row.pairing.round == round)
            .collect()
    };
    let begun: Vec<Vec<&PairingRow>> = (first..=contest.round()).map(of_round).collect();
    let size = matches(begun.first()?).len().next_power_of_two();
    let rounds = size.ilog2() as usize + 1;
    let round = |at: usize| {
        let rows = begun.get(at).map(Vec::as_slice).unwrap_or_default();
        // Who has gone on is who plays later, or has won the cup.
        let later: Vec<usize> = begun
            .iter()
            .skip(at + 1)
            .flatten()
            .flat_map(|row| [Some(row.pairing.first), row.pairing.second])
            .chain([winner])
            .flatten()
            .collect();
        Round {
            name: match size >> at {
                1 => "Final".to_owned(),
                2 => "Semi-finals".to_owned(),
                4 => "Quarter-finals".to_owned(),
                many => format!("Round of {}", 2 * many),
            },
            matches: matches(rows)
                .into_iter()
                .map(|games| match_of(&games, people, &later))
                .collect(),
        }
    };
    Some(Bracket {
        rounds: (0..rounds).map(round).collect(),
    })
}

/// The games of a round by who plays them, in the order of the bracket.
fn matches<'a>(rows: &[&'a PairingRow]) -> Vec<Vec<&'a PairingRow>> {
    let players = |row: &PairingRow| {
        let mut both = [Some(row.pairing.first), row.pairing.second];
        both.sort_unstable();
        both
    };
    let mut matches: Vec<Vec<&PairingRow>> = Vec::new();
    for row in rows {
        match matches.iter_mut().find(|games| players(games[0]) == players(row)) {
            Some(games) => games.push(row),
            None => matches.push(vec![row]),
        }
    }
    matches
}

fn match_of(games: &[&PairingRow], people: &[Person], later: &[usize]) -> Match {
    let pairing = games[0].pairing;
    let has_begun = games.iter().any(|row| row.pairing.score != Score::Running);
    let both = [Some(pairing.first), pairing.second];
    let through = match both.into_iter().flatten().find(|one| later.contains(one)) {
        Some(one) => Some(one),
        None => decided(games),
    };
    let side = |entrant: usize| {
        let halves = games.iter().map(|row| halves(row, entrant)).sum();
        Some(Side {
            person: people.get(entrant)?.clone(),
            points: match pairing.second.filter(|_| has_begun) {
                Some(_) => points(halves),
                None => String::new(),
            },
            is_through: through == Some(entrant),
        })
    };
    let sides = both.into_iter().flatten();
    let played = games.iter().filter(|row| row.pairing.second.is_some());
    Match {
        sides: sides.filter_map(side).collect(),
        games: played
            .map(|row| Played {
                // The second game has the seats exchanged, and the sides stand as in the first.
                result: result(match row.pairing.first == pairing.first {
                    true => row.pairing.score,
                    false => exchanged(row.pairing.score),
                }),
                board: row.board.map(|board| board.number),
            })
            .collect(),
    }
}

/// Who goes on by these games alone: after two draws it is the next round that says it.
fn decided(games: &[&PairingRow]) -> Option<usize> {
    games
        .iter()
        .find_map(|row| match (row.pairing.second, row.pairing.score) {
            (None, _) => Some(row.pairing.first),
            (
                Some(second),
                Score::Over {
                    winner: Some(seat), ..
                },
            ) => Some(match seat {
                Seat::First => row.pairing.first,
                Seat::Second => second,
            }),
            _ => None,
        })
}

/// The half points of an entrant in a game.
fn halves(row: &PairingRow, entrant: usize) -> u32 {
    match row.pairing.score {
        Score::Over { winner: None, .. } => 1,
        Score::Over {
            winner: Some(seat), ..
        } => 2 * u32::from((seat == Seat::First) == (row.pairing.first == entrant)),
        _ => 0,
    }
}

const fn exchanged(score: Score) -> Score {
    match score {
        Score::Over {
            winner: Some(seat),
            at,
        } => Score::Over {
            winner: Some(seat.other()),
            at,
        },
        other => other,
    }
}

/// Of the first and the second.
pub(super) const fn result(score: Score) -> &'static str {
    match score {
        Score::Running => "is played",
        Score::Void => "does not count",
        Score::BothLost { .. } => "0\u{2013}0",
        Score::Over { winner: None, .. } => "½\u{2013}½",
        Score::Over {
            winner: Some(Seat::First),
            ..
        } => "1\u{2013}0",
        Score::Over {
            winner: Some(Seat::Second),
            ..
        } => "0\u{2013}1",
    }
}
