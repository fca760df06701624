//! What a player asks for on a page.

use crate::command::{InternalError, LetterAnswered, Line};
use crate::store::Store;
use crate::table::{BoardLetter, PlayerId};

/// A command that a player gives on a page.
#[derive(Clone)]
pub struct Asked {
    /// The player, proven by the link.
    pub player: PlayerId,
    /// The command.
    pub line: Line,
    /// Words for the other player, as typed.
    pub words: String,
    /// The board as the page has shown it: as with a letter, what is asked for is refused if the board has moved on.
    pub shown: Option<BoardLetter>,
}

impl Asked {
    /// What the page has shown, as a letter that is answered.
    pub(super) fn letter(&self, store: &Store) -> Result<Option<LetterAnswered>, InternalError> {
        let Some(shown) = self.shown else {
            return Ok(None);
        };
        let board = store.board_by_id(shown.board)?;
        Ok(board.map(|board| LetterAnswered::of_page(shown, &board)))
    }
}
