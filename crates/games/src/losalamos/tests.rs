//! A slow model, and the pawns.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::lockstep::{self, Model, after, lockstep, name};
use crate::{Outcome, Rules as _, Seat};

#[test]
fn turns_are_counted() {
    lockstep::perft::<LosAlamos>("", &[10, 100, 1212]);
    // The slow model below counts as many.
    let replies = |game: &Slow| -> Vec<Slow> {
        let next = |turn: &String| {
            let mut next = game.clone();
            next.play(turn);
            next
        };
        game.turns().iter().map(next).collect()
    };
    let second: Vec<_> = replies(&Slow::start()).iter().flat_map(replies).collect();
    let third: usize = second.iter().map(|game| game.turns().len()).sum();
    assert_eq!((second.len(), third), (100, 1212));
}

type At = (i32, i32);

#[derive(Clone)]
struct Slow {
    on: BTreeMap<At, char>,
    white: bool,
    quiet: usize,
    seen: Vec<(BTreeMap<At, char>, bool)>,
}

impl Slow {
    fn start() -> Self {
        let mut on = BTreeMap::new();
        for (column, letter) in (0..).zip("RNQKNR".chars()) {
            on.insert((column, 0), letter);
            on.insert((column, 1), 'P');
            on.insert((column, 4), 'p');
            on.insert((column, 5), letter.to_ascii_lowercase());
        }
        let seen = vec![(on.clone(), true)];
        Self {
            on,
            white: true,
            quiet: 0,
            seen,
        }
    }

    fn has((column, row): At) -> bool {
        (0..6).contains(&column) && (0..6).contains(&row)
    }

    /// Where the piece on a cell could go, without a thought for its king.
    fn reach(&self, from: At) -> Vec<At> {
        let letter = self.on[&from];
        let white = letter.is_ascii_uppercase();
        let is_enemy = |at: &At| {
            self.on
                .get(at)
                .is_some_and(|other| other.is_ascii_uppercase() != white)
        };
        let is_free = |at: &At| Self::has(*at) && !self.on.contains_key(at);
        let eight: Vec<At> = (-1..2)
            .flat_map(|x| (-1..2).map(move |y| (x, y)))
            .filter(|way| *way != (0, 0))
            .collect();
        let slide = |ways: Vec<At>| {
            let mut reached = Vec::new();
            for (x, y) in ways {
                let mut at = (from.0 + x, from.1 + y);
                while is_free(&at) {
                    reached.push(at);
                    at = (at.0 + x, at.1 + y);
                }
                if is_enemy(&at) {
                    reached.push(at);
                }
            }
            reached
        };
        let jump = |ways: Vec<At>| -> Vec<At> {
            let to = ways.into_iter().map(|(x, y)| (from.0 + x, from.1 + y));
            to.filter(|at| is_free(at) || is_enemy(at)).collect()
        };
        match letter.to_ascii_uppercase() {
            'K' => jump(eight),
            'N' => jump(
                (-2..3)
                    .flat_map(|x: i32| (-2..3).map(move |y: i32| (x, y)))
                    .filter(|(x, y)| x.abs() * y.abs() == 2)
                    .collect(),
            ),
            'Q' => slide(eight),
            'R' => slide(eight.into_iter().filter(|(x, y)| x * y == 0).collect()),
            _ => {
                let up = if white { 1 } else { -1 };
                let ahead = (from.0, from.1 + up);
                let aside = [(from.0 - 1, from.1 + up), (from.0 + 1, from.1 + up)];
                let mut reached: Vec<_> = aside.into_iter().filter(is_enemy).collect();
                reached.extend(Some(ahead).filter(is_free));
                reached
            }
        }
    }

    fn is_attacked(&self, white: bool) -> bool {
        let king = if white { 'K' } else { 'k' };
        let own = |letter: &char| letter.is_ascii_uppercase() == white;
        self.on
            .iter()
            .filter(|(_, letter)| !own(letter))
            .any(|(at, _)| self.reach(*at).iter().any(|to| self.on.get(to) == Some(&king)))
    }

    fn moved(&self, from: At, to: At, becomes: char) -> Self {
        let mut next = self.clone();
        let letter = next.on.remove(&from).unwrap();
        let captured = next.on.insert(to, becomes).is_some();
        next.white = !self.white;
        next.quiet = if captured || letter.eq_ignore_ascii_case(&'p') {
            0
        } else {
            self.quiet + 1
        };
        next
    }

