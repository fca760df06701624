//! Whether senders are authenticated, where this server finds that out itself (`[auth] verify`).

use std::time::Instant;

use anyhow::Context as _;

use crate::authentication::{Claim, Verifier};
use crate::config::Config;
use crate::dispatch::Request;

use super::server::Server;

/// What finds it out; `None`: nobody does, or the mail server before this one.
///
/// # Errors
/// There are no name servers to ask.
pub(super) fn verifier(config: &Config) -> anyhow::Result<Option<Verifier>> {
    let verifier = config
        .auth
        .verify
        .then(|| Verifier::new(&config.auth.name_servers()));
    verifier.transpose().with_context(|| config.placed("auth.dns"))
}

impl Server {
    /// Whether the sender is authenticated. No lane is held meanwhile, so only this message waits.
    pub(super) async fn is_authentic(&self, request: &Request) -> bool {
        let (Some(verifier), Some(from)) = (&self.verifier, &request.sender.from) else {
            return false;
        };
        let claim = Claim {
            from: from.clone(),
            sender: request.sender.envelope.clone(),
            client: request.sender.client,
            realm: request.sender.realm(),
            is_known: self.lanes.is_player(from),
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
