//! A tree of random games, for Hex (UCT: L. Kocsis, C. Szepesvári, "Bandit based Monte-Carlo Planning", 2006).
//!
//! A random game that a side won says something of all the cells that it took, not of its first turn only (RAVE: S. Gelly, D. Silver,
//! "Monte-Carlo tree search and rapid action value estimation in computer Go", 2011). Random games keep bridges. A position that stones
//! and bridges decide is not played on, and its result stays (M. Winands and others, "Monte-Carlo Tree Search Solver", 2008).

use std::sync::atomic::{AtomicBool, Ordering};

use super::search_result::{MAX_OTHERS, SearchResult};
use super::value::{LEAST_PROVEN, of_expected};
use crate::Seat;
use crate::kit::cpu_yield;
use crate::kit::mix::mix;
use crate::kit::rhombus::{EMPTY, Rhombus};

/// A position gets its turns when it has come up this often.
const RIPE: u32 = 10;

/// The most turns that a tree keeps: 12 megabytes.
const MAX_TURNS: usize = 1 << 20;

/// How fast what random games say of a turn, wherever it was played in them, gives way to what those say that began with it.
const BIAS: f32 = 0.0012;

/// How many turns of a position are looked at for the next try: those that were the most promising when it had come up a power of two
/// times.
const LOOKED_AT: usize = 28;

/// How many random games the beliefs count for with which the turns of a position begin: that all are alike, that a turn is as good
/// as it was two turns before, and that a bridge should be kept.
const ALIKE: f32 = 2.0;
const AS_BEFORE: f32 = 12.0;
const KEPT: f32 = 20.0;

/// How long a game takes for each cell that is to be filled, in hundredths of a microsecond.
const EFFORT: u64 = 8;

/// A turn of a position.
#[derive(Clone, Copy)]
struct Turn {
    place: u16,
    /// How many random games in which the player took this cell, and how many of these were won.
    taken: f32,
    won: f32,
    /// The place in the tree of the position after it; 0, that of the first position, before the first try.
    node: u32,
}

/// A position, and what its random games gave the player who moved to it.
#[derive(Clone, Copy, Default)]
struct Node {
    tries: f32,
    won: f32,
    /// Who wins, if that is known.
    winner: Option<u8>,
    /// Its turns in the list of all.
    first: u32,
    count: u16,
}

struct Tree {
    side: u8,
    nodes: Vec<Node>,
    turns: Vec<Turn>,
    chance: u64,
}

/// Plays random games from this position, in which `mover` is to move, for `effort` tenths of a microsecond. `None` if the board is full.
pub(super) fn search(
    start: &Rhombus,
    mover: Seat,
    effort: u64,
    seed: u64,
    stop: &AtomicBool,
) -> Option<SearchResult> {
    let side = mover.index() as u8;
    let text = &|place| start.cell(place).to_string();
    if let Some(place) = finish(start, side) {
        return Some(SearchResult::won(text(place)));
    }
    let games = 10 * effort / (EFFORT * start.empty().count() as u64).max(1);
    let mut tree = Tree {
        side,
        nodes: vec![Node::default()],
        turns: Vec::new(),
        chance: mix([seed]) | 1,
    };
    let mut board = start.clone();
    tree.expand(&[0], 0, &board, side);
    let mut played = 0;
    while played < games && tree.nodes[0].winner.is_none() && !stop.load(Ordering::Relaxed) {
        cpu_yield::tick();
        board.copy(start);
        tree.play(&mut board);
        played += 1;
    }
    tree.result(played, text)
}

/// The turn after which stones and bridges join the sides and the fewest stones are to be put, if there is one.
fn finish(start: &Rhombus, side: u8) -> Option<u16> {
    let mut board = start.clone();
    let joined = start.empty().filter_map(|place| {
        board.put(place, side);
        let missing = board.is_bridged(side).then(|| board.missing(side));
        board.put(place, EMPTY);
        missing.map(|missing| (missing, place))
    });
    joined.min().map(|(_, place)| place)
}

impl Tree {
    fn below(&mut self, bound: usize) -> usize {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (((self.chance >> 32) * bound as u64) >> 32) as usize
    }

