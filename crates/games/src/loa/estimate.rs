//! What a computer player knows of Lines of Action.

use super::Loa;
use crate::kit::square::SmallBits;
use crate::{Seat, Weighed};

impl Weighed<2> for Loa {
    const WEIGHTS: [(&'static str, i32); 2] = [("groups", -10), ("thirtieths of a step to the middle", -7)];

    fn counts(&self, side: Seat) -> [i32; 2] {
        let [own, other] = [side, side.other()].map(|side| strength(self, side));
        [own[0] - other[0], own[1] - other[1]]
    }
}

/// The groups, and how far the pieces are on average from their common middle.
fn strength(at: &Loa, side: Seat) -> [i32; 2] {
    let pieces = at.pieces[side.index()];
    let count = (pieces.count() as i32).max(1);
    let (mut left, mut groups) = (pieces, 0);
    while let Some(first) = left.first() {
        left -= SmallBits::of(first).spread_around(left);
        groups += 1;
    }
    let places = || {
        pieces
            .iter()
            .map(|cell| (i32::from(cell.column()), i32::from(cell.row())))
    };
    let (x, y) = places().fold((0, 0), |(x, y), (column, row)| (x + column, y + row));
    // Ten times the distance to the middle, by the steps of a king.
    let away = places().map(|(column, row)| {
        (10 * column - 10 * x / count)
            .abs()
            .max((10 * row - 10 * y / count).abs())
    });
    [groups, 3 * away.sum::<i32>() / count]
}
