//! A slow model, pairs, fives that are broken, and threes.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::Rules as _;
use crate::lockstep::{self, Model, after, lockstep, name, square};

#[test]
fn turns_are_counted() {
    lockstep::perft::<Ninuki>("", &[1, 224, 224 * 223]);
}

type At = (i32, i32);

struct Slow {
    size: i32,
    stones: BTreeMap<At, Seat>,
    pairs: [usize; 2],
    mover: Seat,
    /// Who had five in a row before the last turn.
    outcome: Option<Outcome>,
}

const EIGHT: [At; 8] = [
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
    (1, 1),
    (-1, -1),
    (1, -1),
    (-1, 1),
];

fn step((x, y): At, (right, up): At, by: i32) -> At {
    (x + by * right, y + by * up)
}

impl Slow {
    fn has(&self, at: At) -> bool {
        (0..self.size).contains(&at.0) && (0..self.size).contains(&at.1)
    }

    fn empty(&self) -> Vec<At> {
        let all = (0..self.size).flat_map(|x| (0..self.size).map(move |y| (x, y)));
        all.filter(|at| !self.stones.contains_key(at)).collect()
    }

    fn five(stones: &BTreeMap<At, Seat>, seat: Seat) -> bool {
        let is = |at: At| stones.get(&at) == Some(&seat);
        stones
            .keys()
            .any(|at| EIGHT.iter().any(|way| (0..5).all(|by| is(step(*at, *way, by)))))
    }

    fn taken(stones: &BTreeMap<At, Seat>, seat: Seat, at: At) -> BTreeSet<At> {
        let is = |at: At, seat: Seat| stones.get(&at) == Some(&seat);
        let takes = |way: &&At| {
            let [first, second, end] = [1, 2, 3].map(|by| step(at, **way, by));
            is(first, seat.other()) && is(second, seat.other()) && is(end, seat)
        };
        EIGHT
            .iter()
            .filter(takes)
            .flat_map(|way| [step(at, *way, 1), step(at, *way, 2)])
            .collect()
    }

    /// Whether these stones of one side have a three through this cell in this direction: four side by side after one more, both
    /// ends free, and five at both ends would be exactly five.
    fn three(&self, stones: &BTreeMap<At, Seat>, seat: Seat, at: At, way: At) -> bool {
        let is = |stones: &BTreeMap<At, Seat>, at: At| stones.get(&at) == Some(&seat);
        let free = |at: At| self.has(at) && !stones.contains_key(&at);
        (-3..=0).any(|from| {
            let four: Vec<_> = (from..from + 4).map(|by| step(at, way, by)).collect();
            let own = four.iter().filter(|at| is(stones, **at)).count();
            let one = four.iter().filter(|at| free(**at)).count();
            let ends = [step(at, way, from - 1), step(at, way, from + 4)];
            let beyond = [step(at, way, from - 2), step(at, way, from + 5)];
            own == 3
                && one == 1
                && ends.iter().all(|at| free(*at))
                && !beyond.iter().any(|at| is(stones, *at))
        })
    }

    fn is_allowed(&self, at: At) -> bool {
        if self.stones.is_empty() && self.pairs == [0; 2] {
            return at == (self.size / 2, self.size / 2);
        }
        let (mover, other) = (self.mover, self.mover.other());
        let mut next = self.stones.clone();
        next.insert(at, mover);
        let ways = [(1, 0), (0, 1), (1, 1), (1, -1)];
        let threes = ways
            .iter()
            .filter(|way| self.three(&next, mover, at, **way))
            .count();
        let is_threatened = || {
            self.empty().iter().any(|at| {
                let mut after = self.stones.clone();
                after.insert(*at, other);
                Self::five(&after, other)
            })
        };
        threes < 2
            || is_threatened()
            || Self::five(&next, mover)
            || !Self::taken(&self.stones, mover, at).is_empty()
    }

