//! The forms for words on the turns of a finished game.

use minijinja::{Value, context};
use pbmserv_games::Seat;

use crate::web::fault::Fault;
use pbmserv_core::store::Reader;
use pbmserv_core::table::{Board, End};

/// The facts of the forms for the player in this seat, with the turn that is asked for and the words of a form that was refused;
/// none if nobody writes on the turns of this board.
pub(super) fn facts(
    reader: &Reader,
    board: &Board,
    seat: Seat,
    (wanted, refused): (&str, &str),
) -> Result<Value, Fault> {
    if !matches!(board.end, Some(End::Finished(_))) || board.turns == 0 {
        return Ok(Value::UNDEFINED);
    }
    let chosen = wanted
        .parse()
        .ok()
        .filter(|turn| (1..=board.turns).contains(turn));
    let turn = chosen.unwrap_or(board.turns);
    let comments = reader.turn_comments(board, Some(board.at(seat).id))?;
    let mut own = comments
        .iter()
        .filter(|comment| comment.seat == seat && comment.ordinal == turn);
    let own = own.next().map(|comment| comment.words.clone());
    let [opens, other_opens] = [seat, seat.other()].map(|seat| reader.opens_comments(board, seat));
    Ok(context! {
        turn,
        count => board.turns,
        is_open => chosen.is_some() || !refused.is_empty(),
        is_written => own.is_some(),
        words => if refused.is_empty() { own.unwrap_or_default() } else { refused.to_owned() },
        opens => opens?,
        other_opens => other_opens?,
        // There is something to make public.
        has_words => !comments.is_empty(),
    })
}
