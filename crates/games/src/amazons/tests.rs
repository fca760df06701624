//! Counts of turns from an independent source, a slow model, and the refusals.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::lockstep::{self, Model, after, lockstep, name, square};

#[test]
fn turns_are_counted_as_elsewhere() {
    lockstep::perft::<Amazons>("", &[2176, 4_307_152]);
}

struct Slow {
    size: i32,
    /// The letters on the board.
    board: BTreeMap<(i32, i32), char>,
    mover: Seat,
}

impl Slow {
    fn new(size: i32, white: &str, black: &str) -> Self {
        let amazons = |names: &str, letter| {
            names
                .split(' ')
                .map(move |name| (square(name), letter))
                .collect::<Vec<_>>()
        };
        let board = [amazons(white, 'o'), amazons(black, 'x')].concat();
        Self {
            size,
            board: board.into_iter().collect(),
            mover: Seat::First,
        }
    }

    fn reach(&self, from: (i32, i32)) -> Vec<(i32, i32)> {
        let mut reached = Vec::new();
        for (right, up) in (-1..=1).flat_map(|right| (-1..=1).map(move |up| (right, up))) {
            let (mut column, mut row) = (from.0 + right, from.1 + up);
            let on_board = |at: i32| (0..self.size).contains(&at);
            while (right, up) != (0, 0)
                && on_board(column)
                && on_board(row)
                && !self.board.contains_key(&(column, row))
            {
                reached.push((column, row));
                (column, row) = (column + right, row + up);
            }
        }
        reached
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        let own = ['o', 'x'][self.mover.index()];
        let mut turns = BTreeSet::new();
        for from in self
            .board
            .iter()
            .filter(|(_, letter)| **letter == own)
            .map(|(at, _)| *at)
        {
            let mut without = Self {
                size: self.size,
                board: self.board.clone(),
                mover: self.mover,
            };
            without.board.remove(&from);
            for to in self.reach(from) {
                for arrow in without.reach(to) {
                    turns.insert(format!("{}-{}/{}", name(from), name(to), name(arrow)));
                }
            }
        }
        turns
    }

    fn play(&mut self, turn: &str) {
        let mut cells = turn.split(['-', '/']).map(square);
        let letter = self.board.remove(&cells.next().unwrap()).unwrap();
        self.board.insert(cells.next().unwrap(), letter);
        self.board.insert(cells.next().unwrap(), '#');
        self.mover = self.mover.other();
    }

    fn letters(&self) -> BTreeMap<String, char> {
        self.board
            .iter()
            .map(|(at, letter)| (name(*at), *letter))
            .collect()
    }

    fn mover(&self) -> Seat {
        self.mover
    }

    fn outcome(&self) -> Option<Outcome> {
        self.turns().is_empty().then(|| Outcome::Won(self.mover.other()))
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    let starts = [
        ("-size=6", 6, "b1 e1 a2 f2", "a5 f5 b6 e6", 6),
        ("-size=8", 8, "c1 f1 a3 h3", "a6 h6 c8 f8", 2),
        ("", 10, "d1 g1 a4 j4", "a7 j7 d10 g10", 1),
    ];
    for (words, size, white, black, games) in starts {
        lockstep::<Amazons, _>(words, games, || Slow::new(size, white, black));
    }
}

#[test]
fn a_turn_is_read_with_any_signs_and_short_if_only_one_amazon_is_meant() {
    let start = after::<Amazons>("", "");
    for (text, turn) in [
        ("D1-D7/G7", "d1-d7/g7"),
        ("d1d7g7", "d1-d7/g7"),
        ("d1 -> d7 (g7)", "d1-d7/g7"),
        ("d1-d7-g7", "d1-d7/g7"),
        ("d8/e9", "d1-d8/e9"),
        ("d8 e9", "d1-d8/e9"),
        ("d1-d7/d1", "d1-d7/d1"),
    ] {
        assert_eq!(
            start.read(text).map(|turn| turn.to_string()).as_deref(),
            Ok(turn),
            "{text}"
        );
    }
}

#[test]
fn a_refusal_names_the_rule_and_the_place() {
    let position = after::<Amazons>("", "d1-d7/g7 d10-d8/f8");
    for (text, at, reason) in [
        ("c1-c2/c3", "c1", "There is no amazon on c1."),
        ("g7-g6/g5", "g7", "There is an arrow on g7, and no amazon."),
        (
            "D8-d9/d10",
            "D8",
            "The amazon on d8 is Black's, and it is White's turn.",
        ),
        (
            "d7-f8/a1",
            "f8",
            "An amazon moves in a straight line, and f8 is not in line with d7.",
        ),
        (
            "d7-d7/a1",
            "d7",
            "An amazon moves to another cell, not from d7 to d7.",
        ),
        (
            "d7-d9/a1",
            "d9",
            "An amazon moves over empty cells only, and there is an amazon on d8: it moves no further.",
        ),
        (
            "d7-h7/h8",
            "h7",
            "An amazon moves over empty cells only, and there is an arrow on g7: it moves no further.",
        ),
        (
            "d7-f7/f9",
            "f9",
            "An arrow flies over empty cells only, and there is an arrow on f8: it flies no further.",
        ),
        (
            "d7-f7/h8",
            "h8",
            "An arrow flies in a straight line, and h8 is not in line with f7.",
        ),
        ("c9/c8", "c9", "No amazon of White can go to c9."),
        (
            "d4/d5",
            "d4",
            "More than one amazon can go to d4. Possible: g1-d4/d5, a4-d4/d5, j4-d4/d5, d7-d4/d5.",
        ),
    ] {
        let refusal = position.read(text).expect_err(text);
        assert_eq!(refusal.to_string(), reason, "{text}");
        let place = text.rfind(at).unwrap();
        assert!(
            [place, text.find(at).unwrap()].contains(&refusal.at.clone().unwrap().start),
            "{text}"
        );
        assert_eq!(&text[refusal.at.unwrap()], at, "{text}");
    }
    for short in ["d7", "d7-d6", "g1g2"] {
        assert!(
            position
                .read(short)
                .unwrap_err()
                .reason
                .contains("such as d1-d7/g7"),
            "{short}"
        );
    }
}

#[test]
fn the_words_tell_who_is_enclosed_and_who_cannot_move() {
    let mut position = after::<Amazons>("-size=6", "");
    let cell = |name: &str| position.grid.find(name).unwrap();
    let set = |names: &str| names.split(' ').map(cell).collect::<SmallBits>();
    let (amazons, arrows) = ([set("c3"), set("a6 f6")], set("a5 b5 b6 e6 e5"));
    position.amazons = amazons;
    position.arrows = arrows;
    let turn = position.read("c3-f3/f5").unwrap();
    assert_eq!(position.effects(&[turn]), ["enclosed f6", "left Black no move"]);
    assert_eq!(position.effects(&[position.read("c3-f3/f4").unwrap()]), [""; 0]);
}
