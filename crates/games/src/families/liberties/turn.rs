//! Turns, and the names of crossings, which leave out the letter i.

use std::fmt;
use std::ops::Range;

use crate::Refusal;
use crate::kit::reading::{Cursor, shown};
use crate::kit::square::{Cell, Grid};

/// The longest text of a turn in bytes, with any blanks.
const LONGEST: usize = 60;

/// The letter of a column, from 0. There is no i, which looks like a j or a 1 on old printed boards.
#[must_use]
pub fn column_letter(column: u8) -> char {
    char::from(b'a' + column + u8::from(column >= 8))
}

/// A crossing, which prints its name: `j9` is in the ninth column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point(pub Cell);

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_letter(self.0.column()), self.0.row() + 1)
    }
}

/// A turn of a game with liberties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A stone on this crossing.
    On(Point),
    /// No stone.
    Pass,
    /// The first stone changes its owner.
    Swap,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::On(point) => point.fmt(f),
            Self::Pass => f.write_str("pass"),
            Self::Swap => f.write_str("swap"),
        }
    }
}

/// Reads a crossing or one of these words, and where it stands in the text. `example` is a turn for the refusals.
///
/// # Errors
/// The text is something else, or the board lacks the crossing.
pub(super) fn read(
    text: &str,
    grid: Grid,
    words: &[Turn],
    example: &str,
) -> Result<(Turn, Range<usize>), Refusal> {
    if text.len() > LONGEST {
        let reason = format!("A turn is no longer than {LONGEST} characters.");
        return Err(Refusal::unreadable(reason));
    }
    let mut cursor = Cursor::of(text);
    if cursor.peek().is_none() {
        let reason = format!("There is no turn here. A turn is written like {example}.");
        return Err(Refusal::unreadable(reason));
    }
    let form = format!("A turn is one crossing, such as {example}");
    let (word, at) = cursor.word();
    if !word.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Err(cursor.unexpected(&form));
    }
    let known = words
        .iter()
        .find(|known| known.to_string().eq_ignore_ascii_case(word));
    let turn = match known {
        Some(known) => *known,
        None => Turn::On(point(word, grid).map_err(|refusal| refusal.at(at.clone()))?),
    };
    cursor.skip(&at);
    match cursor.peek() {
        Some(_) => Err(cursor.unexpected(&format!("{form}, and nothing follows it"))),
        None => Ok((turn, at)),
    }
}

/// The crossing with this name, ignoring case.
fn point(word: &str, grid: Grid) -> Result<Point, Refusal> {
    let (size, last) = (grid.size(), column_letter(grid.size() - 1));
    let mut signs = word.chars();
    let letter = signs.next().map(|letter| letter.to_ascii_lowercase());
    let digits = signs.as_str();
    let row = match digits.len() {
        1..4 if digits.bytes().all(|digit| digit.is_ascii_digit()) => digits.parse::<u16>().ok(),
        _ => None,
    };
    let (Some(letter @ 'a'..='z'), Some(row)) = (letter, row) else {
        let reason = format!(
            "\"{}\" is no crossing: a crossing is a column letter from a to {last}, without i, and a row number from 1 to \
             {size}, such as {last}{size}.",
            shown(word)
        );
        return Err(Refusal::unreadable(reason));
    };
    let column = letter as u8 - b'a' - u8::from(letter > 'i');
    let is_row = (1..=u16::from(size)).contains(&row) && !digits.starts_with('0');
    // The row is at most the size, which fits.
    let near = |column: u8| {
        Point(Cell::at(
            column.min(size - 1),
            row.clamp(1, u16::from(size)) as u8 - 1,
        ))
    };
    if letter == 'i' {
        let reason = "No column has the letter i: j follows h.".to_owned();
        let beside: Vec<_> = [7, 8].map(|column| near(column).to_string()).into();
        return Err(Refusal::unreadable(reason).or(beside));
    }
    if column < size && is_row {
        return Ok(near(column));
    }
    let reason = format!(
        "There is no crossing {} on this board: columns go from a to {last}, without i, rows from 1 to {size}.",
        shown(word).to_ascii_lowercase()
    );
    Err(Refusal::unreadable(reason).or(vec![near(column).to_string()]))
}
