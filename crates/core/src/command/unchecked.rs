//! The hash that a command needs before it can be decided.

use std::fmt;

use zeroize::Zeroize as _;

use crate::table::PlayerId;

/// A text that is never shown, and wiped after use. The message that it stood in is not.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("******")
    }
}

/// A hash that must be computed before a line can be decided.
#[derive(Clone, PartialEq, Eq)]
pub struct Unchecked {
    /// The word at the position of the userid, in lower case.
    pub userid_key: String,
    pub password: Secret,
    /// The stored hash to compare it with; `None` if the command stores a new one.
    pub stored: Option<String>,
    /// Whether the message comes from a confirmed address of that account.
    pub is_from_owner: bool,
    /// The player who was authenticated before.
    pub proven: Option<PlayerId>,
}

impl fmt::Debug for Unchecked {
    /// Hides the userid too, since it may have changed places with the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unchecked")
            .field("is_new", &self.stored.is_none())
            .finish_non_exhaustive()
    }
}
