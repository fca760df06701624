//! Who wrote a message, as far as its header, its envelope and its way tell.
//!
//! That an envelope agrees with `From` is no proof, since anybody can write both; but a forger gets no answer by it. What depends
//! on who one is goes only to a believed address of that account. A doubted `From` is nobody, and the answer goes to the envelope
//! sender.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use pbmserv_mail::Address;

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
    /// The mail server before this one has authenticated it, or this server itself (`[auth]`).
    Authenticated,
    /// Authentication is not required, and the envelope sender agrees with it.
    Agreed,
    /// Authentication is not required, and the envelope sender is another.
    #[default]
    Doubted,
    /// Authentication is required, and there is none: the message is dropped unless a password or a token proves its
    /// writer.
    Missing,
    /// This server has not yet asked whether it is authenticated, and asks only if no password and no token proves the
    /// writer.
    Unasked,
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

    /// The key of all that is near the source: somebody who owns a domain or a network has as many sources as they like. It
    /// is the network around the client, else the domain of the envelope sender.
    #[must_use]
    pub fn realm(&self) -> String {
        let written = self.envelope.as_ref().or(self.from.as_ref());
        match self.client {
            Some(client) => format!("net {}", surroundings(client)),
            None => {
                let domain = written.map(Address::domain).unwrap_or_default();
                format!("by {}", domain.to_ascii_lowercase())
            }
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

/// The network around that of one customer: the /24 of an IPv4 address, or the /48 of an IPv6 address, of which one
/// customer may well have all networks.
fn surroundings(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 80 << 80)),
        IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() >> 8 << 8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unproven(envelope: &str, client: Option<&str>) -> Sender {
        Sender {
            from: Address::parse("alice@example.org").ok(),
            envelope: Address::parse(envelope).ok(),
            client: client.and_then(|client| client.parse().ok()),
            belief: Belief::Doubted,
        }
    }

    #[test]
    fn what_is_unproven_counts_under_its_origin_and_what_is_around_it() {
        for (envelope, client, source, realm) in [
            ("a.b+c@X.example", None, "by ab@x.example", "by x.example"),
            ("a@x.example", Some("192.0.2.7"), "net 192.0.2.7", "net 192.0.2.0"),
            (
                "a@x.example",
                Some("::ffff:192.0.2.7"),
                "net 192.0.2.7",
                "net 192.0.2.0",
            ),
            (
                "a@x.example",
                Some("2001:db8:1:2:3::4"),
                "net 2001:db8:1:2::",
                "net 2001:db8:1::",
            ),
        ] {
            let sender = unproven(envelope, client);
            assert_eq!(
                (sender.source().as_str(), sender.realm().as_str()),
                (source, realm)
            );
        }
    }

    #[test]
    fn what_is_authenticated_counts_under_its_mailbox() {
        let sender = Sender {
            belief: Belief::Authenticated,
            ..unproven("a@x.example", Some("192.0.2.7"))
        };
        assert_eq!(sender.source(), "from alice@example.org");
    }
}
