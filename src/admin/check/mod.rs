//! `check`: checks everything that a server needs, and prints how to fix each fault. A running server is asked what it
//! knows of itself, so that this says the same as `/healthz`.

mod addresses;
mod args;
mod data;
mod dns;
mod doors;
mod findings;
mod server;
mod userids;

use crate::config::{Config, Error};
use crate::engine::configured::letters;

use super::Answer;
use super::control::sentence;
pub use args::Check;
pub(super) use findings::table;
use findings::{Findings, Subject};
use server::State;
pub use server::{Fault, Health};

impl Check {
    /// Checks everything. Changes nothing, except that a running server writes the time of its test into its database.
    ///
    /// # Errors
    /// The findings cannot be written as JSON, which is a bug.
    pub async fn run(self, config: Result<Config, Error>) -> anyhow::Result<Answer> {
        let mut findings = Findings::default();
        match config {
            Ok(config) => self.look(&config, &mut findings).await,
            Err(error) => findings.bad(Subject::Configuration, error),
        }
        findings.answer(self.json)
    }

    async fn look(&self, config: &Config, findings: &mut Findings) {
        let found = config
            .places
            .file()
            .unwrap_or("none, so the defaults for a trial");
        findings.good(Subject::Configuration, found);
        let state = State::ask(config).await;
        let is_running = !matches!(state, State::NotRunning | State::Unknown(_));
        let start = data::check(config, is_running, self.deep, findings);
        templates(config, findings);
        doors::delivery(config, findings).await;
        doors::certificate(config, findings);
        // Without an answer nobody knows whether what listens there is the server.
        if !matches!(state, State::Unknown(_)) {
            let greets = match (is_running, state.waits()) {
                (false, _) => None,
                (true, false) => Some("220 "),
                // The server waits, and its doors send everybody to the other one.
                (true, true) => Some("421 "),
            };
            doors::door(Subject::Smtp, "smtp", &config.smtp.listen, greets, findings).await;
            doors::door(Subject::Lmtp, "lmtp", &config.lmtp.listen, greets, findings).await;
        }
        doors::maildir(config, findings);
        doors::imap(config, findings).await;
        dns::senders(config, findings).await;
        state.tell(&start, self.offline, findings);
        if self.dns {
            dns::check(config, self.ip, self.selector.as_deref(), findings).await;
        }
    }
}

fn templates(config: &Config, findings: &mut Findings) {
    let Some(address) = config.address() else {
        return;
    };
    match letters(config, &address) {
        Ok(letters) if letters.faults().is_empty() => {
            findings.good(Subject::Templates, "all can be rendered");
        }
        Ok(letters) => {
            for fault in letters.faults() {
                findings.bad(
                    Subject::Templates,
                    format!("{fault}: correct the file in templates.folder or remove it; the built-in words are used meanwhile"),
                );
            }
        }
        Err(error) => findings.stops(Subject::Templates, sentence(&error)),
    }
}
