//! `solve`: finds the winner of a position that is small enough to search to the end.

use std::io::{self, Write};

use clap::Args;
use pbmserv_games::kit::reading::shown;
use pbmserv_games::{Game, Refusal, forms};
use thiserror::Error;

use super::progress::Progress;

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
pub struct Solve {
    /// The game: Forms.
    pub game: String,
    /// Its rows, `/` between them; x, o, and - or . for an empty cell.
    #[arg(allow_hyphen_values = true)]
    pub position: String,
}

#[derive(Debug, Error)]
pub enum Error {
    #[error("The positions of {game} cannot be solved, only those of Forms.")]
    Game { game: String },
    #[error("{0}")]
    Position(#[from] Refusal),
    #[error("The solution could not be written")]
    Write(#[from] io::Error),
}

impl Solve {
    /// Solves the position, such as `x x o x o`, on a board without edges. Writes its picture, its class (N, P, O or X)
    /// and a winning turn of each side that has one.
    ///
    /// # Errors
    /// A game without a solver, a text that is no position, one too large to be searched, or a writer that fails.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        if pbmserv_games::find(&self.game) != Some(&Game::of::<forms::Forms>()) {
            return Err(Error::Game {
                game: shown(&self.game),
            });
        }
        let progress = Progress::begin("solving");
        let solved = forms::solve::solve(&self.position)?;
        drop(progress);
        write!(out, "{solved}")?;
        Ok(out.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(game: &str, position: &str) -> Solve {
        let (game, position) = (game.to_owned(), position.to_owned());
        Solve { game, position }
    }

    #[test]
    fn a_solution_is_a_picture_a_class_and_the_winning_turns() {
        let mut out = Vec::new();
        solve("forms", "x x o x o").run(&mut out).unwrap();
        let wanted = [
            "  a b c d e f g",
            "7 . . . . . . . 7",
            "6 . . . . . . . 6",
            "5 . . . . . . . 5",
            "4 . . . . . . . 4",
            "3 . . . . . . . 3",
            "2 . x x o x o . 2",
            "1 . . . . . . . 1",
            "  a b c d e f g",
            "",
            "N: whoever moves first wins.",
            "Black to move wins with e2-f1.",
            "White to move wins with d2-c2.",
        ];
        assert_eq!(
            String::from_utf8(out).unwrap().lines().collect::<Vec<_>>(),
            wanted
        );
    }

    #[test]
    fn other_games_and_other_texts_are_refused_before_anything_is_written() {
        let mut out = Vec::new();
        let mut refused = |game, text| solve(game, text).run(&mut out).unwrap_err().to_string();
        assert_eq!(
            refused("chess", "x o"),
            "The positions of chess cannot be solved, only those of Forms."
        );
        assert_eq!(
            refused("Forms", "x x"),
            "A position needs stones of both colours: x and o."
        );
        assert!(out.is_empty());
    }
}
