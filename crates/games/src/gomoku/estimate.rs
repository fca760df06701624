//! What a computer player knows of Gomoku.

use super::Gomoku;
use crate::kit::mix::mix;
use crate::kit::square::{Bits, Cell};
use crate::kit::stone::Stone;
use crate::{Evaluate, Mistake, Mistakes, Promising, Seat};

/// The worth of five crossings in a row without an enemy stone, by the own stones on them.
const WORTH: [i32; 5] = [0, 1, 6, 30, 120];

/// What the player to move gains who completes five; who cannot stop two fours; who can make two fours with one stone, or a four
/// and an open three; who must stop two open threes; who can make two open threes.
const FIVE: i32 = 3000;
const TWO_FOURS: i32 = 2500;
const FOURS: i32 = 1200;
const FOUR_AND_THREE: i32 = 900;
const STOPS_TWO: i32 = -500;
const TWO_THREES: i32 = 200;

/// What it is worth to be to move.
const TEMPO: i32 = 15;

impl Evaluate for Gomoku {
    const EFFORT: u64 = 25;

    const BEST_FIRST: bool = true;

    const MISTAKES: Mistakes = Mistakes {
        easy: Mistake {
            noise: 10,
            overlooked: 80,
        },
        medium: Mistake {
            noise: 60,
            overlooked: 30,
        },
    };

    fn key(&self) -> u64 {
        let [black, white] = self.stones.map(|stones| stones.words());
        let rest = [self.mover.index() as u64 | u64::from(self.can_swap()) << 1];
        mix(black.into_iter().chain(white).chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let value = self.value();
        if side == self.mover { value } else { -value }
    }

    /// Only crossings near a stone are worth a look, and against a four only those that stop it.
    fn promising(&self, most: usize) -> Promising<Stone> {
        let (turns, is_whole) = self.worth_a_look();
        let judged: Vec<_> = turns.map(|turn| (turn, self.value_after(&turn))).collect();
        Promising::of(judged, is_whole, most)
    }

    fn best(&self, enough: i32) -> (Option<i32>, u64) {
        let (mut best, mut judged) = (None, 0);
        for turn in self.worth_a_look().0 {
            best = best.max(Some(self.value_after(&turn)));
            judged += 1;
            if best >= Some(enough) {
                break;
            }
        }
        (best, judged)
    }
}

/// One crossing on in a direction.
type Way = fn(Bits) -> Bits;

/// What the rows of a side are good for. A four is a row of five that one stone completes; a three is open if one stone makes two
/// fours of it.
#[derive(Default)]
struct Rows {
    /// The worth of all rows of five that can still become this side's.
    worth: i32,
    /// The crossings that complete five.
    fives: Bits,
    /// In how many directions there are open threes.
    open_threes: u32,
    /// Whether one stone makes two fours, a four and an open three, or two open threes.
    can_two_fours: bool,
    can_four_and_three: bool,
    can_two_threes: bool,
}

impl Gomoku {
    /// The turns that can be good, and whether all others lose at once.
    fn worth_a_look(&self) -> (impl Iterator<Item = Stone> + use<>, bool) {
        let (open, swap) = (self.open(), self.can_swap().then_some(Stone::Swap));
        let [own, other] = [self.mover, self.mover.other()].map(|side| self.rows_of(side).fives & open);
        let near = (self.stones[0] | self.stones[1]).around().around() & open;
        let middle = Cell::at(self.grid.size() / 2, self.grid.size() / 2);
        let (cells, is_whole) = if !own.is_empty() {
            (own, false)
        } else if !other.is_empty() {
            // A row of six does not always win.
            (other, !self.is_exact)
        } else if near.is_empty() {
            (Bits::of(middle) & open, false)
        } else {
            (near, near == open)
        };
        (cells.iter().map(Stone::On).chain(swap), is_whole)
    }

    /// The estimate for the player to move.
    fn value(&self) -> i32 {
        let [own, other] = [self.mover, self.mover.other()].map(|side| self.rows_of(side));
        own.worth - other.worth
            + match other.fives.count() {
                _ if !own.fives.is_empty() => FIVE,
                2.. => -TWO_FOURS,
                // The four must be stopped, then the other side is to move.
                1 if other.can_two_fours => -FOURS,
                1 if other.can_four_and_three => -FOUR_AND_THREE,
                1 => -TEMPO,
                _ if own.can_two_fours => FOURS,
                _ if own.can_four_and_three => FOUR_AND_THREE,
                _ if other.open_threes > 1 => STOPS_TWO,
                _ if other.open_threes == 1 => -TEMPO,
                _ if own.can_two_threes => TWO_THREES,
                _ => TEMPO,
            }
    }

    fn rows_of(&self, side: Seat) -> Rows {
        let (board, own) = (self.grid.cells(), self.stones[side.index()]);
        let possible = board - self.stones[side.other().index()];
        let empty = possible - own;
        let ways: [[Way; 2]; 4] = [
            [Bits::west, Bits::east],
            [Bits::south, Bits::north],
            [|cells| cells.south().west(), |cells| cells.north().east()],
            [|cells| cells.south().east(), |cells| cells.north().west()],
        ];
        let mut all = Rows::default();
        let (mut makes_four, mut makes_three) = (Bits::EMPTY, Bits::EMPTY);
        for [back, on] in ways {
            // The crossings at which such a row begins, and how many own stones are on it as three binary digits.
            let (mut rows, mut free, mut stones) = (possible, possible, own);
            let mut digits = [own, Bits::EMPTY, Bits::EMPTY];
            for _ in 1..super::ROW {
                (free, stones) = (back(free) & board, back(stones) & board);
                rows &= free;
                let carry = digits[0] & stones;
                digits[0] ^= stones;
                digits[2] |= digits[1] & carry;
                digits[1] ^= carry;
            }
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
            let crossings = |mut of: Bits, length: u8| {
                (1..length).fold(of, |cells, _| {
                    of = on(of);
                    cells | of
                }) & empty
            };
            let [_, twos, threes, fours] = of;
            // Two rows that begin side by side and have the same stones leave both ends open.
            let open = |rows: Bits| rows & back(rows) & empty;
            let (four, three) = (
                crossings(threes, super::ROW),
                crossings(on(open(twos)), super::ROW - 1),
            );
            all.fives |= crossings(fours, super::ROW);
            all.open_threes += u32::from(!open(threes).is_empty());
            all.can_two_fours |= !open(threes).is_empty() || four.meets(makes_four);
            all.can_four_and_three |= four.meets(makes_three) || three.meets(makes_four);
            all.can_two_threes |= three.meets(makes_three);
            makes_four |= four;
            makes_three |= three;
        }
        all
    }
}
