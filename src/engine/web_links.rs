//! The links of letters to pages, added when a letter is sent.

use url::Url;

use crate::config::Web;
use pbmserv_core::letters::{LetterKind, Links};
use pbmserv_core::store::Outgoing;
use pbmserv_core::table::Board;

/// Where the pages are, if they are served.
#[derive(Clone, Debug)]
pub(super) struct WebLinks {
    base: Option<Url>,
    is_public: bool,
}

impl WebLinks {
    pub(super) fn new(config: &Web) -> Self {
        Self {
            base: config.base(),
            is_public: config.public,
        }
    }

    /// Links that hold no secret, for a reader without a key.
    pub(super) fn for_everybody(&self, mut mail: Outgoing) -> Outgoing {
        let Some(base) = self.base.as_ref().filter(|_| self.is_public) else {
            return mail;
        };
        let board = board_of(&mail);
        let kind = LetterKind::of(&mail.kind);
        let names_pages = matches!(
            kind,
            Some(LetterKind::Listing | LetterKind::Help | LetterKind::Gazette)
        );
        if let Some(draft) = &mut mail.draft {
            match board {
                Some(board) => {
                    draft.links = Links {
                        board: format!("{base}{board}"),
                        rules: rules_of(base, &board),
                        ..Links::NONE
                    }
                }
                None if names_pages => draft.links.public = base.to_string(),
                None => {}
            }
        }
        mail
    }

    /// Links below the place of a key, and the one to share in their stead.
    pub(super) fn linked(&self, mut mail: Outgoing, own: &str) -> Outgoing {
        let board = board_of(&mail);
        let shows_them = LetterKind::of(&mail.kind).is_some_and(|kind| kind.has_links(board.is_some()));
        let (Some(base), Some(draft), true) = (&self.base, &mut mail.draft, shows_them) else {
            return mail;
        };
        let board = board.unwrap_or_default();
        let page = |page: &str| match board.as_str() {
            "" => String::new(),
            board => format!("{base}{own}{board}{page}"),
        };
        draft.links = Links {
            home: match board.as_str() {
                "" => format!("{base}{own}"),
                _ => String::new(),
            },
            board: page(""),
            turn: page("/turn"),
            rules: match self.is_public {
                true => rules_of(base, &board),
                false => String::new(),
            },
            public: match self.is_public {
                true => format!("{base}{board}"),
                false => String::new(),
            },
            alone: "",
        };
        mail
    }

    /// The page of a board that everybody can read; empty if there is none.
    pub(super) fn public_board(&self, board: &Board) -> String {
        match self.base.as_ref().filter(|_| self.is_public) {
            Some(base) => format!("{base}board/{}/{}", board.game.facts.name, board.number),
            None => String::new(),
        }
    }

    /// The page on which a newcomer chooses a name.
    pub(super) fn joining(&self, mut mail: Outgoing, token: &str) -> Outgoing {
        if let (Some(base), Some(draft)) = (&self.base, &mut mail.draft) {
            draft.links.home = format!("{base}j/{token}");
        }
        mail
    }

    /// The page with the button that gives the reader's data.
    pub(super) fn exporting(&self, mut mail: Outgoing, key: &str) -> Outgoing {
        if let (Some(base), Some(draft)) = (&self.base, &mut mail.draft) {
            draft.links.home = format!("{base}k/{key}/data");
        }
        mail
    }

    /// Where one click unsubscribes: HTTPS alone is allowed (RFC 8058, section 3.1).
    pub(super) fn unsubscribing(&self, token: &str) -> Option<String> {
        let base = self.base.as_ref().filter(|base| base.scheme() == "https")?;
        Some(format!("{base}u/{token}"))
    }
}

/// The page with the rules of the game of the board with this path; empty if there is none.
fn rules_of(base: &Url, board: &str) -> String {
    match board.split('/').nth(1) {
        Some(game) => format!("{base}games/{game}"),
        None => String::new(),
    }
}

/// The path of the board that a letter is about. The name of a list is that of its board: `Pow2.105`.
fn board_of(mail: &Outgoing) -> Option<String> {
    let (game, number) = mail.list.as_deref()?.split_once('.')?;
    Some(format!("board/{game}/{number}"))
}
