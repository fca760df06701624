//! Counts of turns from an independent source, a slow model, and the refusals.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::Rules;
use crate::families::steps::Turn;
use crate::kit::history::History;
use crate::lockstep::{self, Model, after, lockstep, name, square};

#[test]
fn turns_are_counted_as_elsewhere() {
    lockstep::perft::<Loa>("", &[36, 1244, 44952]);
}

#[test]
#[ignore = "slow without optimisation"]
fn turns_are_counted_as_elsewhere_four_deep() {
    lockstep::perft::<Loa>("", &[36, 1244, 44952, 1_563_208]);
}

/// The pieces of a position, by column and row.
type Placed = BTreeMap<(i32, i32), char>;

#[derive(Clone)]
struct Slow {
    pieces: BTreeMap<(i32, i32), Seat>,
    mover: Seat,
    /// All positions so far, also before captures.
    seen: Vec<(Placed, usize)>,
    has_moved: bool,
}

impl Slow {
    fn new(first: &str, second: &str) -> Self {
        let mut pieces = BTreeMap::new();
        for (names, seat) in [(first, Seat::First), (second, Seat::Second)] {
            pieces.extend(names.split(' ').map(|name| (square(name), seat)));
        }
        let mut model = Self {
            pieces,
            mover: Seat::First,
            seen: Vec::new(),
            has_moved: false,
        };
        model.note();
        model
    }

    fn note(&mut self) {
        let letters = self
            .pieces
            .iter()
            .map(|(at, seat)| (*at, ['x', 'o'][seat.index()]));
        self.seen.push((letters.collect(), self.mover.index()));
    }

    fn targets(&self, from: (i32, i32)) -> Vec<(i32, i32)> {
        let mut targets = Vec::new();
        for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            let on_line = (-7..=7).map(|n| (from.0 + n * right, from.1 + n * up));
            let count = on_line.filter(|at| self.pieces.contains_key(at)).count() as i32;
            for sign in [1, -1] {
                let at = |n: i32| (from.0 + sign * n * right, from.1 + sign * n * up);
                let to = at(count);
                let on_board = (0..8).contains(&to.0) && (0..8).contains(&to.1);
                let is_enemy = |at: &(i32, i32)| self.pieces.get(at) == Some(&self.mover.other());
                let is_own = self.pieces.get(&to) == Some(&self.mover);
                if on_board && !is_own && !(1..count).any(|n| is_enemy(&at(n))) {
                    targets.push(to);
                }
            }
        }
        targets
    }

    fn is_one_group(&self, seat: Seat) -> bool {
        let mut left: BTreeSet<_> = self
            .pieces
            .iter()
            .filter(|(_, owner)| **owner == seat)
            .map(|(at, _)| *at)
            .collect();
        let mut group: Vec<_> = left.pop_first().into_iter().collect();
        while let Some((x, y)) = group.pop() {
            let near: Vec<_> = left
                .iter()
                .copied()
                .filter(|at| (at.0 - x).abs() < 2 && (at.1 - y).abs() < 2)
                .collect();
            for at in near {
                left.remove(&at);
                group.push(at);
            }
        }
        left.is_empty()
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        let mut turns = BTreeSet::new();
        if self.outcome().is_some() {
            return turns;
        }
        for from in self
            .pieces
            .iter()
            .filter(|(_, seat)| **seat == self.mover)
            .map(|(at, _)| *at)
        {
            turns.extend(
                self.targets(from)
                    .into_iter()
                    .map(|to| format!("{}-{}", name(from), name(to))),
            );
        }
        if turns.is_empty() {
            turns.insert("pass".to_owned());
        }
        turns
    }

    fn play(&mut self, turn: &str) {
        if let Some((from, to)) = turn.split_once('-') {
            let seat = self.pieces.remove(&square(from)).unwrap();
            self.pieces.insert(square(to), seat);
            self.has_moved = true;
        }
        self.mover = self.mover.other();
        self.note();
    }

    fn letters(&self) -> BTreeMap<String, char> {
        self.pieces
            .iter()
            .map(|(at, seat)| (name(*at), ['x', 'o'][seat.index()]))
            .collect()
    }

    fn mover(&self) -> Seat {
        self.mover
    }

    fn outcome(&self) -> Option<Outcome> {
        let last = self.seen.last().unwrap();
        match Seat::BOTH.map(|seat| self.has_moved && self.is_one_group(seat)) {
            [true, true] => Some(Outcome::Drawn),
            [true, false] => Some(Outcome::Won(Seat::First)),
            [false, true] => Some(Outcome::Won(Seat::Second)),
            _ if self.seen.iter().filter(|seen| *seen == last).count() >= 3 => Some(Outcome::Drawn),
            _ => None,
        }
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    let starts = [
        (
            "",
            "b1 c1 d1 e1 f1 g1 b8 c8 d8 e8 f8 g8",
            "a2 a3 a4 a5 a6 a7 h2 h3 h4 h5 h6 h7",
        ),
        (
            "-scrambled",
            "b1 d1 f1 h2 h4 h6 c8 e8 g8 a3 a5 a7",
            "c1 e1 g1 h3 h5 h7 b8 d8 f8 a2 a4 a6",
        ),
    ];
    for (words, first, second) in starts {
        let [black, white, _] = lockstep::<Loa, _>(words, 15, || Slow::new(first, second));
        assert!(black > 0 && white > 0);
    }
}

