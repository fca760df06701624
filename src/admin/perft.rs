//! `perft`: counts the sequences of legal turns of a game at each depth, and measures the speed.

use std::io::{self, Write};
use std::time::Instant;

use clap::Args;
use thiserror::Error;

use crate::games::{self, GAMES, Options, Refusal};

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
pub struct Perft {
    /// The game.
    pub game: String,
    /// The greatest depth.
    pub depth: u32,
    /// The game's options.
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    pub options: Vec<String>,
}

#[derive(Debug, Error)]
pub enum Error {
    #[error("There is no game {name}. The games are: {games}.")]
    Game { name: String, games: String },
    #[error("{0}")]
    Options(#[from] Refusal),
    #[error("The counts could not be written")]
    Write(#[from] io::Error),
}

impl Perft {
    /// Counts from depth 1 to the greatest. A line for each depth, as soon as it is counted: depth, number of turns,
    /// seconds, turns a second, separated by tabs.
    ///
    /// # Errors
    /// An unknown game, wrong options, or a writer that fails.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        let game = games::find(&self.game).ok_or_else(|| Error::Game {
            name: self
                .game
                .chars()
                .filter(char::is_ascii_graphic)
                .take(40)
                .collect(),
            games: GAMES
                .iter()
                .map(|game| game.facts.name)
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        let options = Options::parse(game.facts, self.options.iter().map(String::as_str))?;
        let start = game.start(&options)?;
        // A game may build tables at first use. That must not be part of the measured time.
        start.perft(1);
        for depth in 1..=self.depth {
            let begun = Instant::now();
            let turns = start.perft(depth);
            let seconds = begun.elapsed().as_secs_f64();
            let rate = turns as f64 / seconds.max(1e-9);
            writeln!(out, "{depth}\t{turns}\t{seconds:.6}\t{rate:.0}")?;
            out.flush()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_depth_has_its_line_of_four_columns() {
        let out = counted("pow2", 2, &["-noborder"]).unwrap();
        let lines: Vec<Vec<_>> = out.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!(
            lines.iter().map(|line| &line[..2]).collect::<Vec<_>>(),
            [["1", "36"], ["2", "1352"]]
        );
        assert!(
            lines
                .iter()
                .all(|line| line.len() == 4 && line[3].parse::<u64>().unwrap() > 0)
        );
    }

    #[test]
    fn an_unknown_game_and_wrong_options_are_refused_before_anything_is_written() {
        let refused = |game, options: &[&str]| counted(game, 1, options).unwrap_err();
        assert_eq!(
            refused("chess", &[]),
            format!("There is no game chess. The games are: {}.", names())
        );
        assert!(refused("Pow2", &["-slow"]).contains("-slow"));
        assert!(refused("Pow2", &["-fast", "-middle"]).contains("two set-ups"));
    }

    fn counted(game: &str, depth: u32, options: &[&str]) -> Result<String, String> {
        let perft = Perft {
            game: game.to_owned(),
            depth,
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        };
        let mut out = Vec::new();
        match perft.run(&mut out) {
            Ok(()) => Ok(String::from_utf8(out).unwrap()),
            Err(error) => {
                assert!(out.is_empty());
                Err(error.to_string())
            }
        }
    }

    fn names() -> String {
        GAMES
            .iter()
            .map(|game| game.facts.name)
            .collect::<Vec<_>>()
            .join(", ")
    }
}
