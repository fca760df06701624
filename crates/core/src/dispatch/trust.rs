//! How far the writer of a message is known.

use crate::command::{InternalError, Sender};
use crate::store::Reader;

/// How far the writer of a message is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Trust {
    /// Proven by a password, a token or the mail server before this one; or no message is the cause.
    #[default]
    Proven,
    /// Not proven, but believed to write from the address of a player.
    Known,
    /// Anybody else.
    Stranger,
}

impl Trust {
    /// The standing of a message of which nothing is proven.
    pub(super) fn unproven(store: &Reader, sender: &Sender) -> Result<Self, InternalError> {
        Ok(match sender.believed() {
            Some(from) if store.is_confirmed(from)? => Self::Known,
            _ => Self::Stranger,
        })
    }
}
