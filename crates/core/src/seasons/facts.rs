//! What is known of a contest.

use chrono::{DateTime, Utc};
use pbmserv_games::Seat;

/// One division of a league in one season, or a cup.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    pub format: Format,
    /// In the order of the pairing numbers: by rating at the start, best first.
    pub entrants: Vec<Entrant>,
    /// In the order in which they were planned.
    pub pairings: Vec<Pairing>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everybody plays everybody once, all at once, colours by the Berger table.
    League,
    Swiss {
        rounds: u32,
    },
    /// The entrants are the seeds, in their order. A draw is played again with the seats exchanged; after the second the better
    /// seed goes on.
    Knockout,
    /// Groups of four (three or five where it does not divide), then a knockout of the two best of each.
    Groups,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entrant {
    /// At the start.
    pub rating: f64,
    pub left_at: Option<DateTime<Utc>>,
}

/// A game of a contest, or a bye. The numbers of entrants are indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// From 1. What begins at once is one round: all games of a league, all games of all groups. A game that is played again
    /// stays in its round.
    pub round: u32,
    /// From 1; 0 for what is in no group.
    pub group: u32,
    pub first: usize,
    /// `None`: the first has a bye. Its score is read only for [`Score::Void`].
    pub second: Option<usize>,
    pub score: Score,
}

/// A game that was lost on time or by leaving is over like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    Running,
    /// As if it had not been: a ruling, or both players are erased.
    Void,
    Over {
        /// `None`: drawn.
        winner: Option<Seat>,
        at: DateTime<Utc>,
    },
    /// A ruling: nobody gets anything.
    BothLost {
        at: DateTime<Utc>,
    },
}

/// A pairing that is to be begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    pub round: u32,
    pub group: u32,
    pub first: usize,
    /// `None`: a bye. It is stored like a game.
    pub second: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Wait,
    /// Never empty. They are to be added to the pairings in this order.
    Round(Vec<Planned>),
    Over,
}

impl Contest {
    /// The pairings that count: not void, and of entrants.
    pub(super) fn counted(&self) -> impl Iterator<Item = &Pairing> {
        self.pairings
            .iter()
            .filter(|pairing| self.is_sound(pairing) && pairing.score != Score::Void)
    }

    fn is_sound(&self, pairing: &Pairing) -> bool {
        let is_entrant = |number: usize| number < self.entrants.len();
        is_entrant(pairing.first)
            && pairing
                .second
                .is_none_or(|second| is_entrant(second) && second != pairing.first)
    }

    pub(super) fn left_at(&self, entrant: usize) -> Option<DateTime<Utc>> {
        self.entrants.get(entrant).and_then(|entrant| entrant.left_at)
    }

    /// The numbers of those who have not left.
    pub(super) fn present(&self) -> Vec<usize> {
        (0..self.entrants.len())
            .filter(|entrant| self.left_at(*entrant).is_none())
            .collect()
    }

    /// What a game comes to; `None` for one that runs, and for a bye.
    pub(super) fn result(&self, pairing: &Pairing) -> Option<GameResult> {
        let second = pairing.second?;
        let of = |halves, at| Some(GameResult { halves, at });
        match pairing.score {
            Score::Void => None,
            Score::Over { winner: None, at } => of([1, 1], at),
            Score::Over {
                winner: Some(Seat::First),
                at,
            } => of([2, 0], at),
            Score::Over {
                winner: Some(Seat::Second),
                at,
            } => of([0, 2], at),
            Score::BothLost { at } => of([0, 0], at),
            // Who has left has lost, though the board may not say so yet; if both have, who left first.
            Score::Running => match (self.left_at(pairing.first), self.left_at(second)) {
                (None, None) => None,
                (Some(at), None) => of([0, 2], at),
                (None, Some(at)) => of([2, 0], at),
                (Some(first), Some(second)) if first == second => of([0, 0], first),
                (Some(first), Some(second)) if first < second => of([0, 2], first),
                (Some(_), Some(second)) => of([2, 0], second),
            },
        }
    }

    /// Whether some game of these is still open.
    pub(super) fn is_open<'a>(&self, pairings: impl IntoIterator<Item = &'a Pairing>) -> bool {
        pairings
            .into_iter()
            .any(|pairing| pairing.second.is_some() && self.result(pairing).is_none())
    }
}

impl Pairing {
    /// `None` for a bye, and if the entrant is in another pairing.
    pub(super) fn opponent_of(&self, entrant: usize) -> Option<usize> {
        let second = self.second?;
        match entrant {
            _ if entrant == self.first => Some(second),
            _ if entrant == second => Some(self.first),
            _ => None,
        }
    }
}

/// Of a game that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameResult {
    /// The half points of both seats.
    pub(super) halves: [u32; 2],
    pub(super) at: DateTime<Utc>,
}
