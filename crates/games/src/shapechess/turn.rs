//! An action and its text: `d4`, `d4-e5`; several of one player with commas between them.

use std::fmt;
use std::ops::Range;

use crate::Refusal;
use crate::kit::reading::{Cursor, WrittenCell};
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
pub(super) struct WrittenAction {
    pub(super) from: WrittenCell,
    /// `None` for a drop.
    pub(super) to: Option<WrittenCell>,
}

impl WrittenAction {
    /// The part of the text with this action.
    pub(super) fn at(&self) -> Range<usize> {
        let end = self.to.as_ref().map_or(self.from.at.end, |to| to.at.end);
        self.from.at.start..end
    }
}

impl fmt::Display for WrittenAction {
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
pub(super) fn parse(grid: Grid, text: &str) -> Result<Vec<WrittenAction>, Refusal> {
    if text.len() > LONGEST {
        let reason = format!("A turn of Shape Chess is no longer than {LONGEST} characters.");
        return Err(Refusal::unreadable(reason));
    }
    let mut cursor = Cursor::of(text);
    if cursor.peek().is_none() {
        return Err(Refusal::unreadable(
            "There is no action here. One is written like d4 or d4-e5.",
        ));
    }
    let mut actions = vec![action(grid, &mut cursor, "An action begins with a cell")?];
    while cursor.take(",") {
        actions.push(action(
            grid,
            &mut cursor,
            "A further action must follow the comma",
        )?);
    }
    match (cursor.peek(), actions.last()) {
        (Some(_), Some(WrittenAction { from, to: None })) => {
            let wanted = format!(
                "Only a hyphen and a cell, or a comma and a further action, may follow {}",
                from.cell
            );
            Err(cursor.unexpected(&wanted))
        }
        (Some(_), _) => {
            Err(cursor.unexpected("Actions are separated by commas, and nothing else follows them"))
        }
        (None, _) => Ok(actions),
    }
}

fn action(grid: Grid, cursor: &mut Cursor<'_>, wanted: &str) -> Result<WrittenAction, Refusal> {
    let from = cursor.cell(grid, wanted)?;
    let to = match cursor.take_hyphen() {
        true => Some(cursor.cell(grid, "The cell to which the stone goes must follow the hyphen")?),
        false => None,
    };
    Ok(WrittenAction { from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid::new(12);

    fn read(text: &str) -> Result<String, String> {
        let actions = parse(GRID, text).map_err(|refusal| refusal.to_string())?;
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
    fn positions_are_in_bytes() {
        let actions = parse(GRID, " C3 , F5 -> f6").unwrap();
        let places: Vec<_> = actions.iter().map(WrittenAction::at).collect();
        assert_eq!(places, [1..3, 6..14]);
        let wrong = |text: &'static str| {
            let refusal = parse(GRID, text).unwrap_err();
            (text.get(refusal.at.clone().unwrap()).unwrap(), refusal.reason)
        };
        let expected = |at, reason: &str| (at, reason.to_owned());
        assert_eq!(
            wrong("c3,"),
            expected("", "A further action must follow the comma; the text ends there.")
        );
        assert_eq!(
            wrong("c3,f5-"),
            expected(
                "",
                "The cell to which the stone goes must follow the hyphen; the text ends there."
            )
        );
        assert_eq!(
            wrong("c3 f5"),
            expected(
                "f5",
                "Only a hyphen and a cell, or a comma and a further action, may follow c3, not \"f5\"."
            )
        );
        assert_eq!(
            wrong("c3-f5-f6"),
            expected(
                "-",
                "Actions are separated by commas, and nothing else follows them, not \"-\"."
            )
        );
        assert_eq!(wrong("a1,m13").0, "m13");
        assert_eq!(wrong("c3\u{2013}f5").0, "c3\u{2013}f5");
        assert_eq!(
            wrong(",c3"),
            expected(",", "An action begins with a cell, not \",\".")
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
