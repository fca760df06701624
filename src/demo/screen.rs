//! What of the demo stands on the screen.

use std::io::{self, Write};

use super::pictures::Protocol;
use super::player::Letter;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    /// The summary.
    Summary,
    /// What a player should have seen once.
    Short,
    /// Every mail.
    All,
}

/// The most lines of the turns between the beginning and the end.
const MOST_LINES_OF_TURNS: usize = 6;

/// The width of these lines.
const WIDTH: usize = 76;

/// The writer, and what it can show.
pub(super) struct Screen<'a> {
    pub(super) out: &'a mut dyn Write,
    pub(super) detail: Detail,
    pub(super) pictures: Option<Protocol>,
}

impl Screen<'_> {
    /// Whether at least so much is shown.
    fn shows(&self, detail: Detail) -> bool {
        self.detail >= detail
    }

    /// A sentence about what comes next.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        if self.shows(Detail::Short) {
            writeln!(self.out, "\n=== {text}")?;
        }
        Ok(())
    }

    /// A mail that a player writes; `what` is its subject, or the answer.
    pub(super) fn writes(&mut self, detail: Detail, who: &str, what: &str, text: &str) -> io::Result<()> {
        if self.shows(detail) {
            writeln!(self.out, "\n>>> {who} {what}")?;
            self.indented(text)?;
        }
        Ok(())
    }

    /// The whole letter; the picture in the place of this drawing, if the terminal can show it.
    pub(super) fn reads(&mut self, who: &str, letter: &Letter, drawing: &str) -> io::Result<()> {
        if !self.shows(Detail::Short) {
            return Ok(());
        }
        self.head(who, letter)?;
        let shown =
            (self.pictures.zip(letter.picture.as_deref())).and_then(|(protocol, png)| protocol.show(png));
        let drawing = drawing.trim_end();
        match (shown, letter.text.split_once(drawing)) {
            (Some(shown), Some((before, after))) if !drawing.is_empty() => {
                self.indented(before.trim_end())?;
                writeln!(self.out, "\n    {shown}")?;
                self.indented(after.trim_end())
            }
            _ => self.indented(letter.text.trim_end()),
        }
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
                let left = letter.text.trim_end().lines().count() - beginning.lines().count();
                match left {
                    0 => Ok(()),
                    lines => writeln!(self.out, "    [{lines} more lines]"),
                }
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
        let is_long = lines.len() > MOST_LINES_OF_TURNS;
        lines.truncate(MOST_LINES_OF_TURNS);
        for line in lines {
            writeln!(self.out, "   {line}")?;
        }
        if is_long {
            writeln!(self.out, "    ...")?;
        }
        Ok(())
    }

    fn head(&mut self, who: &str, letter: &Letter) -> io::Result<()> {
        writeln!(self.out, "\n<<< {who} reads: {}\n", letter.subject)
    }

    fn indented(&mut self, text: &str) -> io::Result<()> {
        for line in text.lines() {
            writeln!(self.out, "{}", format!("    {line}").trim_end())?;
        }
        Ok(())
    }
}
