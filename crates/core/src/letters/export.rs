//! The mail with all that is stored of its reader.

use serde::Serialize;

use super::{Draft, LetterKind, Mail};
use crate::table::PlayerId;

/// Brings all that is stored of its reader, or a link to it. The file is made when the mail is sent, and nowhere stored.
#[derive(Debug, Serialize)]
pub struct Export {
    pub userid: String,
    player: i64,
    /// When the link expires.
    pub until: String,
    /// The address of the operator.
    pub operator: String,
    /// The name of the attached file; empty until it is attached.
    file: &'static str,
}

impl Export {
    /// The name of the file.
    pub const FILE: &'static str = "pbmserv-data.json";

    /// A mail for this player, with a link that is valid until then if there is no file.
    #[must_use]
    pub const fn new(userid: String, player: PlayerId, until: String, operator: String) -> Self {
        Self {
            userid,
            player: player.0,
            until,
            operator,
            file: "",
        }
    }

    /// Whose data a draft of this kind is to bring.
    #[must_use]
    pub fn player(draft: &Draft) -> Option<PlayerId> {
        draft.facts["player"].as_i64().map(PlayerId)
    }

    pub(super) fn sample() -> Self {
        let until = "tomorrow, Sat 21 November, 09:00 UTC".to_owned();
        Self::new(
            "alice".into(),
            PlayerId(1),
            until,
            "postmaster@games.example".into(),
        )
    }
}

impl Draft {
    /// The draft of a letter to which its file is attached.
    #[must_use]
    pub fn with_file(mut self) -> Self {
        if let Some(place) = self.facts.get_mut("file") {
            *place = Export::FILE.into();
        }
        self
    }
}

impl Mail for Export {
    const KIND: LetterKind = LetterKind::Export;

    fn sender_name(&self) -> String {
        "Your data".to_owned()
    }
}
