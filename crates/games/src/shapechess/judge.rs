//! Checks actions as written against the rules, and names the rule that forbids one.

use super::turn::{Turn, WrittenAction};
use super::{FACTS, ShapeChess};
use crate::kit::reading::WrittenCell;
use crate::kit::square::Bits;
use crate::{Outcome, Refusal, Rules};

impl ShapeChess {
    /// The legal actions that were written, all by the same player.
    ///
    /// # Errors
    /// An action is not legal; the refusal is about the first such action, and names the rule.
    pub(super) fn judge_all(&self, written: &[WrittenAction]) -> Result<Vec<Turn>, Refusal> {
        let mut position = *self;
        let mut turns = Vec::with_capacity(written.len());
        let mut before: Option<&WrittenAction> = None;
        for action in written {
            if let Some(before) = before {
                self.check_goes_on(&position, before, action)?;
            }
            let turn = position.judge(action)?;
            position.play(&turn);
            turns.push(turn);
            before = Some(action);
        }
        Ok(turns)
    }

    /// Checks that the player of `before` acts again in the position after it.
    fn check_goes_on(
        &self,
        position: &Self,
        before: &WrittenAction,
        action: &WrittenAction,
    ) -> Result<(), Refusal> {
        let side = FACTS.sides[self.mover.index()];
        let reason = match position.outcome() {
            Some(Outcome::Won(_)) => format!("With {before} {side} has won, so {action} cannot follow."),
            Some(Outcome::Drawn) => {
                format!("With {before} the board is full and the game drawn, so {action} cannot follow.")
            }
            None if position.mover != self.mover => format!(
                "{before} removes no symmetric shape of six stones or more, so {side}'s turn is over after it \
                 and {action} cannot follow."
            ),
            None => return Ok(()),
        };
        Err(Refusal::illegal(reason).at(action.at()))
    }

    pub(super) fn judge(&self, action: &WrittenAction) -> Result<Turn, Refusal> {
        if self.outcome.is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        let from = action.from.cell;
        let [we, they] = [self.mover, self.mover.other()];
        let [own, enemy] = [we, they].map(|seat| self.stones[seat.index()].has(from));
        match (&action.to, own, enemy) {
            (None, false, false) => Ok(Turn::Drop(from)),
            (None, ..) => {
                let owner = FACTS.sides[if own { we } else { they }.index()];
                let reason = format!("A stone is dropped on an empty cell, and {owner} has one on {from}.");
                Err(Refusal::illegal(reason).at(action.at()))
            }
            (Some(_), false, false) => {
                let reason = format!("There is no stone on {from} to jump or to be pushed.");
                Err(Refusal::illegal(reason).at(action.from.at.clone()))
            }
            (Some(to), true, _) => self.judge_jump(action, to),
            (Some(to), ..) => self.judge_push(action, to),
        }
    }

    fn judge_jump(&self, action: &WrittenAction, to: &WrittenCell) -> Result<Turn, Refusal> {
        let (from, end) = (action.from.cell, to.cell);
        let reason = if from == end {
            format!("A stone jumps to another cell, not from {from} to {end}.")
        } else if !self.empty().has(end) {
            format!("A stone jumps to an empty cell, and {end} is occupied.")
        } else {
            return Ok(Turn::Jump(from, end));
        };
        Err(Refusal::illegal(reason).at(to.at.clone()))
    }

    fn judge_push(&self, action: &WrittenAction, to: &WrittenCell) -> Result<Turn, Refusal> {
        let (from, end) = (action.from.cell, to.cell);
        let room = Bits::of(from).around() & self.empty();
        if room.has(end) {
            return Ok(Turn::Push(from, end));
        }
        let they = FACTS.sides[self.mover.other().index()];
        let reason = if room.is_empty() {
            format!("{they}'s stone on {from} cannot be pushed: no cell next to it is empty.")
        } else if from == end {
            format!("A push moves {they}'s stone to another cell, not from {from} to {end}.")
        } else if !self.empty().has(end) {
            format!("{they}'s stone on {from} is pushed to an empty cell, and {end} is occupied.")
        } else {
            format!("{they}'s stone on {from} is pushed to a cell next to it, and {end} is not.")
        };
        let choices = room
            .iter()
            .map(|cell| Turn::Push(from, cell).to_string())
            .collect();
        Err(Refusal::illegal(reason).at(to.at.clone()).or(choices))
    }
}
