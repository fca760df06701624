//! A slow model, and two stones in one text.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::lockstep::{self, Model, after, lockstep, name, square};

#[test]
fn turns_are_counted() {
    lockstep::perft::<Connect6>("", &[361, 361 * 360, 361 * 360 * 359]);
}

struct Slow {
    size: i32,
    stones: BTreeMap<(i32, i32), Seat>,
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        if self.outcome().is_some() {
            return BTreeSet::new();
        }
        let all = (0..self.size).flat_map(|column| (0..self.size).map(move |row| (column, row)));
        all.filter(|at| !self.stones.contains_key(at)).map(name).collect()
    }

    fn play(&mut self, turn: &str) {
        let mover = self.mover();
        self.stones.insert(square(turn), mover);
    }

    fn letters(&self) -> BTreeMap<String, char> {
        let letter = |seat: &Seat| ['x', 'o'][seat.index()];
        self.stones
            .iter()
            .map(|(at, seat)| (name(*at), letter(seat)))
            .collect()
    }

    fn mover(&self) -> Seat {
        // One, then two each.
        Seat::BOTH[self.stones.len().div_ceil(2) % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        let six = |(x, y): (i32, i32), (right, up): (i32, i32)| {
            let seat = self.stones.get(&(x, y));
            (1..6)
                .all(|step| self.stones.get(&(x + step * right, y + step * up)) == seat)
                .then_some(seat?)
        };
        let mut ways = self
            .stones
            .keys()
            .flat_map(|at| [(1, 0), (0, 1), (1, 1), (1, -1)].map(|way| six(*at, way)));
        let winner = ways.find_map(Option::<&Seat>::copied);
        let is_full = self.stones.len() as i32 == self.size * self.size;
        winner.map(Outcome::Won).or(is_full.then_some(Outcome::Drawn))
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (size, games) in [(9, 10), (19, 1)] {
        let start = || Slow {
            size,
            stones: BTreeMap::new(),
        };
        lockstep::<Connect6, _>(&format!("-size={size}"), games, start);
    }
}

#[test]
fn both_stones_of_a_turn_can_be_written_at_once() {
    let start = after::<Connect6>("", "");
    assert_eq!(
        start.read_all("k10 l11").unwrap_err().reason,
        "That is one stone too many: after one the other player moves."
    );
    let next = after::<Connect6>("", "k10");
    for text in ["l11 j11", "L11, J11", " l11,j11 "] {
        let turns: Vec<_> = next
            .read_all(text)
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(turns, ["l11", "j11"], "{text}");
    }
    assert!(next.read_all("l11 l11").is_err());
    assert!(next.read_all("l11 j11 m12").is_err());
    assert_eq!(next.read_all("l11").unwrap().len(), 1);
    assert_eq!(next.to_move(), Some(Seat::Second));
}
