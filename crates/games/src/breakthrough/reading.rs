//! Reads a turn as written, and names the rule that forbids it.

use super::{Breakthrough, FACTS};
use crate::Refusal;
use crate::kit::reading::WrittenCell;
use crate::kit::reading::cells::read_cells;
use crate::kit::square::{Move, SmallBits, only_one};

impl Breakthrough {
    /// The legal move that is written.
    ///
    /// # Errors
    /// The text is no move of the board, or a rule forbids it, or two pawns can go to its only cell.
    pub(super) fn read_move(&self, text: &str) -> Result<Move, Refusal> {
        let written = read_cells(text, self.grid, 2, "b2-c3")?;
        if self.winner.is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        match written.as_slice() {
            [from, to] => self.judge(from, to),
            [to, ..] => {
                let all: Vec<_> = self.moves(self.own()).filter(|turn| turn.to == to.cell).collect();
                let side = FACTS.sides[self.mover.index()];
                only_one(to, &all, format!("No pawn of {side} can go to {}.", to.cell))
            }
            [] => Err(Refusal::unreadable("There is no turn here.")),
        }
    }

    fn judge(&self, from: &WrittenCell, to: &WrittenCell) -> Result<Move, Refusal> {
        let moves: Vec<_> = self.moves(SmallBits::of(from.cell) & self.own()).collect();
        if let Some(turn) = moves.iter().find(|turn| turn.to == to.cell) {
            return Ok(*turn);
        }
        let [we, they] = [self.mover, self.mover.other()].map(|seat| FACTS.sides[seat.index()]);
        if !self.own().has(from.cell) {
            let from_cell = from.cell;
            let reason = if self.enemy().has(from_cell) {
                format!("The pawn on {from_cell} is {they}'s, and it is {we}'s turn.")
            } else {
                format!("There is no pawn on {from_cell}.")
            };
            return Err(Refusal::illegal(reason).at(from.at.clone()));
        }
        let (a, b) = (from.cell, to.cell);
        let (_, up) = super::FORWARD[self.mover.index()][0].step();
        let is_ahead =
            i16::from(b.row()) - i16::from(a.row()) == i16::from(up) && a.column().abs_diff(b.column()) <= 1;
        let reason = if !is_ahead {
            format!(
                "A pawn moves one step forward, straight or diagonally, and {b} is not one step ahead of {a}."
            )
        } else if self.own().has(b) {
            format!("A pawn cannot move onto a pawn of its own colour, and the one on {b} is {we}'s too.")
        } else {
            format!(
                "A pawn captures only diagonally, and {b}, where {they}'s pawn is, is straight ahead of {a}."
            )
        };
        let choices = moves.iter().map(ToString::to_string).collect();
        Err(Refusal::illegal(reason).at(to.at.clone()).or(choices))
    }
}
