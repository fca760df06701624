//! Gomoku: for each empty crossing, what a stone of either side makes there in each of the four lines.

use std::sync::LazyLock;

use crate::board::{Board, cell, mixed};

const SIZE: usize = 15;
const WIDTH: usize = SIZE + 4;
const CELLS: usize = WIDTH * 24;
const WAYS: [usize; 4] = [1, WIDTH, WIDTH + 1, WIDTH - 1];
const EMPTY: u8 = 2;
const WALL: u8 = 3;

/// What a stone makes in a line.
const TWO: u16 = 1;
const OPEN_TWO: u16 = 2;
const THREE: u16 = 3;
const OPEN_THREE: u16 = 4;
const FOUR: u16 = 5;
const OPEN_FOUR: u16 = 6;
const FIVE: u16 = 7;

/// What a stone is worth, by what it makes in the four lines.
const MAKES_FIVE: i16 = 30_000;
const MAKES_TWO_FOURS: i16 = 10_000;
const MAKES_FOUR_AND_THREE: i16 = 3000;
const MAKES_TWO_THREES: i16 = 1200;
const SINGLE: [i16; 8] = [0, 4, 20, 22, 110, 115, 0, 0];

/// How many turns a quiet position lists.
const LISTED: usize = 18;

/// By the eight neighbours on a line, two bits each: what a stone between them makes.
static MADE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut made = vec![0; 1 << 16];
    let mut line = [0_u8; 9];
    fill_table(&mut made, &mut line, 0);
    made
});

/// By what a stone makes in the four lines, three bits each: what it is worth, and whether it makes a four.
static WORTH: LazyLock<Vec<(i16, bool)>> = LazyLock::new(|| (0..4096).map(worth_of).collect());

fn fill_table(made: &mut [u8], line: &mut [u8; 9], at: usize) {
    if at == 9 {
        let index = line.iter().enumerate().filter(|&(at, _)| at != 4);
        let index = index.fold(0, |sum, (_, &cell)| sum * 4 + usize::from(cell));
        made[index] = class(line) as u8;
        return;
    }
    // Of the player's own, an enemy or the edge, or empty.
    for cell in [0, 1, EMPTY] {
        line[at] = cell;
        if at != 4 || cell == 0 {
            fill_table(made, line, at + 1);
        }
    }
}

fn is_five(line: &[u8; 9]) -> bool {
    let before = line[..4].iter().rev().take_while(|&&cell| cell == 0).count();
    let after = line[5..].iter().take_while(|&&cell| cell == 0).count();
    before + after >= 4
}

/// How many more stones of these lines satisfy a test.
fn with_one_more(line: &[u8; 9], test: fn(&[u8; 9]) -> bool) -> usize {
    (0..9)
        .filter(|&at| {
            let mut more = *line;
            more[at] = 0;
            line[at] == EMPTY && test(&more)
        })
        .count()
}

fn class(line: &[u8; 9]) -> u16 {
    let fours = |line: &[u8; 9]| with_one_more(line, is_five);
    let open_three = |line: &[u8; 9]| with_one_more(line, |line| with_one_more(line, is_five) >= 2) > 0;
    let three = |line: &[u8; 9]| with_one_more(line, |line| with_one_more(line, is_five) == 1) > 0;
    if is_five(line) {
        return FIVE;
    }
    match fours(line) {
        0 => {}
        1 => return FOUR,
        _ => return OPEN_FOUR,
    }
    if open_three(line) {
        return OPEN_THREE;
    }
    if three(line) {
        return THREE;
    }
    let then = |test: fn(&[u8; 9]) -> bool| with_one_more(line, test) > 0;
    if then(|line| with_one_more(line, |line| with_one_more(line, is_five) >= 2) > 0) {
        return OPEN_TWO;
    }
    if then(|line| with_one_more(line, |line| with_one_more(line, is_five) == 1) > 0) {
        return TWO;
    }
    0
}

