//! What a computer player knows of Lines of Action.

use super::{Loa, SIZE, between, far, steps};
use crate::kit::square::{Cell, SmallBits, Way};
use crate::{Seat, Weighed};

impl Weighed<8> for Loa {
    const WEIGHTS: [(&'static str, i32); 8] = [
        ("groups", -6),
        ("tenths of the mean square of the distance to the middle", -5),
        ("moves", 5),
        ("pieces next to one another", 2),
        ("pieces outside the greatest group", -14),
        ("pieces on the edge", 3),
        ("pieces", 20),
        ("to move", 40),
    ];

    fn counts(&self, side: Seat) -> [i32; 8] {
        let [own, other] = [side, side.other()].map(|side| strength(self, side));
        std::array::from_fn(|place| own[place] - other[place])
    }
}

/// See the weights.
fn strength(at: &Loa, side: Seat) -> [i32; 8] {
    let pieces = at.pieces[side.index()];
    let count = (pieces.count() as i32).max(1);
    let (mut left, mut groups, mut greatest) = (pieces, 0, 0);
    while let Some(first) = left.first() {
        let group = SmallBits::of(first).spread_around(left);
        left -= group;
        greatest = greatest.max(group.count() as i32);
        groups += 1;
    }
    let on_edge = pieces - SmallBits::square(SIZE).inner();
    let places = || {
        pieces
            .iter()
            .map(|cell| (i32::from(cell.column()), i32::from(cell.row())))
    };
    // The sum of squares about the mean is the sum of squares less the square of the sum, divided by the count.
    let sums = places().fold([0; 3], |[x, y, squares], (column, row)| {
        [x + column, y + row, squares + column * column + row * row]
    });
    let [x, y, squares] = sums;
    let away = 10 * (squares * count - x * x - y * y) / (count * count);
    let neighbours = Way::ALL.map(|way| (pieces.step(way) & pieces).count() as i32);
    [
        groups,
        away,
        moves(at, side),
        neighbours.iter().sum::<i32>() / 2,
        count - greatest,
        on_edge.count() as i32,
        count,
        i32::from(side == at.mover),
    ]
}

/// How many moves this side has: a capture counts twice, and a move to the edge half.
fn moves(at: &Loa, side: Seat) -> i32 {
    let (own, enemy) = (at.pieces[side.index()], at.pieces[side.other().index()]);
    let edge = |cell: Cell| {
        [cell.column(), cell.row()]
            .into_iter()
            .any(|place| place == 0 || place == SIZE - 1)
    };
    let mut halves = 0;
    for from in own {
        for way in &Way::ALL[..4] {
            let count = steps(at, from, *way);
            for way in [*way, way.opposite()] {
                let Some(to) = far(from, way, count) else { continue };
                if own.has(to) || !(between(from, to, way) & enemy).is_empty() {
                    continue;
                }
                let captured = if enemy.has(to) { 2 } else { 1 };
                halves += if edge(to) { captured } else { 2 * captured };
            }
        }
    }
    halves / 2
}
