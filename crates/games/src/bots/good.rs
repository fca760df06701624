//! Which turns were good elsewhere in a search: two that refuted a position as far from the first one ("killers"), and how often each
//! turn has refuted any (J. Schaeffer, "The History Heuristic and Alpha-Beta Search Enhancements in Practice", 1989).

/// Turns share a place if their numbers are the same modulo this one.
const PLACES: usize = 1 << 14;

/// What a turn is worth that refuted a position as far from the first one: more than any count, less than a capture.
const KILLER: i32 = 5000;

/// The count that no turn exceeds.
const MAX_COUNT: i32 = 4000;

/// Turns that were good.
pub(super) struct Good {
    killers: Vec<[u64; 2]>,
    counts: Vec<i32>,
}

impl Good {
    pub(super) fn new() -> Self {
        Self {
            killers: Vec::new(),
            counts: vec![0; PLACES],
        }
    }

    /// How early a turn is tried so many turns from the first position.
    pub(super) fn points(&self, number: u64, ply: i32) -> i32 {
        let killers = self.killers.get(ply.unsigned_abs() as usize);
        let is_killer = killers.is_some_and(|killers| killers.contains(&number));
        self.counts[number as usize % PLACES] + if is_killer { KILLER } else { 0 }
    }

    /// Notes that a turn was good enough that the others need not be tried.
    pub(super) fn reward(&mut self, number: u64, depth: u32, ply: i32) {
        let ply = ply.unsigned_abs() as usize;
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [u64::MAX; 2]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != number {
            *killers = [number, killers[0]];
        }
        let count = &mut self.counts[number as usize % PLACES];
        *count = (*count + (depth * depth) as i32).min(MAX_COUNT);
    }
}
