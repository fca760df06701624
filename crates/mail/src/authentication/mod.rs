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
mod claim;
mod judge;
mod lookups;
mod resolver;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use mail_auth::MessageAuthenticator;
use tokio::time::{Instant, timeout};

use bounds::Bounds;
use cache::Cache;
pub use claim::{Claim, Verdict};
pub use judge::SIGNATURES;
pub use lookups::{Asked, Found, Lookups, Spf};
pub use resolver::NoResolver;

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
