//! How far the writer of a message is known.

use chrono::{DateTime, Utc};

use crate::command::{InternalError, Sender};
use crate::store::{Reader, Unproven, hourly};

/// How far the writer of a message is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    /// Proven by a password, a token or the mail server before this one; or no message is the cause.
    #[default]
    Proven,
    /// Not proven, but believed to write from the address of a player.
    Known,
    /// Anybody else.
    Stranger,
}

impl Standing {
    /// The standing of a message of which nothing is proven.
    pub(super) fn unproven(store: &Reader, sender: &Sender) -> Result<Self, InternalError> {
        Ok(match sender.believed() {
            Some(from) if store.is_confirmed(from)? => Self::Known,
            _ => Self::Stranger,
        })
    }

    /// The key under which the mails are counted that such messages cause. Players have a count of their own, so that
    /// strangers cannot use it up.
    pub(super) fn caused_by(self, now: DateTime<Utc>) -> Option<String> {
        match self {
            Self::Proven => None,
            Self::Known => Some(hourly(Unproven::PLAYERS, now)),
            Self::Stranger => Some(hourly(Unproven::STRANGERS, now)),
        }
    }
}
