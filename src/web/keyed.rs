//! The key in a private link.

use pbmserv_core::dispatch::{Opened, Reach};

/// A key as it stands in the path, and what it opens.
#[derive(Clone, Debug)]
pub(super) struct Keyed {
    pub(super) text: String,
    pub(super) opened: Opened,
}

impl Keyed {
    /// Whether it opens only what its letter reaches.
    pub(super) const fn is_smaller(&self) -> bool {
        matches!(self.opened.reach, Reach::Letter(..))
    }
}
