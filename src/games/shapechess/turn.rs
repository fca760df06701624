//! An action and its text: `d4`, `d4-e5`; several of one player with commas between them.

use std::fmt;
use std::ops::Range;

use crate::games::Refusal;
use crate::kit::reading::{Rest, Word};
use crate::kit::square::{Cell, Grid};

/// The longest text of a turn in bytes, with all its actions and blanks.
const LONGEST: usize = 200;

/// A legal action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// A new stone on an empty cell.
    Drop(Cell),
    /// An own stone moves from the first cell to the second.
    Jump(Cell, Cell),
    /// An enemy stone moves from the first cell to the second, and a new own stone appears on the first.
    Push(Cell, Cell),
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drop(cell) => write!(f, "{cell}"),
            Self::Jump(from, to) | Self::Push(from, to) => write!(f, "{from}-{to}"),
        }
    }
}

/// An action as written, not yet checked against the position.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) from: Word,
    /// `None` for a drop.
    pub(super) to: Option<Word>,
}

impl Written {
    /// The part of the text with this action.
    pub(super) fn at(&self) -> Range<usize> {
        let end = self.to.as_ref().map_or(self.from.at.end, |to| to.at.end);
        self.from.at.start..end
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.to {
            None => write!(f, "{}", self.from.cell),
            Some(to) => write!(f, "{}-{}", self.from.cell, to.cell),
        }
    }
}

/// Reads the notation: one action or more.
///
/// # Errors
/// The text is not an action; the refusal says where it goes wrong.
pub(super) fn written(grid: Grid, text: &str) -> Result<Vec<Written>, Refusal> {
    if text.len() > LONGEST {
        let reason = format!("A turn of Shape Chess is no longer than {LONGEST} characters.");
        return Err(Refusal::unreadable(reason));
    }
    let mut rest = Rest::of(text);
    if rest.peek().is_none() {
        return Err(Refusal::unreadable(
            "There is no action here. One is written like d4 or d4-e5.",
        ));
    }
    let mut actions = vec![action(grid, &mut rest, "An action begins with a cell")?];
    while rest.take(",") {
        actions.push(action(grid, &mut rest, "A further action must follow the comma")?);
    }
    match (rest.peek(), actions.last()) {
        (Some(_), Some(Written { from, to: None })) => {
            let wanted = format!(
                "Only a hyphen and a cell, or a comma and a further action, may follow {}",
                from.cell
            );
            Err(rest.unexpected(&wanted))
        }
        (Some(_), _) => {
            Err(rest.unexpected("Actions are separated by commas, and nothing else follows them"))
        }
        (None, _) => Ok(actions),
    }
}

fn action(grid: Grid, rest: &mut Rest<'_>, wanted: &str) -> Result<Written, Refusal> {
    let from = rest.cell(grid, wanted)?;
    let to = match rest.take_hyphen() {
        true => Some(rest.cell(grid, "The cell to which the stone goes must follow the hyphen")?),
        false => None,
    };
    Ok(Written { from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid::new(12);

    fn read(text: &str) -> Result<String, String> {
        let actions = written(GRID, text).map_err(|refusal| refusal.to_string())?;
        Ok(actions
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(","))
    }

    #[test]
    fn blanks_capitals_and_arrows_are_forgiven() {
        for text in ["c3,f5-f6", " C3 , F5 -> f6 ", "c3,f5->F6", "C3\t,\nf5 - f6"] {
            assert_eq!(read(text).as_deref(), Ok("c3,f5-f6"), "{text}");
        }
    }

    #[test]
    fn places_are_told_in_bytes() {
        let actions = written(GRID, " C3 , F5 -> f6").unwrap();
        let places: Vec<_> = actions.iter().map(Written::at).collect();
        assert_eq!(places, [1..3, 6..14]);
        let wrong = |text: &'static str| {
            let refusal = written(GRID, text).unwrap_err();
            (text.get(refusal.at.clone().unwrap()).unwrap(), refusal.reason)
        };
        let told = |at, reason: &str| (at, reason.to_owned());
        assert_eq!(
            wrong("c3,"),
            told("", "A further action must follow the comma; the text ends there.")
        );
        assert_eq!(
            wrong("c3,f5-"),
            told(
                "",
                "The cell to which the stone goes must follow the hyphen; the text ends there."
            )
        );
        assert_eq!(
            wrong("c3 f5"),
            told(
                "f5",
                "Only a hyphen and a cell, or a comma and a further action, may follow c3, not \"f5\"."
            )
        );
        assert_eq!(
            wrong("c3-f5-f6"),
            told(
                "-",
                "Actions are separated by commas, and nothing else follows them, not \"-\"."
            )
        );
        assert_eq!(wrong("a1,m13").0, "m13");
        assert_eq!(wrong("c3\u{2013}f5").0, "c3\u{2013}f5");
        assert_eq!(
            wrong(",c3"),
            told(",", "An action begins with a cell, not \",\".")
        );
    }

    #[test]
    fn text_of_any_length_is_bounded() {
        assert!(
            read(&"a1,".repeat(60))
                .unwrap_err()
                .contains("must follow the comma")
        );
        let padded = |length: usize| format!("{:length$}", "a1");
        assert_eq!(read(&padded(LONGEST)).as_deref(), Ok("a1"));
        assert!(read(&padded(LONGEST + 1)).unwrap_err().contains("200"));
        assert_eq!(
            read("  ").unwrap_err(),
            "There is no action here. One is written like d4 or d4-e5."
        );
    }
}
