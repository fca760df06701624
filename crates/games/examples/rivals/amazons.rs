//! Amazons: boards of 128 bits, eleven a row, so that nothing runs over the edge.

use crate::board::{Board, cell, mixed};

const WIDTH: usize = 11;
const SIZE: usize = 10;
const WAYS: [i32; 8] = [1, -1, 11, -11, 10, -10, 12, -12];
/// How many moves of amazons are tried with arrows, and how many turns a position lists.
const MOVES: usize = 14;
const TURNS: usize = 40;
const LOST: i32 = -50_000;

#[derive(Clone)]
pub(crate) struct Amazons {
    own: u128,
    enemy: u128,
    empty: u128,
    arrows: i32,
}

fn shifted(set: u128, by: i32) -> u128 {
    match by > 0 {
        true => set << by,
        false => set >> -by,
    }
}

fn bits(mut set: u128) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then_some(set.trailing_zeros() as u8);
        set &= set.wrapping_sub(1);
        bit
    })
}

fn count(set: u128) -> i32 {
    set.count_ones().cast_signed()
}

/// Where a queen of these cells can go.
fn queens(from: u128, empty: u128) -> u128 {
    let mut all = 0;
    for by in WAYS {
        let mut line = shifted(from, by) & empty;
        while line != 0 {
            all |= line;
            line = shifted(line, by) & empty;
        }
    }
    all
}

fn kings(from: u128, empty: u128) -> u128 {
    let wide = from | (from << 1) | (from >> 1);
    (wide | (wide << WIDTH) | (wide >> WIDTH)) & empty
}

/// Who is nearer to how many cells, in hundredths of a cell, and the same with near cells counted more.
fn territory(own: u128, enemy: u128, empty: u128, step: fn(u128, u128) -> u128) -> (i32, i32) {
    let (mut mine, mut theirs) = (0, 0);
    let (mut my_front, mut their_front) = (own, enemy);
    let (mut cells, mut near, mut weight) = (0, 0, 100);
    while my_front != 0 || their_front != 0 {
        my_front = step(my_front, empty) & !mine;
        their_front = step(their_front, empty) & !theirs;
        cells += 100 * (count(my_front & !theirs & !their_front) - count(their_front & !mine & !my_front));
        cells += 15 * count(my_front & their_front);
        near += weight * (count(my_front) - count(their_front));
        mine |= my_front;
        theirs |= their_front;
        weight /= 2;
    }
    (cells, near)
}

/// What the amazons lack in freedom.
fn shut(own: u128, empty: u128) -> i32 {
    bits(own)
        .map(|at| {
            let free = count(queens(1 << at, empty)) + 2 * count(kings(1 << at, empty));
            match free {
                0 => 500,
                _ => 900 / (free + 2),
            }
        })
        .sum()
}

impl Amazons {
    fn after(&self, (from, to, arrow): (u8, u8, u8)) -> Self {
        let mut after = self.clone();
        after.play((from, to, arrow));
        after
    }

    /// The position with an amazon moved and no arrow shot.
    fn moved(&self, from: u8, to: u8) -> Self {
        let (from, to) = (1 << from, 1 << to);
        Self {
            own: (self.own & !from) | to,
            empty: (self.empty | from) & !to,
            ..*self
        }
    }

    fn moves(&self) -> impl Iterator<Item = (u8, u8)> {
        let empty = self.empty;
        bits(self.own).flat_map(move |from| bits(queens(1 << from, empty)).map(move |to| (from, to)))
    }
}

impl Board for Amazons {
    type Turn = (u8, u8, u8);
    const VALUED: bool = true;
    const REDUCE: bool = false;

    fn start() -> Self {
        let set = |cells: [(usize, usize); 4]| cells.iter().map(|(x, y)| 1_u128 << (y * WIDTH + x)).sum();
        let own: u128 = set([(0, 3), (3, 0), (6, 0), (9, 3)]);
        let enemy: u128 = set([(0, 6), (3, 9), (6, 9), (9, 6)]);
        let board: u128 = (0..SIZE).map(|y| 0x3ff_u128 << (y * WIDTH)).sum();
        Self {
            own,
            enemy,
            empty: board & !own & !enemy,
            arrows: 0,
        }
    }

    fn legal(&self) -> Vec<(u8, u8, u8)> {
        let mut all = Vec::new();
        for (from, to) in self.moves() {
            let arrows = queens(1 << to, self.moved(from, to).empty);
            all.extend(bits(arrows).map(|arrow| (from, to, arrow)));
        }
        all
    }

    fn listed(&self, out: &mut Vec<(i32, (u8, u8, u8))>) {
        let mut moves: Vec<_> = self
            .moves()
            .map(|(from, to)| (self.moved(from, to).estimate(), from, to))
            .collect();
        moves.sort_unstable_by_key(|&(score, ..)| -score);
        moves.truncate(MOVES);
        for (_, from, to) in moves {
            for arrow in bits(queens(1 << to, self.moved(from, to).empty)) {
                let turn = (from, to, arrow);
                out.push((-self.after(turn).estimate(), turn));
            }
        }
        out.sort_unstable_by_key(|&(score, _)| -score);
        out.truncate(TURNS);
    }

    fn play(&mut self, (from, to, arrow): (u8, u8, u8)) {
        let moved = self.moved(from, to);
        *self = Self {
            own: moved.enemy,
            enemy: moved.own,
            empty: moved.empty & !(1 << arrow),
            arrows: moved.arrows + 1,
        };
    }

    fn key(&self) -> u64 {
        let parts = [self.own, self.enemy, self.empty];
        let halves = parts
            .into_iter()
            .flat_map(|part| [part as u64, (part >> 64) as u64]);
        halves.fold(0x51, |sum, half| mixed(sum ^ half).wrapping_add(sum << 1))
    }

    fn decided(&self) -> Option<i32> {
        (kings(self.own, self.empty) == 0).then_some(-1)
    }

    fn estimate(&self) -> i32 {
        if kings(self.own, self.empty) == 0 {
            return LOST;
        }
        let late = self.arrows.min(40);
        let early = 40 - late;
        let (queen, near) = territory(self.own, self.enemy, self.empty, queens);
        let (king, _) = territory(self.own, self.enemy, self.empty, kings);
        let freedom = shut(self.enemy, self.empty) - shut(self.own, self.empty);
        (queen * (20 + late) + king * (5 + early / 2) + near * early / 4 + freedom * (10 + early) / 8) / 60
    }

    fn slot((from, to, _): (u8, u8, u8)) -> usize {
        usize::from(from) * 128 + usize::from(to)
    }

    fn write(&self, (from, to, arrow): (u8, u8, u8)) -> String {
        let name = |at: u8| cell(usize::from(at) % WIDTH, usize::from(at) / WIDTH);
        format!("{}-{}/{}", name(from), name(to), name(arrow))
    }
}
