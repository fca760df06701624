//! Whether the player to move wins, whatever is answered: a search by proof numbers (df-pn, A. Nagai, "Df-pn Algorithm for
//! Searching AND/OR Trees and its Applications", 2002).
//!
//! Alpha-beta looks only at the best turns where it looks deep. This search looks at all of them, and goes deep where few
//! are left to the loser, so it sees long forced wins and solves small positions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{SearchPosition, Seat, WON};

/// A number of this size means: never.
const NEVER: u32 = u32::MAX >> 1;

/// No line is longer, so that the search ends where positions repeat.
const LONGEST: u32 = 100;

/// No more positions are kept: a megabyte or two.
const MAX_KNOWN: usize = 1 << 16;

/// How much is still to be shown of a position, as one of the players sees it.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    /// At least so many positions must still be shown to reach the player's goal, until this one is.
    proof: u32,
    /// The same for missing it.
    disproof: u32,
}

impl Numbers {
    const UNKNOWN: Self = Self {
        proof: 1,
        disproof: 1,
    };
    const REACHED: Self = Self {
        proof: 0,
        disproof: NEVER,
    };
    const MISSED: Self = Self {
        proof: NEVER,
        disproof: 0,
    };

    const fn of_end(is_reached: bool) -> Self {
        if is_reached { Self::REACHED } else { Self::MISSED }
    }

    /// The same, as the side that wants to win or as its opponent sees it.
    const fn seen(self, is_own: bool) -> Self {
        match is_own {
            true => self,
            false => Self {
                proof: self.disproof,
                disproof: self.proof,
            },
        }
    }
}

/// The search ends without a result: the budget is used up, or it was stopped.
struct Ended;

/// A turn that is neither won nor lost at once, its number in the list, and what is known of the position after it, as the player
/// to move before it sees it.
struct Open {
    turn: usize,
    numbers: Numbers,
}

struct Prover<'a> {
    walk: &'a mut dyn SearchPosition,
    side: Seat,
    /// By the key of a position, as the side sees it.
    known: HashMap<u64, Numbers>,
    nodes: u64,
    most_nodes: u64,
    stop: &'a AtomicBool,
}

/// A turn of the list of all turns that wins, if one is found among so many positions; and how many were looked at.
pub(super) fn winning_turn(
    walk: &mut dyn SearchPosition,
    most_nodes: u64,
    stop: &AtomicBool,
) -> (Option<usize>, u64) {
    let Some(side) = walk.to_move() else {
        return (None, 0);
    };
    let mut prover = Prover {
        walk,
        side,
        known: HashMap::new(),
        nodes: 0,
        most_nodes,
        stop,
    };
    let never = Numbers {
        proof: NEVER,
        disproof: NEVER,
    };
    let won = match prover.prove(never, 0) {
        Ok(Numbers { proof: 0, .. }) => prover.proven_turn(),
        Ok(_) | Err(Ended) => None,
    };
    (won, prover.nodes)
}

