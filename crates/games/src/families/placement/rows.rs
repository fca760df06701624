//! Rows of stones: how long they are, and what a computer sees in rows of five.

use super::{StoneGame, Stones};
use crate::kit::square::{Bits, Cell};
use crate::{Mistake, Mistakes, Seat};

/// The stones in a row that win in most games of this kind.
pub const ROW: u8 = 5;

/// The worth of five crossings in a row without an enemy stone, by the own stones on them.
const WORTH: [i32; 5] = [0, 1, 6, 30, 120];

/// What the player to move gains who completes five; who cannot stop two fours; who can make two fours with one stone, or a four
/// and an open three; who must stop two open threes; who can make two open threes.
const FIVE: i32 = 3000;
const TWO_FOURS: i32 = 2500;
/// What the player to move gains who wins by fours alone.
pub const BY_FOURS: i32 = 2400;
const FOURS: i32 = 1200;
const FOUR_AND_THREE: i32 = 900;
const STOPS_TWO: i32 = -500;
const TWO_THREES: i32 = 200;

/// What it is worth to be to move.
const TEMPO: i32 = 15;

/// Threats are seen by looking two turns ahead, so the weaker players overlook more than elsewhere.
pub const MISTAKES: Mistakes = Mistakes {
    easy: Mistake {
        noise: 10,
        overlooked: 80,
    },
    medium: Mistake {
        noise: 60,
        overlooked: 30,
    },
};

/// The lengths of the four rows of these stones through one of them.
#[must_use]
pub fn lengths(stones: Bits, cell: Cell, size: u8) -> [u8; 4] {
    let size = size as i8;
    let length = |right: i8, up: i8| {
        let at = |step: i8| (cell.column() as i8 + step * right, cell.row() as i8 + step * up);
        let on_board = |at: i8| (0..size).contains(&at);
        let has = |step: &i8| {
            let (column, row) = at(*step);
            on_board(column) && on_board(row) && stones.has(Cell::at(column as u8, row as u8))
        };
        (1..size).take_while(has).count() as u8
    };
    WAYS.map(|(right, up)| 1 + length(right, up) + length(-right, -up))
}

/// The four directions of a row, as steps to the right and up.
pub const WAYS: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// One crossing on in a direction.
type Way = fn(Bits) -> Bits;

/// A step back and one on, in each of the four directions.
const DIRECTIONS: [[Way; 2]; 4] = [
    [Bits::west, Bits::east],
    [Bits::south, Bits::north],
    [|cells| cells.south().west(), |cells| cells.north().east()],
    [|cells| cells.south().east(), |cells| cells.north().west()],
];

/// The crossings at which rows of this length begin that are possible still, and how many own stones are on each as three binary digits.
#[inline]
fn begun(board: Bits, possible: Bits, own: Bits, back: Way, length: u8) -> (Bits, [Bits; 3]) {
    let (mut rows, mut free, mut stones) = (possible, possible, own);
    let mut digits = [own, Bits::EMPTY, Bits::EMPTY];
    for _ in 1..length {
        (free, stones) = (back(free) & board, back(stones) & board);
        rows &= free;
        let carry = digits[0] & stones;
        digits[0] ^= stones;
        digits[2] |= digits[1] & carry;
        digits[1] ^= carry;
    }
    (rows, digits)
}

/// The crossings of rows that begin at these.
fn along(mut begun: Bits, on: Way, length: u8) -> Bits {
    (1..length).fold(begun, |cells, _| {
        begun = on(begun);
        cells | begun
    })
}

/// Rows of this length without an enemy stone, by the own stones on them: how many there are, and their crossings.
pub fn open_rows(board: Bits, own: Bits, enemy: Bits, length: u8) -> [(u32, Bits); 8] {
    let mut all = [(0, Bits::EMPTY); 8];
    for [back, on] in DIRECTIONS {
        let (rows, digits) = begun(board, board - enemy, own, back, length);
        for (count, (number, cells)) in all.iter_mut().enumerate() {
            let with = (0..3).fold(rows, |rows, bit| match count >> bit & 1 {
                1 => rows & digits[bit],
                _ => rows - digits[bit],
            });
            *number += with.count();
            *cells |= along(with, on, length);
        }
    }
    all
}

/// The empty crossings through which rows of five in two directions lead that have two stones already, or one with three: no other
/// stone makes two threes, two fours or more than five.
pub fn crowded(board: Bits, own: Bits, enemy: Bits) -> Bits {
    let (mut once, mut twice) = (Bits::EMPTY, Bits::EMPTY);
    for [back, on] in DIRECTIONS {
        let (rows, [ones, twos, fours]) = begun(board, board - enemy, own, back, ROW);
        let cells = along(rows & (twos | fours), on, ROW);
        twice |= once & cells | along(rows & (fours | ones & twos), on, ROW);
        once |= cells;
    }
    twice - own
}

