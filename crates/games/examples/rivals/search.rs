//! Alpha-beta, a turn deeper each time.

use std::cmp::Reverse;

use crate::board::Board;
use crate::clock::seconds;
use crate::rival::Choice;

const WIN: i32 = 1_000_000;
const NEAR_WIN: i32 = WIN - 1000;
const TABLE_BITS: u32 = 19;
const DEEPEST: usize = 64;
/// How many turns are searched beyond the horizon.
const QUIET_DEPTH: usize = 12;
const SLOTS: usize = 16384;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy)]
struct Entry<T> {
    key: u64,
    value: i32,
    depth: usize,
    bound: Bound,
    turn: Option<T>,
}

/// Searches one game; what it knows is kept from turn to turn.
pub(crate) struct Searcher<B: Board> {
    table: Vec<Option<Entry<B::Turn>>>,
    killers: Vec<[Option<B::Turn>; 2]>,
    history: Vec<i32>,
    path: Vec<u64>,
    root: Option<B::Turn>,
    at_root: Vec<(i32, B::Turn)>,
    until: f64,
    nodes: u64,
    stopped: bool,
}

impl<B: Board> Searcher<B> {
    pub(crate) fn new() -> Self {
        Self {
            table: vec![None; 1 << TABLE_BITS],
            killers: vec![[None; 2]; DEEPEST + QUIET_DEPTH + 2],
            history: vec![0; SLOTS],
            path: Vec::new(),
            root: None,
            at_root: Vec::new(),
            until: 0.0,
            nodes: 0,
            stopped: false,
        }
    }

    /// Notes a position of the game.
    pub(crate) fn passed(&mut self, board: &B) {
        self.path.push(board.key());
    }

    /// The best turn that is found within this many seconds.
    pub(crate) fn choose(&mut self, board: &B, budget: f64) -> Option<Choice<B::Turn>> {
        self.until = seconds() + budget;
        (self.nodes, self.stopped) = (0, false);
        self.killers.fill([None; 2]);
        self.history.iter_mut().for_each(|points| *points /= 8);
        let chosen = |turn, depth, value| Some(Choice { turn, depth, value });
        let until = self.until;
        if let Some(turn) = board.at_once(&|| seconds() < until) {
            return chosen(turn, 0, WIN);
        }
        let mut listed = Vec::new();
        board.listed(&mut listed);
        listed.sort_by_key(|&(score, _)| Reverse(score));
        let mut best = listed.first()?.1;
        if listed.len() == 1 {
            return chosen(best, 0, 0);
        }
        let is_safe = |&(_, turn): &(i32, B::Turn)| {
            let mut after = board.clone();
            after.play(turn);
            seconds() > until || after.is_safe()
        };
        self.at_root = listed.iter().copied().filter(is_safe).collect();
        match self.at_root.as_slice() {
            [] => self.at_root = listed,
            &[(_, turn)] => return chosen(turn, 0, 0),
            _ => {}
        }
        let mut known = 0;
        for depth in 1..DEEPEST {
            self.root = None;
            let value = self.value(board, depth, -WIN, WIN, 0);
            best = self.root.unwrap_or(best);
            if self.stopped {
                return chosen(best, depth, known);
            }
            known = value;
            if value.abs() > NEAR_WIN {
                return chosen(best, depth, value);
            }
        }
        chosen(best, DEEPEST, known)
    }

    fn out_of_time(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(64) && seconds() > self.until {
            self.stopped = true;
        }
        self.stopped
    }

