//! `perft`: how many sequences of legal turns a game has, depth by depth, and how fast they are counted.

use std::io::{self, Write};
use std::time::Instant;

use thiserror::Error;

use crate::games::{self, GAMES, Options, Refusal};

/// Why nothing, or no more, was counted.
#[derive(Debug, Error)]
pub enum Error {
    /// No game has this name.
    #[error("There is no game {name}. The games are: {games}.")]
    Game {
        /// The name as given, shortened.
        name: String,
        /// Those there are.
        games: String,
    },
    /// The options are not the game's, or contradict one another.
    #[error("{0}")]
    Options(#[from] Refusal),
    /// The counts could not be written.
    #[error("The counts could not be written: {0}")]
    Write(#[from] io::Error),
}

/// Counts from depth 1 to this one, with a line for each as soon as it is known: depth, number of turns,
/// seconds, turns a second, separated by tabs.
///
/// # Errors
/// An unknown game, wrong options, or a writer that fails.
pub fn run<S: AsRef<str>>(game: &str, depth: u32, options: &[S], out: &mut dyn Write) -> Result<(), Error> {
    let game = games::find(game).ok_or_else(|| Error::Game {
        name: game.chars().filter(char::is_ascii_graphic).take(40).collect(),
        games: GAMES
            .iter()
            .map(|game| game.facts.name)
            .collect::<Vec<_>>()
            .join(", "),
    })?;
    let options = Options::parse(game.facts, options.iter().map(AsRef::as_ref))?;
    let start = game.start(&options)?;
    // Tables that a game makes once are made before the clock runs.
    start.perft(1);
    for depth in 1..=depth {
        let begun = Instant::now();
        let turns = start.perft(depth);
        let seconds = begun.elapsed().as_secs_f64();
        let rate = turns as f64 / seconds.max(1e-9);
        writeln!(out, "{depth}\t{turns}\t{seconds:.6}\t{rate:.0}")?;
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_depth_has_its_line_of_four_columns() {
        let mut out = Vec::new();
        run("pow2", 2, &["-noborder"], &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
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
        let mut out = Vec::new();
        let mut refused = |game, options: &[&str]| run(game, 1, options, &mut out).unwrap_err().to_string();
        assert_eq!(
            refused("chess", &[]),
            format!("There is no game chess. The games are: {}.", names())
        );
        assert!(refused("Pow2", &["-slow"]).contains("-slow"));
        assert!(refused("Pow2", &["-fast", "-middle"]).contains("two set-ups"));
        assert!(out.is_empty());
    }

    fn names() -> String {
        GAMES
            .iter()
            .map(|game| game.facts.name)
            .collect::<Vec<_>>()
            .join(", ")
    }
}
