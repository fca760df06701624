//! Reversi: two boards of bits, exact at the end.

use crate::board::{Board, bits, cell, count, mixed_pair};

const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;
const CORNERS: u64 = 0x8100_0000_0000_0081;
/// With so few empty cells the result is searched for.
const EXACT: i32 = 12;
pub(crate) const PASS: u8 = 64;

#[derive(Clone)]
pub(crate) struct Reversi {
    own: u64,
    enemy: u64,
}

/// Each way as a shift to the left, negative to the right, with the cells that a line may run over.
const WAYS: [(i32, u64); 8] = [
    (1, INNER),
    (-1, INNER),
    (8, !0),
    (-8, !0),
    (9, INNER),
    (-9, INNER),
    (7, INNER),
    (-7, INNER),
];

fn shifted(set: u64, by: i32) -> u64 {
    match by > 0 {
        true => set << by,
        false => set >> -by,
    }
}

fn places(own: u64, enemy: u64) -> u64 {
    let mut all = 0;
    for (by, inner) in WAYS {
        let inner = enemy & inner;
        let mut line = shifted(own, by) & inner;
        for _ in 0..5 {
            line |= shifted(line, by) & inner;
        }
        all |= shifted(line, by);
    }
    all & !(own | enemy)
}

fn turned(own: u64, enemy: u64, at: u64) -> u64 {
    let mut all = 0;
    for (by, inner) in WAYS {
        let inner = enemy & inner;
        let mut line = shifted(at, by) & inner;
        for _ in 0..5 {
            line |= shifted(line, by) & inner;
        }
        if shifted(line, by) & own != 0 {
            all |= line;
        }
    }
    all
}

/// Empty cells next to these discs.
fn frontier(discs: u64, empty: u64) -> i32 {
    let wide = discs | ((discs & !0x8080_8080_8080_8080) << 1) | ((discs & !0x0101_0101_0101_0101) >> 1);
    count((wide | (wide << 8) | (wide >> 8)) & empty)
}

/// Discs on the edges that are joined to a corner, each edge apart.
fn edge_stable(own: u64) -> i32 {
    let edges = [
        (0, 1),
        (0, 8),
        (63, -1),
        (63, -8),
        (7, -1),
        (7, 8),
        (56, 1),
        (56, -8),
    ];
    let mut stable = 0u64;
    for (corner, along) in edges {
        let mut at: i32 = corner;
        for _ in 0..8 {
            if own & (1u64 << at) == 0 {
                break;
            }
            stable |= 1u64 << at;
            at += along;
            if !(0..64).contains(&at) {
                break;
            }
        }
    }
    count(stable)
}

/// What cells near empty corners cost.
fn near_corners(own: u64, empty: u64) -> i32 {
    let near = [
        (0, 9, [1, 8]),
        (7, 14, [6, 15]),
        (56, 49, [48, 57]),
        (63, 54, [55, 62]),
    ];
    let open = near.iter().filter(|(corner, ..)| empty & (1u64 << corner) != 0);
    open.map(|(_, diagonal, edges)| {
        let edges: i32 = edges.iter().map(|edge| count(own & (1u64 << edge))).sum();
        45 * count(own & (1u64 << diagonal)) + 14 * edges
    })
    .sum()
}

impl Reversi {
    fn empty(&self) -> u64 {
        !(self.own | self.enemy)
    }

    /// The sign of the result, 1, 0 or -1, between these bounds; `None` if the time is over.
    fn sign(&self, mut alpha: i32, beta: i32, left: &mut dyn FnMut() -> bool) -> Option<i32> {
        if !left() {
            return None;
        }
        let moves = places(self.own, self.enemy);
        if moves == 0 {
            if places(self.enemy, self.own) == 0 {
                return Some((count(self.own) - count(self.enemy)).signum());
            }
            let mut after = self.clone();
            after.play(PASS);
            return Some(-after.sign(-beta, -alpha, left)?);
        }
        let mut best = -1;
        for (_, _, after) in self.fastest(moves) {
            best = best.max(-after.sign(-beta, -alpha, left)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }

    /// The positions after these turns: first those that leave few answers.
    fn fastest(&self, moves: u64) -> Vec<(i32, u8, Self)> {
        let mut all: Vec<_> = bits(moves)
            .map(|at| {
                let mut after = self.clone();
                after.play(at as u8);
                let corner = if CORNERS & (1 << at) != 0 { 4 } else { 0 };
                (count(places(after.own, after.enemy)) - corner, at as u8, after)
            })
            .collect();
        all.sort_by_key(|&(score, ..)| score);
        all
    }
}

impl Board for Reversi {
    type Turn = u8;

    fn start() -> Self {
        Self {
            own: 0x0000_0008_1000_0000,
            enemy: 0x0000_0010_0800_0000,
        }
    }

    fn legal(&self) -> Vec<u8> {
        match places(self.own, self.enemy) {
            0 => vec![PASS],
            moves => bits(moves).map(|at| at as u8).collect(),
        }
    }

    fn listed(&self, out: &mut Vec<(i32, u8)>) {
        let moves = places(self.own, self.enemy);
        if moves == 0 {
            out.push((0, PASS));
            return;
        }
        out.extend(
            self.fastest(moves)
                .iter()
                .map(|&(score, at, _)| (-60 * score, at)),
        );
    }

    fn play(&mut self, turn: u8) {
        let mut own = self.own;
        let mut enemy = self.enemy;
        if turn != PASS {
            let at = 1 << turn;
            let turned = turned(own, enemy, at);
            own |= turned | at;
            enemy &= !turned;
        }
        *self = Self {
            own: enemy,
            enemy: own,
        };
    }

    fn key(&self) -> u64 {
        mixed_pair(self.own, self.enemy)
    }

    fn decided(&self) -> Option<i32> {
        if places(self.own, self.enemy) != 0 || places(self.enemy, self.own) != 0 {
            return None;
        }
        Some((count(self.own) - count(self.enemy)).signum())
    }

    fn estimate(&self) -> i32 {
        let (own, enemy, empty) = (self.own, self.enemy, self.empty());
        let mobility = count(places(own, enemy)) - count(places(enemy, own));
        let potential = frontier(enemy, empty) - frontier(own, empty);
        let corners = count(own & CORNERS) - count(enemy & CORNERS);
        let stable = edge_stable(own) - edge_stable(enemy);
        let discs = count(own) - count(enemy);
        let late = (60 - count(empty)).max(40) - 40;
        14 * mobility + 5 * potential + 90 * corners + 22 * stable + discs * late / 4
            - near_corners(own, empty)
            + near_corners(enemy, empty)
    }

    fn slot(turn: u8) -> usize {
        usize::from(turn)
    }

    fn write(&self, turn: u8) -> String {
        match turn {
            PASS => "pass".to_owned(),
            _ => cell(usize::from(turn % 8), usize::from(turn / 8)),
        }
    }

    fn at_once(&self, left: &dyn Fn() -> bool) -> Option<u8> {
        let moves = places(self.own, self.enemy);
        if moves == 0 || count(self.empty()) > EXACT {
            return None;
        }
        let (mut nodes, mut on, mut drawn) = (0u32, true, None);
        let mut counted = || {
            nodes += 1;
            on &= !nodes.is_multiple_of(256) || left();
            on
        };
        for (_, at, after) in self.fastest(moves) {
            match after.sign(-1, 1, &mut counted).map(|sign| -sign) {
                Some(1) => return Some(at),
                Some(0) => drawn = drawn.or(Some(at)),
                Some(_) => {}
                None => break,
            }
        }
        drawn
    }
}
