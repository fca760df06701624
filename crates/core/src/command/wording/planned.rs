//! What its reader has planned, in a letter about a board.

use crate::command::{Addressee, Context, InternalError};
use crate::table::{Board, Plan, Seated};

/// The sentence about the reader's plan, which follows the status. Empty if another player might read the
/// letter, since a plan is secret.
pub(crate) fn note(
    context: &Context<'_>,
    board: &Board,
    to: &Addressee,
    reader: Option<&Seated>,
) -> Result<String, InternalError> {
    let Some((reader, seat)) = reader.and_then(|reader| Some((reader, board.seat_of(reader.id)?))) else {
        return Ok(String::new());
    };
    let note = match (board.plan_of(seat), board.dropped_of(seat)) {
        (None, None) => return Ok(String::new()),
        (None, Some(dropped)) => match dropped.as_queue() {
            Some(turns) => format!(" What you had queued is dropped: {}.", turns.join(", then ")),
            None => " What you had planned is dropped.".to_owned(),
        },
        (Some(plan), _) => match plan.as_queue() {
            Some(turns) => format!(
                " You have queued {}; nobody else sees that.",
                turns.join(", then ")
            ),
            None => planned(plan),
        },
    };
    Ok(match is_private(context, board, to, reader)? {
        true => note,
        false => String::new(),
    })
}

/// The most answers of a plan that a sentence has.
const IN_A_SENTENCE: usize = 4;

fn planned(plan: &Plan) -> String {
    match plan.answers().len() {
        count if count > IN_A_SENTENCE => {
            format!(" You have planned {count} answers; nobody else sees them. The word plan shows them.")
        }
        _ => format!(" You have planned: {}; nobody else sees that.", plan.to_line()),
    }
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
