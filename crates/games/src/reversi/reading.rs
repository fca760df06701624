//! Reads a turn as written, and names the rule that forbids it.

use super::{FACTS, Reversi, Turn};
use crate::Refusal;
use crate::kit::reading::cells::{Written, read_cell_or_word};
use crate::kit::words::count;

/// A refusal lists the legal turns if there are at most this many.
const LISTED: u32 = 8;

impl Reversi {
    /// The legal turn that is written.
    ///
    /// # Errors
    /// The text is no turn of the board, or a rule forbids it.
    pub(super) fn read_turn(&self, text: &str) -> Result<Turn, Refusal> {
        let written = read_cell_or_word(text, self.grid, &["pass"], "d3")?;
        if self.is_over {
            return Err(Refusal::illegal("The game is over."));
        }
        let [we, they] = [self.mover, self.mover.other()].map(|seat| FACTS.sides[seat.index()]);
        let (at, reason) = match written {
            Written::Word(_, _) if self.must_pass() => return Ok(Turn::Pass),
            Written::Cell(written) if self.open.has(written.cell) => return Ok(Turn::Disc(written.cell)),
            Written::Word(_, at) => {
                let moves = count(self.open.count() as usize, "move");
                (
                    at,
                    format!("You pass only if you can turn no disc over, and {we} has {moves}."),
                )
            }
            Written::Cell(written) => {
                let cell = written.cell;
                let reason = if let Some(letter) = self.letter(cell) {
                    let owner = if letter == 'x' {
                        FACTS.sides[0]
                    } else {
                        FACTS.sides[1]
                    };
                    format!("A disc is put on an empty cell, and {owner} has one on {cell}.")
                } else if self.must_pass() {
                    format!("{we} can turn no disc over anywhere, and must pass.")
                } else {
                    format!(
                        "A disc must turn over at least one of {they}'s, and a disc on {cell} turns none over."
                    )
                };
                (written.at, reason)
            }
        };
        let listed = if self.open.count() <= LISTED {
            self.open
        } else {
            Default::default()
        };
        let mut choices: Vec<_> = listed.iter().map(|cell| cell.to_string()).collect();
        if self.must_pass() {
            choices.push(Turn::Pass.to_string());
        }
        Err(Refusal::illegal(reason).at(at).or(choices))
    }
}
