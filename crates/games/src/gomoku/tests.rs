//! A slow model, rows of every length, and the swap.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::lockstep::{self, Model, after, lockstep, name, square};
use crate::{Rules as _, Seat};

#[test]
fn turns_are_counted() {
    // The second player has one more turn than there are empty crossings: the swap.
    lockstep::perft::<Gomoku>("", &[225, 225 * 225, 225 * (224 * 223 + 224)]);
    lockstep::perft::<Gomoku>("-noswap -size=9", &[81, 81 * 80, 81 * 80 * 79]);
}

struct Slow {
    size: i32,
    is_exact: bool,
    can_swap: bool,
    stones: BTreeMap<(i32, i32), Seat>,
    turns: usize,
}

impl Slow {
    /// Whether a row of the winning length begins at this stone: every line is looked at in full.
    fn has_row(&self, seat: Seat) -> bool {
        let is = |at: (i32, i32)| self.stones.get(&at) == Some(&seat);
        let starts = |at: (i32, i32), (right, up): (i32, i32)| {
            if !is(at) || is((at.0 - right, at.1 - up)) {
                return false;
            }
            let length = (0..)
                .take_while(|n| is((at.0 + n * right, at.1 + n * up)))
                .count();
            length == 5 || (length > 5 && !self.is_exact)
        };
        let ways = [(1, 0), (0, 1), (1, 1), (1, -1)];
        self.stones
            .keys()
            .any(|at| ways.iter().any(|way| starts(*at, *way)))
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
            "swap" => self.stones.values_mut().for_each(|owner| *owner = Seat::Second),
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
        let winner = Seat::BOTH.into_iter().find(|seat| self.has_row(*seat));
        let is_full = self.stones.len() as i32 == self.size * self.size;
        winner.map(Outcome::Won).or(is_full.then_some(Outcome::Drawn))
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (words, size, is_exact, can_swap) in [
        ("-size=9", 9, false, true),
        ("-exact -size=9", 9, true, true),
        ("-noswap", 15, false, false),
        ("-size=19", 19, false, true),
    ] {
        let start = || Slow {
            size,
            is_exact,
            can_swap,
            stones: BTreeMap::new(),
            turns: 0,
        };
        let games = if size == 9 { 8 } else { 1 };
        lockstep::<Gomoku, _>(words, games, start);
    }
}

/// Black on row 1 from a to e without d, and on f if there are six; White far away.
fn five(options: &str, six: bool) -> Gomoku {
    let last = if six { "f1 e9" } else { "" };
    after(options, &format!("a1 a9 b1 b9 c1 c8 e1 e8 {last}"))
}

#[test]
fn five_win_and_six_unless_the_option_says_exact() {
    for (options, six, words, wins) in [
        ("-size=9", false, "got five in a row", true),
        ("-size=9", true, "got six in a row", true),
        ("-size=9 -exact", false, "got five in a row", true),
        ("-size=9 -exact", true, "", false),
    ] {
        let mut position = five(options, six);
        let turn = position.read("D1").unwrap();
        assert_eq!(position.effects(&[turn]).join(", "), words, "{options} {six}");
        position.play(&turn);
        assert_eq!(position.winner(), wins.then_some(Seat::First), "{options} {six}");
    }
}

#[test]
fn a_row_does_not_go_round_the_edge() {
    for turns in ["h1 a9 i1 b9 a2 d9 b2 e9 c2", "a8 e1 a9 e2 b1 e3 b2 e9 b3"] {
        assert_eq!(after::<Gomoku>("-size=9", turns).winner(), None, "{turns}");
    }
}

#[test]
fn the_swap_puts_a_stone_of_the_second_player_there() {
    let mut position = after::<Gomoku>("", "h8");
    let swap = position.read("SWAP").unwrap();
    assert_eq!(position.effects(&[swap]), ["replaced Black's stone on h8"]);
    position.play(&swap);
    assert_eq!(position.cells(), [("h8".to_owned(), 'o')]);
    assert_eq!(position.to_move(), Some(Seat::First));
    let late = "The second player can swap in the place of the first turn, and at no other time.";
    assert_eq!(position.read("swap").unwrap_err().reason, late);
    assert_eq!(after::<Gomoku>("", "").read("swap").unwrap_err().reason, late);
    assert_eq!(
        after::<Gomoku>("", "h8 h9").read("swap").unwrap_err().reason,
        late
    );
    assert!(after::<Gomoku>("-noswap", "h8").read("swap").is_err());
    assert!(after::<Gomoku>("", "h8").read("h8").is_err());
}
