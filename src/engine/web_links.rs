//! The links of letters to pages, added when a letter is sent.

use url::Url;

use crate::config::Web;
use crate::letters::Links;
use crate::outbox::Outgoing;

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

    /// Links that hold no secret, for a reader without an account.
    pub(super) fn for_everybody(&self, mail: Outgoing) -> Outgoing {
        match self.is_public {
            true => self.with(mail, "", ""),
            false => mail,
        }
    }

    /// Links below the own place of the reader.
    pub(super) fn linked(&self, mail: Outgoing, own: &str) -> Outgoing {
        self.with(mail, own, own)
    }

    /// Where one click unsubscribes: HTTPS alone is allowed (RFC 8058, section 3.1).
    pub(super) fn unsubscribing(&self, token: &str) -> Option<String> {
        let base = self.base.as_ref().filter(|base| base.scheme() == "https")?;
        Some(format!("{base}u/{token}"))
    }

    fn with(&self, mut mail: Outgoing, own: &str, home: &str) -> Outgoing {
        let (Some(base), Some(draft)) = (&self.base, &mut mail.draft) else {
            return mail;
        };
        // The name of a list is that of its board: `Pow2.105`.
        let board = mail.list.as_deref().and_then(|list| list.split_once('.'));
        let board = match board {
            Some((game, number)) => format!("{base}{own}board/{game}/{number}"),
            None => String::new(),
        };
        draft.links = Links {
            home: match home {
                "" => String::new(),
                home => format!("{base}{home}"),
            },
            turn: match (own, board.as_str()) {
                ("", _) | (_, "") => String::new(),
                (_, board) => format!("{board}/turn"),
            },
            board,
        };
        mail
    }
}
