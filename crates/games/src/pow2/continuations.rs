//! How a turn goes on: the move, and then the new pieces in any order.

use super::Pow2;
use super::board::{NAMES, Points, bit, board};
use super::turn::{self, Turn};
use crate::{Continuations, Refusal, Rules, Step};

impl Pow2 {
    /// How this beginning goes on.
    ///
    /// # Errors
    /// As [`Rules::continuations`](crate::Rules::continuations).
    pub(super) fn goes_on(&self, begun: &str) -> Result<Continuations, Refusal> {
        let ended = begun.trim_end().trim_end_matches([':', ',']);
        let Ok(written) = turn::parse(ended) else {
            return self.continuations_as_listed(begun);
        };
        let (placed, sets) = self.placements(&written)?;
        let (from, to) = (written.from.point, written.to.point);
        let fitting = || sets.iter().filter(move |set| **set & placed == placed);
        match (sets, written.placed.is_some()) {
            ([only], false) => return Ok(Continuations::whole(&Turn::new(from, to, *only))),
            _ if sets.contains(&placed) => return Ok(Continuations::whole(&Turn::new(from, to, placed))),
            _ => {}
        }
        let open = fitting().fold(0, |all, set| all | set) & !placed;
        if open == 0 {
            let most = sets.first().map_or(0, |set| set.count_ones());
            let wanted = placed.count_ones().min(most);
            return Err(self.wrong_placements(&written, placed, sets, wanted));
        }
        // Canonical text would reorder the points, and a text must grow at its end.
        let mut text = format!("{}-{}:", NAMES[from], NAMES[to]);
        for word in written.placed.iter().flatten() {
            text += &format!("{},", NAMES[word.point]);
        }
        let step = |point: usize| Step::to(&NAMES[point], format!("{text}{}", NAMES[point]));
        let left = |point: &usize| open & bit(*point) != 0;
        let steps = board().in_reading_order(Points::MAX).filter(left).map(step);
        Ok(Continuations::steps(steps.collect()))
    }
}