    fn range(&self, node: usize) -> std::ops::Range<usize> {
        let Node { first, count, .. } = self.nodes[node];
        first as usize..first as usize + usize::from(count)
    }

    /// Plays a game down the tree and then at random, and adds its result.
    fn play(&mut self, board: &mut Rhombus) {
        let (mut way, mut here, mut side, mut last) = (vec![0], 0, self.side, None);
        loop {
            let node = self.nodes[here];
            if node.winner.is_some() {
                break;
            }
            if node.count == 0 {
                if node.tries < RIPE as f32 || self.turns.len() >= MAX_TURNS {
                    break;
                }
                self.expand(&way, last.unwrap_or_default(), board, side);
                continue;
            }
            let turn = self.choice(here);
            let place = self.turns[turn].place;
            board.put(place, side);
            (side, last) = (side ^ 1, Some(place));
            if self.turns[turn].node == 0 {
                self.turns[turn].node = self.nodes.len() as u32;
                self.nodes.push(Node::default());
            }
            here = self.turns[turn].node as usize;
            way.push(here);
        }
        let winner = match self.nodes[here].winner {
            Some(winner) => winner,
            None => self.fill(board, side, last),
        };
        self.take_back(&way, winner, board);
    }

    /// How promising a turn is. `None`: it is known to lose.
    fn worth(&self, turn: &Turn) -> Option<f32> {
        let Turn { taken, won, node, .. } = *turn;
        let rave = won / taken;
        if node == 0 {
            return Some(rave);
        }
        let Node {
            tries, won, winner, ..
        } = self.nodes[node as usize];
        let share = taken / (taken + tries + BIAS * taken * tries);
        // If it won, the position would be known to be won.
        winner
            .is_none()
            .then(|| rave * share + (1.0 - share) * won / tries.max(1.0))
    }

    /// The most promising turn.
    fn choice(&mut self, node: usize) -> usize {
        let range = self.range(node);
        let tries = self.nodes[node].tries as u32;
        let all = &self.turns[range.clone()];
        let mut looked_at = &all[..all.len().min(LOOKED_AT)];
        if tries < 32 || looked_at.iter().all(|turn| self.worth(turn).is_none()) {
            looked_at = all;
        } else if tries.is_power_of_two() {
            let mut ranked: Vec<(f32, usize)> = all
                .iter()
                .map(|turn| self.worth(turn).unwrap_or(-1.0))
                .zip(0..)
                .collect();
            ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            let sorted: Vec<Turn> = ranked.into_iter().map(|(_, turn)| all[turn]).collect();
            self.turns[range.clone()].copy_from_slice(&sorted);
            return range.start;
        }
        let (mut best, mut best_worth) = (0, f32::MIN);
        for (number, turn) in looked_at.iter().enumerate() {
            if let Some(worth) = self.worth(turn)
                && worth > best_worth
            {
                (best, best_worth) = (number, worth);
            }
        }
        range.start + best
    }

    /// Lists the turns of the last position of this way, unless it is decided.
    fn expand(&mut self, way: &[usize], last: u16, board: &Rhombus, side: u8) {
        let here = way[way.len() - 1];
        if here > 0
            && let Some(winner) = (0..2).find(|side| board.is_bridged(*side))
        {
            self.nodes[here].winner = Some(winner);
            return;
        }
        let first = self.turns.len();
        let kept = if last > 0 { board.kept(last, side, 0) } else { None };
        let mut before = vec![(0.0, 0.0); board.places()];
        if let Some(at) = way.len().checked_sub(3) {
            for turn in &self.turns[self.range(way[at])] {
                let weight = turn.taken.min(AS_BEFORE);
                before[usize::from(turn.place)] = (weight, weight * turn.won / turn.taken);
            }
        }
        for place in board.empty() {
            let (mut taken, mut won) = (ALIKE, ALIKE / 2.0);
            let (weight, share) = before[usize::from(place)];
            (taken, won) = (taken + weight, won + share);
            if kept == Some(place) {
                taken += KEPT;
                won += KEPT;
            }
            self.turns.push(Turn {
                place,
                taken,
                won,
                node: 0,
            });
        }
        let node = &mut self.nodes[here];
        node.first = first as u32;
        node.count = (self.turns.len() - first) as u16;
    }

