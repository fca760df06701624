//! Hex: UCT with RAVE; playouts keep bridges.

use crate::board::{cell, mixed};
use crate::clock::seconds;
use crate::rival::Choice;

const SIZE: usize = 11;
const WIDTH: usize = SIZE + 2;
const CELLS: usize = WIDTH * WIDTH;
const EMPTY: u8 = 2;
/// The six neighbours, around the cell.
const AROUND: [isize; 6] = [-13, -12, 1, 13, 12, -1];
/// Visits after which a position gets its turns.
const RIPE: u32 = 3;
const MOST_NODES: usize = 3_000_000;
const RAVE: f64 = 1500.0;
const EXPLORE: f64 = 0.15;

#[derive(Clone)]
pub(crate) struct Hex {
    stones: [u8; CELLS],
    side: u8,
}

#[derive(Clone, Copy, Default)]
struct Node {
    at: u8,
    children: u8,
    first: u32,
    visits: u32,
    rave_visits: u32,
    wins: f64,
    rave_wins: f64,
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * bound as u64) >> 32) as usize
    }
}

fn next(at: usize, way: usize) -> usize {
    at.wrapping_add_signed(AROUND[way % 6])
}

impl Hex {
    pub(crate) fn start() -> Self {
        let mut stones = [EMPTY; CELLS];
        for line in 0..WIDTH {
            for (at, owner) in [
                (line * WIDTH, 1),
                (line * WIDTH + WIDTH - 1, 1),
                (line, 0),
                (CELLS - 1 - line, 0),
            ] {
                stones[at] = owner;
            }
        }
        Self { stones, side: 0 }
    }

    fn empty(&self) -> impl Iterator<Item = u8> {
        (0..CELLS)
            .filter(|&at| self.stones[at] == EMPTY)
            .map(|at| at as u8)
    }

    pub(crate) fn legal(&self) -> Vec<u8> {
        self.empty().collect()
    }

    pub(crate) fn play(&mut self, at: u8) {
        self.stones[usize::from(at)] = self.side;
        self.side ^= 1;
    }

    pub(crate) fn write(at: u8) -> String {
        cell(usize::from(at) % WIDTH - 1, usize::from(at) / WIDTH - 1)
    }

    /// Whether the first player's chain reaches from the bottom to the top.
    fn first_has_joined(&self) -> bool {
        let mut seen = [false; CELLS];
        let mut open: Vec<usize> = (1..=SIZE).map(|column| WIDTH + column).collect();
        open.retain(|&at| self.stones[at] == 0);
        open.iter().for_each(|&at| seen[at] = true);
        while let Some(at) = open.pop() {
            if at / WIDTH == SIZE {
                return true;
            }
            for way in 0..6 {
                let to = next(at, way);
                let is_inside = (1..=SIZE).contains(&(to % WIDTH)) && (1..=SIZE).contains(&(to / WIDTH));
                if is_inside && !seen[to] && self.stones[to] == 0 {
                    seen[to] = true;
                    open.push(to);
                }
            }
        }
        false
    }

    /// The cell that keeps a bridge of the player to move which the last stone has entered.
    fn kept(&self, last: usize, chance: &mut Chance) -> Option<u8> {
        let begin = chance.below(6);
        (begin..begin + 6)
            .find(|&way| {
                self.stones[next(last, way)] == self.side
                    && self.stones[next(last, way + 1)] == EMPTY
                    && self.stones[next(last, way + 2)] == self.side
            })
            .map(|way| next(last, way + 1) as u8)
    }

    /// Fills the board; returns who wins.
    fn fill(&mut self, mut last: u8, chance: &mut Chance) -> u8 {
        let mut open = self.legal();
        let mut place = [0_usize; CELLS];
        for (number, &at) in open.iter().enumerate() {
            place[usize::from(at)] = number;
        }
        while !open.is_empty() {
            let at = self
                .kept(usize::from(last), chance)
                .unwrap_or_else(|| open[chance.below(open.len())]);
            let number = place[usize::from(at)];
            open.swap_remove(number);
            if let Some(&moved) = open.get(number) {
                place[usize::from(moved)] = number;
            }
            self.play(at);
            last = at;
        }
        u8::from(!self.first_has_joined())
    }

