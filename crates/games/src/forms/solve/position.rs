//! Positions on an endless board: reading them, and placing them on the smallest equivalent grid.

use super::key::MAX_STONES;
use crate::forms::Forms;
use crate::kit::reading::shown;
use crate::kit::square::Bits;
use crate::kit::square::{Cell, Grid};
use crate::{Refusal, Seat};

/// The longest text of a position, in bytes.
const LONGEST: usize = 1000;

/// Reads the format of [`solve`](super::solve); Black is to move.
///
/// # Errors
/// The text is not a position, or the position cannot arise or is too large.
pub(super) fn read(text: &str) -> Result<Forms, Refusal> {
    if text.len() > LONGEST {
        let reason = format!("The text of a position is no longer than {LONGEST} characters.");
        return Err(Refusal::unreadable(reason));
    }
    let mut stones: [Vec<(usize, usize)>; 2] = [Vec::new(), Vec::new()];
    for (row, cells) in text.split('/').enumerate() {
        for (column, cell) in cells.chars().filter(|c| !c.is_whitespace()).enumerate() {
            match cell.to_ascii_lowercase() {
                'x' => stones[0].push((column, row)),
                'o' => stones[1].push((column, row)),
                '-' | '.' => {}
                _ => {
                    let cell = shown(&cell.to_string());
                    let reason = format!(
                        "\"{cell}\" stands for nothing in a position: x is a black stone, o a white one, - or . \
                         an empty cell, and / ends a row."
                    );
                    return Err(Refusal::unreadable(reason).or(vec!["x x o x o".to_owned()]));
                }
            }
        }
    }
    let count = stones[0].len() + stones[1].len();
    if count > MAX_STONES {
        let reason = format!("The position has {count} stones; at most {MAX_STONES} can be solved.");
        return Err(Refusal::illegal(reason));
    }
    if stones.iter().any(Vec::is_empty) {
        return Err(Refusal::illegal(
            "A position needs stones of both colours: x and o.",
        ));
    }
    let not_one = || Refusal::illegal("All stones must hang together side by side, as after any turn.");
    let stones = within_ring(&stones).ok_or_else(not_one)?;
    let position = ringed(stones, Seat::First);
    match position.occupied().is_joined() {
        true => Ok(position),
        false => Err(not_one()),
    }
}

/// Moves the stones to the bottom left corner, with one empty row and column before them. `None` if they are too far
/// apart to be joined. Rows of the input count from the top.
fn within_ring(stones: &[Vec<(usize, usize)>; 2]) -> Option<[Bits; 2]> {
    let all = || stones.iter().flatten();
    let left = all().map(|(column, _)| *column).min()?;
    let bottom = all().map(|(_, row)| *row).max()?;
    let far = |(column, row): &(usize, usize)| column - left >= MAX_STONES || bottom - row >= MAX_STONES;
    if all().any(far) {
        return None;
    }
    let cell = |(column, row): &(usize, usize)| Cell::at((column - left + 1) as u8, (bottom - row + 1) as u8);
    Some([0, 1].map(|seat: usize| stones[seat].iter().map(cell).collect()))
}

/// A position on the smallest grid that leaves a ring of empty cells. The stones must begin in the second row and
/// column.
fn ringed(stones: [Bits; 2], mover: Seat) -> Forms {
    let cells = || (stones[0] | stones[1]).iter();
    let last = cells().map(|cell| cell.column().max(cell.row())).max();
    Forms {
        grid: Grid::new(last.unwrap_or_default() + 2),
        stones,
        mover,
        standard: false,
    }
}

/// The same position moved to where [`ringed`] expects it.
pub(super) fn shifted(position: &Forms) -> Forms {
    let cells = || position.occupied().iter();
    let left = cells().map(Cell::column).min().unwrap_or_default();
    let bottom = cells().map(Cell::row).min().unwrap_or_default();
    let to_corner = |cell: Cell| Cell::at(cell.column() - left + 1, cell.row() - bottom + 1);
    let stones = position
        .stones
        .map(|stones| stones.iter().map(to_corner).collect());
    ringed(stones, position.mover)
}
