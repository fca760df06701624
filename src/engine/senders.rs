//! Whether senders are authenticated, where this server finds that out itself (`[auth] verify`).
//!
//! That asks the DNS, so it is done only when it matters: a message is first handled as if its sender were not authenticated. At
//! the first step that would be dropped for it the engine rolls the message back and says so, as for a hash; the answer is found
//! out outside the engine, and the message is handled again.

use std::time::Instant;

use anyhow::Context as _;

use crate::config::Config;
use pbmserv_core::dispatch::Request;
use pbmserv_mail::authentication::{Claim, Verifier};

use super::meters::Meters;

/// What finds it out, and counts what it finds.
pub(super) struct Senders {
    /// `None`: nobody finds it out, or the mail server before this one.
    verifier: Option<Verifier>,
    meters: Meters,
}

impl Senders {
    /// # Errors
    /// There are no name servers to ask.
    pub(super) fn new(config: &Config, meters: Meters) -> anyhow::Result<Self> {
        let verifier = config
            .auth
            .verify
            .then(|| Verifier::new(&config.auth.name_servers()));
        let verifier = verifier.transpose().with_context(|| config.placed("auth.dns"))?;
        Ok(Self { verifier, meters })
    }

    /// Whether the sender is authenticated. `is_known`: `From` is the address of a player. No lane is held meanwhile, so only
    /// this message waits.
    pub(super) async fn is_authentic(&self, request: &Request, is_known: bool) -> bool {
        let (Some(verifier), Some(from)) = (&self.verifier, &request.sender.from) else {
            return false;
        };
        let claim = Claim {
            from: from.clone(),
            sender: request.sender.envelope.clone(),
            client: request.sender.client,
            realm: request.sender.realm(),
            is_known,
            bytes: request.bytes.clone(),
        };
        let started = Instant::now();
        let verdict = verifier.verify(claim).await;
        self.meters.verified(verdict.word());
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(
            domain = from.domain(),
            found = verdict.word(),
            milliseconds,
            "sender verified"
        );
        verdict.is_authentic()
    }
}
