//! `verify`: checks the dice of a finished game by its record alone, as `docs/dice.md` says.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use pbmserv_core::table::{UnfairDice, check_dice};
use thiserror::Error;

use super::replay;

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
pub struct Verify {
    /// The file with the record; - is standard input.
    pub file: PathBuf,
}

#[derive(Debug, Error)]
pub enum Error {
    #[error(transparent)]
    Record(#[from] replay::Error),
    #[error("{file}: {error}")]
    Dice { file: String, error: UnfairDice },
    #[error("The answer could not be written")]
    Write(#[from] io::Error),
}

impl Verify {
    /// Says how many rolls were checked.
    ///
    /// # Errors
    /// A file that cannot be read or is no record of a finished game with dice, or a roll that is another one.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        let record = replay::read(&self.file)?.0;
        let rolls = check_dice(&record).map_err(|error| Error::Dice {
            file: self.file.display().to_string(),
            error,
        })?;
        let plural = if rolls == 1 { "" } else { "s" };
        writeln!(
            out,
            "The dice are fair: {rolls} roll{plural}, as the announced secret, the words and the board give them."
        )?;
        Ok(out.flush()?)
    }
}
