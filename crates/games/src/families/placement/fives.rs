//! A board of five in a row for looking far: what a stone would make on each empty crossing, kept up with every stone.

use std::sync::LazyLock;

use crate::kit::square::{Bits, Cell};

/// How many places are around the board, which a row of five may look at; those beyond the end of a row are those before the next one.
const MARGIN: usize = 4;

/// From a place to the one above it, and a bound of all, with room for rows of 19.
const WIDTH: usize = 19 + MARGIN + 1;
const PLACES: usize = WIDTH * (20 + 2 * MARGIN);

/// The four directions of a row.
const WAYS: [usize; 4] = [1, WIDTH, WIDTH + 1, WIDTH - 1];

const EDGE: u16 = 3;

/// What a stone makes in one direction, the weakest first: something that may become more, two that may become an open three, a three
/// that is stopped at one end, a three that one stone more makes an open four, a four, one that is open at both ends, and five.
const LITTLE: u8 = 1;
const TWO: u8 = 2;
const CLOSED_THREE: u8 = 3;
const THREE: u8 = 4;
const FOUR: u8 = 5;
const OPEN_FOUR: u8 = 6;
const FIVE: u8 = 7;

/// By the eight nearest places in a direction, two bits each, what a stone of the first player between them makes.
static MADE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let line = |code: usize| {
        std::array::from_fn(|at| match at {
            4 => 1,
            _ => (code >> (2 * (at - usize::from(at > 4))) & 3) as u8,
        })
    };
    (0..1 << 16).map(|code| class(&line(code))).collect()
});

/// Whether five own stones stand in a row that has the middle of a line.
fn has_five(line: &[u8; 9]) -> bool {
    line.windows(5).any(|five| five.iter().all(|stone| *stone == 1))
}

/// How many places there are at which one more own stone makes five.
fn fives(line: &[u8; 9]) -> usize {
    with_one_more(line).filter(has_five).count()
}

fn with_one_more(line: &[u8; 9]) -> impl Iterator<Item = [u8; 9]> {
    (0..9).filter(|at| line[*at] == 0).map(|at| {
        let mut more = *line;
        more[at] = 1;
        more
    })
}

fn class(line: &[u8; 9]) -> u8 {
    if has_five(line) {
        return FIVE;
    }
    match fives(line) {
        0 => {}
        1 => return FOUR,
        _ => return OPEN_FOUR,
    }
    let best = |line: &[u8; 9]| with_one_more(line).map(|more| fives(&more)).max();
    match best(line) {
        Some(2..) => return THREE,
        Some(1) => return CLOSED_THREE,
        _ => {}
    }
    match with_one_more(line).filter_map(|more| best(&more)).max() {
        Some(2..) => TWO,
        Some(1) => LITTLE,
        _ => 0,
    }
}

/// A place on the board.
pub(super) type Place = usize;

/// The place of a crossing.
const fn place(cell: Cell) -> Place {
    (cell.row() as usize + MARGIN) * WIDTH + cell.column() as usize + MARGIN
}

/// The crossing at a place.
pub(super) const fn cell(place: Place) -> Cell {
    Cell::at((place % WIDTH - MARGIN) as u8, (place / WIDTH - MARGIN) as u8)
}

/// The stones, and what each empty crossing is near to.
#[derive(Clone)]
pub(super) struct Fives {
    size: usize,
    stones: [u8; PLACES],
    near: [[u16; 4]; PLACES],
    /// The same for equal stones.
    pub(super) key: u64,
}

/// What the stones of a side can make.
#[derive(Default)]
pub(super) struct Shapes {
    /// Where it makes five.
    pub(super) fives: Vec<Place>,
    /// Where it makes two fours.
    pub(super) wins: Vec<Place>,
    /// Where it makes a four, and where an open three: the most promising first.
    pub(super) fours: Vec<(i32, Place)>,
    pub(super) threes: Vec<(i32, Place)>,
}

impl Fives {
    /// The board with these stones.
    pub(super) fn new(size: u8, stones: [Bits; 2]) -> Self {
        let size = usize::from(size);
        let mut new = Self {
            size,
            stones: [EDGE as u8; PLACES],
            near: [[0; 4]; PLACES],
            key: 0,
        };
        for place in new.places() {
            new.stones[place] = 0;
        }
        for at in new.places() {
            for (number, way) in WAYS.into_iter().enumerate() {
                for (bit, step) in (0..).step_by(2).zip([-4, -3, -2, -1, 1, 2, 3, 4]) {
                    let near = at.wrapping_add_signed(step * way.cast_signed());
                    new.near[at][number] |= u16::from(new.stones[near]) << bit;
                }
            }
        }
        for (side, stones) in (0..).zip(stones) {
            stones.iter().for_each(|cell| new.change(place(cell), side));
        }
        new
    }

    fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let size = self.size;
        (0..size).flat_map(move |row| (0..size).map(move |column| (row + MARGIN) * WIDTH + column + MARGIN))
    }

    fn empty(&self) -> impl Iterator<Item = Place> {
        self.places().filter(|place| self.stones[*place] == 0)
    }

    /// Puts a stone of a side, or takes it away again.
    pub(super) fn change(&mut self, at: Place, side: usize) {
        let stone = side as u16 + 1;
        self.stones[at] ^= stone as u8;
        self.key ^= crate::kit::mix::mix([at as u64, u64::from(stone)]);
        for (number, way) in WAYS.into_iter().enumerate() {
            for step in 1..=4 {
                self.near[at + step * way][number] ^= stone << (2 * (4 - step));
                self.near[at - step * way][number] ^= stone << (2 * (3 + step));
            }
        }
    }

    /// What a stone of a side makes in each direction.
    #[inline]
    fn made(&self, at: Place, side: usize) -> [u8; 4] {
        self.near[at].map(|near| {
            let seen = match side {
                0 => near,
                _ => (near & 0x5555) << 1 | near >> 1 & 0x5555,
            };
            MADE[usize::from(seen)]
        })
    }

    /// What the stones of a side can make.
    pub(super) fn shapes(&self, side: usize) -> Shapes {
        let mut shapes = Shapes::default();
        for at in self.empty() {
            if self.near[at] == [0; 4] {
                continue;
            }
            let made = self.made(at, side);
            let best = made.into_iter().max().unwrap_or_default();
            let fours = made.iter().filter(|one| **one == FOUR).count();
            match best {
                FIVE => shapes.fives.push(at),
                OPEN_FOUR => shapes.wins.push(at),
                FOUR if fours > 1 => shapes.wins.push(at),
                FOUR => shapes.fours.push((weight(made), at)),
                THREE => shapes.threes.push((weight(made), at)),
                _ => {}
            }
        }
        let rank = |(weight, _): &(i32, Place)| std::cmp::Reverse(*weight);
        shapes.fours.sort_by_key(rank);
        shapes.threes.sort_by_key(rank);
        shapes
    }

    /// Where this side can stop two fours that the other one can make at `wins`, and could not stop afterwards; without fours of its own.
    pub(super) fn stops(&mut self, side: usize, wins: &[Place]) -> Vec<Place> {
        let mut near: Vec<Place> = wins.to_vec();
        for (win, way) in wins.iter().flat_map(|win| WAYS.map(|way| (win, way))) {
            near.extend((1..=4).flat_map(|step| [win + step * way, win - step * way]));
        }
        near.retain(|at| self.stones[*at] == 0);
        near.sort_unstable();
        near.dedup();
        near.retain(|at| {
            self.change(*at, side);
            let left = self.shapes(side ^ 1);
            self.change(*at, side);
            left.fives.is_empty() && left.wins.is_empty()
        });
        near
    }

    /// The crossings that seem worth a stone of a side, the best first.
    pub(super) fn likely(&self, side: usize) -> Vec<Place> {
        let middle = self.size / 2 + MARGIN;
        let mut all: Vec<_> = self
            .empty()
            .filter(|at| self.near[*at] != [0; 4])
            .map(|at| {
                let [own, other] = [side, side ^ 1].map(|side| weight(self.made(at, side)));
                let far = (at / WIDTH).abs_diff(middle).max((at % WIDTH).abs_diff(middle));
                (std::cmp::Reverse(20 * (5 * own + 4 * other) - far as i32), at)
            })
            .collect();
        all.sort_unstable();
        all.into_iter().map(|(_, at)| at).collect()
    }
}

/// What a stone that makes this is worth: two things at once are worth more.
fn weight(made: [u8; 4]) -> i32 {
    let single = made.map(|one| [0, 1, 5, 6, 24, 26, 400, 4000][usize::from(one)]);
    let strong = made.iter().filter(|one| **one >= THREE).count();
    single.into_iter().sum::<i32>() + if strong > 1 { 100 } else { 0 }
}
