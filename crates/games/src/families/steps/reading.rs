//! Reads a turn as written, and names the rule that forbids it.

use super::{StepGame, Steps, Turn};
use crate::Refusal;
use crate::kit::reading::WrittenCell;
use crate::kit::reading::cells::read_cells;
use crate::kit::square::{SmallBits, only_one};
use crate::kit::words::number;

impl<G: StepGame> Steps<G> {
    /// The legal turn that is written.
    ///
    /// # Errors
    /// The text is no turn of the board, or a rule forbids it, or two pieces can go to its only cell.
    pub(super) fn read_turn(&self, text: &str) -> Result<Turn, Refusal> {
        let is_pass = G::FACTS.knows_pass && text.trim().eq_ignore_ascii_case("pass");
        if is_pass && self.must_pass() {
            return Ok(Turn::Pass);
        }
        let (side, piece) = (Self::side(self.mover), G::PIECE);
        if is_pass && self.outcome.is_none() {
            let moves = number(self.moves().count());
            let reason =
                format!("You pass only if no {piece} of yours can move, and {side} has {moves} moves.");
            return Err(Refusal::illegal(reason).at(0..text.len()));
        }
        let over = || Refusal::illegal("The game is over.");
        if is_pass {
            return Err(over());
        }
        let example = G::FACTS.example.first().copied().unwrap_or_default();
        let written = read_cells(text, self.grid, 2, example)?;
        if self.outcome.is_some() {
            return Err(over());
        }
        if self.must_pass() {
            let reason = format!("No {piece} of {side} can move, so {side} must pass.");
            return Err(Refusal::illegal(reason).or(vec![Turn::Pass.to_string()]));
        }
        match written.as_slice() {
            [from, to] => self.judge(from, to),
            [to, ..] => {
                let all: Vec<_> = self.moves().filter(|step| step.to == to.cell).collect();
                only_one(to, &all, format!("No {piece} of {side} can go to {}.", to.cell)).map(Turn::Move)
            }
            [] => Err(Refusal::unreadable("There is no turn here.")),
        }
    }

    fn judge(&self, from: &WrittenCell, to: &WrittenCell) -> Result<Turn, Refusal> {
        let (cell, piece) = (from.cell, G::PIECE);
        if !self.own().has(cell) {
            let [we, they] = [self.mover, self.mover.other()].map(Self::side);
            let reason = match self.enemy().has(cell) {
                true => format!("The {piece} on {cell} is {they}'s, and it is {we}'s turn."),
                false => format!("There is no {piece} on {cell}."),
            };
            return Err(Refusal::illegal(reason).at(from.at.clone()));
        }
        let moves: Vec<_> = G::moves(self, SmallBits::of(cell)).collect();
        if let Some(step) = moves.iter().find(|step| step.to == to.cell) {
            return Ok(Turn::Move(*step));
        }
        let choices = moves.iter().map(ToString::to_string).collect();
        Err(Refusal::illegal(G::no_target(self, cell, to.cell))
            .at(to.at.clone())
            .or(choices))
    }
}
