//! A turn and its text: `m13-j7`, `a13-c11:d10,a13`.

use std::fmt;
use std::ops::Range;

use super::board::{NAMES, Points, board, find, row_column};
use crate::Refusal;

/// The longest text of a turn in bytes, with any blanks.
const LONGEST: usize = 200;

/// A legal turn: a move, and the points on which pieces are placed after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) placed: Points,
}

impl Turn {
    pub(super) const fn new(from: usize, to: usize, placed: Points) -> Self {
        Self {
            from: from as u8,
            to: to as u8,
            placed,
        }
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}-{}",
            NAMES[usize::from(self.from)],
            NAMES[usize::from(self.to)]
        )?;
        for (place, point) in board().in_reading_order(self.placed).enumerate() {
            f.write_str(if place == 0 { ":" } else { "," })?;
            f.write_str(NAMES[point])?;
        }
        Ok(())
    }
}

/// A point as written, with its position in the text.
#[derive(Clone, Debug)]
pub(super) struct WrittenPoint {
    pub(super) point: usize,
    pub(super) at: Range<usize>,
}

/// A turn as written: points of the board, not yet checked against the position.
#[derive(Clone, Debug)]
pub(super) struct WrittenTurn {
    pub(super) from: WrittenPoint,
    pub(super) to: WrittenPoint,
    /// `None` if the text does not mention placements.
    pub(super) placed: Option<Vec<WrittenPoint>>,
}

/// Reads the notation.
///
/// # Errors
/// The text is not a turn; the refusal says where it goes wrong.
pub(super) fn parse(text: &str) -> Result<WrittenTurn, Refusal> {
    if text.len() > LONGEST {
        return Err(Refusal::unreadable(format!(
            "A turn of The Power of Two is no longer than {LONGEST} characters."
        )));
    }
    let mut cursor = Cursor { text, at: 0 };
    if cursor.peek().is_none() {
        return Err(Refusal::unreadable(
            "There is no turn here. A turn is written like m13-j7 or m13-m5:l4.",
        ));
    }
    let from = cursor.point("A turn begins with the point of the piece that moves")?;
    if !cursor.take("->") && !cursor.take("-") {
        let after = NAMES[from.point];
        return Err(cursor.unexpected(&format!(
            "A hyphen and a point must follow {after}, such as {after}-j7"
        )));
    }
    let to = cursor.point("The point to which the piece moves must follow the hyphen")?;
    let mut placed = None;
    if cursor.take(":") {
        let placed = placed.insert(vec![cursor.point("Points for new pieces must follow the colon")?]);
        while cursor.take(",") {
            placed.push(cursor.point("A further point for a new piece must follow the comma")?);
        }
    }
    if cursor.peek().is_some() {
        let reason = match placed {
            Some(_) => "Points for new pieces are separated by commas, and nothing follows them",
            None => "Only a colon and points for new pieces may follow the move",
        };
        return Err(cursor.unexpected(reason));
    }
    Ok(WrittenTurn { from, to, placed })
}

/// Reads a text from left to right.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The next character that is not a blank.
    fn peek(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start().chars().next()
    }

    fn take(&mut self, sign: &str) -> bool {
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

    /// The next word: up to a blank or a sign, at least one character unless the text ends here.
    fn word(&mut self) -> (&'a str, Range<usize>) {
        let _ = self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let sign = |c: char| c.is_whitespace() || matches!(c, '-' | ':' | ',' | '>');
        let end = match rest.find(sign) {
            Some(0) => rest.chars().next().map_or(0, char::len_utf8),
            Some(end) => end,
            None => rest.len(),
        };
        (rest.get(..end).unwrap_or_default(), self.at..self.at + end)
    }

    fn point(&mut self, wanted: &str) -> Result<WrittenPoint, Refusal> {
        let (word, at) = self.word();
        if let Some(point) = find(word) {
            self.at = at.end;
            return Ok(WrittenPoint { point, at });
        }
        match row_column(word) {
            Some(place) => {
                let near = nearest(place);
                let reason = format!("There is no point {} on this board.", word.to_ascii_lowercase());
                Err(Refusal::unreadable(reason).at(at).or(near))
            }
            None if word.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric()) => Err(Refusal::unreadable(
                format!(
                    "\"{}\" is no point: a point is a column letter from a to m and a row number from 1 to 13, \
                     such as m13.",
                    shown(word)
                ),
            )
            .at(at)),
            None => Err(self.unexpected(wanted)),
        }
    }

    fn unexpected(&mut self, wanted: &str) -> Refusal {
        let (word, at) = self.word();
        match shown(word) {
            _ if word.is_empty() => Refusal::unreadable(format!("{wanted}; the text ends there.")),
            shown if shown.is_empty() => Refusal::unreadable(format!("{wanted}.")),
            shown => Refusal::unreadable(format!("{wanted}, not \"{shown}\".")),
        }
        .at(at)
    }
}

