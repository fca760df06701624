//! The list of turns, each a link to the position after it.

use pbmserv_games::Seat;
use serde::Serialize;

use pbmserv_core::table::Played;

/// One row: the turns of both players.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Row {
    number: usize,
    cells: [Vec<Cell>; 2],
}

/// One turn.
#[derive(Debug, Serialize, PartialEq, Eq)]
struct Cell {
    text: String,
    /// How many turns are played after it.
    after: usize,
    /// Whether the position after it is the one that is shown.
    is_shown: bool,
}

/// All turns, in rows as in letters.
pub(super) fn rows(turns: &[Played], shown: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut last = None;
    for (after, turn) in (1..).zip(turns) {
        let is_new = turn.seat == Seat::First && last != Some(Seat::First);
        if is_new || rows.is_empty() {
            rows.push(Row {
                number: rows.len() + 1,
                cells: [Vec::new(), Vec::new()],
            });
        }
        if let Some(row) = rows.last_mut() {
            row.cells[turn.seat.index()].push(Cell {
                text: turn.text.clone(),
                after,
                is_shown: after == shown,
            });
        }
        last = Some(turn.seat);
    }
    rows
}

/// At most `most` rows, among them the one that is shown, and as late as possible.
pub(super) fn around(mut rows: Vec<Row>, most: usize) -> Vec<Row> {
    let is_shown = |row: &Row| row.cells.iter().flatten().any(|cell| cell.is_shown);
    let at = rows.iter().position(is_shown).unwrap_or(0);
    let last_begin = rows.len().saturating_sub(most);
    let begin = at.saturating_sub(most / 2).min(last_begin);
    rows.drain(..begin);
    rows.truncate(most);
    rows
}
