//! What a computer player knows of Breakthrough.

use super::Breakthrough;
use crate::Seat;

/// A pawn is worth more the nearer it is to its goal, and so is one on the own edge, which guards it.
pub(super) fn strength(at: &Breakthrough, side: Seat) -> i32 {
    let (pawns, size) = (at.pieces[side.index()], at.grid.size());
    let rows = (0..size).map(|done| {
        let row = match side {
            Seat::First => done,
            Seat::Second => size - 1 - done,
        };
        let guards = if done == 0 { 12 } else { 0 };
        let left = i32::from(size - 1 - done);
        pawns.row(row).count() as i32 * (60 + guards + 240 / (left * left + 2))
    });
    rows.sum()
}
