//! Reads a turn as written, and names the rule that forbids it.

use super::{FACTS, Loa, SIZE, Turn, far};
use crate::Refusal;
use crate::kit::reading::WrittenCell;
use crate::kit::reading::cells::read_cells;
use crate::kit::square::{Cell, Grid, SmallBits, Way, only_one};
use crate::kit::words::number;

impl Loa {
    /// The legal turn that is written.
    ///
    /// # Errors
    /// The text is no turn of the board, or a rule forbids it, or two pieces can go to its only cell.
    pub(super) fn read_turn(&self, text: &str) -> Result<Turn, Refusal> {
        let is_pass = text.trim().eq_ignore_ascii_case("pass");
        if is_pass && self.must_pass() {
            return Ok(Turn::Pass);
        }
        if self.outcome.is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        let side = FACTS.sides[self.mover.index()];
        if is_pass {
            let moves = number(self.moves().count());
            let reason =
                format!("You pass only if no piece of yours can move, and {side} has {moves} moves.");
            return Err(Refusal::illegal(reason).at(0..text.len()));
        }
        let written = read_cells(text, Grid::new(SIZE), 2, "b1-b3")?;
        if self.must_pass() {
            let reason = format!("No piece of {side} can move, so {side} must pass.");
            return Err(Refusal::illegal(reason).or(vec![Turn::Pass.to_string()]));
        }
        match written.as_slice() {
            [from, to] => self.judge(from, to),
            [to, ..] => {
                let all: Vec<_> = self.moves().filter(|step| step.to == to.cell).collect();
                only_one(to, &all, format!("No piece of {side} can go to {}.", to.cell)).map(Turn::Move)
            }
            [] => Err(Refusal::unreadable("There is no turn here.")),
        }
    }

    fn judge(&self, from: &WrittenCell, to: &WrittenCell) -> Result<Turn, Refusal> {
        let [we, they] = [self.mover, self.mover.other()].map(|seat| FACTS.sides[seat.index()]);
        let (a, b) = (from.cell, to.cell);
        if !self.own().has(a) {
            let reason = match self.enemy().has(a) {
                true => format!("The piece on {a} is {they}'s, and it is {we}'s turn."),
                false => format!("There is no piece on {a}."),
            };
            return Err(Refusal::illegal(reason).at(from.at.clone()));
        }
        if let Some(step) = self.moves_of(a).find(|step| step.to == b) {
            return Ok(Turn::Move(step));
        }
        let choices = self.moves_of(a).map(|step| step.to_string()).collect();
        Err(Refusal::illegal(self.no_target(a, b))
            .at(to.at.clone())
            .or(choices))
    }

    /// Why the mover's piece on `from` cannot move to `to`.
    fn no_target(&self, from: Cell, to: Cell) -> String {
        let [we, they] = [self.mover, self.mover.other()].map(|seat| FACTS.sides[seat.index()]);
        if from == to {
            return format!("A piece moves to another cell, not from {from} to {to}.");
        }
        let Some(way) = Way::ALL
            .into_iter()
            .find(|way| SmallBits::ray(from, *way).has(to))
        else {
            return format!("A piece moves in a straight line, and {to} is not in line with {from}.");
        };
        let steps = self.steps(from, way);
        if far(from, way, steps) != Some(to) {
            let (is, s) = if steps == 1 { ("is", "") } else { ("are", "s") };
            let n = number(steps as usize);
            return format!(
                "There {is} {n} piece{s} on that line, so a piece moves {n} cell{s} along it, not to {to}."
            );
        }
        if self.own().has(to) {
            return format!(
                "A piece cannot move onto a piece of its own side, and the one on {to} is {we}'s too."
            );
        }
        let between = SmallBits::ray(from, way) - SmallBits::ray(to, way) - SmallBits::of(to);
        let over = (between & self.enemy()).first().unwrap_or(to);
        format!("A piece cannot jump over an enemy piece, and {they} has one on {over}.")
    }
}
