//! How a turn goes on: a cell at a time, and after an action that scores with another action.

use super::{FACTS, ShapeChess};
use crate::{Continuations, Refusal, Rules};

impl ShapeChess {
    /// How these actions go on, of which the last one may be incomplete.
    ///
    /// # Errors
    /// As [`Rules::continuations`].
    pub(super) fn goes_on(&self, begun: &str) -> Result<Continuations, Refusal> {
        let Some((done, last)) = begun.rsplit_once(',') else {
            return self.action_goes_on(begun);
        };
        let (mut after, mut before) = (*self, String::new());
        for action in self.read_all(done)? {
            after.play(&action);
            before += &format!("{action},");
        }
        if after.to_move() != Some(self.mover) {
            let side = FACTS.sides[self.mover.index()];
            let reason = format!("After these actions {side}'s turn is over, so none can follow.");
            return Err(Refusal::illegal(reason).at(done.len()..begun.len()));
        }
        let last = after.action_goes_on(last);
        last.map(|last| last.after(&before)).map_err(|refusal| {
            let moved = |at: std::ops::Range<usize>| at.start + done.len() + 1..at.end + done.len() + 1;
            Refusal {
                at: refusal.at.map(moved),
                ..refusal
            }
        })
    }

    /// How one action goes on, and if it is whole and scores, which actions may follow it.
    fn action_goes_on(&self, begun: &str) -> Result<Continuations, Refusal> {
        let mut continuations = self.continuations_as_listed(begun)?;
        if let Some(whole) = &continuations.whole {
            let mut after = *self;
            after.play(&self.read(whole)?);
            if after.to_move() == Some(self.mover) {
                let next = after.continuations_as_listed("")?.after(&format!("{whole},"));
                continuations.steps.extend(next.steps);
            }
        }
        Ok(continuations)
    }
}