    /// Fills the board at random; returns who has won.
    fn fill(&mut self, board: &mut Rhombus, mut side: u8, mut last: Option<u16>) -> u8 {
        let mut open: Vec<u16> = board.empty().collect();
        let mut left = open.len();
        loop {
            let begin = self.below(6);
            let kept = last.and_then(|last| board.kept(last, side, begin));
            let place = match kept {
                Some(place) => place,
                None => loop {
                    if left == 0 {
                        return board.winner();
                    }
                    let chosen = self.below(left);
                    left -= 1;
                    let place = open[chosen];
                    open[chosen] = open[left];
                    if board.stone(place) == EMPTY {
                        break place;
                    }
                },
            };
            board.put(place, side);
            (side, last) = (side ^ 1, Some(place));
        }
    }

    /// Adds a result to all positions of a way.
    fn take_back(&mut self, way: &[usize], winner: u8, board: &Rhombus) {
        let mut side = self.side ^ ((way.len() as u8 - 1) % 2);
        for (place, here) in way.iter().enumerate().rev() {
            let wins = if winner == side { 1.0 } else { 0.0 };
            let node = &mut self.nodes[*here];
            node.tries += 1.0;
            node.won += 1.0 - wins;
            if place + 1 < way.len() {
                self.settle(*here, way[place + 1], side);
            }
            let range = self.range(*here);
            for turn in &mut self.turns[range] {
                let taken = f32::from(u8::from(board.stone(turn.place) == side));
                turn.taken += taken;
                turn.won += taken * wins;
            }
            side ^= 1;
        }
    }

    /// Whether a position in which `side` is to move is decided by one that follows.
    fn settle(&mut self, here: usize, after: usize, side: u8) {
        let Some(winner) = self.nodes[after].winner else {
            return;
        };
        let is_lost = |turn: &Turn| turn.node > 0 && self.nodes[turn.node as usize].winner == Some(side ^ 1);
        if winner == side || self.turns[self.range(here)].iter().all(is_lost) {
            self.nodes[here].winner = Some(winner);
        }
    }

    /// The turn that was tried most, unless it loses or another one wins.
    fn result(&self, games: u64, text: &dyn Fn(u16) -> String) -> Option<SearchResult> {
        let rank = |turn: &&Turn| {
            let node = match turn.node {
                0 => Node::default(),
                node => self.nodes[node as usize],
            };
            let wins = node
                .winner
                .map_or(1, |winner| if winner == self.side { 2 } else { 0 });
            (wins, node.tries as u32)
        };
        let mut turns: Vec<&Turn> = self.turns[self.range(0)].iter().collect();
        turns.sort_by_key(|turn| std::cmp::Reverse(rank(turn)));
        let best = turns.first()?;
        let value = match (rank(best), self.nodes[0].winner) {
            ((2, _), _) => LEAST_PROVEN,
            (_, Some(_)) => -LEAST_PROVEN,
            _ => {
                let node = self.nodes[best.node as usize];
                of_expected((2000.0 * node.won / node.tries) as i32 - 1000)
            }
        };
        let mut line = vec![text(best.place)];
        let mut here = best.node as usize;
        let tries = |turn: &&Turn| match turn.node {
            0 => 0,
            node => self.nodes[node as usize].tries as u32,
        };
        while here > 0
            && let Some(next) = self.turns[self.range(here)].iter().max_by_key(tries)
            && tries(&next) > 0
        {
            line.push(text(next.place));
            here = next.node as usize;
        }
        let good = turns
            .iter()
            .skip(1)
            .filter(|turn| rank(turn).0 > 0 && tries(turn) > 0);
        Some(SearchResult {
            value,
            depth: line.len() as u32,
            line,
            others: good.take(MAX_OTHERS).map(|turn| text(turn.place)).collect(),
            nodes: games,
            saw_short_wins: false,
        })
    }
}
