//! `think`: what a computer player holds of the last position of a record.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;
use pbmserv_games::Match;
use pbmserv_games::bots::{self, Level};
use pbmserv_games::kit::words::count;
use thiserror::Error;

use super::progress::Progress;
use super::replay;

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
pub struct Think {
    /// The file with the record; - is standard input.
    pub file: PathBuf,
    /// How strong the player is: easy, medium or hard.
    #[arg(long, default_value_t = Level::Hard)]
    pub level: Level,
    /// The random seed. The same seed finds the same turn.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The dice of the roll that is due, such as 31, in a game with dice.
    #[arg(long, value_parser = dice)]
    pub dice: Option<[u8; 2]>,
}

fn dice(text: &str) -> Result<[u8; 2], &'static str> {
    match *text.as_bytes() {
        [one @ b'1'..=b'6', other @ b'1'..=b'6'] => Ok([one - b'0', other - b'0']),
        _ => Err("two dice are two digits from 1 to 6, such as 31"),
    }
}

#[derive(Debug, Error)]
pub enum Error {
    #[error(transparent)]
    Record(#[from] replay::Error),
    #[error("{sentence} There is no turn to find.")]
    Over { sentence: String },
    #[error("The turn depends on the roll that is due. Name its dice: --dice 31")]
    NoDice,
    #[error("No roll is due at the end of this record. Leave --dice out")]
    NoRollDue,
    #[error("Equal dice are no opening roll")]
    Equal,
    #[error("The answer could not be written")]
    Write(#[from] io::Error),
}

impl Think {
    /// Writes the turn, the expected result, the best line and how much was looked at.
    ///
    /// # Errors
    /// A file that cannot be read or is no record of a game, a game that is over, dice that are missing or not due, or a writer that
    /// fails.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        let mut replayed = replay::replayed(&self.file)?;
        self.roll(replayed.position.as_mut())?;
        let over = || Error::Over {
            sentence: replayed.sentence(),
        };
        let side = replayed.to_move().ok_or_else(over)?;
        let progress = Progress::begin("thinking");
        let never = AtomicBool::new(false);
        let found = bots::look(replayed.position.as_ref(), self.level, self.seed, &never);
        drop(progress);
        let found = found.ok_or_else(over)?;
        let name = replayed.side(side);
        let value = match found.thought.value {
            1000 => format!("{name} wins"),
            -1000 => format!("{name} loses"),
            value => format!(
                "{name} expects {:.1} % of the point",
                f64::from(value + 1000) / 20.0
            ),
        };
        writeln!(
            out,
            "{}\n{value}.\nBest line: {}\n{} looked at, {}.",
            found.thought.turn,
            found.line.join(" "),
            count(found.thought.nodes as usize, "position"),
            count(found.depth as usize, "turn") + " ahead",
        )?;
        Ok(out.flush()?)
    }

    fn roll(&self, position: &mut dyn Match) -> Result<(), Error> {
        match (position.due_roll(), self.dice) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(Error::NoRollDue),
            (Some(_), None) => Err(Error::NoDice),
            (Some(due), Some([one, other])) if due.must_differ && one == other => Err(Error::Equal),
            (Some(_), Some(dice)) => {
                position.roll(dice);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn think(record: &str) -> Result<String, String> {
        with_dice(record, None)
    }

    fn with_dice(record: &str, dice: Option<[u8; 2]>) -> Result<String, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), record).unwrap();
        let think = Think {
            file: file.path().to_owned(),
            level: Level::Medium,
            seed: 1,
            dice,
        };
        let mut out = Vec::new();
        match think.run(&mut out) {
            Ok(()) => Ok(String::from_utf8(out).unwrap()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_won_position_is_said_to_be_won() {
        // Taylor's position x o o x o is won by who moves first; here White has a stone fewer to cut off.
        let said =
            think("[Game \"Forms\"]\n[Options \"-size=4\"]\n c2-d2 b4-a4 a2-b2 a3-b3 b1-c1 c3-d3 d2-c3")
                .unwrap();
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 4, "{said}");
        assert!(lines[1].starts_with("White "), "{said}");
        assert!(
            lines[2].starts_with(&format!("Best line: {}", lines[0])),
            "{said}"
        );
    }

    #[test]
    fn a_game_that_is_over_has_no_turn() {
        let refused = think("[Game \"Pow2\"][Result \"Second wins by resignation\"]").unwrap_err();
        assert_eq!(
            refused,
            "Before the first turn Dark has won by resignation. There is no turn to find."
        );
    }

    #[test]
    fn a_turn_with_dice_is_found_for_the_dice_that_are_named() {
        let begun = "[Game \"Backgammon\"]\n1. roll roll";
        let said = |dice| with_dice(begun, dice);
        assert_eq!(
            said(None).unwrap_err(),
            "The turn depends on the roll that is due. Name its dice: --dice 31"
        );
        assert_eq!(said(Some([2, 2])).unwrap_err(), "Equal dice are no opening roll");
        assert!(said(Some([3, 1])).unwrap().starts_with("31:8/5,6/5\n"));
        assert!(said(Some([1, 3])).unwrap().contains("\nBlack expects "));
        let forms = with_dice("[Game \"Forms\"]", Some([3, 1])).unwrap_err();
        assert_eq!(
            forms,
            "No roll is due at the end of this record. Leave --dice out"
        );
    }
}
