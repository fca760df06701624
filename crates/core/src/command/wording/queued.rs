//! The queued turns of its reader in a letter about a board.

use crate::command::{Addressee, Context, InternalError};
use crate::table::{Board, Seated};

/// The sentence about the reader's queued turns, which follows the status. Empty if another player might read the
/// letter, since the queue is secret.
pub(crate) fn note(
    context: &Context<'_>,
    board: &Board,
    to: &Addressee,
    reader: Option<&Seated>,
) -> Result<String, InternalError> {
    let Some((reader, seat)) = reader.and_then(|reader| Some((reader, board.seat_of(reader.id)?))) else {
        return Ok(String::new());
    };
    let note = match (board.queue_of(seat), board.dropped_of(seat)) {
        ([], []) => return Ok(String::new()),
        ([], dropped) => format!(" What you had queued is dropped: {}.", dropped.join(", then ")),
        (waiting, _) => format!(
            " You have queued {}; nobody else sees that.",
            waiting.join(", then ")
        ),
    };
    Ok(match is_private(context, board, to, reader)? {
        true => note,
        false => String::new(),
    })
}

/// Whether a letter goes only to addresses of this player. The mailbox of the sender may be the opponent's too.
pub(crate) fn is_private(
    context: &Context<'_>,
    board: &Board,
    to: &Addressee,
    reader: &Seated,
) -> Result<bool, InternalError> {
    let sender = match (to, context.sender.believed()) {
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
