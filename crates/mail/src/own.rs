//! The addresses of this server: the present one and those that it had before.
//!
//! Everything that asks whether an address is ours asks the same value: doors, silence, bounces, tokens in quotations, signups.

use super::Address;

/// The server's addresses, without details. It writes from the present one; mail to each is for it, with or without a detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnAddresses {
    present: Address,
    former: Vec<Address>,
}

impl OwnAddresses {
    /// The address from which the server writes, and those that older letters may bear.
    #[must_use]
    pub const fn new(present: Address, former: Vec<Address>) -> Self {
        Self { present, former }
    }

    /// The address from which the server writes.
    #[must_use]
    pub const fn present(&self) -> &Address {
        &self.present
    }

    /// All of them, the present one first.
    pub fn all(&self) -> impl Iterator<Item = &Address> {
        std::iter::once(&self.present).chain(&self.former)
    }

    /// Whether an address is one of them, whatever its detail.
    #[must_use]
    pub fn has(&self, address: &Address) -> bool {
        self.all().any(|own| address.is_delivered_to(own))
    }

    /// Whether an address is in the domain of one of them.
    #[must_use]
    pub fn has_domain_of(&self, address: &Address) -> bool {
        self.all().any(|own| address.is_in(own.domain()))
    }
}

impl From<Address> for OwnAddresses {
    /// A server that never had another address.
    fn from(present: Address) -> Self {
        Self::new(present, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_and_each_domain_is_known() {
        let address = |text: &str| Address::parse(text).unwrap();
        let own = OwnAddresses::new(address("games@new.example"), vec![address("pbmserv@old.example")]);
        for known in [
            "games@new.example",
            "GAMES+x@New.example",
            "pbmserv+x@old.example",
        ] {
            assert!(own.has(&address(known)), "{known}");
        }
        for other in ["games@old.example", "pbmserv@new.example", "bob@old.example"] {
            assert!(!own.has(&address(other)), "{other}");
            assert!(own.has_domain_of(&address(other)), "{other}");
        }
        assert!(!own.has_domain_of(&address("games@mail.new.example")));
    }
}
