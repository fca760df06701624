//! What is asked about a message, and what is found out.

use std::net::IpAddr;
use std::sync::Arc;

use crate::Address;

/// What a message claims, and how it came.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The mailbox in `From`.
    pub from: Address,
    /// The envelope sender.
    pub sender: Option<Address>,
    /// The client that sent it, if it came straight from there. Without one SPF says nothing.
    pub client: Option<IpAddr>,
    /// The key of the networks around that client, which share what one may ask.
    pub realm: String,
    /// Whether `From` is the address of a player: strangers use up nothing of what players may ask.
    pub is_known: bool,
    /// The header and the body.
    pub bytes: Arc<[u8]>,
}

/// What was found out about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A signature aligns.
    Signed,
    /// The client may send for the domain.
    Sent,
    /// Nothing authenticates it.
    Nothing,
    /// It cannot be found out now: no answer, no time, or too much was asked.
    Unknown,
}

impl Verdict {
    /// The words of all verdicts.
    pub const WORDS: [&str; 4] = ["dkim", "spf", "none", "unknown"];

    /// Whether the domain in `From` is authenticated.
    #[must_use]
    pub const fn is_authentic(self) -> bool {
        matches!(self, Self::Signed | Self::Sent)
    }

    /// A word for the log and the metrics.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Signed => Self::WORDS[0],
            Self::Sent => Self::WORDS[1],
            Self::Nothing => Self::WORDS[2],
            Self::Unknown => Self::WORDS[3],
        }
    }
}
