//! What was said on the turns of a finished board, as far as a viewer may read it.

use serde::Serialize;

use crate::web::fault::Fault;
use crate::web::names::is_someone;
use crate::web::viewer::Viewer;
use pbmserv_core::store::{NoteKind, Reader};
use pbmserv_core::table::Board;

/// Words on a turn.
#[derive(Clone, Debug, Serialize)]
pub(in crate::web) struct SaidOn {
    /// The number of the turn, from 1.
    pub(in crate::web) turn: usize,
    by: String,
    pub(in crate::web) words: String,
}

/// Whether the notes on a board, which name its players, may be shown.
pub(super) fn names_all(board: &Board) -> bool {
    board.players.iter().all(|player| !is_someone(&player.userid))
}

/// What a computer thinks of a whole game with dice: what was luck, and what was skill.
pub(super) fn luck(reader: &Reader, board: &Board) -> Result<Option<String>, Fault> {
    if board.dice.is_none() || board.end.is_none() || !names_all(board) {
        return Ok(None);
    }
    let mut notes = reader.board_notes(board.id)?.into_iter();
    let of_all = notes.find(|note| note.kind == NoteKind::Review && note.ordinal == 0);
    Ok(of_all.map(|note| note.text))
}

/// What a computer thinks of its turns, and the words of its players, in the order of the turns.
pub(in crate::web) fn said(reader: &Reader, viewer: &Viewer, board: &Board) -> Result<Vec<SaidOn>, Fault> {
    let mut said = Vec::new();
    if board.end.is_some() && names_all(board) {
        let notes = reader.board_notes(board.id)?.into_iter();
        let reviews = notes.filter(|note| note.kind == NoteKind::Review && note.ordinal > 0);
        said.extend(reviews.map(|note| SaidOn {
            turn: note.ordinal as usize,
            by: "A computer".to_owned(),
            words: note.text,
        }));
    }
    let comments = reader.turn_comments(board, viewer.player().map(|player| player.id))?;
    said.extend(comments.into_iter().map(|comment| SaidOn {
        turn: comment.ordinal as usize,
        by: board.at(comment.seat).userid.clone(),
        words: comment.words,
    }));
    said.sort_by_key(|said| said.turn);
    Ok(said)
}
