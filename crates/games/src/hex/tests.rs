//! A slow model, the winners of all openings on small boards, the swap and the drawings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::*;
use crate::families::placement::Stone;
use crate::lockstep::{self, Model, after, lockstep, name, square};
use crate::{Display, Evaluate as _, Rules as _};

#[test]
fn turns_are_counted() {
    // The second player has one more turn than there are empty cells: the swap.
    lockstep::perft::<Hex>("", &[121, 121 * 121, 121 * (120 * 119 + 120)]);
    lockstep::perft::<Hex>("-noswap -size=4", &[16, 240, 3360, 43680]);
}

struct Slow {
    size: i32,
    can_swap: bool,
    stones: BTreeMap<(i32, i32), Seat>,
    turns: usize,
}

impl Slow {
    /// Whether cells that touch lead this side from one of its edges to the other.
    fn is_joined(&self, seat: Seat) -> bool {
        let height = |at: (i32, i32)| if seat == Seat::First { at.1 } else { at.0 };
        let own = || {
            self.stones
                .iter()
                .filter(|(_, owner)| **owner == seat)
                .map(|(at, _)| *at)
        };
        let mut reached: BTreeSet<_> = own().filter(|at| height(*at) == 0).collect();
        let mut todo: Vec<_> = reached.iter().copied().collect();
        while let Some((x, y)) = todo.pop() {
            for at in own() {
                let near =
                    [(1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (1, -1)].contains(&(at.0 - x, at.1 - y));
                if near && reached.insert(at) {
                    todo.push(at);
                }
            }
        }
        reached.into_iter().any(|at| height(at) == self.size - 1)
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        let mut turns = BTreeSet::new();
        if self.outcome().is_some() {
            return turns;
        }
        let all = (0..self.size).flat_map(|column| (0..self.size).map(move |row| (column, row)));
        turns.extend(all.filter(|at| !self.stones.contains_key(at)).map(name));
        if self.can_swap && self.turns == 1 {
            turns.insert("swap".to_owned());
        }
        turns
    }

    fn play(&mut self, turn: &str) {
        match turn {
            "swap" => {
                let ((column, row), _) = self.stones.pop_first().unwrap();
                self.stones.insert((row, column), Seat::Second);
            }
            _ => {
                let mover = self.mover();
                self.stones.insert(square(turn), mover);
            }
        }
        self.turns += 1;
    }

    fn letters(&self) -> BTreeMap<String, char> {
        self.stones
            .iter()
            .map(|(at, seat)| (name(*at), ['x', 'o'][seat.index()]))
            .collect()
    }

    fn mover(&self) -> Seat {
        Seat::BOTH[self.turns % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Seat::BOTH.into_iter().find(|seat| self.is_joined(*seat));
        winner.map(Outcome::Won)
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (words, size, can_swap, games) in [
        ("-size=3", 3, true, 60),
        ("-size=5 -noswap", 5, false, 20),
        ("", 11, true, 2),
        ("-size=19", 19, true, 1),
    ] {
        let start = || Slow {
            size,
            can_swap,
            stones: BTreeMap::new(),
            turns: 0,
        };
        let [_, _, drawn] = lockstep::<Hex, _>(words, games, start);
        assert_eq!(drawn, 0);
    }
}

/// Finds who wins by trying what may matter: a turn outside of what the other side needs to win against an earlier turn loses
/// too.
#[derive(Default)]
struct Solver {
    /// By the stones of both sides: whether the player to move wins, and the cells that the winner needs.
    known: HashMap<[u64; 2], (bool, u64)>,
}

impl Solver {
    fn wins(&mut self, position: &Hex) -> (bool, u64) {
        let cells = position.cells;
        let mask = |bits: Bits| {
            let places = cells.iter().enumerate().filter(|(_, cell)| bits.has(*cell));
            places.fold(0, |mask: u64, (place, _)| mask | 1 << place)
        };
        if position.outcome.is_some() {
            return (false, 0);
        }
        let key = position.stones.map(mask);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut turns: Vec<_> = position
            .open()
            .iter()
            .map(|cell| {
                let mut next = *position;
                next.play(&Stone::On(cell));
                let best = next.outcome.map_or(next.estimate(position.mover), |_| i32::MAX);
                (best, mask(Bits::of(cell)), next)
            })
            .collect();
        turns.sort_by_key(|(best, _, _)| std::cmp::Reverse(*best));
        // What may still win, and all that the other side needs if nothing does.
        let (mut open, mut needed) = (u64::MAX, 0);
        for (_, cell, next) in &turns {
            if open & cell == 0 {
                continue;
            }
            let (loses, carrier) = self.wins(next);
            if !loses {
                self.known.insert(key, (true, carrier | cell));
                return (true, carrier | cell);
            }
            open &= carrier;
            needed |= carrier;
        }
        self.known.insert(key, (false, needed));
        (false, needed)
    }
}

/// The openings with which the first player loses, without swap.
fn losing_openings(size: u8) -> String {
    let start = after::<Hex>(&format!("-noswap -size={size}"), "");
    let mut solver = Solver::default();
    let loses = |cell: &Cell| {
        let mut next = start;
        next.play(&Stone::On(*cell));
        solver.wins(&next).0
    };
    let mut cells: Vec<_> = start.open().iter().filter(loses).collect();
    cells.sort_by_key(|cell| (cell.column(), cell.row()));
    let names: Vec<_> = cells.iter().map(ToString::to_string).collect();
    names.join(" ")
}

/// Computed here. HexWiki (Swap) says that a1, b1 and their mirror images lose on every board from 3x3; its tables of whole small
/// boards are pictures.
#[test]
fn the_openings_of_small_boards_are_solved() {
    for (size, losing) in [(3, "a1 b1 b3 c3"), (4, "a1 a2 a3 b1 b2 b4 c1 c3 c4 d2 d3 d4")] {
        assert_eq!(losing_openings(size), losing);
    }
}

#[test]
fn the_swap_mirrors_the_first_stone_and_each_player_keeps_the_goal() {
    let mut position = after::<Hex>("", "c2");
    let swap = position.read("Swap").unwrap();
    assert_eq!(position.effects(&[swap]), ["replaced x on c2 by o on b3"]);
    position.play(&swap);
    assert_eq!(position.cells(), [("b3".to_owned(), 'o')]);
    assert_eq!(position.to_move(), Some(Seat::First));
    // A stone on the edge is joined to it after the swap too.
    let near = after::<Hex>("-size=3", "b1 swap a1 b2 b3");
    assert_eq!(near.winner(), None);
    for last in ["c1", "c2"] {
        let mut won = near;
        won.play(&won.read(last).unwrap());
        assert_eq!(won.winner(), Some(Seat::Second), "{last}");
    }
}

#[test]
fn a_rhombus_is_drawn_with_its_names_along_the_slant() {
    let position = after::<Hex>("-size=3", "b1 c3");
    let small = "x joins bottom and top, o left and right

     a b c
  3 . . o 3
 2 . . . 2
1 . x . 1
 a b c
";
    assert_eq!(position.draw(Display::Small), small);
    let large = r"x joins bottom and top, o left and right

          a   b   c
       / \ / \ / \
    3 |   |   | o | 3
     / \ / \ / \ /
  2 |   |   |   | 2
   / \ / \ / \ /
1 |   | x |   | 1
   \ / \ / \ /
  a   b   c
";
    assert_eq!(position.draw(Display::Large), large);
}

#[test]
fn hexagons_are_drawn_as_long_as_they_fit_eighty_columns() {
    for (size, lines) in [(12, 24 + 5), (13, 26 + 5), (14, 14 + 4), (19, 19 + 4)] {
        let drawing = after::<Hex>(&format!("-size={size}"), "").draw(Display::Large);
        let widest = drawing.lines().map(str::len).max().unwrap();
        assert!(widest <= 80, "{size}: {widest}");
        assert_eq!(drawing.lines().count(), lines, "{size}\n{drawing}");
        let top = drawing
            .lines()
            .find(|line| line.trim_start().starts_with(&size.to_string()))
            .unwrap();
        // The numbers at the right have no room on the widest board.
        assert_eq!(top.trim_end().ends_with(&size.to_string()), size != 13);
    }
}
