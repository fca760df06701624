//! `show`: the final board of a record as a picture.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use pbmserv_games::kit::picture::{self, NoPng};
use thiserror::Error;

use super::replay;

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("pictures").args(["svg", "png"]).multiple(true).required(true)))]
pub struct Show {
    /// The file with the record; - is standard input.
    pub record: PathBuf,
    /// The SVG file to write; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// The PNG file to write; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// The width of the PNG in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 800,
          value_parser = clap::value_parser!(u32).range(100..=4000))]
    pub width: u32,
}

#[derive(Debug, Error)]
pub enum Error {
    #[error(transparent)]
    Record(#[from] replay::Error),
    #[error(transparent)]
    Png(#[from] NoPng),
    #[error("{file}: {error}")]
    Write { file: String, error: io::Error },
}

impl Show {
    /// Replays the record, `-` being standard input, and writes its final board. Nothing is written unless the record
    /// is right and both pictures are drawn.
    ///
    /// # Errors
    /// A file that is no record of a game, a width that cannot be drawn, or a file that cannot be written.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        let svg = replay::replayed(&self.record)?.picture().svg();
        let png = match &self.png {
            Some(file) => Some((file, picture::png(&svg, self.width)?)),
            None => None,
        };
        if let Some(file) = &self.svg {
            write(file, svg.as_bytes(), out)?;
        }
        if let Some((file, png)) = png {
            write(file, &png, out)?;
        }
        Ok(())
    }
}

fn write(file: &Path, bytes: &[u8], out: &mut dyn Write) -> Result<(), Error> {
    let written = if file == Path::new("-") {
        out.write_all(bytes).and_then(|()| out.flush())
    } else {
        fs::write(file, bytes)
    };
    written.map_err(|error| Error::Write {
        file: file.display().to_string(),
        error,
    })
}
