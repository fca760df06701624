//! LOA: two boards of bits.

use std::sync::LazyLock;

use crate::board::{Board, bits, cell, count, mixed_pair};

const FILE: u64 = 0x0101_0101_0101_0101;
const PASS: (u8, u8) = (64, 64);
const WAYS: [(i32, i32); 8] = [
    (1, 0),
    (0, 1),
    (1, 1),
    (1, -1),
    (-1, 0),
    (0, -1),
    (-1, -1),
    (-1, 1),
];
const EDGE: u64 = 0xff81_8181_8181_81ff;

#[derive(Clone)]
pub(crate) struct Loa {
    own: u64,
    enemy: u64,
    is_white: bool,
}

/// For each cell: its four lines, and for each way and distance the cell there and those before it.
struct Lines {
    line: [[u64; 4]; 64],
    ray: Vec<[[(u8, u64); 8]; 8]>,
}

static LINES: LazyLock<Lines> = LazyLock::new(|| {
    let mut lines = Lines {
        line: [[0; 4]; 64],
        ray: vec![[[(PASS.0, 0); 8]; 8]; 64],
    };
    for from in 0..64_i32 {
        let at = from as usize;
        for (number, (dx, dy)) in WAYS.into_iter().enumerate() {
            let mut between = 0;
            for step in 0..8_i32 {
                let (x, y) = (from % 8 + dx * step, from / 8 + dy * step);
                if !(0..8).contains(&x) || !(0..8).contains(&y) {
                    break;
                }
                let to = y * 8 + x;
                lines.line[at][number % 4] |= 1 << to;
                lines.ray[at][number][step as usize] = (to as u8, between);
                if step > 0 {
                    between |= 1 << to;
                }
            }
        }
    }
    lines
});

fn each(own: u64, enemy: u64, mut each: impl FnMut(u8, u8)) {
    let all = own | enemy;
    for from in bits(own) {
        for (number, rays) in LINES.ray[from].iter().enumerate() {
            let steps = (LINES.line[from][number % 4] & all).count_ones() as usize;
            let Some(&(to, between)) = rays.get(steps) else {
                continue;
            };
            if to != PASS.0 && own & (1 << to) == 0 && between & enemy == 0 {
                each(from as u8, to);
            }
        }
    }
}

fn grown(set: u64) -> u64 {
    let wide = set | ((set & !(FILE << 7)) << 1) | ((set & !FILE) >> 1);
    wide | (wide << 8) | (wide >> 8)
}

/// The group of the lowest of these pieces.
fn group(own: u64) -> u64 {
    let mut all = own & own.wrapping_neg();
    loop {
        let more = grown(all) & own;
        if more == all {
            return all;
        }
        all = more;
    }
}

fn groups(mut own: u64) -> (i32, i32) {
    let (mut number, mut greatest) = (0, 0);
    while own != 0 {
        let one = group(own);
        own &= !one;
        number += 1;
        greatest = greatest.max(count(one));
    }
    (number, greatest)
}

/// How far the pieces are from their centre, in hundredths, less what that number of pieces needs.
fn scattered(own: u64) -> i32 {
    let pieces = count(own).max(1);
    let (x, y) = bits(own).fold((0, 0), |(x, y), at| (x + at % 8, y + at / 8));
    let (x, y) = (100 * x as i32 / pieces, 100 * y as i32 / pieces);
    let far: i32 = bits(own)
        .map(|at| {
            let (dx, dy) = (
                (100 * (at % 8) as i32 - x).abs(),
                (100 * (at / 8) as i32 - y).abs(),
            );
            dx.max(dy)
        })
        .sum();
    let least = 100 * ((pieces - 1).min(8) + 2 * (pieces - 9).max(0));
    (far - least).max(0) / pieces
}

fn mobility(own: u64, enemy: u64) -> i32 {
    let mut points = 0;
    each(own, enemy, |_, to| {
        let to = 1 << to;
        points += match (to & enemy != 0, to & EDGE != 0) {
            (true, _) => 4,
            (false, true) => 1,
            (false, false) => 2,
        };
    });
    points
}

fn worth(own: u64, enemy: u64) -> i32 {
    let (number, greatest) = groups(own);
    let pieces = count(own);
    let joined: i32 = bits(own).map(|at| count(grown(1 << at) & own) - 1).sum();
    3 * mobility(own, enemy) - 4 * scattered(own) - 25 * number - 12 * (pieces - greatest)
        + 20 * joined.min(3 * pieces) / pieces.max(1)
        - 8 * count(own & EDGE)
}

impl Board for Loa {
    type Turn = (u8, u8);
    const REPEATS: bool = true;

    fn start() -> Self {
        Self {
            own: 0x7e00_0000_0000_007e,
            enemy: 0x0081_8181_8181_8100,
            is_white: false,
        }
    }

    fn legal(&self) -> Vec<(u8, u8)> {
        let mut all = Vec::new();
        each(self.own, self.enemy, |from, to| all.push((from, to)));
        if all.is_empty() {
            all.push(PASS);
        }
        all
    }

    fn listed(&self, out: &mut Vec<(i32, (u8, u8))>) {
        let centre = |at: u8| {
            let (x, y) = (i32::from(at % 8), i32::from(at / 8));
            (2 * x - 7).abs().max((2 * y - 7).abs())
        };
        for turn in self.legal() {
            let (from, to) = turn;
            let is_capture = to < 64 && self.enemy & (1 << to) != 0;
            let score = 20 * (centre(from) - centre(to)) + if is_capture { 120 } else { 0 };
            out.push((score, turn));
        }
    }

    fn play(&mut self, (from, to): (u8, u8)) {
        let (mut own, mut enemy) = (self.own, self.enemy);
        if from < 64 {
            own = (own & !(1 << from)) | (1 << to);
            enemy &= !(1 << to);
        }
        *self = Self {
            own: enemy,
            enemy: own,
            is_white: !self.is_white,
        };
    }

    fn key(&self) -> u64 {
        mixed_pair(self.own, self.enemy) ^ u64::from(self.is_white)
    }

    fn decided(&self) -> Option<i32> {
        match (group(self.own) == self.own, group(self.enemy) == self.enemy) {
            (true, true) => Some(0),
            (true, false) => Some(1),
            (false, true) => Some(-1),
            (false, false) => None,
        }
    }

    fn estimate(&self) -> i32 {
        worth(self.own, self.enemy) - worth(self.enemy, self.own) + 20
    }

    fn slot((from, to): (u8, u8)) -> usize {
        usize::from(from) * 65 + usize::from(to)
    }

    fn write(&self, turn: (u8, u8)) -> String {
        let name = |at: u8| cell(usize::from(at % 8), usize::from(at / 8));
        match turn {
            PASS => "pass".to_owned(),
            (from, to) => format!("{}-{}", name(from), name(to)),
        }
    }
}
