//! `show`: the final board of a record as a picture.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::replay;
use crate::kit::picture::{self, NoPng};

/// Which files are written; `-` is standard output.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The SVG.
    pub svg: Option<PathBuf>,
    /// The PNG.
    pub png: Option<PathBuf>,
    /// How many pixels wide the PNG is.
    pub width: u32,
}

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum Error {
    /// It is no record of a game.
    #[error(transparent)]
    Record(#[from] replay::Error),
    /// The PNG cannot be drawn.
    #[error(transparent)]
    Png(#[from] NoPng),
    /// A file could not be written.
    #[error("{file}: {error}")]
    Write {
        /// Its name.
        file: String,
        /// Why.
        error: io::Error,
    },
}

/// Replays a record, `-` being standard input, and writes its final board as the pictures asked for. Nothing
/// is written unless the record is right and both pictures are drawn.
///
/// # Errors
/// A file that is no record of a game, a width that cannot be drawn, or a file that cannot be written.
pub fn run(record: &Path, files: &Files, out: &mut dyn Write) -> Result<(), Error> {
    let svg = replay::replayed(record)?.picture().svg();
    let png = match &files.png {
        Some(file) => Some((file, picture::png(&svg, files.width)?)),
        None => None,
    };
    if let Some(file) = &files.svg {
        write(file, svg.as_bytes(), out)?;
    }
    if let Some((file, png)) = png {
        write(file, &png, out)?;
    }
    Ok(())
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
