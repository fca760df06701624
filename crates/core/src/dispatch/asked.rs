//! What a player asks for on a page.
//!
//! A form is a message: it is decided, recorded and answered as a mail. What its page has shown is the letter that is answered,
//! so a board that has moved on refuses. What it has done stands in its record in the words of the answer (`Decision::said`),
//! which the page finds by a mark that nobody can guess, also after a crash between the commit and the answer.

use crate::command::{InternalError, LetterAnswered, Line};
use crate::store::Store;
use crate::table::{BoardLetter, PlayerId};
use pbmserv_mail::Key;

use super::page_key::opened;

/// A command that a player gives on a page.
#[derive(Clone)]
pub struct Asked {
    /// The key of the page's link.
    pub key: String,
    /// The command.
    pub line: Line,
    /// Words for the other player, as typed.
    pub words: String,
    /// The board as the page has shown it: as with a letter, what is asked for is refused if the board has moved on.
    pub shown: Option<BoardLetter>,
}

impl Asked {
    /// The player, if the key is good now and reaches what is asked for. The page may be older, or made by hand.
    pub(super) fn player(&self, store: &Store, key: &Key) -> Result<Option<PlayerId>, InternalError> {
        let opened = opened(key, store, &self.key)?;
        let is_its = |player| self.line.by_token == Some(player);
        Ok(opened
            .filter(|opened| is_its(opened.player.id) && opened.reach.allows(&self.line, self.shown))
            .map(|opened| opened.player.id))
    }

    /// What the page has shown, as a letter that is answered.
    pub(super) fn letter(&self, store: &Store) -> Result<Option<LetterAnswered>, InternalError> {
        let Some(shown) = self.shown else {
            return Ok(None);
        };
        let board = store.board_by_id(shown.board)?;
        Ok(board.map(|board| LetterAnswered::of_page(shown, &board)))
    }
}
