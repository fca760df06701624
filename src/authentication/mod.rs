//! Whether the domain in `From` is authenticated, for a server that has no filtering mail server before it: by SPF (RFC 7208),
//! DKIM (RFC 6376, 8301, 8463) and their alignment with `From` as DMARC has it (RFC 9989).
//!
//! `mail-auth` evaluates. This room says what that may cost, and what is believed beyond it:
//!
//! - Only what could count is looked at: signatures of the organisation in `From`, at most [`SIGNATURES`], and the envelope
//!   sender if it is of that organisation and the client is known. Anything else asks no name server.
//! - A signature counts only if it covers `From` and the whole body, by SHA-256, with a key that is not under test.
//! - Without a DMARC record the domains must be equal.
//! - Whatever cannot be found out in time, within bounds, is not authenticated: `None`, never a pass.

mod bounds;
mod cache;
mod judge;
mod lookups;
mod resolver;

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use mail_auth::MessageAuthenticator;
use tokio::time::{Instant, timeout};

use crate::mail::Address;

use bounds::Bounds;
use cache::Cache;
pub use judge::SIGNATURES;
pub use lookups::{Asked, Found, Lookups, Spf};

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

/// Finds out whether claims are true.
#[derive(Clone)]
pub struct Verifier(Arc<Parts>);

struct Parts {
    authenticator: MessageAuthenticator,
    cache: Cache,
    bounds: Bounds,
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier").finish_non_exhaustive()
    }
}

/// The name servers cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the name servers cannot be used: {0}")]
pub struct NoResolver(String);

impl Verifier {
    /// Asks these name servers; with none of them those of `/etc/resolv.conf`.
    ///
    /// # Errors
    /// [`NoResolver`].
    pub fn new(servers: &[SocketAddr]) -> Result<Self, NoResolver> {
        Ok(Self(Arc::new(Parts {
            authenticator: MessageAuthenticator(resolver::resolver(servers)?),
            cache: Cache::default(),
            bounds: Bounds::new(),
        })))
    }

    /// What is found out about a claim in the time that it has.
    pub async fn verify(&self, claim: Claim) -> Verdict {
        let parts = self.0.clone();
        let patience = parts.bounds.patience(&claim);
        let began = Instant::now();
        let waits_alone = claim.client.is_some();
        let is_known = claim.is_known;
        // A task of its own, so that a panic over hostile bytes ends nothing but the task.
        let judged = tokio::spawn(async move {
            let judged = timeout(
                patience,
                judge::judge(&parts.authenticator, &parts.cache, &parts.bounds, &claim),
            );
            judged.await.unwrap_or(Verdict::Unknown)
        });
        let verdict = judged.await.unwrap_or(Verdict::Unknown);
        if !waits_alone {
            self.0.bounds.waited(is_known, began.elapsed());
        }
        verdict
    }
}

//#[cfg(test)]
//mod tests;
