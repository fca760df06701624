//! A secret in memory.

use std::fmt;

use zeroize::Zeroize as _;

/// A password or a token. It is not shown by `Debug`, and wiped after use.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Secret {
    /// From the text of a password or a token.
    pub const fn of(text: String) -> Self {
        Self(text)
    }

    /// The text, to be sent and not to be kept.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A server's words without the secret, should it repeat that, plain or within a SASL message.
    pub(crate) fn removed_from(&self, words: &str, message: &str) -> String {
        let mut words = words.replace(&self.0, "******");
        if !message.is_empty() {
            words = words.replace(message, "******");
        }
        words
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
