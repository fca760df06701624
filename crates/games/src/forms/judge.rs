//! Checks a turn as written against the rules, and names the rule that forbids it.

use super::turn::{Turn, WrittenTurn};
use super::{FACTS, Forms};
use crate::Refusal;
use crate::kit::square::Bits;
use crate::kit::square::Cell;

/// A refusal lists the legal turns of a stone if there are at most this many.
const LISTED: u32 = 6;

impl Forms {
    /// The legal turn that was written.
    ///
    /// # Errors
    /// It is not legal; the refusal names the rule.
    pub(super) fn judge(&self, written: &WrittenTurn) -> Result<Turn, Refusal> {
        let (from, to) = (written.from.cell, written.to.cell);
        if let Some(reason) = self.no_stone(from) {
            return Err(Refusal::illegal(reason).at(written.from.at.clone()));
        }
        let targets = self.targets(from);
        if targets.has(to) {
            return Ok(Turn { from, to });
        }
        let all = |targets: Bits| targets.iter().map(|to| Turn { from, to }.to_string()).collect();
        let listed = if targets.count() <= LISTED {
            all(targets)
        } else {
            Vec::new()
        };
        Err(Refusal::illegal(self.no_target(from, to))
            .at(written.to.at.clone())
            .or(listed))
    }

    fn no_stone(&self, from: Cell) -> Option<String> {
        let [we, they] = [self.mover, self.mover.other()].map(|seat| FACTS.sides[seat.index()]);
        if self.own().has(from) {
            None
        } else if self.enemy().has(from) {
            Some(format!("The stone on {from} is {they}'s, and it is {we}'s turn."))
        } else {
            Some(format!("There is no stone on {from}."))
        }
    }

    /// Why the mover's stone on `from` may not move to `to`.
    fn no_target(&self, from: Cell, to: Cell) -> String {
        let [we, they] = [self.mover, self.mover.other()].map(|seat| FACTS.sides[seat.index()]);
        if from == to {
            format!("A stone must move to another cell, not from {from} to {to}.")
        } else if self.own().has(to) {
            format!("A stone cannot move onto a stone of its own colour, and the one on {to} is {we}'s too.")
        } else if self.enemy().has(to) {
            format!(
                "A stone captures an enemy stone directly beside it, not diagonally, and {to}, where \
                 {they}'s stone is, is not beside {from}."
            )
        } else if self.standard {
            format!("By the standard rules a stone moves only onto an enemy stone, and {to} is empty.")
        } else if self.reach(from).has(to) {
            format!(
                "A slide must take at least one stone off the board, and after {from}-{to} all stones would \
                 still hang together."
            )
        } else {
            format!(
                "A stone slides by steps to the sides, up and down over empty cells only, and no such way \
                 leads from {from} to {to}."
            )
        }
    }
}
