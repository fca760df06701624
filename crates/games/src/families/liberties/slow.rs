//! For the tests: a slow model of these games that shares no code with them.

use std::collections::{BTreeMap, BTreeSet};

use crate::lockstep::Model;
use crate::{Outcome, Seat};

type At = (i32, i32);
type Stones = BTreeMap<At, Seat>;

/// The rule that a game adds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Two passes end; the komi in halves.
    Go(i32),
    AtariGo,
    Gonnect,
}

pub(crate) struct Slow {
    pub(crate) size: i32,
    pub(crate) rule: Rule,
    pub(crate) can_swap: bool,
    mover: Seat,
    stones: Stones,
    seen: Vec<Stones>,
    turns: usize,
    passes: usize,
    captor: Option<Seat>,
}

const LETTERS: &str = "abcdefghjklmnopqrst";

pub(crate) fn name((column, row): At) -> String {
    format!("{}{}", LETTERS.as_bytes()[column as usize] as char, row + 1)
}

fn at(name: &str) -> At {
    let column = LETTERS.find(&name[..1]).unwrap() as i32;
    (column, name[1..].parse::<i32>().unwrap() - 1)
}

impl Slow {
    pub(crate) fn new(size: i32, rule: Rule, handicap: &[&str]) -> Self {
        let stones: Stones = handicap.iter().map(|name| (at(name), Seat::First)).collect();
        Self {
            size,
            rule,
            can_swap: rule == Rule::Gonnect,
            mover: Seat::BOTH[usize::from(!handicap.is_empty())],
            seen: vec![stones.clone()],
            stones,
            turns: 0,
            passes: 0,
            captor: None,
        }
    }

    fn all(&self) -> impl Iterator<Item = At> + use<> {
        let size = self.size;
        (0..size).flat_map(move |column| (0..size).map(move |row| (column, row)))
    }

    fn beside(&self, (column, row): At) -> Vec<At> {
        let all = [
            (column - 1, row),
            (column + 1, row),
            (column, row - 1),
            (column, row + 1),
        ];
        let size = self.size;
        let is_there = |(column, row): &At| (0..size).contains(column) && (0..size).contains(row);
        all.into_iter().filter(is_there).collect()
    }

    /// The crossings that hang together with this one and have the same content, and those beside them.
    fn region(&self, stones: &Stones, start: At) -> (BTreeSet<At>, BTreeSet<At>) {
        let (mut inside, mut border, mut left) = (BTreeSet::new(), BTreeSet::new(), vec![start]);
        while let Some(here) = left.pop() {
            if stones.get(&here) != stones.get(&start) {
                border.insert(here);
            } else if inside.insert(here) {
                left.extend(self.beside(here));
            }
        }
        (inside, border)
    }

    /// The stones after one more, and whether it took any; `None` if that is not allowed.
    fn with(&self, here: At) -> Option<(Stones, bool)> {
        if self.stones.contains_key(&here) {
            return None;
        }
        let mut stones = self.stones.clone();
        stones.insert(here, self.mover);
        let lives = |stones: &Stones, at| {
            let (_, border) = self.region(stones, at);
            border.iter().any(|beside| !stones.contains_key(beside))
        };
        let before = stones.clone();
        for beside in self.beside(here) {
            if before.get(&beside) == Some(&self.mover.other()) && !lives(&before, beside) {
                for dead in self.region(&before, beside).0 {
                    stones.remove(&dead);
                }
            }
        }
        let is_allowed = lives(&stones, here) && !self.seen.contains(&stones);
        is_allowed.then(|| (stones.clone(), stones.len() < before.len()))
    }

    fn area(&self, seat: Seat) -> i32 {
        let is_own = |here: At| match self.stones.get(&here) {
            Some(owner) => *owner == seat,
            None => {
                let (_, border) = self.region(&self.stones, here);
                !border.is_empty() && border.iter().all(|at| self.stones[at] == seat)
            }
        };
        self.all().filter(|here| is_own(*here)).count() as i32
    }

    fn has_chain(&self, seat: Seat) -> bool {
        let last = self.size - 1;
        let own = self.stones.iter().filter(|(_, owner)| **owner == seat);
        own.map(|(here, _)| self.region(&self.stones, *here).0)
            .any(|chain| {
                let has = |test: fn(&At, i32) -> bool| chain.iter().any(|at| test(at, last));
                (has(|at, _| at.0 == 0) && has(|at, last| at.0 == last))
                    || (has(|at, _| at.1 == 0) && has(|at, last| at.1 == last))
            })
    }

    fn open(&self) -> BTreeSet<String> {
        let mut turns: BTreeSet<_> = self
            .all()
            .filter(|at| self.with(*at).is_some())
            .map(name)
            .collect();
        if matches!(self.rule, Rule::Go(_)) {
            turns.insert("pass".to_owned());
        }
        if self.can_swap && self.turns == 1 {
            turns.insert("swap".to_owned());
        }
        turns
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        match self.outcome() {
            Some(_) => BTreeSet::new(),
            None => self.open(),
        }
    }

    fn play(&mut self, turn: &str) {
        self.passes = if turn == "pass" { self.passes + 1 } else { 0 };
        match turn {
            "pass" => {}
            "swap" => self.stones.values_mut().for_each(|owner| *owner = owner.other()),
            _ => {
                let (stones, takes) = self.with(at(turn)).unwrap();
                self.stones = stones;
                if takes {
                    self.captor = Some(self.mover);
                }
            }
        }
        self.seen.push(self.stones.clone());
        self.turns += 1;
        self.mover = self.mover.other();
    }

    fn letters(&self) -> BTreeMap<String, char> {
        let letter = |seat: &Seat| if *seat == Seat::First { 'x' } else { 'o' };
        self.stones
            .iter()
            .map(|(at, seat)| (name(*at), letter(seat)))
            .collect()
    }

    fn mover(&self) -> Seat {
        self.mover
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.rule {
            Rule::Go(komi) => (self.passes == 2).then(|| {
                let lead = 2 * (self.area(Seat::First) - self.area(Seat::Second)) - komi;
                match lead.signum() {
                    1 => Outcome::Won(Seat::First),
                    -1 => Outcome::Won(Seat::Second),
                    _ => Outcome::Drawn,
                }
            }),
            Rule::AtariGo if self.captor.is_some() => self.captor.map(Outcome::Won),
            Rule::Gonnect if self.has_chain(self.mover.other()) => Some(Outcome::Won(self.mover.other())),
            Rule::AtariGo | Rule::Gonnect => {
                self.open().is_empty().then_some(Outcome::Won(self.mover.other()))
            }
        }
    }
}
