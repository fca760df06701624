//! What was said on the turns of a finished game, in words.

use crate::command::wording::planned::is_private;
use crate::command::{Addressee, Context, InternalError};
use crate::store::{BoardNote, NoteKind, TurnComment};
use crate::table::{Board, Played, PlayerId, Seated};

/// `turn 14, d4 of bob`.
pub(crate) fn turn_in_words(board: &Board, turns: &[Played], ordinal: u32) -> String {
    let turn = turns.get(ordinal.saturating_sub(1) as usize);
    let turn = turn.map(|turn| format!(", {} of {}", turn.text, board.at(turn.seat).userid));
    format!("turn {ordinal}{}", turn.unwrap_or_default())
}

/// A paragraph for each turn on which something was said: what a computer thinks of it, then the words of the players.
pub(crate) fn turn_words(
    board: &Board,
    turns: &[Played],
    notes: &[BoardNote],
    comments: &[TurnComment],
) -> String {
    let reviews = notes
        .iter()
        .filter(|note| note.kind == NoteKind::Review && note.ordinal > 0);
    let reviews = reviews.map(|note| (note.ordinal, format!("A computer: {}.", note.text)));
    let words = comments.iter().map(|comment| {
        let by = &board.at(comment.seat).userid;
        (comment.ordinal, format!("{by}: {}", comment.words))
    });
    let mut said: Vec<_> = reviews.chain(words).collect();
    said.sort_by_key(|(turn, _)| *turn);
    let each = said.chunk_by(|(one, _), (other, _)| one == other).map(|said| {
        let turn = said.first().map_or(0, |(turn, _)| *turn);
        let head = turn_in_words(board, turns, turn).replacen('t', "T", 1);
        let lines = said.iter().map(|(_, line)| line.as_str());
        [head.as_str()]
            .into_iter()
            .chain(lines)
            .collect::<Vec<_>>()
            .join("\n")
    });
    each.collect::<Vec<_>>().join("\n\n")
}

/// What a letter that was asked for shows besides the board: the reader's own notes, if nobody else might read them, and what was
/// said on the turns. With the words that announce it; `None` without any.
pub(crate) fn asked_for(
    context: &Context<'_>,
    board: &Board,
    turns: &[Played],
    to: &Addressee,
    reader: Option<&Seated>,
) -> Result<Option<(&'static str, String)>, InternalError> {
    let store = context.store;
    let own: Option<PlayerId> = match reader {
        Some(reader) if is_private(context, board, to, reader)? => Some(reader.id),
        _ => None,
    };
    let mut parts = Vec::new();
    if let Some((own, seat)) = own.and_then(|own| Some((own, board.seat_of(own)?))) {
        let other = board.at(seat.other());
        parts.extend(store.own_note(own, board.id)?);
        let on_other = store.player_note(own, other.id)?;
        parts.extend(on_other.map(|words| format!("On {}: {words}", other.userid)));
    }
    let has_notes = !parts.is_empty();
    let said = match board.end {
        Some(_) => {
            let comments = store.turn_comments(board, own)?;
            turn_words(board, turns, &store.board_notes(board.id)?, &comments)
        }
        None => String::new(),
    };
    let announced = match (has_notes, said.is_empty()) {
        (false, true) => return Ok(None),
        (false, false) => "with what was said on its turns",
        (true, true) => "with your own notes, which nobody else reads",
        (true, false) => "with your own notes, which nobody else reads, and what was said on its turns",
    };
    parts.extend(Some(said).filter(|said| !said.is_empty()));
    Ok(Some((announced, parts.join("\n\n"))))
}
