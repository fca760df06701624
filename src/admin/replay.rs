//! `replay`: checks a record, in our format or in one of other programs, and shows where it ends, or writes it in another format.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use pbmserv_games::Display;
use pbmserv_games::record::{self, LONGEST, Record, Replayed, json};
use thiserror::Error;

use super::progress::Progress;

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
pub struct Replay {
    /// The file with the record, or one in SGF, PGN, PDN or .mat; - is standard input.
    pub file: PathBuf,
    /// Print one line of JSON.
    #[arg(long, conflicts_with = "display")]
    pub json: bool,
    /// Print the game in another format.
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "display"])]
    pub to: Option<Format>,
    /// The style of the drawing.
    #[arg(long, default_value = Display::Large.word(), value_parser = displays())]
    pub display: Display,
}

/// A format that a game can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Our own, of any game.
    Record,
    /// The Smart Game Format, of the games that are written in it.
    Sgf,
    /// PGN, or PDN for draughts.
    Pgn,
    /// A match of GNU Backgammon.
    Mat,
}

fn displays() -> impl TypedValueParser<Value = Display> {
    let words = [Display::Small, Display::Large].map(Display::word);
    PossibleValuesParser::new(words).map(|word| match word == Display::Small.word() {
        true => Display::Small,
        false => Display::Large,
    })
}

#[derive(Debug, Error)]
pub enum Error {
    #[error("{file}: {error}")]
    Read { file: String, error: io::Error },
    #[error("{file}: {error}")]
    Record { file: String, error: record::Error },
    #[error("{game} is not written in {format}.")]
    NotWritten {
        game: &'static str,
        format: &'static str,
    },
    #[error("The answer could not be written")]
    Write(#[from] io::Error),
}

impl Replay {
    /// Replays the record. Nothing is written unless the whole record is valid.
    ///
    /// # Errors
    /// A file that cannot be read or is no record of a game, or a writer that fails.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        let (record, replayed) = read(&self.file)?;
        if let Some(format) = self.to {
            let (text, name) = match format {
                Format::Record => (Some(record.to_string()), ""),
                Format::Sgf => (record.sgf(), "SGF"),
                Format::Pgn => (record.tagged(), "PGN or PDN"),
                Format::Mat => (record.mat(), ".mat"),
            };
            let text = text.ok_or(Error::NotWritten {
                game: record.game.facts.title,
                format: name,
            })?;
            write!(out, "{text}")?;
        } else if self.json {
            writeln!(out, "{}", json(&replayed))?;
        } else {
            let drawing = replayed.position.draw(self.display);
            write!(out, "{drawing}\n{}\n", replayed.sentence())?;
        }
        Ok(out.flush()?)
    }
}

/// Replays the record in this file, or on standard input for `-`.
///
/// # Errors
/// A file that cannot be read or is no record of a game.
pub(super) fn replayed(path: &Path) -> Result<Replayed, Error> {
    read(path).map(|(_, replayed)| replayed)
}

/// The record in this file, and where it leads.
pub(super) fn read(path: &Path) -> Result<(Record, Replayed), Error> {
    let file = || path.display().to_string();
    let unread = |error| Error::Read { file: file(), error };
    let wrong = |error| Error::Record { file: file(), error };
    let bytes = if path == Path::new("-") {
        bounded(io::stdin().lock()).map_err(unread)?
    } else {
        File::open(path).and_then(bounded).map_err(unread)?
    };
    let _progress = Progress::begin("replaying");
    let record = Record::read(&bytes).map_err(wrong)?;
    let replayed = record.replay().map_err(wrong)?;
    Ok((record, replayed))
}

/// Reads at most one byte more than a record may have, so that a longer one is noticed.
fn bounded(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        replay: Replay,
    }

    fn replay(file: &str, show: &[&str]) -> Replay {
        let words = ["replay", file].into_iter().chain(show.iter().copied());
        Line::try_parse_from(words).unwrap().replay
    }

    fn replayed(bytes: &[u8], show: &[&str]) -> Result<String, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let mut out = Vec::new();
        let name = file.path().display().to_string();
        match replay(&name, show).run(&mut out) {
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
        let board = replayed(record, &["--display", "small"]).unwrap();
        assert!(board.starts_with("Remaining Pieces: Light 14 Dark 14\n\n   a b c"));
        assert!(
            board.ends_with("\n\nAfter 2 turns it is Light's turn.\n"),
            "{board}"
        );
        assert_eq!(
            replayed(record, &["--json"]).unwrap(),
            "{\"game\":\"Pow2\",\"options\":[],\"rules\":1,\"turns\":2,\"to_move\":\"Light\",\
             \"outcome\":null,\"cells\":{\"e1\":\"X\",\"m1\":\"O\",\"j7\":\"O\",\"a13\":\"X\"},\
             \"info\":{\"remaining\":{\"Light\":14,\"Dark\":14}}}\n"
        );
        let resigned = b"[Game \"Pow2\"][Result \"Second wins by resignation\"]";
        let sentence = replayed(resigned, &[]).unwrap();
        assert!(sentence.ends_with("\nBefore the first turn Dark has won by resignation.\n"));
        let json = replayed(resigned, &["--json"]).unwrap();
        assert!(json.contains("\"to_move\":null,\"outcome\":{\"winner\":\"Dark\",\"by\":\"resignation\"}"));
    }

    #[test]
    fn a_file_that_is_no_record_is_refused_in_one_sentence() {
        let refused = |bytes: &[u8]| replayed(bytes, &["--json"]).unwrap_err();
        assert_eq!(refused(b""), "FILE: The tag [Game \"...\"] is missing.");
        assert_eq!(refused(b"\xff"), "FILE: A record is text in UTF-8.");
        assert_eq!(
            refused(&[b' '; LONGEST + 1]),
            "FILE: A record has at most 1048576 bytes."
        );
        assert_eq!(
            refused(b"[Game \"Pow2\"]\n\n1. m13-j7\n   m13-j7"),
            "FILE: Turn 2 on line 4, m13-j7, is refused: There is no piece on m13."
        );
        let none = replay("no/such/file", &["--json"]).run(&mut Vec::new());
        assert!(none.unwrap_err().to_string().starts_with("no/such/file: "));
    }
}
