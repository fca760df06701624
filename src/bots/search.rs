//! Alpha-beta, one turn deeper at a time.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};

use super::level::Means;
use crate::games::{GREATEST_ESTIMATE, Match, Seat, WON, Walk};
use crate::kit::mix::mix;

/// A value at least as great is a win that was seen to its end. Each turn until then takes 1 from [`WON`].
pub(super) const LEAST_PROVEN: i32 = WON - 10_000;

/// What a search found.
pub(super) struct Found {
    /// For the player to move.
    pub(super) value: i32,
    /// The best turns of both players, at least one.
    pub(super) line: Vec<String>,
    pub(super) nodes: u64,
}

/// The search ends without a result: the budget is used up, or it was stopped.
struct Ended;

struct Search<'a> {
    walk: Box<dyn Walk>,
    means: &'a Means,
    seed: u64,
    stop: &'a AtomicBool,
    nodes: u64,
}

/// Searches within these means. `None` if the game is over or the search was stopped.
pub(super) fn search(position: &dyn Match, means: &Means, seed: u64, stop: &AtomicBool) -> Option<Found> {
    let mut search = Search {
        walk: position.walk(),
        means,
        seed,
        stop,
        nodes: 0,
    };
    let side = search.walk.to_move()?;
    let values = search.walk.list(means.breadth.max(1));
    search.nodes = values.len() as u64;
    let mut turns: Vec<(usize, i32)> = values.into_iter().enumerate().collect();
    for (turn, value) in &mut turns {
        *value += search.noise(*turn as u64);
    }
    turns.sort_by_key(|(_, value)| Reverse(*value));
    for depth in 2..=means.depth {
        match search.root(side, &turns, depth) {
            Ok(better) => turns = better,
            Err(Ended) => break,
        }
        if turns
            .first()
            .is_some_and(|(_, value)| value.abs() >= LEAST_PROVEN)
        {
            break;
        }
    }
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let (turn, value) = *turns.first()?;
    Some(Found {
        value,
        line: vec![search.walk.text(turn)],
        nodes: search.nodes,
    })
}

impl Search<'_> {
    /// Searches all turns of the first position, and returns them the best first. The values of those that are not best are
    /// bounds only.
    fn root(&mut self, side: Seat, turns: &[(usize, i32)], depth: u32) -> Result<Vec<(usize, i32)>, Ended> {
        let mut better: Vec<(usize, i32)> = Vec::with_capacity(turns.len());
        let mut least = -WON;
        for (turn, _) in turns {
            self.walk.play(*turn);
            let value = self.value_for(side, least, WON, depth - 1, 1);
            self.walk.back();
            let value = value?;
            let place = better.partition_point(|(_, other)| *other >= value);
            better.insert(place, (*turn, value));
            least = least.max(value);
        }
        Ok(better)
    }

    /// The value of this position for a side, which need not be to move.
    fn value_for(&mut self, side: Seat, least: i32, most: i32, depth: u32, ply: i32) -> Result<i32, Ended> {
        match self.walk.to_move() {
            Some(mover) if mover != side => Ok(-self.value(mover, -most, -least, depth, ply)?),
            Some(mover) => self.value(mover, least, most, depth, ply),
            None => Ok(self.sooner(self.walk.end(side).unwrap_or_default(), ply)),
        }
    }

    /// A win counts more if it comes sooner, a loss less.
    const fn sooner(&self, end: i32, ply: i32) -> i32 {
        end - end.signum() * ply
    }

    fn value(&mut self, mover: Seat, least: i32, most: i32, depth: u32, ply: i32) -> Result<i32, Ended> {
        if self.nodes >= self.means.nodes || self.stop.load(Ordering::Relaxed) {
            return Err(Ended);
        }
        let values = self.walk.list(self.means.breadth);
        self.nodes += values.len() as u64;
        if depth <= 1 || values.first().is_some_and(|value| *value >= WON) {
            let value = values.first().copied().unwrap_or_default();
            return Ok(match value.abs() {
                ..=GREATEST_ESTIMATE => value + self.noise(self.walk.key()),
                _ => self.sooner(value, ply + 1),
            });
        }
        let (mut least, mut best) = (least, -WON);
        for turn in 0..values.len() {
            self.walk.play(turn);
            let value = self.value_for(mover, least, most, depth - 1, ply + 1);
            self.walk.back();
            best = best.max(value?);
            least = least.max(best);
            if least >= most {
                break;
            }
        }
        Ok(best)
    }

    /// What this position is taken for too much or too little, so that games differ.
    fn noise(&self, key: u64) -> i32 {
        let width = 2 * self.means.noise.unsigned_abs() + 1;
        (mix([self.seed, key]) % u64::from(width)) as i32 - self.means.noise
    }
}
