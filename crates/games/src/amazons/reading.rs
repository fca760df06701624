//! Reads a turn as written, and names the rule that forbids it.

use super::{Amazons, FACTS, Turn};
use crate::Refusal;
use crate::kit::reading::WrittenCell;
use crate::kit::reading::cells::read_cells;
use crate::kit::square::{Cell, SmallBits};

impl Amazons {
    /// The legal turn that is written.
    ///
    /// # Errors
    /// The text is no turn of the board, or a rule forbids it, or several amazons can make it.
    pub(super) fn read_turn(&self, text: &str) -> Result<Turn, Refusal> {
        let written = read_cells(text, self.grid, 3, "d1-d7/g7")?;
        if self.outcome_is_known() {
            return Err(Refusal::illegal("The game is over."));
        }
        match written.as_slice() {
            [from, to, arrow] => self.judge(from, to, arrow),
            [to, arrow] if !self.own().has(to.cell) => self.shortened(to, arrow),
            _ => Err(Refusal::unreadable(
                "A turn is written as the cell of the amazon, the cell that it moves to, and the cell of its arrow, such \
                 as d1-d7/g7.",
            )),
        }
    }

    fn outcome_is_known(&self) -> bool {
        !self.can_move(self.own())
    }

    fn shortened(&self, to: &WrittenCell, arrow: &WrittenCell) -> Result<Turn, Refusal> {
        let free = self.free();
        let reaches = |from: &Cell| SmallBits::queen(*from, free).has(to.cell);
        let froms: Vec<_> = self.own().iter().filter(reaches).collect();
        let fitting = froms
            .iter()
            .filter(|from| self.arrows(**from, to.cell).has(arrow.cell));
        let turns: Vec<_> = fitting
            .map(|from| Turn {
                from: *from,
                to: to.cell,
                arrow: arrow.cell,
            })
            .collect();
        let from = froms.first().copied();
        match (turns.as_slice(), from) {
            ([turn], _) => Ok(*turn),
            ([], Some(from)) => Err(self.no_flight(from, to.cell, arrow)),
            ([], None) => {
                let side = FACTS.sides[self.mover.index()];
                let reason = format!("No amazon of {side} can go to {}.", to.cell);
                Err(Refusal::illegal(reason).at(to.at.clone()))
            }
            (several, _) => {
                let reason = format!("More than one amazon can go to {}.", to.cell);
                let choices = several.iter().map(ToString::to_string).collect();
                Err(Refusal::ambiguous(reason, choices).at(to.at.clone()))
            }
        }
    }

    fn judge(&self, from: &WrittenCell, to: &WrittenCell, arrow: &WrittenCell) -> Result<Turn, Refusal> {
        let [we, they] = [self.mover, self.mover.other()].map(|seat| FACTS.sides[seat.index()]);
        let cell = from.cell;
        if !self.own().has(cell) {
            let reason = match self.letter(cell) {
                Some('#') => format!("There is an arrow on {cell}, and no amazon."),
                Some(_) => format!("The amazon on {cell} is {they}'s, and it is {we}'s turn."),
                None => format!("There is no amazon on {cell}."),
            };
            return Err(Refusal::illegal(reason).at(from.at.clone()));
        }
        let free = self.free();
        if !SmallBits::queen(cell, free).has(to.cell) {
            let reason = self.no_way(("An amazon moves", "moves"), cell, to.cell, free);
            return Err(Refusal::illegal(reason).at(to.at.clone()));
        }
        if !self.arrows(cell, to.cell).has(arrow.cell) {
            return Err(self.no_flight(cell, to.cell, arrow));
        }
        let (from, to, arrow) = (cell, to.cell, arrow.cell);
        Ok(Turn { from, to, arrow })
    }

    /// The refusal of an arrow of the amazon that went from `from` to `to`.
    fn no_flight(&self, from: Cell, to: Cell, arrow: &WrittenCell) -> Refusal {
        let free = self.free() | SmallBits::of(from);
        let reason = self.no_way(("An arrow flies", "flies"), to, arrow.cell, free);
        Refusal::illegal(reason).at(arrow.at.clone())
    }

    /// Why nothing goes from `from` to `to` like a queen over the free cells.
    fn no_way(&self, (subject, verb): (&str, &str), from: Cell, to: Cell, free: SmallBits) -> String {
        let (right, up) = (
            i16::from(to.column()) - i16::from(from.column()),
            i16::from(to.row()) - i16::from(from.row()),
        );
        if (right, up) == (0, 0) {
            return format!("{subject} to another cell, not from {from} to {to}.");
        }
        if right != 0 && up != 0 && right.abs() != up.abs() {
            return format!("{subject} in a straight line, and {to} is not in line with {from}.");
        }
        let steps = right.abs().max(up.abs());
        let on_the_way = (1..=steps).map(|step| {
            let along = |start: u8, by: i16| (i16::from(start) + by / steps * step) as u8;
            Cell::at(along(from.column(), right), along(from.row(), up))
        });
        let blocking = on_the_way.into_iter().find(|cell| !free.has(*cell));
        let blocked = blocking.unwrap_or(to);
        let what = if self.arrows.has(blocked) {
            "an arrow"
        } else {
            "an amazon"
        };
        format!("{subject} over empty cells only, and there is {what} on {blocked}: it {verb} no further.")
    }
}
