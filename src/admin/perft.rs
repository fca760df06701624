//! `perft`: counts the sequences of legal turns of a game at each depth, and measures the speed.

use std::io::{self, Write};
use std::time::Instant;

use clap::Args;
use pbmserv_games::kit::words::count;
use thiserror::Error;

use super::progress::Progress;
use super::start;

/// A depth that will take longer is announced.
const LONG_SECONDS: f64 = 60.0;

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
pub struct Perft {
    /// The game.
    pub game: String,
    /// The greatest depth. Standard error says how long a depth will take, if it is more than a minute.
    pub depth: u32,
    /// The game's options.
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    pub options: Vec<String>,
}

#[derive(Debug, Error)]
pub enum Error {
    #[error(transparent)]
    Start(#[from] start::Error),
    #[error("The counts could not be written")]
    Write(#[from] io::Error),
}

impl Perft {
    /// Counts from depth 1 to the greatest. A line for each depth, as soon as it is counted: depth, number of turns,
    /// seconds, turns a second, separated by tabs. Before a depth that will take long, a line in `notes` says so.
    ///
    /// # Errors
    /// An unknown game, wrong options, or a writer that fails.
    pub fn run(&self, out: &mut dyn Write, notes: &mut dyn Write) -> Result<(), Error> {
        let start = start::position(&self.game, &self.options)?;
        // A game may build tables at first use. That must not be part of the measured time.
        let first_turns = start.perft(1);
        let mut last: Option<Counted> = None;
        for depth in 1..=self.depth {
            if let Some(seconds) = last
                .map(Counted::next_seconds)
                .filter(|seconds| *seconds > LONG_SECONDS)
            {
                // The counts are the same if nobody can read this.
                let _ = writeln!(
                    notes,
                    "depth {depth} will take about {}, estimated from depth {}, and may take several times that: ^C ends it",
                    lasting(seconds),
                    depth - 1
                );
            }
            let progress = Progress::begin(format!("counting depth {depth}"));
            let mut done = 0;
            let begun = Instant::now();
            let turns = start.perft_by_turns(depth, &mut || {
                done += 1;
                progress.at(done, first_turns);
            });
            let seconds = begun.elapsed().as_secs_f64();
            drop(progress);
            let rate = turns as f64 / seconds.max(1e-9);
            writeln!(out, "{depth}\t{turns}\t{seconds:.6}\t{rate:.0}")?;
            out.flush()?;
            let positions = last.map_or(1, |last| last.turns);
            last = Some(Counted {
                positions,
                turns,
                seconds,
            });
        }
        Ok(())
    }
}

/// A depth that was counted. The turns of its last positions are counted without playing them, many or few at a time, so it
/// is the positions that take time.
#[derive(Clone, Copy, Debug)]
struct Counted {
    /// The positions in which the last turns were counted: the turns of the depth before.
    positions: u64,
    turns: u64,
    seconds: f64,
}

impl Counted {
    /// How long the next depth will take if each position takes as long as in this one. Positions with more to count take
    /// longer.
    fn next_seconds(self) -> f64 {
        self.seconds / self.positions.max(1) as f64 * self.turns as f64
    }
}

/// `19 minutes`.
fn lasting(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [
        (60.0, "minute"),
        (3600.0, "hour"),
        (86400.0, "day"),
        (365.25 * 86400.0, "year"),
    ];
    let unit = UNITS.iter().rev().find(|(length, _)| seconds >= 2.0 * length);
    let (length, name) = unit.unwrap_or(&UNITS[0]);
    match seconds / length {
        years if years > 1000.0 => "more than a thousand years".to_owned(),
        units => count(units.round() as usize, name),
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
    fn the_next_depth_is_estimated_from_the_positions_to_come() {
        // Ringworm: 218 positions took 0.1 ms, two billion follow.
        let counted = Counted {
            positions: 218,
            turns: 2_166_658_418,
            seconds: 114e-6,
        };
        assert_eq!(lasting(counted.next_seconds()), "19 minutes");
        let at_once = Counted {
            positions: 1,
            turns: 48,
            seconds: 0.0,
        };
        assert!(at_once.next_seconds() < LONG_SECONDS);
        let said = [61.0, 119.0, 7300.0, 50.0 * 3600.0, 7e7, 1e12].map(lasting);
        assert_eq!(
            said,
            [
                "a minute",
                "two minutes",
                "two hours",
                "two days",
                "two years",
                "more than a thousand years"
            ]
        );
    }

    #[test]
    fn a_wrong_option_is_refused_before_anything_is_written() {
        assert!(counted("Pow2", 1, &["-slow"]).unwrap_err().contains("-slow"));
    }

    fn counted(game: &str, depth: u32, options: &[&str]) -> Result<String, String> {
        let perft = Perft {
            game: game.to_owned(),
            depth,
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        };
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let done = perft.run(&mut out, &mut notes);
        assert!(notes.is_empty());
        match done {
            Ok(()) => Ok(String::from_utf8(out).unwrap()),
            Err(error) => {
                assert!(out.is_empty());
                Err(error.to_string())
            }
        }
    }
}
