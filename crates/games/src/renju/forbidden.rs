//! The stones that are forbidden to Black: those that make more than five in a row, two fours, or two threes, unless they make five.

use crate::families::placement::lines::Line;
use crate::families::placement::rows::{WAYS, crowded};
use crate::kit::square::{Bits, Cell, Grid};

/// The rows and columns of the board.
pub(super) const SIZE: u8 = 15;

/// How many stones ahead it is asked whether a three can become a four: each makes the board fuller, so it ends soon by itself.
const MAX_AHEAD: u32 = 12;

/// The forbidden crossings among the empty ones.
pub(super) fn all(black: Bits, empty: Bits) -> Bits {
    let board = Grid::new(SIZE).cells();
    let crowded = crowded(board, black, board - black - empty) | beside_long_rows(black);
    (crowded & empty)
        .iter()
        .filter(|cell| why(black, empty, *cell).is_some())
        .collect()
}

/// The crossings at which a row of more than five can arise: a board that is not crowded has none.
fn beside_long_rows(black: Bits) -> Bits {
    match black.count() {
        0..5 => Bits::EMPTY,
        _ => black.around(),
    }
}

/// What a black stone on this empty crossing would make that is forbidden.
pub(super) fn why(black: Bits, empty: Bits, cell: Cell) -> Option<&'static str> {
    judge(black, empty, cell, MAX_AHEAD)
}

fn judge(mut black: Bits, mut empty: Bits, cell: Cell, ahead: u32) -> Option<&'static str> {
    black.insert(cell);
    empty.remove(cell);
    let lines = WAYS.map(|way| Line::through(cell, way, black, empty, SIZE));
    let lengths = lines.each_ref().map(Line::length);
    if lengths.contains(&5) {
        return None;
    }
    if lengths.iter().any(|length| *length > 5) {
        return Some("more than five in a row");
    }
    if lines.iter().map(Line::fours).sum::<usize>() > 1 {
        return Some("two fours");
    }
    // A three needs a crossing for the straight four that is not forbidden itself.
    let is_three = |line: &&Line| {
        line.straightening().any(|next| {
            ahead == 0 || judge(black, empty, next, ahead - 1).is_none() && !makes_five(black, next)
        })
    };
    (lines.iter().filter(is_three).count() > 1).then_some("two threes")
}

fn makes_five(mut black: Bits, cell: Cell) -> bool {
    black.insert(cell);
    crate::families::placement::rows::lengths(black, cell, SIZE).contains(&5)
}
