//! The board: the checkers of both sides on 24 points, on the bar and off.

use crate::Seat;

/// The bar, as a point of the player whose checkers are there.
pub const BAR: u8 = 25;

/// Where checkers go that are borne off.
pub const OFF: u8 = 0;

/// The most checkers of a side.
pub const MAX_CHECKERS: u8 = 15;

const POINTS: usize = 26;

/// The games, which differ only in the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// The usual start.
    Backgammon,
    /// Two more checkers begin on 23.
    Nackgammon,
    /// Three checkers a side.
    Hypergammon,
}

impl Variant {
    /// The three games.
    pub const ALL: [Self; 3] = [Self::Backgammon, Self::Nackgammon, Self::Hypergammon];

    /// As players call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Backgammon => "Backgammon",
            Self::Nackgammon => "Nackgammon",
            Self::Hypergammon => "Hypergammon",
        }
    }

    /// The points of each side at the start, with their checkers.
    const fn start(self) -> &'static [(u8, u8)] {
        match self {
            Self::Backgammon => &[(24, 2), (13, 5), (8, 3), (6, 5)],
            Self::Nackgammon => &[(24, 2), (23, 2), (13, 4), (8, 3), (6, 4)],
            Self::Hypergammon => &[(24, 1), (23, 1), (22, 1)],
        }
    }
}

/// Where the checkers are. Each side counts the points from its own side: 24 to 1, with [`BAR`] above and [`OFF`] below.
/// Point 5 of one side is point 20 of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    sides: [[u8; POINTS]; 2],
}

impl Position {
    /// Where a game begins.
    #[must_use]
    pub fn start(variant: Variant) -> Self {
        let mut side = [0; POINTS];
        for (point, count) in variant.start() {
            side[usize::from(*point)] = *count;
        }
        Self { sides: [side, side] }
    }

    /// The position with these points and checkers of White and of Black. `None`: a point does not exist, both sides are on
    /// one, or a side has more than 15 checkers.
    #[must_use]
    pub fn of(white: &[(u8, u8)], black: &[(u8, u8)]) -> Option<Self> {
        let mut sides = [[0_u8; POINTS]; 2];
        for (side, points) in sides.iter_mut().zip([white, black]) {
            for (point, count) in points {
                let place = side.get_mut(usize::from(*point))?;
                *place = place.checked_add(*count)?;
            }
        }
        let is_full = |side: &[u8; POINTS]| {
            let sum: u32 = side.iter().map(|count| u32::from(*count)).sum();
            sum > u32::from(MAX_CHECKERS)
        };
        let is_shared = (1..=24).any(|point| sides[0][point] > 0 && sides[1][25 - point] > 0);
        (!sides.iter().any(is_full) && !is_shared).then_some(Self { sides })
    }

    /// The checkers of a side on a point as it counts them.
    #[must_use]
    pub fn count(&self, seat: Seat, point: u8) -> u8 {
        let side = &self.sides[seat.index()];
        side.get(usize::from(point)).copied().unwrap_or(0)
    }

    /// The checkers of the opponent on a point as this side counts it.
    #[must_use]
    pub fn against(&self, seat: Seat, point: u8) -> u8 {
        match point {
            1..=24 => self.count(seat.other(), 25 - point),
            _ => 0,
        }
    }

    /// All checkers of a side, also those that are off.
    #[must_use]
    pub fn checkers(&self, seat: Seat) -> u8 {
        self.sides[seat.index()].iter().sum()
    }

    /// The steps that a side needs to bear off all its checkers.
    #[must_use]
    pub fn pips(&self, seat: Seat) -> u16 {
        let points = (0..).zip(self.sides[seat.index()]);
        points
            .map(|(point, count): (u16, u8)| point * u16::from(count))
            .sum()
    }

    /// The point of the last checker of a side; [`OFF`] if it has borne off all.
    #[must_use]
    pub fn last(&self, seat: Seat) -> u8 {
        let last = (1..=BAR).rev().find(|point| self.count(seat, *point) > 0);
        last.unwrap_or(OFF)
    }

    /// The same with the sides exchanged.
    #[must_use]
    pub const fn mirrored(&self) -> Self {
        let [first, second] = self.sides;
        Self {
            sides: [second, first],
        }
    }

    /// The side that has borne off all its checkers.
    #[must_use]
    pub fn winner(&self) -> Option<Seat> {
        let has_won = |seat: &Seat| self.last(*seat) == OFF && self.count(*seat, OFF) > 0;
        Seat::BOTH.into_iter().find(has_won)
    }

    /// What the game counts that this side has lost: 1, 2 for a gammon, 3 for a backgammon.
    #[must_use]
    pub fn loss(&self, loser: Seat) -> u8 {
        match (self.count(loser, OFF), self.last(loser)) {
            (1.., _) => 1,
            (0, 19..) => 3,
            (0, _) => 2,
        }
    }

    /// Moves a checker that is there to a point that is open, and says whether it hits.
    pub(super) fn shift(&mut self, seat: Seat, from: u8, to: u8) -> bool {
        let hits = self.against(seat, to) > 0;
        let [from, to] = [from, to].map(usize::from);
        let side = &mut self.sides[seat.index()];
        side[from] -= 1;
        side[to] += 1;
        if hits {
            let other = &mut self.sides[seat.other().index()];
            other[25 - to] -= 1;
            other[usize::from(BAR)] += 1;
        }
        hits
    }
}