fn worth_of(packed: u16) -> (i16, bool) {
    let made = [packed & 7, packed >> 3 & 7, packed >> 6 & 7, packed >> 9];
    let of = |class| made.iter().filter(|&&one| one == class).count();
    let (fours, threes) = (of(FOUR), of(OPEN_THREE));
    let bonus = match () {
        () if of(FIVE) > 0 => return (MAKES_FIVE, true),
        () if of(OPEN_FOUR) > 0 || fours >= 2 => return (MAKES_TWO_FOURS, true),
        () if fours > 0 && threes > 0 => MAKES_FOUR_AND_THREE,
        () if threes >= 2 => MAKES_TWO_THREES,
        () => 0,
    };
    let single: i16 = made.iter().map(|&one| SINGLE[usize::from(one)]).sum();
    (bonus + single, fours > 0)
}

#[derive(Clone)]
pub(crate) struct Gomoku {
    stones: [u8; CELLS],
    made: [[u16; CELLS]; 2],
    side: usize,
    key: u64,
    has_five: bool,
    filled: usize,
}

fn cells() -> impl Iterator<Item = usize> {
    (0..SIZE).flat_map(|row| (0..SIZE).map(move |column| (row + 4) * WIDTH + column + 4))
}

fn from_centre(at: usize) -> i16 {
    let far = |place: usize| place.abs_diff(11) as i16;
    far(at % WIDTH).max(far(at / WIDTH))
}

impl Gomoku {
    fn renew(&mut self, at: usize, number: usize, way: usize) {
        for side in 0..2 {
            let mut index = 0;
            for step in [-4, -3, -2, -1, 1, 2, 3, 4_isize] {
                let stone = self.stones[at.wrapping_add_signed(step * way.cast_signed())];
                let seen = match stone {
                    EMPTY => EMPTY,
                    _ => u8::from(usize::from(stone) != side),
                };
                index = index * 4 + usize::from(seen);
            }
            let made = &mut self.made[side][at];
            *made = (*made & !(7 << (3 * number))) | u16::from(MADE[index]) << (3 * number);
        }
    }

    fn worth(&self, side: usize, at: usize) -> i16 {
        WORTH[usize::from(self.made[side][at])].0
    }

    fn makes_four(&self, side: usize, at: usize) -> bool {
        WORTH[usize::from(self.made[side][at])].1
    }

    fn empty(&self) -> impl Iterator<Item = usize> {
        cells().filter(|&at| self.stones[at] == EMPTY)
    }

    /// The greatest worth of a stone of this side, and where.
    fn top(&self, side: usize) -> (i16, usize) {
        let all = self.empty().map(|at| (self.worth(side, at), at));
        all.max().unwrap_or((0, 0))
    }

    /// A turn that wins with one four after the other.
    fn fours(&self, depth: u32, nodes: &mut u32) -> Option<usize> {
        if self.has_five || *nodes == 0 {
            return None;
        }
        *nodes -= 1;
        let (mine, at) = self.top(self.side);
        let (theirs, must) = self.top(self.side ^ 1);
        if mine == MAKES_FIVE || (mine == MAKES_TWO_FOURS && theirs < MAKES_FIVE) {
            return Some(at);
        }
        if depth == 0 {
            return None;
        }
        let mut tries: Vec<usize> = match theirs {
            MAKES_FIVE => vec![must],
            _ => self.empty().collect(),
        };
        tries.retain(|&at| self.makes_four(self.side, at));
        tries.sort_by_key(|&at| -self.worth(self.side, at));
        tries.into_iter().find(|&at| {
            let mut after = self.clone();
            after.play(at as u16);
            let (five, answer) = after.top(self.side);
            if five < MAKES_FIVE || after.top(after.side).0 == MAKES_FIVE {
                return false;
            }
            after.play(answer as u16);
            after.fours(depth - 1, nodes).is_some()
        })
    }