/// What the rows of a side are good for. A four is a row of five that one stone completes; a three is open if one stone makes two
/// fours of it.
#[derive(Debug, Default)]
pub struct Rows {
    /// The worth of all rows of five that can still become this side's.
    pub worth: i32,
    /// The crossings that complete five.
    pub fives: Bits,
    /// The crossings that make a four.
    pub fours: Bits,
    /// In how many directions there are open threes.
    pub open_threes: u32,
    /// Whether one stone makes two fours.
    pub can_two_fours: bool,
    /// Whether one makes a four and an open three.
    pub can_four_and_three: bool,
    /// Whether one makes two open threes.
    pub can_two_threes: bool,
}

impl Rows {
    /// The estimate for the player to move, who has these rows.
    #[must_use]
    pub fn value(&self, other: &Self) -> i32 {
        self.worth - other.worth
            + match other.fives.count() {
                _ if !self.fives.is_empty() => FIVE,
                2.. => -TWO_FOURS,
                // The four must be stopped, then the other side is to move.
                1 if other.can_two_fours => -FOURS,
                1 if other.can_four_and_three => -FOUR_AND_THREE,
                1 => -TEMPO,
                _ if self.can_two_fours => FOURS,
                _ if self.can_four_and_three => FOUR_AND_THREE,
                _ if other.open_threes > 1 => STOPS_TWO,
                _ if other.open_threes == 1 => -TEMPO,
                _ if self.can_two_threes => TWO_THREES,
                _ => TEMPO,
            }
    }

    /// The rows of the side with these stones.
    #[must_use]
    pub fn of(board: Bits, own: Bits, enemy: Bits) -> Self {
        let possible = board - enemy;
        let empty = possible - own;
        let mut all = Self::default();
        let (mut makes_four, mut makes_three) = (Bits::EMPTY, Bits::EMPTY);
        for [back, on] in DIRECTIONS {
            let (rows, digits) = begun(board, possible, own, back, ROW);
            let [ones, twos, fours] = digits;
            let of = [
                ones - twos - fours,
                twos - ones - fours,
                ones & (twos - fours),
                fours - ones - twos,
            ]
            .map(|cells| cells & rows);
            let counts = of.map(|cells| cells.count() as i32);
            all.worth += counts
                .iter()
                .zip(&WORTH[1..])
                .map(|(count, worth)| count * worth)
                .sum::<i32>();
            let crossings = |of: Bits, length: u8| along(of, on, length) & empty;
            let [_, twos, threes, fours] = of;
            // Two rows that begin side by side and have the same stones leave both ends open.
            let open = |rows: Bits| rows & back(rows) & empty;
            let (four, three) = (crossings(threes, ROW), crossings(on(open(twos)), ROW - 1));
            all.fives |= crossings(fours, ROW);
            all.open_threes += u32::from(!open(threes).is_empty());
            all.can_two_fours |= !open(threes).is_empty() || four.meets(makes_four);
            all.can_four_and_three |= four.meets(makes_three) || three.meets(makes_four);
            all.can_two_threes |= three.meets(makes_three);
            makes_four |= four;
            makes_three |= three;
        }
        all.fours = makes_four;
        all
    }
}

/// Whether the side with the first of these rows, which is to move, wins by fours alone, each of which must be stopped at once. Looks at
/// no more than `left` fours, and takes them off it.
pub fn wins_by_fours(
    board: Bits,
    [own, enemy]: [Bits; 2],
    [rows, other]: [&Rows; 2],
    left: &mut u32,
) -> bool {
    if !rows.fives.is_empty() {
        return true;
    }
    let fours = match other.fives.count() {
        0 => rows.fours,
        1 => rows.fours & other.fives,
        _ => return false,
    };
    for cell in fours {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let own = own | Bits::of(cell);
        let fives = Rows::of(board, own, enemy).fives;
        let stop = match fives.first() {
            _ if fives.count() > 1 => return true,
            Some(stop) => stop,
            None => continue,
        };
        let enemy = enemy | Bits::of(stop);
        let [rows, other] = [Rows::of(board, own, enemy), Rows::of(board, enemy, own)];
        if wins_by_fours(board, [own, enemy], [&rows, &other], left) {
            return true;
        }
    }
    false
}

/// The rows of the player to move, and of the other one.
pub fn of_both<G: StoneGame>(at: &Stones<G>) -> [Rows; 2] {
    let of = |side: Seat| {
        let [own, enemy] = [side, side.other()].map(|side| at.stones[side.index()]);
        Rows::of(at.cells, own, enemy)
    };
    [of(at.mover), of(at.mover.other())]
}

/// The crossings near a stone, and against a four only those that stop it; whether all others lose at once. A four is stopped by its
/// own crossings alone if `must_stop` says so.
pub fn worth_a_look<G: StoneGame>(at: &Stones<G>, must_stop: bool) -> (Bits, bool) {
    let open = at.open();
    let [own, other] = of_both(at).map(|rows| rows.fives & open);
    let near = (at.stones[0] | at.stones[1]).around().around() & open;
    let half = at.board.side() / 2;
    if !own.is_empty() {
        (own, false)
    } else if !other.is_empty() {
        (other, must_stop)
    } else if near.is_empty() {
        (Bits::of(Cell::at(half, half)) & open, false)
    } else {
        (near, near == open)
    }
}
