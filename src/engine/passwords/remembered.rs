//! The passwords that were correct, so that each is hashed once.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use zeroize::Zeroizing;

use pbmserv_mail::Key;

/// The most passwords that are remembered.
const MOST: usize = 4096;

/// A bounded cache of correct passwords: keyed tags of (hash, password). The key dies with the process, and no password
/// can be recovered from a tag.
#[derive(Debug)]
pub(super) struct Remembered {
    key: Key,
    tags: Mutex<Tags>,
}

#[derive(Debug, Default)]
struct Tags {
    all: HashSet<[u8; 16]>,
    /// The oldest first.
    order: VecDeque<[u8; 16]>,
}

impl Remembered {
    pub(super) fn new(key: Key) -> Self {
        Self {
            key,
            tags: Mutex::default(),
        }
    }

    /// Whether this password was correct for this hash.
    pub(super) fn has(&self, stored: &str, password: &str) -> bool {
        let tag = self.tag(stored, password);
        let tags = self.tags.lock().unwrap_or_else(PoisonError::into_inner);
        tags.all.contains(&tag)
    }

    /// Remembers a correct password.
    pub(super) fn add(&self, stored: &str, password: &str) {
        let tag = self.tag(stored, password);
        let mut tags = self.tags.lock().unwrap_or_else(PoisonError::into_inner);
        if !tags.all.insert(tag) {
            return;
        }
        tags.order.push_back(tag);
        if tags.order.len() > MOST
            && let Some(oldest) = tags.order.pop_front()
        {
            tags.all.remove(&oldest);
        }
    }

    fn tag(&self, stored: &str, password: &str) -> [u8; 16] {
        let text = Zeroizing::new(format!("{stored}\n{password}"));
        self.key.tag("password", text.as_bytes())
    }
}
