//! What of the demo stands on the screen.

use std::io::{self, Write};

use pbmserv_core::letters::wrap;

use super::pictures::Protocol;
use super::player::Letter;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    Summary,
    /// What a player should have seen once.
    Short,
    /// Every mail.
    All,
}

/// The most lines of the turns between the beginning and the end.
const MAX_LINES_OF_TURNS: usize = 6;

/// The most paragraphs below a board: who says something, and the words.
const WORDS_BELOW: usize = 2;

/// Stands before the later lines of a heading, and all of a letter.
const INDENT: &str = "    ";

/// The width of these lines.
const WIDTH: usize = 76;

/// The writer, and what it can show.
pub(super) struct Screen<'a> {
    pub(super) out: &'a mut dyn Write,
    pub(super) detail: Detail,
    pub(super) pictures: Option<Protocol>,
    /// The columns of the terminal.
    pub(super) columns: usize,
}

impl Screen<'_> {
    /// Whether at least so much is shown.
    fn shows(&self, detail: Detail) -> bool {
        self.detail >= detail
    }

    /// A sentence about what comes next.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        if self.shows(Detail::Short) {
            self.heading(&format!("=== {text}"))?;
            writeln!(self.out)?;
        }
        Ok(())
    }

    /// A mail that a player writes; `what` is its subject, or the answer.
    pub(super) fn writes(&mut self, detail: Detail, who: &str, what: &str, text: &str) -> io::Result<()> {
        if self.shows(detail) {
            self.heading(&format!(">>> {who} {what}"))?;
            writeln!(self.out)?;
            self.indented(text)?;
        }
        Ok(())
    }

    /// A letter with its board, this drawing: up to the words below it, or all of it with all mails. The picture stands in
    /// the place of the drawing if the terminal can show it.
    pub(super) fn reads(&mut self, who: &str, letter: &Letter, drawing: &str) -> io::Result<()> {
        if self.detail == Detail::Summary {
            return Ok(());
        }
        self.head(who, letter)?;
        let text = letter.text.trim_end();
        let drawing = drawing.trim_end();
        let found = text.find(drawing).filter(|_| !drawing.is_empty());
        let Some(found) = found else {
            return self.indented(text);
        };
        let (before, rest) = text.split_at(found);
        let (drawn, after) = rest.split_at(drawing.len());
        let shown = (self.pictures.zip(letter.picture.as_deref())).map(|(protocol, png)| protocol.show(png));
        self.indented(before)?;
        match shown {
            // An empty line ends the drawing.
            Some(shown) => writeln!(self.out, "    {shown}")?,
            None => self.indented(drawn)?,
        }
        let paragraphs = match self.detail {
            Detail::All => usize::MAX,
            Detail::Short | Detail::Summary => WORDS_BELOW,
        };
        let words = beginning(after, paragraphs);
        self.indented(words.strip_prefix('\n').unwrap_or(words))?;
        let end = before.len() + drawn.len() + words.len();
        self.left(text, text.get(..end).unwrap_or_default())
    }

    /// The beginning of a letter, of at most so many paragraphs above the board.
    pub(super) fn reads_beginning(
        &mut self,
        who: &str,
        letter: &Letter,
        paragraphs: usize,
    ) -> io::Result<()> {
        match self.detail {
            Detail::Summary => Ok(()),
            Detail::All => self.reads(who, letter, ""),
            Detail::Short => {
                self.head(who, letter)?;
                let beginning = letter.before_board(paragraphs);
                self.indented(beginning)?;
                self.left(letter.text.trim_end(), beginning)
            }
        }
    }

    /// A letter that is shown only with all others.
    pub(super) fn reads_unseen(&mut self, who: &str, letter: &Letter) -> io::Result<()> {
        match self.detail {
            Detail::All => self.reads(who, letter, ""),
            Detail::Short | Detail::Summary => Ok(()),
        }
    }

    /// The turns that are not shown as mails.
    pub(super) fn turns(&mut self, turns: &[String]) -> io::Result<()> {
        if self.detail != Detail::Short || turns.is_empty() {
            return Ok(());
        }
        self.say(&format!("So they go on, {} answers like these:", turns.len()))?;
        let mut lines = vec![String::new()];
        for turn in turns {
            match lines.last_mut() {
                Some(line) if line.len() + turn.len() < WIDTH => {
                    line.push(' ');
                    line.push_str(turn);
                }
                _ => lines.push(format!(" {turn}")),
            }
        }
        let is_long = lines.len() > MAX_LINES_OF_TURNS;
        lines.truncate(MAX_LINES_OF_TURNS);
        for line in lines {
            writeln!(self.out, "   {line}")?;
        }
        if is_long {
            writeln!(self.out, "    ...")?;
        }
        Ok(())
    }

    fn head(&mut self, who: &str, letter: &Letter) -> io::Result<()> {
        self.heading(&format!("<<< {who} reads: {}", letter.subject))?;
        writeln!(self.out, "\n")
    }

    /// A heading after an empty line. A terminal would break it within a word.
    fn heading(&mut self, text: &str) -> io::Result<()> {
        let wrapped = wrap(text, self.columns.saturating_sub(INDENT.len()));
        write!(self.out, "\n{}", wrapped.replace('\n', &format!("\n{INDENT}")))
    }

    /// How much of a letter is not shown.
    fn left(&mut self, text: &str, shown: &str) -> io::Result<()> {
        match text.lines().count() - shown.lines().count() {
            0 => Ok(()),
            lines => writeln!(self.out, "    [{lines} more lines]"),
        }
    }

    fn indented(&mut self, text: &str) -> io::Result<()> {
        for line in text.lines() {
            writeln!(self.out, "{}", format!("{INDENT}{line}").trim_end())?;
        }
        Ok(())
    }
}

/// The first paragraphs of a text that begins with empty lines.
fn beginning(text: &str, paragraphs: usize) -> &str {
    let start = text.len() - text.trim_start_matches('\n').len();
    let ends = text
        .get(start..)
        .unwrap_or_default()
        .split_inclusive("\n\n")
        .take(paragraphs);
    let end = start + ends.map(str::len).sum::<usize>();
    text.get(..end).unwrap_or_default().trim_end()
}
