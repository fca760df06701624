//! A slow model, and the three shapes.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::lockstep::{self, Model, after, lockstep, name, square};
use crate::{Display, Rules as _, Seat};

const NEIGHBOURS: [(i32, i32); 6] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)];

#[test]
fn turns_are_counted() {
    // The second player has one more turn than there are empty cells: the swap.
    lockstep::perft::<Havannah>("", &[169, 169 * 169, 169 * (168 * 167 + 168)]);
    lockstep::perft::<Havannah>("-noswap -size=4", &[37, 37 * 36, 37 * 36 * 35]);
}

struct Slow {
    size: i32,
    stones: BTreeMap<(i32, i32), Seat>,
    turns: usize,
}

impl Slow {
    fn has(&self, (column, row): (i32, i32)) -> bool {
        let all = 0..2 * self.size - 1;
        all.contains(&column) && all.contains(&row) && (column - row).abs() < self.size
    }

    fn cells(&self) -> impl Iterator<Item = (i32, i32)> {
        let all = 0..2 * self.size - 1;
        let cells = all
            .clone()
            .flat_map(move |column| all.clone().map(move |row| (column, row)));
        cells.filter(|at| self.has(*at))
    }

    /// How many cells beside this one are off the board: a corner has three, a side two.
    fn missing(&self, (x, y): (i32, i32)) -> usize {
        NEIGHBOURS
            .iter()
            .filter(|(right, up)| !self.has((x + right, y + up)))
            .count()
    }

    /// Which side a cell is on, by the first neighbour that is missing.
    fn side(&self, (x, y): (i32, i32)) -> Vec<bool> {
        NEIGHBOURS
            .iter()
            .map(|(right, up)| self.has((x + right, y + up)))
            .collect()
    }

    fn has_won(&self, seat: Seat) -> bool {
        let own = |at: &(i32, i32)| self.stones.get(at) == Some(&seat);
        let mut left: BTreeSet<_> = self.stones.keys().filter(|at| own(at)).copied().collect();
        while let Some(first) = left.pop_first() {
            let mut chain = BTreeSet::from([first]);
            let mut todo = vec![first];
            while let Some((x, y)) = todo.pop() {
                for (right, up) in NEIGHBOURS {
                    let at = (x + right, y + up);
                    if left.remove(&at) {
                        chain.insert(at);
                        todo.push(at);
                    }
                }
            }
            let corners = chain.iter().filter(|at| self.missing(**at) == 3).count();
            let sides: BTreeSet<_> = chain
                .iter()
                .filter(|at| self.missing(**at) == 2)
                .map(|at| self.side(*at))
                .collect();
            if corners > 1 || sides.len() > 2 || self.rings(&chain) {
                return true;
            }
        }
        false
    }

    /// Whether some cell cannot reach the outside without a step on another cell of the chain.
    fn rings(&self, chain: &BTreeSet<(i32, i32)>) -> bool {
        self.cells().any(|start| {
            let (mut seen, mut todo) = (BTreeSet::from([start]), vec![start]);
            while let Some((x, y)) = todo.pop() {
                for (right, up) in NEIGHBOURS {
                    let at = (x + right, y + up);
                    if !self.has(at) {
                        return false;
                    }
                    if !chain.contains(&at) && seen.insert(at) {
                        todo.push(at);
                    }
                }
            }
            true
        })
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        if self.outcome().is_some() {
            return BTreeSet::new();
        }
        let mut turns: BTreeSet<_> = self
            .cells()
            .filter(|at| !self.stones.contains_key(at))
            .map(name)
            .collect();
        if self.turns == 1 {
            turns.insert("swap".to_owned());
        }
        turns
    }

    fn play(&mut self, turn: &str) {
        match turn {
            "swap" => self.stones.values_mut().for_each(|owner| *owner = Seat::Second),
            _ => {
                let mover = self.mover();
                self.stones.insert(square(turn), mover);
            }
        }
        self.turns += 1;
    }

    fn letters(&self) -> BTreeMap<String, char> {
        let letter = |seat: &Seat| ['o', 'x'][seat.index()];
        self.stones
            .iter()
            .map(|(at, seat)| (name(*at), letter(seat)))
            .collect()
    }

    fn mover(&self) -> Seat {
        Seat::BOTH[self.turns % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Seat::BOTH
            .into_iter()
            .find(|seat| self.has_won(*seat))
            .map(Outcome::Won);
        winner.or((self.stones.len() == self.cells().count()).then_some(Outcome::Drawn))
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (size, games) in [(4, 60), (5, 20), (8, 1)] {
        let start = || Slow {
            size,
            stones: BTreeMap::new(),
            turns: 0,
        };
        lockstep::<Havannah, _>(&format!("-size={size}"), games, start);
    }
}

#[test]
fn a_ring_may_go_round_a_stone_of_its_own_and_round_more_than_one_cell() {
    let seven = "c3 a1 d3 b1 e4 a2 e5 g7 d5 g6 d4 f6";
    let position = after::<Havannah>("-size=4 -noswap", seven);
    let last = position.read("c4").unwrap();
    assert_eq!(position.effects(&[last]), ["closed a ring"]);
    // The middle comes last, and no other stone closes anything.
    let middle = after::<Havannah>("-size=4 -noswap", "c3 a1 d3 b1 e4 a2 e5 g7 d5 g6");
    assert_eq!(middle.winner(), None);
}

#[test]
fn corners_belong_to_no_side() {
    // Bottom by b1, left by a2 and a corner: no fork.
    let position = after::<Havannah>("-size=4 -noswap", "b1 d4 a1 d5 a2 e5 a3 e4");
    assert_eq!(position.winner(), None);
    let bridge = position.read("a4").unwrap();
    assert_eq!(position.effects(&[bridge]), ["made a bridge between two corners"]);
}

#[test]
fn a_hexagon_is_drawn_with_each_name_once() {
    let position = after::<Havannah>("-size=4 -noswap", "c3 d4");
    println!(
        "{}{}",
        position.draw(Display::Small),
        position.draw(Display::Large)
    );
    for size in 4..=10 {
        let widest = |display| {
            let drawn = after::<Havannah>(&format!("-size={size}"), "").draw(display);
            drawn.lines().map(str::len).max().unwrap()
        };
        assert!(
            widest(Display::Large) <= 80 && widest(Display::Small) <= 42,
            "{size}"
        );
    }
}