    fn breakable(&self, seat: Seat) -> bool {
        let other = seat.other();
        self.empty().into_iter().any(|at| {
            let taken = Self::taken(&self.stones, other, at);
            let mut after = self.stones.clone();
            after.retain(|at, _| !taken.contains(at));
            let pairs = self.pairs[other.index()] + taken.len() / 2;
            !taken.is_empty() && (pairs >= 5 || !Self::five(&after, seat))
        })
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        if self.outcome.is_some() {
            return BTreeSet::new();
        }
        self.empty()
            .into_iter()
            .filter(|at| self.is_allowed(*at))
            .map(name)
            .collect()
    }

    fn play(&mut self, turn: &str) {
        let (mover, other, at) = (self.mover, self.mover.other(), square(turn));
        let stood = Self::five(&self.stones, other);
        let taken = Self::taken(&self.stones, mover, at);
        self.stones.insert(at, mover);
        self.stones.retain(|at, _| !taken.contains(at));
        self.pairs[mover.index()] += taken.len() / 2;
        self.outcome = if self.pairs[mover.index()] >= 5 {
            Some(Outcome::Won(mover))
        } else if stood && Self::five(&self.stones, other) {
            Some(Outcome::Won(other))
        } else if Self::five(&self.stones, mover) && !self.breakable(mover) {
            Some(Outcome::Won(mover))
        } else {
            self.empty().is_empty().then_some(Outcome::Drawn)
        };
        self.mover = other;
    }

    fn letters(&self) -> BTreeMap<String, char> {
        let letter = |seat: &Seat| ['x', 'o'][seat.index()];
        self.stones
            .iter()
            .map(|(at, seat)| (name(*at), letter(seat)))
            .collect()
    }

    fn mover(&self) -> Seat {
        self.mover
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    let start = || Slow {
        size: 13,
        stones: BTreeMap::new(),
        pairs: [0; 2],
        mover: Seat::First,
        outcome: None,
    };
    lockstep::<Ninuki, _>("-size=13", 1, start);
}

fn effects(turns: &str, last: &str) -> String {
    let position = after::<Ninuki>("", turns);
    position.effects(&[position.read(last).unwrap()]).join("; ")
}

#[test]
fn a_pair_is_taken_and_the_fifth_wins() {
    assert_eq!(effects("h8 i9 g7 j10", "k11"), "took one pair, one in all");
    let mut position = after::<Ninuki>("", "h8 i9 g7 j10");
    position.play(&position.read("k11").unwrap());
    assert_eq!(position.info()[0].1, [("Black", 1), ("White", 0)]);
    assert!(
        position
            .cells()
            .iter()
            .all(|(name, _)| name != "i9" && name != "j10")
    );
    position.game.0 = [4, 0];
    for turn in ["i9", "a1", "j10"] {
        position.play(&position.read(turn).unwrap());
    }
    assert_eq!(position.outcome(), None);
    // The stones stand between h8 and k11 already, and were put there: only a new stone takes them.
    assert_eq!(effects("h8 a1 k8 i8 a3 j8 a5 b9", "c9"), "");
}

#[test]
fn a_five_that_can_be_broken_wins_only_if_it_is_not_broken() {
    // Black's row 8 from d to h; White can take h8 and i7's pair through g9? The pair is h8 and h9 between h7 and h10.
    let row = "h8 h7 g8 a1 f8 a3 e8 a5 h9 a7";
    assert_eq!(effects(row, "d8"), "got five in a row that can be broken");
    let broken = after::<Ninuki>("", &format!("{row} d8 h10"));
    assert_eq!((broken.outcome(), broken.game.0), (None, [0, 1]));
    let not = after::<Ninuki>("", &format!("{row} d8"));
    assert_eq!(
        not.effects(&[not.read("a9").unwrap()]),
        ["did not break the five of the other side"]
    );
    assert_eq!(
        after::<Ninuki>("", &format!("{row} d8 a9")).winner(),
        Some(Seat::First)
    );
}

#[test]
fn two_threes_are_forbidden_to_both() {
    let position = after::<Ninuki>("", "h8 a1 j8 a3 i6 a5 i7 b9");
    assert_eq!(
        position.read("i8").unwrap_err().reason,
        "A stone on i8 would make two threes, which is forbidden to both sides."
    );
    assert_eq!(
        after::<Ninuki>("", "").read("a1").unwrap_err().reason,
        "The first stone is put on the middle of the board."
    );
}
