//! The mail with a player's link to the pages.

use serde::Serialize;

use super::{LetterKind, Mail};

/// Brings the link to the page of its reader. The link is a key, so it is added when the mail is sent, and nowhere stored.
#[derive(Debug, Serialize)]
pub struct PageLink {
    /// The reader.
    pub userid: String,
    /// Whether it makes the earlier links invalid.
    pub is_new: bool,
}

impl PageLink {
    pub(super) fn sample() -> Self {
        Self {
            userid: "alice".into(),
            is_new: false,
        }
    }
}

impl Mail for PageLink {
    const KIND: LetterKind = LetterKind::PageLink;

    fn sender_name(&self) -> String {
        "Your page".to_owned()
    }
}