    fn total(&self, side: usize) -> i32 {
        let all = self.empty().map(|at| i32::from(self.worth(side, at)));
        all.map(|worth| worth.min(600)).sum()
    }
}

impl Board for Gomoku {
    type Turn = u16;
    const REDUCE: bool = false;

    fn start() -> Self {
        let mut stones = [WALL; CELLS];
        cells().for_each(|at| stones[at] = EMPTY);
        let mut start = Self {
            stones,
            made: [[0; CELLS]; 2],
            side: 0,
            key: 0,
            has_five: false,
            filled: 0,
        };
        for at in cells() {
            for (number, way) in WAYS.into_iter().enumerate() {
                start.renew(at, number, way);
            }
        }
        start
    }

    fn legal(&self) -> Vec<u16> {
        self.empty().map(|at| at as u16).collect()
    }

    fn listed(&self, out: &mut Vec<(i32, u16)>) {
        let (side, other) = (self.side, self.side ^ 1);
        let (mine, best) = self.top(side);
        let (theirs, must) = self.top(other);
        if mine == MAKES_FIVE || (mine == MAKES_TWO_FOURS && theirs < MAKES_FIVE) {
            return out.push((0, best as u16));
        }
        if theirs == MAKES_FIVE {
            return out.push((0, must as u16));
        }
        let score = |at| {
            let (mine, theirs) = (i32::from(self.worth(side, at)), i32::from(self.worth(other, at)));
            mine * 5 / 4 + theirs - i32::from(from_centre(at)) + 8
        };
        let mut all: Vec<(i32, u16)> = self.empty().map(|at| (score(at), at as u16)).collect();
        if theirs >= MAKES_TWO_FOURS {
            all.retain(|&(_, at)| self.makes_four(side, at.into()) || self.makes_four(other, at.into()));
        }
        all.sort_unstable_by_key(|&(score, _)| -score);
        all.truncate(LISTED);
        out.extend(all);
    }

    fn play(&mut self, turn: u16) {
        let at = usize::from(turn);
        self.has_five = self.worth(self.side, at) == MAKES_FIVE;
        self.stones[at] = self.side as u8;
        self.filled += 1;
        self.key ^= mixed(u64::from(turn) * 2 + self.side as u64 + 1);
        for (number, way) in WAYS.into_iter().enumerate() {
            for step in [-4, -3, -2, -1, 1, 2, 3, 4_isize] {
                let near = at.wrapping_add_signed(step * way.cast_signed());
                if self.stones[near] == EMPTY {
                    self.renew(near, number, way);
                }
            }
        }
        self.side ^= 1;
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn decided(&self) -> Option<i32> {
        if self.has_five {
            return Some(-1);
        }
        if self.filled == SIZE * SIZE {
            return Some(0);
        }
        let (mine, theirs) = (self.top(self.side).0, self.top(self.side ^ 1).0);
        let wins = mine == MAKES_FIVE || (mine == MAKES_TWO_FOURS && theirs < MAKES_FIVE);
        wins.then_some(1)
    }

    fn decided_at_leaf(&self) -> Option<i32> {
        self.fours(10, &mut 60).map(|_| 1)
    }

    fn estimate(&self) -> i32 {
        let (mine, theirs) = (self.top(self.side).0, self.top(self.side ^ 1).0);
        let threat = i32::from(mine.min(2000)) / 2 - i32::from(theirs.min(2000)) / 8;
        self.total(self.side) * 5 / 4 - self.total(self.side ^ 1) + threat
    }

    fn slot(turn: u16) -> usize {
        usize::from(turn)
    }

    fn write(&self, turn: u16) -> String {
        let at = usize::from(turn);
        cell(at % WIDTH - 4, at / WIDTH - 4)
    }

    fn at_once(&self, _left: &dyn Fn() -> bool) -> Option<u16> {
        self.fours(20, &mut 5000).map(|at| at as u16)
    }

    fn is_safe(&self) -> bool {
        self.fours(20, &mut 1000).is_none()
    }
}