/// A position with these pieces and Black to move.
fn position(black: &str, white: &str) -> Loa {
    let set = |names: &str| {
        names
            .split(' ')
            .map(|name| Grid::new(SIZE).find(name).unwrap())
            .collect()
    };
    let pieces = [set(black), set(white)];
    let mut position = after::<Loa>("", "");
    position.pieces = pieces;
    position.past = History::new((pieces, Seat::First));
    position
}

/// The outcome of a turn and its words.
fn played(mut position: Loa, text: &str) -> (Option<Outcome>, String) {
    let turn = position.read(text).unwrap();
    let words = position.effects(&[turn]).join(", ");
    position.play(&turn);
    (position.outcome, words)
}

#[test]
fn who_connects_wins_and_both_at_once_is_a_draw() {
    let own = position("a1 a2 c3", "f1 h8");
    assert_eq!(
        played(own, "c3-b3"),
        (
            Some(Outcome::Won(Seat::First)),
            "connected all pieces of Black".to_owned()
        )
    );
    let theirs = position("a8 d4", "b4 h7 h8");
    assert_eq!(
        played(theirs, "d4-b4"),
        (
            Some(Outcome::Won(Seat::Second)),
            "captured a piece, connected all pieces of White, not its own".to_owned()
        )
    );
    let both = position("a5 d4", "b4 h7 h8");
    assert_eq!(
        played(both, "d4-b4"),
        (
            Some(Outcome::Drawn),
            "captured a piece, connected the pieces of both sides".to_owned()
        )
    );
}

#[test]
fn a_position_is_drawn_when_it_occurs_for_the_third_time() {
    let round = "b1-b3 a2-c2 b3-b1 c2-a2";
    let once = format!("{round} b1-b3 a2-c2 b3-b1");
    let mut position = after::<Loa>("", &once);
    assert_eq!(position.outcome, None);
    let turn = position.read("c2-a2").unwrap();
    assert_eq!(
        position.effects(&[turn]),
        ["repeated the position for the second time"]
    );
    position.play(&turn);
    assert_eq!(position.outcome, Some(Outcome::Drawn));
}

#[test]
fn a_player_passes_if_and_only_if_no_piece_can_move() {
    // White's pieces are between those in the corners and every cell to which they could go.
    let mut shut_in = position("a1 h8 d4", "a2 b1 b2 g8 h7 g7");
    assert!(!shut_in.must_pass());
    shut_in.pieces[0] -= SmallBits::of(Cell::at(3, 3));
    assert!(shut_in.must_pass());
    assert_eq!(shut_in.read("Pass").unwrap(), Turn::Pass);
    let refusal = shut_in.read("a1-a2").unwrap_err().to_string();
    assert_eq!(
        refusal,
        "No piece of Black can move, so Black must pass. Possible: pass."
    );
    let refusal = after::<Loa>("", "").read("pass").unwrap_err().to_string();
    assert_eq!(
        refusal,
        "You pass only if no piece of yours can move, and Black has 36 moves."
    );
}

#[test]
fn a_turn_is_read_with_and_without_signs_and_short_if_only_one_piece_is_meant() {
    let start = after::<Loa>("", "");
    for (text, turn) in [
        ("B1-B3", "b1-b3"),
        ("b1b3", "b1-b3"),
        ("h1", "b1-h1"),
        ("c1xa3", "c1-a3"),
        ("c1 x a3", "c1-a3"),
    ] {
        assert_eq!(
            start.read(text).map(|turn| turn.to_string()).as_deref(),
            Ok(turn),
            "{text}"
        );
    }
    assert_eq!(start.read("b3").unwrap_err().choices, ["b1-b3", "d1-b3"]);
}

#[test]
fn a_refusal_names_the_rule_and_the_place() {
    let position = position("b1 b3 d1 d5", "b5 d2 f1 h8");
    for (text, at, reason) in [
        ("a1-a2", "a1", "There is no piece on a1."),
        (
            "b5-b6",
            "b5",
            "The piece on b5 is White's, and it is Black's turn.",
        ),
        (
            "b1-c3",
            "c3",
            "A piece moves in a straight line, and c3 is not in line with b1.",
        ),
        ("b1-b1", "b1", "A piece moves to another cell, not from b1 to b1."),
        (
            "b1-b3",
            "b3",
            "There are three pieces on that line, so a piece moves three cells along it, not to b3.",
        ),
        (
            "d1-d4",
            "d4",
            "A piece cannot jump over an enemy piece, and White has one on d2.",
        ),
        (
            "d1-f3",
            "f3",
            "There is one piece on that line, so a piece moves one cell along it, not to f3.",
        ),
        ("h1", "h1", "No piece of Black can go to h1."),
    ] {
        let refusal = position.read(text).expect_err(text);
        assert_eq!(refusal.reason, reason, "{text}");
        assert_eq!(&text[refusal.at.unwrap()], at, "{text}");
    }
}
