//! Reads the cells and signs of a turn. Blanks are allowed anywhere between them, and positions in the text are kept
//! for the refusal.

pub mod cells;

use std::ops::Range;

use super::refusal::Refusal;
use super::square::{Cell, Grid, NoCell};

/// A cell as written, with its position in the text in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenCell {
    /// The cell with this name.
    pub cell: Cell,
    /// The bytes of its name.
    pub at: Range<usize>,
}

/// Reads a text from left to right.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at the start of the text. The caller has limited its length.
    #[must_use]
    pub const fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next character that is not a blank; `None` at the end.
    pub fn peek(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start().chars().next()
    }

    /// Reads this sign if it comes next, and returns whether it did.
    pub fn take(&mut self, sign: &str) -> bool {
        let _ = self.peek();
        let taken = self
            .text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(sign));
        if taken {
            self.at += sign.len();
        }
        taken
    }

    /// Reads the hyphen between two cells, which may also be an arrow `->`.
    pub fn take_hyphen(&mut self) -> bool {
        self.take("->") || self.take("-")
    }

    /// Reads the next cell. `wanted` says in the refusal why a cell is expected.
    ///
    /// # Errors
    /// The next word is not a cell, or the grid does not have it; then nothing has been read.
    pub fn cell(&mut self, grid: Grid, wanted: &str) -> Result<WrittenCell, Refusal> {
        let word = self.word();
        self.cell_of(word, grid, wanted)
    }

    /// The same if other characters follow the name at once: the `b2` of `b2xc3`.
    ///
    /// # Errors
    /// As for [`cell`](Self::cell).
    pub fn adjoined_cell(&mut self, grid: Grid, wanted: &str) -> Result<WrittenCell, Refusal> {
        let (word, at) = self.word();
        let letters = word.len() - word.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let rest = word.get(letters..).unwrap_or_default();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match (letters, digits) {
            (1, 1..) => {
                let end = at.start + letters + digits;
                let name = word.get(..letters + digits).unwrap_or_default();
                self.cell_of((name, at.start..end), grid, wanted)
            }
            _ => self.cell_of((word, at), grid, wanted),
        }
    }

    fn cell_of(
        &mut self,
        (word, at): (&str, Range<usize>),
        grid: Grid,
        wanted: &str,
    ) -> Result<WrittenCell, Refusal> {
        let last = (grid.last_column(), grid.size());
        match grid.find(word) {
            Ok(cell) => {
                self.at = at.end;
                Ok(WrittenCell { cell, at })
            }
            Err(NoCell::Outside(near)) => {
                let (name, (column, row)) = (shown(word).to_ascii_lowercase(), last);
                let reason = format!(
                    "There is no cell {name} on this board: columns go from a to {column}, rows from 1 to {row}."
                );
                Err(Refusal::unreadable(reason).at(at).or(vec![near.to_string()]))
            }
            Err(NoCell::Unreadable) if word.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
                let (word, (column, row)) = (shown(word), last);
                let reason = format!(
                    "\"{word}\" is no cell: a cell is a column letter from a to {column} and a row number \
                     from 1 to {row}, such as {column}{row}."
                );
                Err(Refusal::unreadable(reason).at(at))
            }
            Err(NoCell::Unreadable) => Err(self.unexpected(wanted)),
        }
    }

    /// The refusal of the next word, or of the end of the text. `wanted` is a clause without its full stop.
    pub fn unexpected(&mut self, wanted: &str) -> Refusal {
        let (word, at) = self.word();
        match shown(word) {
            _ if word.is_empty() => Refusal::unreadable(format!("{wanted}; the text ends there.")),
            shown if shown.is_empty() => Refusal::unreadable(format!("{wanted}.")),
            shown => Refusal::unreadable(format!("{wanted}, not \"{shown}\".")),
        }
        .at(at)
    }

    /// The next word up to a blank or a sign, with its position; empty only at the end of the text. Does not move
    /// forward: see [`skip`](Self::skip).
    pub fn word(&mut self) -> (&'a str, Range<usize>) {
        let _ = self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let sign = |c: char| c.is_whitespace() || matches!(c, '-' | ':' | ',' | ';' | '>' | '@');
        let end = match rest.find(sign) {
            Some(0) => rest.chars().next().map_or(0, char::len_utf8),
            Some(end) => end,
            None => rest.len(),
        };
        (rest.get(..end).unwrap_or_default(), self.at..self.at + end)
    }

    /// Moves to the end of this range.
    pub const fn skip(&mut self, at: &Range<usize>) {
        self.at = at.end;
    }
}

/// The start of a player's word, as far as an answer may quote it.
#[must_use]
pub fn shown(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_ascii_graphic() && *c != '"')
        .take(20)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid::new(8);

    #[test]
    fn blanks_are_forgiven_and_places_are_kept() {
        let mut rest = Cursor::of("  E4 ->\te2 , a1");
        let mut places = vec![rest.cell(GRID, "").unwrap().at];
        assert!(rest.take_hyphen());
        places.push(rest.cell(GRID, "").unwrap().at);
        assert!(!rest.take_hyphen());
        assert!(rest.take(","));
        places.push(rest.cell(GRID, "").unwrap().at);
        assert_eq!(places, [2..4, 8..10, 13..15]);
        assert_eq!(rest.peek(), None);
    }

    #[test]
    fn a_word_that_is_no_cell_and_a_cell_beyond_the_board_are_refused_differently() {
        let wrong = |text: &str| {
            let refusal = Cursor::of(text).cell(GRID, "A cell must come first").unwrap_err();
            (
                text.get(refusal.at.clone().unwrap()).unwrap().to_owned(),
                refusal.to_string(),
            )
        };
        let expected = |at: &str, reason: &str| (at.to_owned(), reason.to_owned());
        assert_eq!(
            wrong(" K9-a1"),
            expected(
                "K9",
                "There is no cell k9 on this board: columns go from a to h, rows from 1 to 8. Possible: h8."
            )
        );
        assert_eq!(
            wrong("4e"),
            expected(
                "4e",
                "\"4e\" is no cell: a cell is a column letter from a to h and a row number from 1 to 8, such as h8."
            )
        );
        assert_eq!(wrong("-a1"), expected("-", "A cell must come first, not \"-\"."));
        assert_eq!(
            wrong("  "),
            expected("", "A cell must come first; the text ends there.")
        );
        assert_eq!(
            wrong("\u{2013}a1"),
            expected("\u{2013}a1", "A cell must come first, not \"a1\".")
        );
    }
}