    /// Each legal move with its text.
    fn all(&self) -> Vec<(At, At, char, String)> {
        let mut all = Vec::new();
        for (from, letter) in self
            .on
            .iter()
            .filter(|(_, letter)| letter.is_ascii_uppercase() == self.white)
        {
            for to in self.reach(*from) {
                if self.moved(*from, to, *letter).is_attacked(self.white) {
                    continue;
                }
                let is_last = letter.eq_ignore_ascii_case(&'p') && (to.1 == 0 || to.1 == 5);
                for becomes in if is_last {
                    "QRN".chars().collect()
                } else {
                    vec![*letter]
                } {
                    let becomes = if self.white {
                        becomes
                    } else {
                        becomes.to_ascii_lowercase()
                    };
                    all.push((*from, to, becomes, String::new()));
                }
            }
        }
        let texts: Vec<String> = all.iter().map(|step| self.text(step, &all)).collect();
        for (step, text) in all.iter_mut().zip(texts) {
            step.3 = text;
        }
        all
    }

    fn text(
        &self,
        (from, to, becomes, _): &(At, At, char, String),
        all: &[(At, At, char, String)],
    ) -> String {
        let letter = self.on[from].to_ascii_uppercase();
        let x = if self.on.contains_key(to) { "x" } else { "" };
        let (column, row) = name(*from).split_at(1).into_owned();
        if letter == 'P' {
            let from = if x.is_empty() { "" } else { column.as_str() };
            let promotion = if becomes.eq_ignore_ascii_case(&'p') {
                String::new()
            } else {
                format!("={}", becomes.to_ascii_uppercase())
            };
            return format!("{from}{x}{}{promotion}", name(*to));
        }
        let rivals: Vec<At> = all
            .iter()
            .filter(|(other, at, ..)| at == to && other != from && self.on[other] == self.on[from])
            .map(|(other, ..)| *other)
            .collect();
        let same_column = rivals.iter().any(|at| at.0 == from.0);
        let same_row = rivals.iter().any(|at| at.1 == from.1);
        let which = match (rivals.is_empty(), same_column, same_row) {
            (true, ..) => String::new(),
            (_, false, _) => column,
            (_, true, false) => row,
            (_, true, true) => column + &row,
        };
        format!("{letter}{which}{x}{}", name(*to))
    }
}

trait Owned {
    fn into_owned(self) -> (String, String);
}

impl Owned for (&str, &str) {
    fn into_owned(self) -> (String, String) {
        (self.0.to_owned(), self.1.to_owned())
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        match self.outcome() {
            Some(_) => BTreeSet::new(),
            None => self.all().into_iter().map(|(.., text)| text).collect(),
        }
    }

    fn play(&mut self, turn: &str) {
        let (from, to, becomes, _) = self.all().into_iter().find(|step| step.3 == turn).unwrap();
        *self = self.moved(from, to, becomes);
        if self.quiet == 0 {
            self.seen.clear();
        }
        self.seen.push((self.on.clone(), self.white));
    }

    fn letters(&self) -> BTreeMap<String, char> {
        self.on.iter().map(|(at, letter)| (name(*at), *letter)).collect()
    }

    fn mover(&self) -> Seat {
        if self.white { Seat::First } else { Seat::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.all().is_empty() {
            let is_mate = self.is_attacked(self.white);
            return Some(if is_mate {
                Outcome::Won(self.mover().other())
            } else {
                Outcome::Drawn
            });
        }
        let times = self
            .seen
            .iter()
            .filter(|(on, white)| *on == self.on && *white == self.white)
            .count();
        let others: Vec<char> = self
            .on
            .values()
            .map(char::to_ascii_uppercase)
            .filter(|letter| *letter != 'K')
            .collect();
        let is_dead = others.is_empty() || others == ['N'];
        (times > 2 || self.quiet > 99 || is_dead).then_some(Outcome::Drawn)
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    lockstep::<LosAlamos, _>("", 6, Slow::start);
}

#[test]
fn a_pawn_becomes_no_bishop_and_makes_no_double_step() {
    let start = after::<LosAlamos>("", "");
    assert!(start.read("d4").is_err());
    assert_eq!(
        start.read("d2-d3").map(|turn| turn.to_string()).as_deref(),
        Ok("d3")
    );
    assert!(start.read("O-O").is_err());
}