/// The start of a word, as far as an answer may quote it.
fn shown(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_ascii_graphic() && *c != '"')
        .take(20)
        .collect()
}

/// The points whose names come nearest to a row and column without a point.
fn nearest((row, column): (u8, u8)) -> Vec<String> {
    let distance = |name: &str| {
        row_column(name).map(|(r, c)| (u32::from(r.abs_diff(row)) + u32::from(c.abs_diff(column)), r, c))
    };
    let mut names: Vec<_> = NAMES
        .iter()
        .filter_map(|name| Some((distance(name)?, name)))
        .collect();
    names.sort_unstable();
    let least = names.first().map_or(0, |((distance, ..), _)| *distance);
    let near = names.iter().filter(|((distance, ..), _)| *distance == least);
    near.take(4).map(|(_, name)| (**name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_printed_by_row_and_column() {
        let set = |names: &[&str]| {
            names
                .iter()
                .filter_map(|n| find(n))
                .fold(0, |all, p| all | 1 << p)
        };
        let turn = |from: &str, to: &str, placed: &[&str]| {
            Turn::new(find(from).unwrap(), find(to).unwrap(), set(placed))
        };
        assert_eq!(turn("m13", "j7", &[]).to_string(), "m13-j7");
        assert_eq!(turn("a13", "c11", &["a13", "d10"]).to_string(), "a13-c11:d10,a13");
        // Here the order of the names differs from that of the numbers.
        assert_eq!(turn("g13", "e9", &["f11", "e11"]).to_string(), "g13-e9:e11,f11");
    }

    #[test]
    fn a_refusal_points_to_the_bytes_that_are_wrong() {
        let wrong = |text: &str| {
            let refusal = parse(text).unwrap_err();
            (
                refusal.at.clone().map(|at| text.get(at).unwrap().to_owned()),
                refusal.to_string(),
            )
        };
        assert_eq!(
            wrong("a1-d3:b4,e5"),
            (
                Some("d3".to_owned()),
                "There is no point d3 on this board. Possible: d2, c3, e3, d4.".to_owned()
            )
        );
        assert_eq!(wrong("  m13 j7").0.as_deref(), Some("j7"));
        assert_eq!(
            wrong("m13").1,
            "A hyphen and a point must follow m13, such as m13-j7; the text ends there."
        );
        assert_eq!(wrong("m13-m5:l4 d2").0.as_deref(), Some("d2"));
        assert_eq!(wrong("m13-m5:l4,").0.as_deref(), Some(""));
        // Beyond the last column, beyond the last row, and before the first.
        for text in ["n1", "a14", "a0"] {
            let (at, reason) = wrong(&format!("{text}-a1"));
            assert_eq!(at.as_deref(), Some(text));
            assert!(
                reason.starts_with(&format!("\"{text}\" is no point: ")),
                "{reason}"
            );
        }
        assert_eq!(wrong("a1\u{2013}e1").0.as_deref(), Some("a1\u{2013}e1"));
        assert_eq!(
            wrong("").1,
            "There is no turn here. A turn is written like m13-j7 or m13-m5:l4."
        );
        // An answer quotes the input without characters that would break the sentence.
        assert_eq!(
            wrong("m13 \"j7\"").1,
            "A hyphen and a point must follow m13, such as m13-j7, not \"j7\"."
        );
        assert_eq!(
            wrong("m13-,").1,
            "The point to which the piece moves must follow the hyphen, not \",\"."
        );
        assert_eq!(
            wrong("m13-\u{2013}").1,
            "The point to which the piece moves must follow the hyphen."
        );
        let padded = |length: usize| format!("{:length$}", "m13-j7");
        assert!(parse(&padded(LONGEST)).is_ok());
        assert!(wrong(&padded(LONGEST + 1)).1.contains("200"));
    }
}
