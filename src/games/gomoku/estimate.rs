//! What a computer player knows of Gomoku.

use super::Gomoku;
use crate::games::{Judged, Promising, Seat};
use crate::kit::mix::mix;
use crate::kit::square::{Bits, Cell};
use crate::kit::stone::Stone;

/// The worth of five crossings in a row without an enemy stone, by the own stones on them.
const WORTH: [i32; 5] = [0, 1, 6, 30, 120];

impl Judged for Gomoku {
    const EFFORT: u64 = 25;

    fn key(&self) -> u64 {
        let [black, white] = self.stones.map(|stones| stones.words());
        let rest = [self.mover.index() as u64 | u64::from(self.can_swap()) << 1];
        mix(black.into_iter().chain(white).chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        self.strength(side) - self.strength(side.other())
    }

    /// Only crossings near a stone are worth a look.
    fn promising(&self, most: usize) -> Promising<Stone> {
        let stones = self.stones[0] | self.stones[1];
        let near = stones.around().around() & self.open();
        let middle = Cell::at(self.grid.size() / 2, self.grid.size() / 2);
        let cells = if near.is_empty() {
            Bits::of(middle) & self.open()
        } else {
            near
        };
        let swap = self.can_swap().then_some(Stone::Swap);
        let turns = cells.iter().map(Stone::On).chain(swap);
        let judged: Vec<_> = turns.map(|turn| (turn, self.value_after(&turn))).collect();
        let is_whole = judged.len() as u64 == u64::from(self.open().count()) + u64::from(self.can_swap());
        Promising::of(judged, is_whole, most)
    }
}

impl Gomoku {
    /// The worth of all rows of five that can still become this side's.
    fn strength(&self, side: Seat) -> i32 {
        let board = self.grid.cells();
        let own = self.stones[side.index()];
        let possible = board - self.stones[side.other().index()];
        let back: [fn(Bits) -> Bits; 4] = [
            Bits::west,
            Bits::south,
            |cells| cells.south().west(),
            |cells| cells.south().east(),
        ];
        let mut worth = 0;
        for back in back {
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
            ];
            let counts = of.map(|cells| (cells & rows).count() as i32);
            worth += counts
                .iter()
                .zip(&WORTH[1..])
                .map(|(count, worth)| count * worth)
                .sum::<i32>();
        }
        worth
    }
}
