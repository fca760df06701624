//! Stones on crossings, their groups and liberties.

use crate::Seat;
use crate::kit::mix::mix;
use crate::kit::square::{Bits, Cell, Grid};

/// How many steps from a stone the crossings are looked at that it may get.
const REACH: u8 = 5;

/// The stones of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// The grid.
    pub grid: Grid,
    /// All crossings.
    pub cells: Bits,
    /// First's stones, then Second's.
    pub stones: [Bits; 2],
}

/// Stones of one side that hang together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The stones.
    pub stones: Bits,
    /// The empty crossings beside them.
    pub liberties: Bits,
}

impl Board {
    /// A board without stones.
    #[must_use]
    pub fn new(grid: Grid) -> Self {
        Self {
            grid,
            cells: grid.cells(),
            stones: [Bits::EMPTY; 2],
        }
    }

    /// The stones of a side.
    #[must_use]
    pub const fn of(&self, seat: Seat) -> Bits {
        self.stones[seat.index()]
    }

    /// The empty crossings.
    #[must_use]
    pub fn empty(&self) -> Bits {
        self.cells - self.stones[0] - self.stones[1]
    }

    /// The groups of a side.
    pub fn groups(&self, seat: Seat) -> impl Iterator<Item = Group> + use<> {
        let (own, empty) = (self.of(seat), self.empty());
        let mut left = own;
        std::iter::from_fn(move || {
            let stones = Bits::of(left.first()?).spread(own);
            left -= stones;
            let liberties = stones.adjacent() & empty;
            Some(Group { stones, liberties })
        })
    }

    /// The enemy stones that a stone of this side on an empty crossing takes.
    #[must_use]
    pub fn taken(&self, seat: Seat, cell: Cell) -> Bits {
        let enemy = self.of(seat.other());
        let mut beside = Bits::of(cell).adjacent() & enemy;
        let mut taken = Bits::EMPTY;
        if beside.is_empty() {
            return taken;
        }
        let empty = self.empty() - Bits::of(cell);
        while let Some(first) = beside.first() {
            let group = Bits::of(first).spread(enemy);
            beside -= group;
            if !group.adjacent().meets(empty) {
                taken |= group;
            }
        }
        taken
    }

    /// The crossings on which a stone of this side has a liberty, or gets one by taking stones.
    #[must_use]
    pub fn breathing(&self, seat: Seat) -> Bits {
        let (own, empty) = (self.of(seat), self.empty());
        let mut open = empty & empty.adjacent();
        for cell in (empty - open).iter() {
            let joined = (Bits::of(cell).adjacent() & own).spread(own);
            let breathes = joined.adjacent().meets(empty - Bits::of(cell));
            if breathes || !self.taken(seat, cell).is_empty() {
                open.insert(cell);
            }
        }
        open
    }

    /// The area of each side: its stones, and the empty crossings from which only its stones are reached.
    #[must_use]
    pub fn area(&self) -> [Bits; 2] {
        let empty = self.empty();
        let [first, second] = self.stones.map(|stones| stones.adjacent().spread(empty));
        [
            self.stones[0] | (first - second),
            self.stones[1] | (second - first),
        ]
    }

    /// The stones of each side, and the empty crossings that are nearer to its stones than to the other's.
    #[must_use]
    pub fn reach(&self) -> [Bits; 2] {
        let (mut zones, mut free) = (self.stones, self.empty());
        for _ in 0..REACH {
            let [first, second] = zones.map(|zone| zone.adjacent() & free);
            zones[0] |= first - second;
            zones[1] |= second - first;
            free -= first | second;
        }
        zones
    }

    /// Whether this empty crossing is an eye of a side: its own stones are on all sides of it, and on enough corners that they
    /// hang together.
    #[must_use]
    pub fn is_eye(&self, seat: Seat, cell: Cell) -> bool {
        let (own, enemy, eye) = (self.of(seat), self.of(seat.other()), Bits::of(cell));
        let beside = eye.adjacent() & self.cells;
        if !beside.is_within(own) {
            return false;
        }
        let corners = (eye.around() & self.cells) - beside;
        let lost = (corners & enemy).count();
        lost == 0 || (lost == 1 && corners.count() == 4)
    }
}

/// A part of the hash of a board: a stone of this side on this crossing.
pub(super) fn hash_of(seat: Seat, stones: Bits) -> u64 {
    let of = |cell: Cell| {
        let place = u64::from(cell.row()) << 8 | u64::from(cell.column()) << 1;
        mix([place | seat.index() as u64])
    };
    stones.iter().fold(0, |hash, cell| hash ^ of(cell))
}
