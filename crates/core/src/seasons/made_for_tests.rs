//! Contests for the tests.

use chrono::{DateTime, Utc};
use pbmserv_games::Seat;

use super::facts::{Contest, Entrant, Format, Next, Pairing, Planned, Score};
use super::standings::Row;

/// The ratings are 2000, 1999 and so on.
pub(super) fn contest(format: Format, entrants: usize) -> Contest {
    let entrant = |number: usize| Entrant {
        rating: 2000.0 - number as f64,
        left_at: None,
    };
    Contest {
        format,
        entrants: (0..entrants).map(entrant).collect(),
        pairings: Vec::new(),
    }
}

pub(super) fn hour(hours: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + chrono::TimeDelta::hours(hours)
}

pub(super) fn won_by(winner: Seat, at: i64) -> Score {
    Score::Over {
        winner: Some(winner),
        at: hour(at),
    }
}

pub(super) fn drawn(at: i64) -> Score {
    Score::Over {
        winner: None,
        at: hour(at),
    }
}

impl Contest {
    /// Begins what is to be begun, and says what it was.
    pub(super) fn begin(&mut self) -> Vec<(usize, Option<usize>)> {
        let Next::Round(planned) = self.next() else {
            panic!("nothing is to be begun: {:?}", self.next());
        };
        let pairs = planned
            .iter()
            .map(|planned| (planned.first, planned.second))
            .collect();
        self.pairings.extend(planned.into_iter().map(running));
        pairs
    }

    /// The game that runs between these two, in whichever seats.
    pub(super) fn game(&mut self, one: usize, other: usize) -> &mut Pairing {
        let mut games = self.pairings.iter_mut();
        games
            .find(|pairing| pairing.opponent_of(one) == Some(other) && pairing.score == Score::Running)
            .unwrap()
    }

    /// The first of these two wins.
    pub(super) fn wins(&mut self, winner: usize, loser: usize, at: i64) {
        let game = self.game(winner, loser);
        let seat = if game.first == winner {
            Seat::First
        } else {
            Seat::Second
        };
        game.score = won_by(seat, at);
    }

    /// In every game that runs the better number wins.
    pub(super) fn better_numbers_win(&mut self, at: i64) {
        for pairing in &mut self.pairings {
            if let (Some(second), Score::Running) = (pairing.second, pairing.score) {
                let seat = if pairing.first < second {
                    Seat::First
                } else {
                    Seat::Second
                };
                pairing.score = won_by(seat, at);
            }
        }
    }

    pub(super) fn leaves(&mut self, entrant: usize, at: i64) {
        self.entrants[entrant].left_at = Some(hour(at));
    }

    /// The rows of a table.
    pub(super) fn rows(&self, table: usize) -> Vec<Row> {
        self.tables()[table].rows.clone()
    }
}

pub(super) fn running(planned: Planned) -> Pairing {
    let Planned {
        round,
        group,
        first,
        second,
    } = planned;
    Pairing {
        round,
        group,
        first,
        second,
        score: Score::Running,
    }
}

/// Each entrant with the place.
pub(super) fn places(rows: &[Row]) -> Vec<(usize, Option<u32>)> {
    rows.iter().map(|row| (row.entrant, row.place)).collect()
}

/// Numbers that look random, the same in each run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, sides: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }
}
