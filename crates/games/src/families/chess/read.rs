//! Reads a turn as written, and names the rule that forbids it.

use super::step::{Written, unreadable};
use super::{Chess, ChessBoard, ChessGame, San, Step};
use crate::kit::square::Grid;
use crate::{Refusal, Seat};

impl<G: ChessGame> Chess<G> {
    /// The legal turn that is written.
    ///
    /// # Errors
    /// The text is no turn, or a rule forbids it, or it is ambiguous.
    pub(super) fn read_turn(&self, text: &str) -> Result<San, Refusal> {
        if self.outcome.is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        let grid = Grid::new(G::SIZE);
        let steps = self.steps();
        let example = G::FACTS.example.first().unwrap_or(&"e4");
        let readings: Vec<_> = [false, true]
            .into_iter()
            .filter_map(|swapped| Written::read(text, grid, swapped))
            .collect();
        let Some(first) = readings.first() else {
            return Err(unreadable(text, grid, example));
        };
        for written in &readings {
            let fitting: Vec<Step> = steps.iter().filter(|step| written.fits(step)).copied().collect();
            // In Chess960 castling may have the squares of another move of the king.
            let plain: Vec<Step> = fitting
                .iter()
                .filter(|step| step.castles.is_none())
                .copied()
                .collect();
            match if plain.is_empty() { fitting } else { plain }.as_slice() {
                [] => {}
                [one] => return Ok(San::among(*one, &steps)),
                several => {
                    let choices = several
                        .iter()
                        .map(|step| San::among(*step, &steps).to_string())
                        .collect();
                    let reason = "More than one of your pieces can go there.";
                    return Err(Refusal::ambiguous(reason, choices));
                }
            }
        }
        Err(self.why_not(first, &steps))
    }

    fn why_not(&self, written: &Written, steps: &[Step]) -> Refusal {
        let sides = G::FACTS.sides;
        let mover = self.board.mover();
        let [we, they] = [mover, mover.other()].map(|seat: Seat| sides[seat.index()]);
        let texts = |fits: &dyn Fn(&Step) -> bool| -> Vec<String> {
            let fitting = steps.iter().filter(|step| fits(step));
            fitting.map(|step| San::among(*step, steps).to_string()).collect()
        };
        // A pawn that reaches the last row, without what it becomes.
        let promotions =
            |step: &Step| step.promotion.is_some() && written.promoting(step.promotion).fits(step);
        let choices = texts(&promotions);
        if !written.promotes() && !choices.is_empty() {
            return Refusal::ambiguous("Say what the pawn becomes.", choices);
        }
        let mut forbidden = None;
        if !G::ALLOWS_ALL {
            let _ = self.board.moves(&mut |step| {
                if written.fits(&step) && !G::allows(&self.board, &step) {
                    forbidden = Some(G::forbidden(&self.board, &step));
                }
                std::ops::ControlFlow::Continue(())
            });
        }
        if let Some(reason) = forbidden {
            return Refusal::illegal(reason);
        }
        let (from, to) = written.ends();
        let Some(to) = to else {
            return Refusal::illegal(
                "You cannot castle so now: king and rook must not have moved, nothing may be between them, and \
                                     the king may not be attacked where it stands, passes or arrives.",
            );
        };
        if let Some(from) = from {
            match self.board.on(from) {
                None => return Refusal::illegal(format!("There is no piece on {from}.")),
                Some((_, seat)) if seat != mover => {
                    return Refusal::illegal(format!(
                        "The piece on {from} is {they}'s, and it is {we}'s turn."
                    ));
                }
                Some((piece, _)) => {
                    let choices = texts(&|step| step.from == from);
                    let reason = format!(
                        "The {} on {from} cannot go to {to}{}.",
                        piece.name(),
                        self.because()
                    );
                    return Refusal::illegal(reason).or(choices);
                }
            }
        }
        let choices = texts(&|step| step.to == to);
        Refusal::illegal(format!("No such piece of {we} can go to {to}{}.", self.because())).or(choices)
    }

    fn because(&self) -> &'static str {
        match self.board.is_check() {
            true => ": the king is in check, and must not be after the turn",
            false => "",
        }
    }
}
