//! Who wrote a message, as far as its header, its envelope and its way tell.

use std::net::{IpAddr, Ipv6Addr};

use crate::mail::Address;

/// Who wrote the current message.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    /// The mailbox in `From`; `None` if there is not exactly one.
    pub from: Option<Address>,
    /// The envelope sender.
    pub envelope: Option<Address>,
    /// The client that sent the message, if it came straight from there; `None` behind another mail server.
    pub client: Option<IpAddr>,
    /// Whether `From` may be taken for the writer.
    pub belief: Belief,
}

/// Whether the mailbox in `From` may be taken for the writer of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Belief {
    /// The mail server before this one has authenticated it.
    Authenticated,
    /// Authentication is not required, and the envelope sender agrees with it.
    Agreed,
    /// Authentication is not required, and the envelope sender is another.
    #[default]
    Doubted,
    /// Authentication is required, and there is none: the message is dropped unless a password or a token proves its
    /// writer.
    Missing,
}

impl Sender {
    /// The mailbox of the writer, if it is believed.
    #[must_use]
    pub fn believed(&self) -> Option<&Address> {
        let is_believed = matches!(self.belief, Belief::Authenticated | Belief::Agreed);
        self.from.as_ref().filter(|_| is_believed)
    }

    /// The key under which is counted what is not proven: where the message came from, never whom it names. It is the
    /// authenticated mailbox, else the network of the client, else the envelope sender.
    #[must_use]
    pub fn source(&self) -> String {
        let written = self.envelope.as_ref().or(self.from.as_ref());
        match (self.belief, &self.from, self.client) {
            (Belief::Authenticated, Some(from), _) => format!("from {}", from.limit_key()),
            (_, _, Some(client)) => format!("net {}", network(client)),
            _ => format!("by {}", written.map(Address::limit_key).unwrap_or_default()),
        }
    }
}

/// The network of one customer: an IPv4 address, or the /64 of an IPv6 address.
fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
        v4 => v4,
    }
}
