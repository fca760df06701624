//! Breakthrough: two boards of bits, always seen from the player to move, whose pawns go up.

use crate::board::{Board, bits, cell, count, mixed_pair};

const LEFT: u64 = 0x0101_0101_0101_0101;
const RIGHT: u64 = LEFT << 7;
const HOME: u64 = 0xff;
/// One step away from the goal.
const SEVENTH: u64 = HOME << 48;
/// What a pawn is worth on each row.
const ROWS: [i32; 8] = [104, 100, 104, 112, 126, 150, 190, 0];

#[derive(Clone)]
pub(crate) struct Breakthrough {
    own: u64,
    enemy: u64,
    is_black: bool,
}

type Turn = (u8, u8);

impl Breakthrough {
    fn each(&self, mut each: impl FnMut(Turn)) {
        let Self { own, enemy, .. } = *self;
        let steps = [
            ((own << 8) & !(own | enemy), 8),
            (((own & !LEFT) << 7) & !own, 7),
            (((own & !RIGHT) << 9) & !own, 9),
        ];
        for (targets, way) in steps {
            for to in bits(targets) {
                each(((to - way) as u8, to as u8));
            }
        }
    }

    /// The fewest steps of a pawn of `own` that no enemy can meet, as far as one can tell without a search.
    fn runner(own: u64, enemy: u64) -> Option<i32> {
        let runners = bits(own).filter(|&from| cone(from) & enemy == 0);
        runners.last().map(|from| 7 - (from / 8) as i32)
    }
}

/// The cells ahead from which a pawn can be met.
fn cone(from: usize) -> u64 {
    let (mut row, mut all) = (1 << from, 0);
    for _ in from / 8..7 {
        row = (row << 8) | ((row & !LEFT) << 7) | ((row & !RIGHT) << 9);
        all |= row;
    }
    all
}

fn attacks(own: u64) -> u64 {
    ((own & !LEFT) << 7) | ((own & !RIGHT) << 9)
}

/// Pawns, the cells that they gain, and their neighbours.
fn worth(own: u64, enemy: u64, to_move: bool) -> i32 {
    let rows: i32 = (0..8)
        .map(|row| ROWS[row] * count(own & (HOME << (8 * row))))
        .sum();
    let attacked = own & attacks(enemy.swap_bytes()).swap_bytes();
    let defended = attacks(own);
    let hanging = attacked & !defended;
    let side = count(own & (own << 1) & !LEFT) + count(own & (own << 8)) / 2;
    let guards = count(own & (0x66 | 0x24));
    let risk = if to_move { 15 } else { 60 };
    rows - risk * hanging.count_ones().min(2).cast_signed() - 8 * count(attacked & defended & !(HOME << 8))
        + 4 * count(own & defended)
        + 3 * side
        + 4 * guards
}

impl Board for Breakthrough {
    type Turn = Turn;

    fn start() -> Self {
        Self {
            own: 0xffff,
            enemy: 0xffff << 48,
            is_black: false,
        }
    }

    fn legal(&self) -> Vec<Turn> {
        let mut all = Vec::new();
        self.each(|turn| all.push(turn));
        all
    }

    fn listed(&self, out: &mut Vec<(i32, Turn)>) {
        let wins = self.own & SEVENTH != 0;
        let threats = self.enemy & (HOME << 8);
        let guarded = attacks(self.enemy.swap_bytes()).swap_bytes();
        self.each(|(from, to)| {
            let (target, row) = (1u64 << to, i32::from(to / 8));
            // Nothing but a capture stops a pawn that is a step from its goal.
            if !wins && threats != 0 && target & threats == 0 {
                return;
            }
            let mut score = 10 * row;
            if row == 7 {
                score += 100_000;
            }
            if target & self.enemy != 0 {
                score += 1000 + 50 * (7 - row);
            }
            if target & guarded != 0 {
                score -= 60;
            }
            out.push((score, (from, to)));
        });
        if out.is_empty() {
            self.each(|turn| out.push((0, turn)));
        }
    }

    fn noisy(&self, out: &mut Vec<(i32, Turn)>) {
        let all = self.enemy;
        self.each(|(from, to)| {
            if all & (1 << to) != 0 {
                out.push((7 - i32::from(to / 8), (from, to)));
            }
        });
    }

    fn play(&mut self, (from, to): Turn) {
        let own = (self.own & !(1 << from)) | (1 << to);
        let enemy = self.enemy & !(1 << to);
        *self = Self {
            own: enemy.swap_bytes(),
            enemy: own.swap_bytes(),
            is_black: !self.is_black,
        };
    }

    fn key(&self) -> u64 {
        mixed_pair(self.own, self.enemy)
    }

    fn decided(&self) -> Option<i32> {
        if self.enemy & HOME != 0 || self.own == 0 {
            return Some(-1);
        }
        (self.own & SEVENTH != 0).then_some(1)
    }

    fn estimate(&self) -> i32 {
        let (own, enemy) = (self.own, self.enemy);
        let (upside_own, upside_enemy) = (own.swap_bytes(), enemy.swap_bytes());
        let race = match (Self::runner(own, enemy), Self::runner(upside_enemy, upside_own)) {
            (Some(mine), theirs) if theirs.is_none_or(|theirs| mine <= theirs) => 3000 - 100 * mine,
            (_, Some(theirs)) => 100 * theirs - 2800,
            _ => 0,
        };
        race + worth(own, enemy, true) - worth(upside_enemy, upside_own, false)
    }

    fn slot((from, to): Turn) -> usize {
        usize::from(from) * 64 + usize::from(to)
    }

    fn write(&self, (from, to): Turn) -> String {
        let name = |at: u8| {
            let (column, row) = (usize::from(at % 8), usize::from(at / 8));
            cell(column, if self.is_black { 7 - row } else { row })
        };
        format!("{}-{}", name(from), name(to))
    }
}