    /// The turn that most playouts chose within this many seconds; its value is 1000 if it won all of them, -1000 if none.
    pub(crate) fn choose(&self, budget: f64) -> Option<Choice<u8>> {
        let until = seconds() + budget;
        let filled: u64 = self.empty().map(u64::from).sum();
        let mut tree = Tree {
            nodes: vec![Node::default()],
            chance: Chance(mixed(filled + 1) | 1),
        };
        tree.expand(0, self);
        let mut playouts = 0;
        while playouts % 16 != 0 || seconds() < until {
            tree.playout(self.clone());
            playouts += 1;
        }
        let root = tree.nodes[0];
        let best = tree
            .children(&root)
            .max_by_key(|&child| tree.nodes[child].visits)?;
        let Node { at, visits, wins, .. } = tree.nodes[best];
        Some(Choice {
            turn: at,
            depth: playouts,
            value: (2000.0 * wins / f64::from(visits.max(1))) as i32 - 1000,
        })
    }
}

struct Tree {
    nodes: Vec<Node>,
    chance: Chance,
}

impl Tree {
    fn children(&self, node: &Node) -> std::ops::Range<usize> {
        node.first as usize..node.first as usize + usize::from(node.children)
    }

    fn expand(&mut self, number: usize, board: &Hex) {
        if self.nodes.len() > MOST_NODES {
            return;
        }
        let first = self.nodes.len() as u32;
        self.nodes.extend(board.empty().map(|at| Node {
            at,
            ..Node::default()
        }));
        let children = (self.nodes.len() as u32 - first) as u8;
        let node = &mut self.nodes[number];
        (node.first, node.children) = (first, children);
    }

    fn best(&mut self, number: usize) -> usize {
        let node = self.nodes[number];
        let children = self.children(&node);
        let log = f64::from(node.visits + 1).ln();
        let (mut best, mut best_value) = (children.start, f64::MIN);
        for child in children {
            let Node {
                visits,
                wins,
                rave_visits,
                rave_wins,
                ..
            } = self.nodes[child];
            let (visits, rave_visits) = (f64::from(visits), f64::from(rave_visits));
            let share = (RAVE / (3.0 * visits + RAVE)).sqrt();
            let mean = if visits > 0.0 { wins / visits } else { 0.5 };
            let rave = (rave_wins + 1.0) / (rave_visits + 2.0);
            let chance = self.chance.below(1024) as f64 * 1e-7;
            let value =
                (1.0 - share) * mean + share * rave + EXPLORE * (log / (visits + 1.0)).sqrt() * 0.5 + chance;
            if value > best_value {
                (best, best_value) = (child, value);
            }
        }
        best
    }

    fn playout(&mut self, mut board: Hex) {
        let mut path = vec![0];
        let mut at = 0;
        while self.nodes[at].children > 0 {
            at = self.best(at);
            board.play(self.nodes[at].at);
            path.push(at);
        }
        if self.nodes[at].visits >= RIPE {
            self.expand(at, &board);
        }
        let to_move = board.side;
        let last = match self.nodes[at].at {
            0 => (CELLS / 2) as u8,
            at => at,
        };
        let winner = board.fill(last, &mut self.chance);
        let mut side = to_move;
        for &number in path.iter().rev() {
            let node = &mut self.nodes[number];
            node.visits += 1;
            node.wins += f64::from(u8::from(winner != side));
            let node = *node;
            for child in self.children(&node) {
                let child = &mut self.nodes[child];
                if board.stones[usize::from(child.at)] == side {
                    child.rave_visits += 1;
                    child.rave_wins += f64::from(u8::from(winner == side));
                }
            }
            side ^= 1;
        }
    }
}
