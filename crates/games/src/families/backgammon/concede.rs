//! Giving up one game of a match: the side to move offers the game, and the other side accepts or plays on.

use super::board::{OFF, Position};
use super::game::{Game, State};
use super::loss::Loss;
use crate::Refusal;

impl Game {
    /// Whether the side to move may offer the game as this loss.
    ///
    /// # Errors
    /// It is no time for it, or the offer is one that makes no sense.
    pub fn may_concede(&self, loss: Loss) -> Result<(), Refusal> {
        if !matches!(
            self.state,
            State::NeedsRoll | State::RollOrDouble | State::ToPlay(_)
        ) {
            return Err(Refusal::illegal(self.refused(None)));
        }
        if self.length == 1 {
            return Err(Refusal::illegal(
                "There is only this game: to give it up, resign.",
            ));
        }
        if self.position == Position::start(self.variant()) {
            let reason = "A game is given up after its first play, not before.";
            return Err(Refusal::illegal(reason));
        }
        let has_borne_off = self.position.count(self.mover, OFF) > 0;
        if loss > Loss::Single && has_borne_off {
            let reason = format!(
                "You have borne off a checker, so you cannot lose {}.",
                loss.named()
            );
            return Err(Refusal::illegal(reason).or(vec![Loss::Single.turn().to_owned()]));
        }
        if loss.times() <= self.refused {
            let reason = match self.refused < Loss::Backgammon.times() {
                true => "Your opponent refused that in this turn: offer more, or go on.",
                false => "You cannot give the game up in this turn any more: go on.",
            };
            return Err(Refusal::illegal(reason));
        }
        Ok(())
    }

    /// The losses that the side to move may offer.
    #[must_use]
    pub fn concessions(&self) -> Vec<Loss> {
        let may = |loss: &Loss| self.may_concede(*loss).is_ok();
        Loss::ALL.into_iter().filter(may).collect()
    }
}
