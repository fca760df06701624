//! `replay`: checks a record and shows where it ends.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use thiserror::Error;

use crate::games::Display;
use crate::games::record::{self, LONGEST, Record, Replayed, json};

/// What is printed of a record that is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// The final board and a sentence.
    Board(Display),
    /// One line of JSON.
    Json,
}

/// Why a record is not shown.
#[derive(Debug, Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("{file}: {error}")]
    Read {
        /// Its name.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// It is no text.
    #[error("{file}: a record is text in UTF-8.")]
    NotText {
        /// Its name.
        file: String,
    },
    /// It is no record, or the record of no game.
    #[error("{file}: {error}")]
    Record {
        /// Its name.
        file: String,
        /// Why.
        error: record::Error,
    },
    /// The answer could not be written.
    #[error("The answer could not be written: {0}")]
    Write(#[from] io::Error),
}

/// Replays a record; `-` is standard input. Nothing is written unless all of it is right.
///
/// # Errors
/// A file that cannot be read or is no record of a game, or a writer that fails.
pub fn run(path: &Path, show: Show, out: &mut dyn Write) -> Result<(), Error> {
    let replayed = replayed(path)?;
    match show {
        Show::Json => writeln!(out, "{}", json(&replayed))?,
        Show::Board(display) => write!(
            out,
            "{}\n{}\n",
            replayed.position.draw(display),
            replayed.sentence()
        )?,
    }
    Ok(out.flush()?)
}

/// The record in this file, or on standard input for `-`, played through.
///
/// # Errors
/// A file that cannot be read or is no record of a game.
pub(super) fn replayed(path: &Path) -> Result<Replayed, Error> {
    let file = || path.display().to_string();
    let unread = |error| Error::Read { file: file(), error };
    let wrong = |error| Error::Record { file: file(), error };
    let bytes = if path == Path::new("-") {
        bounded(io::stdin().lock()).map_err(unread)?
    } else {
        File::open(path).and_then(bounded).map_err(unread)?
    };
    // Said before the letters are looked at: the bound may have cut one in two.
    if bytes.len() > LONGEST {
        return Err(wrong(record::Error::TooLong));
    }
    let text = String::from_utf8(bytes).map_err(|_| Error::NotText { file: file() })?;
    text.parse()
        .and_then(|record: Record| record.replay())
        .map_err(wrong)
}

/// The bytes, at most one more than a record may have.
fn bounded(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replayed(bytes: &[u8], show: Show) -> Result<String, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let mut out = Vec::new();
        let name = file.path().display().to_string();
        match run(file.path(), show, &mut out) {
            Ok(()) => Ok(String::from_utf8(out).unwrap()),
            Err(error) => {
                assert!(out.is_empty(), "nothing is written of a record that is refused");
                Err(error.to_string().replace(&name, "FILE"))
            }
        }
    }

    #[test]
    fn a_record_is_shown_as_a_board_and_a_sentence_or_as_one_line() {
        let record = b"[Game \"Pow2\"]\n1. m13-j7 a1-e1";
        let board = replayed(record, Show::Board(Display::Small)).unwrap();
        assert!(board.starts_with("Remaining Pieces: Light 14 Dark 14\n\n   a b c"));
        assert!(
            board.ends_with("\n\nAfter 2 turns it is Light's turn.\n"),
            "{board}"
        );
        assert_eq!(
            replayed(record, Show::Json).unwrap(),
            "{\"game\":\"Pow2\",\"options\":[],\"rules\":1,\"turns\":2,\"to_move\":\"Light\",\
             \"outcome\":null,\"cells\":{\"e1\":\"X\",\"m1\":\"O\",\"j7\":\"O\",\"a13\":\"X\"},\
             \"info\":{\"remaining\":{\"Light\":14,\"Dark\":14}}}\n"
        );
        let resigned = b"[Game \"Pow2\"][Result \"Second wins by resignation\"]";
        let sentence = replayed(resigned, Show::Board(Display::Large)).unwrap();
        assert!(sentence.ends_with("\nBefore the first turn Dark has won by resignation.\n"));
        let json = replayed(resigned, Show::Json).unwrap();
        assert!(json.contains("\"to_move\":null,\"outcome\":{\"winner\":\"Dark\",\"by\":\"resignation\"}"));
    }

    #[test]
    fn a_file_that_is_no_record_is_refused_in_one_sentence() {
        let refused = |bytes: &[u8]| replayed(bytes, Show::Json).unwrap_err();
        assert_eq!(refused(b""), "FILE: The tag [Game \"...\"] is missing.");
        assert_eq!(refused(b"\xff"), "FILE: a record is text in UTF-8.");
        assert_eq!(
            refused(&[b' '; LONGEST + 1]),
            "FILE: A record has at most 1048576 bytes."
        );
        assert_eq!(
            refused(b"[Game \"Pow2\"]\n\n1. m13-j7\n   m13-j7"),
            "FILE: Turn 2 on line 4, m13-j7, is refused: There is no piece on m13."
        );
        let none = run(Path::new("no/such/file"), Show::Json, &mut Vec::new());
        assert!(none.unwrap_err().to_string().starts_with("no/such/file: "));
    }
}
