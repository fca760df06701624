//! What a letter says of the turns that its reader has queued.

use crate::command::{Addressee, Context, Fault};
use crate::games::Seat;
use crate::table::{Board, Seated};

/// What the player in this seat has queued.
pub(crate) fn own(context: &Context<'_>, board: &Board, seat: Seat) -> Result<Vec<String>, Fault> {
    let queue = context.store.queue(board.id)?;
    Ok(queue
        .filter(|(by, _)| *by == seat)
        .map_or_else(Vec::new, |(_, turns)| turns))
}

/// What is queued, for the end of a sentence about whose turn it is.
pub(crate) fn waiting(turns: &[String]) -> String {
    match turns {
        [] => String::new(),
        turns => format!(
            " You have queued {}; nobody else sees that.",
            turns.join(", then ")
        ),
    }
}

/// What is dropped, for the same place.
pub(crate) fn dropped(turns: &[String]) -> String {
    match turns {
        [] => String::new(),
        turns => format!(" What you had queued is dropped: {}.", turns.join(", then ")),
    }
}

/// What a mail about a board tells its reader of the turns that they have queued: nothing if the mail might be
/// read by another. The board is as the decision at hand leaves it, the database as it was before.
pub(crate) fn note(
    context: &Context<'_>,
    board: &Board,
    to: &Addressee,
    reader: Option<&Seated>,
) -> Result<String, Fault> {
    let Some((reader, seat)) = reader.and_then(|reader| Some((reader, board.seat_of(reader.id)?))) else {
        return Ok(String::new());
    };
    let turns = own(context, board, seat)?;
    if turns.is_empty() || !is_private(context, board, to, reader)? {
        return Ok(String::new());
    }
    let before = context.store.board_by_id(board.id)?;
    let is_taken_back = before.is_some_and(|before| before.turns > board.turns);
    Ok(if board.end.is_some() || is_taken_back {
        dropped(&turns)
    } else {
        waiting(&turns)
    })
}

/// Whether a letter goes to addresses of this player only. Of an envelope sender, who need not be the writer that
/// the header names, that is known if it is a confirmed address of this player and not of the other one.
fn is_private(context: &Context<'_>, board: &Board, to: &Addressee, reader: &Seated) -> Result<bool, Fault> {
    let sender = match (to, &context.sender.envelope) {
        (Addressee::Player(player), _) => return Ok(*player == reader.id),
        (Addressee::Sender, Some(sender)) => sender,
        _ => return Ok(false),
    };
    let rows = context.store.address_rows(sender)?;
    let mut here = rows
        .iter()
        .filter(|row| row.confirmed_at.is_some())
        .filter_map(|row| board.seat_of(row.player));
    let own = board.seat_of(reader.id);
    let first = here.next();
    Ok(first.is_some() && first == own && here.all(|seat| Some(seat) == own))
}
