//! Counts of turns from an independent source, a slow model, and the refusals.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::Rules;
use crate::lockstep::{self, Model, after, lockstep, name, square};

#[test]
fn turns_are_counted_as_elsewhere() {
    lockstep::perft::<Breakthrough>("", &[22, 484, 11132, 256_036]);
}

#[test]
#[ignore = "slow without optimisation"]
fn turns_are_counted_as_elsewhere_five_deep() {
    lockstep::perft::<Breakthrough>("", &[22, 484, 11132, 256_036, 6_182_818]);
}

struct Slow {
    size: i32,
    pawns: BTreeMap<(i32, i32), Seat>,
    mover: Seat,
}

impl Slow {
    fn new(size: i32) -> Self {
        let mut pawns = BTreeMap::new();
        for column in 0..size {
            for (row, seat) in [
                (0, Seat::First),
                (1, Seat::First),
                (size - 2, Seat::Second),
                (size - 1, Seat::Second),
            ] {
                pawns.insert((column, row), seat);
            }
        }
        let mover = Seat::First;
        Self { size, pawns, mover }
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        let mut turns = BTreeSet::new();
        if self.outcome().is_some() {
            return turns;
        }
        let up = if self.mover == Seat::First { 1 } else { -1 };
        for ((column, row), seat) in &self.pawns {
            for right in [-1, 0, 1] {
                let to = (column + right, row + up);
                let is_free = match self.pawns.get(&to) {
                    None => true,
                    Some(owner) => *owner != self.mover && right != 0,
                };
                if *seat == self.mover && (0..self.size).contains(&to.0) && is_free {
                    turns.insert(format!("{}-{}", name((*column, *row)), name(to)));
                }
            }
        }
        turns
    }

    fn play(&mut self, turn: &str) {
        let (from, to) = turn.split_once('-').unwrap();
        let seat = self.pawns.remove(&square(from)).unwrap();
        self.pawns.insert(square(to), seat);
        self.mover = self.mover.other();
    }

    fn letters(&self) -> BTreeMap<String, char> {
        let letter = |seat: &Seat| ['o', 'x'][seat.index()];
        self.pawns
            .iter()
            .map(|(at, seat)| (name(*at), letter(seat)))
            .collect()
    }

    fn mover(&self) -> Seat {
        self.mover
    }

    fn outcome(&self) -> Option<Outcome> {
        Seat::BOTH
            .into_iter()
            .find(|seat| {
                let goal = [self.size - 1, 0][seat.index()];
                let mut own = self.pawns.iter().filter(|(_, owner)| *owner == seat);
                own.any(|((_, row), _)| *row == goal) || self.pawns.values().all(|owner| owner == seat)
            })
            .map(Outcome::Won)
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (words, size) in [("-size=5", 5), ("", 8), ("-size=10", 10)] {
        let [first, second, drawn] = lockstep::<Breakthrough, _>(words, 12, || Slow::new(size));
        assert!(first > 0 && second > 0 && drawn == 0);
    }
}

/// White has a pawn on c4 beside Black's on c5 and d5.
fn middle() -> Breakthrough {
    after("", "b2-b3 c7-c6 b3-c4 c6-c5 a2-a3 d7-d6 a3-a4 d6-d5")
}

#[test]
fn a_turn_is_read_with_and_without_signs_and_short_if_only_one_pawn_is_meant() {
    for (text, turn) in [
        ("C4xD5", "c4-d5"),
        ("c4d5", "c4-d5"),
        ("c4 -> d5", "c4-d5"),
        ("d5", "c4-d5"),
        ("xd5", "c4-d5"),
        ("a5", "a4-a5"),
        ("h2h3", "h2-h3"),
    ] {
        assert_eq!(middle().read(text).unwrap().to_string(), turn, "{text}");
    }
}

#[test]
fn a_refusal_names_the_rule_and_the_place() {
    for (text, at, reason) in [
        ("b4-b5", "b4", "There is no pawn on b4."),
        (
            "C5-c4",
            "C5",
            "The pawn on c5 is Black's, and it is White's turn.",
        ),
        (
            "c4-c5",
            "c5",
            "A pawn captures only diagonally, and c5, where Black's pawn is, is straight ahead of c4. Possible: c4-b5, c4-d5.",
        ),
        (
            "c1-c3",
            "c3",
            "A pawn moves one step forward, straight or diagonally, and c3 is not one step ahead of c1. Possible: c1-b2.",
        ),
        (
            "c1-d2",
            "d2",
            "A pawn cannot move onto a pawn of its own colour, and the one on d2 is White's too. Possible: c1-b2.",
        ),
        ("h5", "h5", "No pawn of White can go to h5."),
        (
            "g3",
            "g3",
            "More than one piece can go to g3. Possible: g2-g3, h2-g3, f2-g3.",
        ),
        (
            "i4-i5",
            "i4",
            "There is no cell i4 on this board: columns go from a to h, rows from 1 to 8. Possible: h4.",
        ),
    ] {
        let refusal = middle().read(text).expect_err(text);
        assert_eq!(refusal.to_string(), reason, "{text}");
        assert_eq!(&text[refusal.at.unwrap()], at, "{text}");
    }
}

#[test]
fn the_words_tell_captures_and_the_end() {
    let words = |position: &Breakthrough, text: &str| {
        let turn = position.read(text).unwrap();
        position.effects(&[turn]).join(", ")
    };
    assert_eq!(words(&middle(), "c4-d5"), "captured a pawn");
    assert_eq!(words(&middle(), "c4-b5"), "");
    let near = after("-size=5", "b2-b3 e4-e3 b3-c4 a4-a3");
    assert_eq!(words(&near, "c4-d5"), "captured a pawn, reached the last row");
    let mut last = near;
    last.pieces[1] = SmallBits::of(Cell::at(3, 4));
    assert_eq!(words(&last, "c4-d5"), "captured a pawn, left no enemy pawn");
}
