//! The server as a sender of mail: its addresses, its name, and the key of its tokens.

use crate::{Address, Key, OwnAddresses};

/// The server as a sender of mail.
#[derive(Clone, Debug)]
pub struct Identity {
    own: OwnAddresses,
    name: String,
    key: Key,
}

/// The address cannot be used; the message says what to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadIdentity {
    /// It has a detail, but details are for the server's tokens.
    #[error("the server's address must not contain a +: the part after a + is for the server's tokens")]
    Detail,
    /// With a token it would exceed the length of a mail address.
    #[error(
        "the server's address must have at most {} characters before the @, and {} in all, so that tokens fit",
        Identity::MAX_LOCAL,
        Identity::LONGEST
    )]
    Long,
}

impl Identity {
    /// The longest detail: a letter, a number of 64 bits, a hyphen, a tag of 128 bits, all in base32.
    const MAX_DETAIL: usize = 1 + 13 + 1 + 26;
    /// A local part has at most 64 octets (RFC 5321, section 4.5.3.1.1), one of them the `+`.
    pub const MAX_LOCAL: usize = 64 - 1 - Self::MAX_DETAIL;
    /// The longest address that leaves room for a detail.
    pub const LONGEST: usize = Address::LONGEST - 1 - Self::MAX_DETAIL;

    /// `name` is the display name in `From`, and may be empty.
    ///
    /// # Errors
    /// [`BadIdentity`]: the present address has no room for tokens.
    pub fn new(own: impl Into<OwnAddresses>, name: impl Into<String>, key: Key) -> Result<Self, BadIdentity> {
        let own = own.into();
        let address = own.present();
        if address.local().contains('+') {
            return Err(BadIdentity::Detail);
        }
        if address.local().len() > Self::MAX_LOCAL || address.as_str().len() > Self::LONGEST {
            return Err(BadIdentity::Long);
        }
        Ok(Self {
            own,
            name: name.into(),
            key,
        })
    }

    /// The plain address from which it writes.
    #[must_use]
    pub fn address(&self) -> &Address {
        self.own.present()
    }

    /// All addresses to which mail for it may come.
    #[must_use]
    pub fn own(&self) -> &OwnAddresses {
        &self.own
    }

    /// The display name; may be empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key of the tokens.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_room_for_tokens_is_refused() {
        let identity = |text: &str| {
            let address = Address::parse(text).unwrap();
            Identity::new(address, "", Key::from_bytes([0; 32])).map(|_| ())
        };
        assert_eq!(identity("pbmserv@games.example"), Ok(()));
        assert_eq!(identity("pbmserv+x@games.example"), Err(BadIdentity::Detail));
        assert_eq!(identity(&format!("{}@games.example", "p".repeat(22))), Ok(()));
        assert_eq!(
            identity(&format!("{}@games.example", "p".repeat(23))),
            Err(BadIdentity::Long)
        );
        assert_eq!(
            identity(&format!("p@{}a", "abcdefghi.".repeat(22))),
            Err(BadIdentity::Long)
        );
    }
}
