//! A finished board as Abstract Play's game record: the JSON of its schema `gamerecord/1-0-0`
//! (<https://github.com/AbstractPlay/recranks>), by which game services exchange results.

use chrono::{DateTime, SecondsFormat, Utc};
use pbmserv_games::{Outcome, Seat};
use serde::Serialize;

use super::{Board, End, Played};

/// The whole record.
#[derive(Serialize)]
struct GameRecord<'a> {
    header: Header<'a>,
    /// A round is an entry: the turn of each player, in the order of the seats; null if that player had none in it.
    moves: Vec<[Option<&'a str>; 2]>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Header<'a> {
    game: Named<'a>,
    site: Site<'a>,
    date_start: String,
    date_end: String,
    date_generated: String,
    unrated: bool,
    players: [PlayerEntry<'a>; 2],
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    /// The options of the game, in our own words.
    variants: Vec<String>,
}

#[derive(Serialize)]
struct Site<'a> {
    name: &'a str,
    gameid: String,
}

#[derive(Serialize)]
struct PlayerEntry<'a> {
    name: &'a str,
    userid: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u32>,
    is_ai: bool,
    /// 1 for the winner, 0 for the loser; the same for both in a draw.
    result: u8,
}

impl Board {
    /// The JSON of a finished game, on one line with a line feed; `None` for any other board: the schema has no place for it.
    /// `site` is the name of this service.
    #[must_use]
    pub fn game_record(&self, turns: &[Played], site: &str, now: DateTime<Utc>) -> Option<String> {
        let Some(End::Finished(ending)) = self.end else {
            return None;
        };
        let date = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
        let replayed = self.record(turns)?.replay().ok()?;
        let info = replayed.position.info();
        let counts = info.iter().find(|(name, _)| Some(*name) == self.game.facts.score);
        let entry = |seat: Seat| {
            let seated = &self.players[seat.index()];
            PlayerEntry {
                name: &seated.userid,
                userid: &seated.userid,
                score: counts.and_then(|(_, sides)| Some(sides.get(seat.index())?.1)),
                is_ai: seated.id.is_computer(),
                result: u8::from(ending.outcome != Outcome::Won(seat.other())),
            }
        };
        let record = GameRecord {
            header: Header {
                game: Named {
                    name: self.game.facts.title,
                    variants: self.options.words(),
                },
                site: Site {
                    name: site,
                    gameid: format!("{}-{}", self.game.facts.name, self.number),
                },
                date_start: date(self.started_at),
                date_end: date(self.ended_at.unwrap_or(self.moved_at)),
                date_generated: date(now),
                unrated: !self.terms.rated,
                players: Seat::BOTH.map(entry),
            },
            moves: rounds(turns),
        };
        let mut text = serde_json::to_string(&record).ok()?;
        text.push('\n');
        Some(text)
    }
}

/// The turns in rounds. Where a player moves again, a new round begins in which the other has no turn before.
fn rounds(turns: &[Played]) -> Vec<[Option<&str>; 2]> {
    let mut rounds: Vec<[Option<&str>; 2]> = Vec::new();
    for turn in turns {
        let is_free = |round: &&mut [Option<&str>; 2]| {
            let [_, second] = round;
            turn.seat == Seat::Second && second.is_none()
        };
        match rounds.last_mut().filter(is_free) {
            Some(round) => round[turn.seat.index()] = Some(&turn.text),
            None => {
                let mut round = [None; 2];
                round[turn.seat.index()] = Some(turn.text.as_str());
                rounds.push(round);
            }
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_keep_the_order_of_turns_where_a_player_moves_again() {
        let turn = |(at, seat): (usize, &Seat)| Played {
            seat: *seat,
            text: format!("t{at}"),
            at: DateTime::UNIX_EPOCH,
            event: 0,
        };
        let (a, b) = (Seat::First, Seat::Second);
        let turns: Vec<_> = [a, b, a, a, b, b, a].iter().enumerate().map(turn).collect();
        assert_eq!(
            rounds(&turns),
            [
                [Some("t0"), Some("t1")],
                [Some("t2"), None],
                [Some("t3"), Some("t4")],
                [None, Some("t5")],
                [Some("t6"), None],
            ]
        );
    }
}
