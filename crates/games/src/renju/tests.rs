//! The opening, and what is forbidden, in diagrams and against a slow judge.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

use super::*;
use crate::lockstep::{self, Model, after, lockstep, name, square};

#[test]
fn turns_are_counted() {
    // The middle; eight stones or a swap; after a stone 24 - 1 more and a swap, after a swap eight stones.
    lockstep::perft::<Renju>("", &[1, 9, 8 * 24 + 8]);
}

type At = (i32, i32);

/// A position as plain text would be read: who owns a stone is found by its colour.
#[derive(Clone)]
struct Slow {
    black: BTreeSet<At>,
    white: BTreeSet<At>,
    first_is_black: bool,
    mover: Seat,
    swapped: bool,
}

const ALL_WAYS: [At; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

fn step((x, y): At, (right, up): At, by: i32) -> At {
    (x + by * right, y + by * up)
}

impl Slow {
    fn is_empty(&self, at: At) -> bool {
        (0..15).contains(&at.0)
            && (0..15).contains(&at.1)
            && !self.black.contains(&at)
            && !self.white.contains(&at)
    }

    fn length(stones: &BTreeSet<At>, at: At, way: At) -> i32 {
        let run = |sign: i32| {
            (1..)
                .take_while(|by| stones.contains(&step(at, way, sign * by)))
                .count() as i32
        };
        1 + run(1) + run(-1)
    }

    fn with(&self, at: At) -> Self {
        let mut next = self.clone();
        next.black.insert(at);
        next
    }

    /// The empty crossings that make exactly five through this stone in this direction.
    fn fives(&self, at: At, way: At) -> Vec<At> {
        let near = (-5..=5).map(|by| step(at, way, by));
        let makes = |to: &At| {
            let next = self.with(*to);
            self.is_empty(*to)
                && Self::length(&next.black, *to, way) == 5
                && (-4..=4).any(|by| step(*to, way, by) == at)
                && {
                    // The stone that was put is within the five.
                    let mut run = vec![*to];
                    for sign in [1, -1] {
                        run.extend(
                            (1..)
                                .map(|by| step(*to, way, sign * by))
                                .take_while(|at| next.black.contains(at)),
                        );
                    }
                    run.contains(&at)
                }
        };
        near.filter(makes).collect()
    }

    fn is_straight(&self, at: At, way: At) -> bool {
        let fives = self.fives(at, way);
        Self::length(&self.black, at, way) == 4 && fives.len() == 2
    }

    fn fours(&self, at: At, way: At) -> usize {
        match self.fives(at, way).len() {
            2 if self.is_straight(at, way) => 1,
            count => count,
        }
    }

    /// Whether a black stone on this crossing is forbidden.
    fn forbids(&self, at: At) -> bool {
        let next = self.with(at);
        let lengths = ALL_WAYS.map(|way| Self::length(&next.black, at, way));
        if lengths.contains(&5) {
            return false;
        }
        let is_long = lengths.iter().any(|length| *length > 5);
        let fours: usize = ALL_WAYS.iter().map(|way| next.fours(at, *way)).sum();
        let is_three = |way: &&At| {
            (-4..=4).map(|by| step(at, **way, by)).any(|to| {
                let after = next.with(to);
                let five = ALL_WAYS
                    .iter()
                    .any(|way| Self::length(&after.black, to, *way) == 5);
                let joins = (-3..=3).any(|by| step(to, **way, by) == at)
                    && Self::length(&after.black, to, **way) == 4
                    && Self::length(&next.black, at, **way) < 4;
                next.is_empty(to) && joins && after.is_straight(at, **way) && !five && !next.forbids(to)
            })
        };
        is_long || fours > 1 || ALL_WAYS.iter().filter(is_three).count() > 1
    }

    fn put(&self) -> i32 {
        (self.black.len() + self.white.len()) as i32
    }

    fn black_moves(&self) -> bool {
        (self.mover == Seat::First) == self.first_is_black
    }

    fn stones(&self) -> BTreeSet<At> {
        let put = self.put();
        let all = (0..15)
            .flat_map(|x| (0..15).map(move |y| (x, y)))
            .filter(|at| self.is_empty(*at));
        all.filter(|at| match put {
            0..5 => (at.0 - 7).abs().max((at.1 - 7).abs()) <= put,
            _ => !self.black_moves() || !self.forbids(*at),
        })
        .collect()
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        if self.outcome().is_some() {
            return BTreeSet::new();
        }
        let mut turns: BTreeSet<_> = self.stones().into_iter().map(name).collect();
        if (1..=5).contains(&self.put()) && !self.swapped {
            turns.insert("swap".to_owned());
        }
        turns
    }

    fn play(&mut self, turn: &str) {
        let is_black = self.black_moves();
        self.swapped = turn == "swap";
        match turn {
            "swap" => self.first_is_black = !self.first_is_black,
            _ if is_black => drop(self.black.insert(square(turn))),
            _ => drop(self.white.insert(square(turn))),
        }
        self.mover = self.mover.other();
    }

    fn letters(&self) -> BTreeMap<String, char> {
        let [black, white] = if self.first_is_black {
            ['x', 'o']
        } else {
            ['o', 'x']
        };
        let blacks = self.black.iter().map(|at| (name(*at), black));
        blacks
            .chain(self.white.iter().map(|at| (name(*at), white)))
            .collect()
    }

    fn mover(&self) -> Seat {
        self.mover
    }

    fn outcome(&self) -> Option<Outcome> {
        let five = |stones: &BTreeSet<At>, wins: fn(i32) -> bool| {
            stones
                .iter()
                .any(|at| ALL_WAYS.iter().any(|way| wins(Self::length(stones, *at, *way))))
        };
        let [first, second] = if self.first_is_black { [0, 1] } else { [1, 0] }.map(|colour| match colour {
            0 => five(&self.black, |length| length == 5),
            _ => five(&self.white, |length| length >= 5),
        });
        match (first, second) {
            (true, _) => Some(Outcome::Won(Seat::First)),
            (_, true) => Some(Outcome::Won(Seat::Second)),
            _ => self.stones().is_empty().then_some(Outcome::Drawn),
        }
    }
}

fn empty() -> Slow {
    Slow {
        black: BTreeSet::new(),
        white: BTreeSet::new(),
        first_is_black: true,
        mover: Seat::First,
        swapped: false,
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    lockstep::<Renju, _>("", 1, empty);
}

/// Random games have few threes, so stones are thrown close together.
#[test]
fn crowded_boards_are_judged_as_a_slow_judge_does() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut met = BTreeSet::new();
    for _ in 0..40 {
        let mut slow = empty();
        for _ in 0..rng.random_range(6..22) {
            let at = (rng.random_range(3..11), rng.random_range(3..11));
            if slow.is_empty(at) {
                let is_black = rng.random_range(0..3) > 0;
                let _ = if is_black {
                    slow.black.insert(at)
                } else {
                    slow.white.insert(at)
                };
            }
        }
        let bits = |stones: &BTreeSet<At>| -> Bits {
            stones.iter().map(|at| Cell::at(at.0 as u8, at.1 as u8)).collect()
        };
        let black = bits(&slow.black);
        let free = Grid::new(SIZE).cells() - black - bits(&slow.white);
        let all = forbidden::all(black, free);
        for cell in free {
            let at = (i32::from(cell.column()), i32::from(cell.row()));
            assert_eq!(
                all.has(cell),
                slow.forbids(at),
                "{cell} {:?} {:?}",
                slow.black,
                slow.white
            );
            met.extend(forbidden::why(black, free, cell));
        }
    }
    assert_eq!(met, ["two fours", "two threes"].into(), "{met:?}");
}

#[test]
fn more_than_five_are_forbidden_unless_another_row_is_exactly_five() {
    let cells = |names: &str| -> Bits {
        let find = |name| Grid::new(SIZE).find(name).unwrap();
        names.split(' ').map(find).collect()
    };
    let why = |black: &str, at: &str| {
        let black = cells(black);
        forbidden::why(black, Grid::new(SIZE).cells() - black, cells(at).first().unwrap())
    };
    assert_eq!(why("b8 c8 d8 f8 g8", "e8"), Some("more than five in a row"));
    assert_eq!(why("b8 c8 d8 f8 g8 e4 e5 e6 e7", "e8"), None);
    // Two fours in one row, and a straight four, which is one.
    assert_eq!(why("b8 d8 f8 h8 e8", "d9"), None);
    assert_eq!(why("b8 d8 e8 h8", "f8"), Some("two fours"));
    assert_eq!(why("d8 e8 f8", "g8"), None);
}

#[test]
fn a_forbidden_stone_is_refused_with_its_reason() {
    // Black has two stones in the row and two in the column of i8.
    let position = after::<Renju>("", "h8 g9 j8 e5 i6 a1 i7 a3");
    let reason = |text: &str| position.read(text).err().map(|refusal| refusal.reason);
    assert_eq!(
        reason("i8").as_deref(),
        Some("Black may not put a stone on i8: it would make two threes.")
    );
    assert_eq!(reason("i5"), None);
    // The row is no three any more.
    let stopped = after::<Renju>("", "h8 g9 j8 e5 i6 g8 i7 k8");
    assert!(stopped.read("i8").is_ok());
    let start = after::<Renju>("", "");
    assert_eq!(
        start.read("h9").unwrap_err().reason,
        "The first stone is put on the middle, h8."
    );
    let second = after::<Renju>("", "h8");
    assert_eq!(
        second.read("h10").unwrap_err().reason,
        "This stone is put within the 3 by 3 crossings in the middle, and h10 is outside."
    );
}

#[test]
fn a_swap_exchanges_all_stones_and_is_not_answered_by_another() {
    let mut position = after::<Renju>("", "h8 i9");
    assert_eq!(
        position.read("swap").map(|turn| turn.to_string()).as_deref(),
        Ok("swap")
    );
    position.play(&position.read("swap").unwrap());
    assert_eq!(position.cells(), [("i9".to_owned(), 'x'), ("h8".to_owned(), 'o')]);
    assert_eq!(position.to_move(), Some(Seat::Second));
    assert!(position.read("swap").unwrap_err().reason.contains("just now"));
    assert!(
        position
            .draw(crate::Display::Small)
            .starts_with("o is Black, x is White\n")
    );
    let late = after::<Renju>("", "h8 i9 h10 g9 j6 a1");
    assert!(
        late.read("swap")
            .unwrap_err()
            .reason
            .contains("first five stones")
    );
}
