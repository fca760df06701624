//! The mail to an address that a player wants notices at.

use serde::Serialize;

use super::{LetterKind, Mail};

/// One line, without anything that plays for the player.
#[derive(Debug, Serialize)]
pub struct Short {
    /// The code that is to come back; empty in a notice.
    pub code: String,
    pub userid: String,
    /// The board, and until when the player may think; empty with a code.
    pub line: String,
}

impl Short {
    pub(super) fn sample() -> Self {
        Self {
            code: String::new(),
            userid: "alice".into(),
            line: "Hex 101, until Sat 12 December".into(),
        }
    }
}

impl Mail for Short {
    const KIND: LetterKind = LetterKind::Notice;

    fn sender_name(&self) -> String {
        match self.code.is_empty() {
            true => "Your turn".to_owned(),
            false => "Your code".to_owned(),
        }
    }
}