    fn value(&mut self, board: &B, depth: usize, alpha: i32, beta: i32, ply: usize) -> i32 {
        if self.out_of_time() {
            return 0;
        }
        let key = board.key();
        if ply > 0 {
            if let Some(sign) = board.decided() {
                return sign * (WIN - from(ply));
            }
            if B::REPEATS && self.path.iter().rev().skip(1).any(|&before| before == key) {
                return 0;
            }
        }
        if depth == 0 {
            return match board.decided_at_leaf() {
                Some(sign) => sign * (WIN - 100 - from(ply)),
                None => self.quiet(board, alpha, beta, ply, 0),
            };
        }
        let place = (key >> (64 - TABLE_BITS)) as usize;
        let known = self.table[place].filter(|entry| entry.key == key);
        if let Some(entry) = known.filter(|entry| entry.depth >= depth && ply > 0) {
            let value = entry.value - entry.value.signum() * from_win(entry.value, ply);
            match entry.bound {
                Bound::Exact => return value,
                Bound::AtLeast if value >= beta => return value,
                Bound::AtMost if value <= alpha => return value,
                _ => {}
            }
        }
        let mut turns = Vec::new();
        match ply {
            0 => turns.clone_from(&self.at_root),
            _ => board.listed(&mut turns),
        }
        if B::VALUED && depth == 1 && ply > 0 {
            return turns.iter().map(|&(score, _)| score).max().unwrap_or(0);
        }
        let first = known.and_then(|entry| entry.turn);
        let killers = self.killers[ply];
        if !B::VALUED {
            for (score, turn) in &mut turns {
                *score = score.saturating_add(self.history[B::slot(*turn)].min(400));
                if killers.contains(&Some(*turn)) {
                    *score += 500;
                }
            }
        }
        for (score, turn) in &mut turns {
            if first == Some(*turn) {
                *score = i32::MAX;
            }
        }
        turns.sort_by_key(|&(score, _)| Reverse(score));
        let (mut best, mut best_turn, mut low) = (-WIN, None, alpha);
        for (number, &(_, turn)) in turns.iter().enumerate() {
            let mut after = board.clone();
            after.play(turn);
            self.path.push(after.key());
            let value = self.value_after(&after, number, depth, low, beta, ply);
            self.path.pop();
            if self.stopped {
                return 0;
            }
            if value > best {
                (best, best_turn) = (value, Some(turn));
                if ply == 0 {
                    self.root = best_turn;
                }
            }
            low = low.max(best);
            if low >= beta {
                self.reward(turn, depth, ply);
                break;
            }
        }
        let bound = match best {
            _ if best >= beta => Bound::AtLeast,
            _ if best > alpha => Bound::Exact,
            _ => Bound::AtMost,
        };
        self.table[place] = Some(Entry {
            key,
            value: best + best.signum() * from_win(best, ply),
            depth,
            bound,
            turn: best_turn,
        });
        best
    }

    fn value_after(
        &mut self,
        after: &B,
        number: usize,
        depth: usize,
        low: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        if number == 0 {
            return -self.value(after, depth - 1, -beta, -low, ply + 1);
        }
        let less = usize::from(B::REDUCE && depth >= 3 && number >= 5)
            + usize::from(B::REDUCE && depth >= 5 && number >= 15);
        let value = -self.value(after, depth - 1 - less, -low - 1, -low, ply + 1);
        if value <= low || (less == 0 && value >= beta) {
            return value;
        }
        -self.value(after, depth - 1, -beta, -low, ply + 1)
    }

    fn reward(&mut self, turn: B::Turn, depth: usize, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(turn) {
            *killers = [Some(turn), killers[0]];
        }
        let points = &mut self.history[B::slot(turn)];
        *points = (*points + from(depth * depth)).min(100_000);
    }

    fn quiet(&mut self, board: &B, alpha: i32, beta: i32, ply: usize, deep: usize) -> i32 {
        if self.out_of_time() {
            return 0;
        }
        if deep > 0
            && let Some(sign) = board.decided()
        {
            return sign * (WIN - from(ply));
        }
        let mut best = board.estimate();
        if best >= beta || deep == QUIET_DEPTH {
            return best;
        }
        let mut turns = Vec::new();
        board.noisy(&mut turns);
        turns.sort_by_key(|&(score, _)| Reverse(score));
        for (_, turn) in turns {
            let mut after = board.clone();
            after.play(turn);
            let value = -self.quiet(&after, -beta, -alpha.max(best), ply + 1, deep + 1);
            best = best.max(value);
            if best >= beta || self.stopped {
                break;
            }
        }
        best
    }
}

fn from(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// The turns by which a value that counts from the root differs from one that counts from this position.
fn from_win(value: i32, ply: usize) -> i32 {
    match value.abs() > NEAR_WIN {
        true => from(ply),
        false => 0,
    }
}
