//! A slow model, and the three sides.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::lockstep::{self, Model, after, lockstep, name, square};
use crate::{Display, Rules as _, Seat};

#[test]
fn turns_are_counted() {
    // The second player has one more turn than there are empty cells: the swap.
    lockstep::perft::<Y>("", &[120, 120 * 120, 120 * (119 * 118 + 119)]);
    lockstep::perft::<Y>("-noswap -size=5", &[15, 210, 2730, 32760]);
}

struct Slow {
    size: i32,
    can_swap: bool,
    stones: BTreeMap<(i32, i32), Seat>,
    turns: usize,
}

impl Slow {
    fn cells(&self) -> impl Iterator<Item = (i32, i32)> {
        let size = self.size;
        (0..size).flat_map(move |column| (0..size - column).map(move |row| (column, row)))
    }

    /// Whether a chain of this side has a stone on each side of the board.
    fn has_won(&self, seat: Seat) -> bool {
        let mut left: BTreeSet<_> = self
            .stones
            .iter()
            .filter(|(_, owner)| **owner == seat)
            .map(|(at, _)| *at)
            .collect();
        while let Some(first) = left.pop_first() {
            let (mut chain, mut next) = (vec![first], 0);
            while let Some((x, y)) = chain.get(next).copied() {
                next += 1;
                for (right, up) in [(1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (1, -1)] {
                    let at = (x + right, y + up);
                    if left.remove(&at) {
                        chain.push(at);
                    }
                }
            }
            let touches = |is_on: &dyn Fn(&(i32, i32)) -> bool| chain.iter().any(is_on);
            if touches(&|at| at.0 == 0)
                && touches(&|at| at.1 == 0)
                && touches(&|at| at.0 + at.1 == self.size - 1)
            {
                return true;
            }
        }
        false
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
        if self.can_swap && self.turns == 1 {
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
        let letter = |seat: &Seat| ['x', 'o'][seat.index()];
        self.stones
            .iter()
            .map(|(at, seat)| (name(*at), letter(seat)))
            .collect()
    }

    fn mover(&self) -> Seat {
        Seat::BOTH[self.turns % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.has_won(*seat))
            .map(Outcome::Won)
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (words, size, can_swap, games) in [
        ("-size=5", 5, true, 60),
        ("-noswap", 15, false, 2),
        ("-size=21", 21, true, 1),
    ] {
        let start = || Slow {
            size,
            can_swap,
            stones: BTreeMap::new(),
            turns: 0,
        };
        let [_, _, drawn] = lockstep::<Y, _>(words, games, start);
        assert_eq!(drawn, 0);
    }
}

#[test]
fn a_cell_beyond_the_slant_is_refused() {
    let start = after::<Y>("-size=5", "");
    assert_eq!(
        start.read("e2").unwrap_err().reason,
        "There is no cell e2 on this board."
    );
    assert_eq!(start.read("e1").map(|turn| turn.to_string()).as_deref(), Ok("e1"));
    assert!(start.read("f1").is_err());
}

#[test]
fn a_triangle_is_drawn_with_each_name_once() {
    let position = after::<Y>("-size=5", "b2 c2");
    let small = "both join all three sides

    5 .
   4 . .
  3 . . .
 2 . x o .
1 . . . . .
 a b c d e
";
    assert_eq!(position.draw(Display::Small), small);
    assert!(
        position
            .draw(Display::Large)
            .starts_with("both join all three sides\n\n           / \\\n")
    );
}