impl Prover<'_> {
    /// What is known of this position as the side sees it, when one of its numbers has reached these.
    fn prove(&mut self, most: Numbers, ply: u32) -> Result<Numbers, Ended> {
        let key = self.walk.key();
        let Some(mover) = self.walk.to_move() else {
            let numbers = Numbers::of_end(self.walk.end(self.side) == Some(WON));
            self.known.insert(key, numbers);
            return Ok(numbers);
        };
        if ply > LONGEST {
            return Ok(Numbers::MISSED);
        }
        let is_full = self.known.len() >= MAX_KNOWN || self.nodes >= self.most_nodes;
        if is_full || self.stop.load(Ordering::Relaxed) {
            return Err(Ended);
        }
        let is_own = mover == self.side;
        if ply > 0
            && let Some(turns) = self.walk.foregone()
        {
            let numbers = Numbers::of_end((turns > 0) == is_own);
            self.known.insert(key, numbers);
            return Ok(numbers);
        }
        let numbers = self.prove_turns(most.seen(is_own), is_own, ply, self.known.contains_key(&key))?;
        let numbers = numbers.seen(is_own);
        self.known.insert(key, numbers);
        Ok(numbers)
    }

    /// The same as the player to move sees it. Of a position that was not seen before, its turns are only counted.
    fn prove_turns(
        &mut self,
        most: Numbers,
        is_own: bool,
        ply: u32,
        is_seen: bool,
    ) -> Result<Numbers, Ended> {
        let (values, is_whole) = self.values();
        // If the opponent has turns that are not listed, one of them may be good.
        if values.first() == Some(&WON) || !(is_own || is_whole) {
            return Ok(Numbers::REACHED);
        }
        let turns = (0..values.len()).filter(|turn| values[*turn] != -WON);
        if !is_seen {
            let count = turns.clone().count() as u32;
            let counted = Numbers {
                proof: 1,
                disproof: count,
            };
            let numbers = if count == 0 { Numbers::MISSED } else { counted };
            if count == 0 || numbers.proof >= most.proof || numbers.disproof >= most.disproof {
                return Ok(numbers);
            }
        }
        let mut open: Vec<Open> = turns.map(|turn| self.open(turn, is_own)).collect();
        loop {
            let (numbers, best, second) = together(&open);
            if numbers.proof >= most.proof || numbers.disproof >= most.disproof {
                return Ok(numbers);
            }
            let others = numbers.disproof - open[best].numbers.disproof;
            let limits = Numbers {
                // A little more than the second best, so that the search does not hop to and fro.
                proof: most.proof.min(second + second / 4 + 1),
                disproof: most.disproof - others,
            };
            self.walk.play(open[best].turn);
            let found = self.prove(limits.seen(is_own), ply + 1);
            self.walk.back();
            open[best].numbers = found?.seen(is_own);
        }
    }

    /// What the turns of this position seem worth, of which only ends count here, and whether these are all. Where there are few turns they
    /// are not judged: an end is seen when its turn is tried.
    fn values(&mut self) -> (Vec<i32>, bool) {
        if self.walk.has_few_turns() {
            let count = self.walk.list_promises().len();
            self.nodes += 1 + count as u64 / 4;
            return (vec![0; count], true);
        }
        let listed = self.walk.list(usize::MAX);
        self.nodes += listed.judged.max(1);
        (listed.values, listed.is_whole)
    }

    fn open(&mut self, turn: usize, is_own: bool) -> Open {
        self.walk.play(turn);
        let numbers = match self.walk.end(self.side) {
            Some(value) => Some(Numbers::of_end(value == WON)),
            None => self.known.get(&self.walk.key()).copied(),
        };
        self.walk.back();
        Open {
            turn,
            numbers: numbers.unwrap_or(Numbers::UNKNOWN).seen(is_own),
        }
    }

    /// A turn of the first position after which the win is known.
    fn proven_turn(&mut self) -> Option<usize> {
        let values = self.values().0;
        (0..values.len()).find(|turn| values[*turn] == WON || self.open(*turn, true).numbers.proof == 0)
    }
}

/// The numbers of a position from those after its turns, which is the most promising, and the proof number of the next.
fn together(open: &[Open]) -> (Numbers, usize, u32) {
    let (mut numbers, mut best, mut second) = (Numbers::MISSED, 0, NEVER);
    for (place, Open { numbers: after, .. }) in open.iter().enumerate() {
        numbers.disproof = numbers.disproof.saturating_add(after.disproof).min(NEVER);
        if after.proof < numbers.proof {
            second = numbers.proof;
            (numbers.proof, best) = (after.proof, place);
        } else {
            second = second.min(after.proof);
        }
    }
    match numbers.proof {
        0 => (Numbers::REACHED, best, second),
        _ => (numbers, best, second),
    }
}
