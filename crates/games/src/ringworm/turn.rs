//! A turn and its text: `q9,t8,n4,p6,n6-i1`, or `pass`.

use std::fmt;
use std::ops::Range;

use super::rings::Burst;
use crate::Refusal;
use crate::kit::hex::{Cell, LETTERS, NoCell, ROWS};
use crate::kit::reading::{Cursor, shown};

/// The most bursts of a turn, so that its text is bounded. The rules give no bound, and nobody has proved that a chain
/// must end; but the longest in a million random games has 11 bursts.
pub(super) const MAX_BURSTS: usize = 60;

/// The longest text of a turn in bytes, with any blanks: four drops and [`MAX_BURSTS`] bursts are
/// shorter.
const LONGEST: usize = 1000;

/// A legal turn. The same drops in another order are another turn, even if the same stones result: the order decides
/// which drop makes a ring and ends the dropping.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Turn {
    /// In the order played; empty for a pass.
    pub(super) drops: Vec<Cell>,
    /// The first bursts a ring that the last drop made, the second one that the first burst made, and so on.
    pub(super) bursts: Vec<Burst>,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.drops.is_empty() {
            return f.write_str("pass");
        }
        for (place, drop) in self.drops.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { "," })?;
            write!(f, "{drop}")?;
        }
        self.bursts.iter().try_for_each(|burst| write!(f, ",{burst}"))
    }
}

/// A cell as written, with its position in the text.
#[derive(Clone, Debug)]
pub(super) struct WrittenCell {
    pub(super) cell: Cell,
    pub(super) at: Range<usize>,
}

/// A step of a turn, as written.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Drop(WrittenCell),
    Burst {
        pivot: WrittenCell,
        far: WrittenCell,
        middle: Option<WrittenCell>,
    },
}

impl Step {
    /// The part of the text with this step.
    pub(super) fn at(&self) -> Range<usize> {
        match self {
            Self::Drop(word) => word.at.clone(),
            Self::Burst { pivot, far, middle } => pivot.at.start..middle.as_ref().unwrap_or(far).at.end,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drop(word) => write!(f, "{}", word.cell),
            Self::Burst { pivot, far, middle } => {
                write!(f, "{}-{}", pivot.cell, far.cell)?;
                middle.iter().try_for_each(|middle| write!(f, "@{}", middle.cell))
            }
        }
    }
}

/// Reads the notation without checking it against the position. A pass has no steps.
///
/// # Errors
/// The text is not a turn; the refusal says where it goes wrong.
pub(super) fn parse(text: &str) -> Result<Vec<Step>, Refusal> {
    if text.len() > LONGEST {
        return Err(Refusal::unreadable(format!(
            "A turn of Ringworm is no longer than {LONGEST} characters."
        )));
    }
    if text.trim().eq_ignore_ascii_case("pass") {
        return Ok(Vec::new());
    }
    let mut cursor = Cursor::of(text);
    if cursor.peek().is_none() {
        return Err(Refusal::unreadable(
            "There is no turn here. A turn names the cells of the drops and then the bursts, like \
             q9,t8,n4,p6,n6-i1, or is pass.",
        ));
    }
    let mut steps = vec![step(&mut cursor, "A turn begins with the cell of a drop")?];
    while cursor.peek().is_some() {
        let wanted = match cursor.take(",") {
            true => "A cell must follow the comma",
            false => "Drops and bursts are separated by commas",
        };
        steps.push(step(&mut cursor, wanted)?);
    }
    Ok(steps)
}

/// Reads a drop or a burst; `wanted` says in the refusal why one must follow.
fn step(cursor: &mut Cursor<'_>, wanted: &str) -> Result<Step, Refusal> {
    let pivot = cell(cursor, wanted)?;
    if !cursor.take_hyphen() {
        return Ok(Step::Drop(pivot));
    }
    let far = cell(cursor, "The far end of the line must follow the hyphen")?;
    let middle = match cursor.take("@") {
        true => Some(cell(cursor, "The middle of the ring must follow the @")?),
        false => None,
    };
    Ok(Step::Burst { pivot, far, middle })
}

/// Reads the next cell.
fn cell(cursor: &mut Cursor<'_>, wanted: &str) -> Result<WrittenCell, Refusal> {
    let (word, at) = cursor.word();
    let names = |cells: &[Cell]| cells.iter().map(ToString::to_string).collect();
    let refused = |reason: String| Err(Refusal::unreadable(reason).at(at.clone()));
    match Cell::find(word) {
        Ok(cell) => {
            cursor.skip(&at);
            Ok(WrittenCell { cell, at })
        }
        Err(NoCell::Outside(near)) => {
            let reason = format!("There is no cell {word}: {}.", row_of(word));
            Err(Refusal::unreadable(reason).at(at).or(names(&near)))
        }
        Err(NoCell::NoColumn(meant)) => {
            let column: String = word.chars().take(1).collect();
            let reason = format!(
                "There is no column {column}: columns are a to z, then A to G, and small and capital letters \
                 differ."
            );
            Err(Refusal::unreadable(reason).at(at).or(names(meant.as_slice())))
        }
        Err(NoCell::Unreadable) if word.eq_ignore_ascii_case("pass") => {
            refused("A pass is a whole turn: write pass alone, or only drops and bursts.".to_owned())
        }
        Err(NoCell::Unreadable) if word.starts_with(|c: char| c.is_ascii_alphanumeric()) => refused(format!(
            "\"{}\" is no cell: a cell is a column letter (a to z, then A to G) and a row number from 1 to {ROWS}, \
             such as q9; commas stand between cells.",
            shown(word)
        )),
        Err(NoCell::Unreadable) => Err(cursor.unexpected(wanted)),
    }
}

/// The columns that have a cell in the row of this name: every second one, because each row is shifted by half a cell.
fn row_of(name: &str) -> String {
    let row = name.get(1..).and_then(|number| number.parse().ok()).unwrap_or(0);
    let cells = Cell::ALL.into_iter().filter(|cell| cell.row() == row);
    let columns: Vec<_> = cells
        .filter_map(|cell| LETTERS.chars().nth(usize::from(cell.column())))
        .collect();
    match columns.is_empty() {
        true => format!("rows go from 1 to {ROWS}"),
        false => {
            let columns = columns.iter().map(char::to_string).collect::<Vec<_>>().join(" ");
            format!("row {row} has cells in the columns {columns} only")
        }
    }
}
