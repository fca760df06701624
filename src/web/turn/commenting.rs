//! The forms for words on the turns of a finished game.

use minijinja::{Value, context};
use pbmserv_games::Seat;

use crate::web::fault::Fault;
use pbmserv_core::store::Reader;
use pbmserv_core::table::{Board, End};

use super::facts::Wanted;

/// The facts of the forms for the player in this seat; none if nobody writes on the turns of this board.
pub(super) fn facts(reader: &Reader, board: &Board, seat: Seat, wanted: &Wanted) -> Result<Value, Fault> {
    if !matches!(board.end, Some(End::Finished(_))) || board.turns == 0 {
        return Ok(Value::UNDEFINED);
    }
    let chosen = wanted
        .turn
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
        is_open => chosen.is_some() || !wanted.comment.is_empty(),
        is_written => own.is_some(),
        words => if wanted.comment.is_empty() { own.unwrap_or_default() } else { wanted.comment.clone() },
        opens => opens?,
        other_opens => other_opens?,
        // There is something to make public.
        has_words => !comments.is_empty(),
    })
}
