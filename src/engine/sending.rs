//! Builds the sender and its transport from the configuration.

use std::sync::Arc;

use anyhow::Context as _;
use tokio::sync::watch;

use crate::config::Config;
use pbmserv_mail::login::Login;
use pbmserv_mail::outbox::{Health, Identity, Maildirs, Pace, Relay, Sender, Sendmail, Transport};

use super::clock::TimeSource;
use super::queue::OutboxQueue;
use super::server::Server;

/// Builds the sender.
///
/// # Errors
/// The relay's URL or its login cannot be used.
pub fn sender(
    config: &Config,
    server: &Server,
    clock: &TimeSource,
    health: watch::Sender<Health>,
) -> anyhow::Result<Sender<OutboxQueue, Transport>> {
    let identity = Identity::new(
        server.own().clone(),
        config.server.name.clone(),
        (*server.key).clone(),
    );
    let transport = match transport(config)? {
        Transport::Relay(relay) => Transport::Relay(Box::new(relay.reporting_to(&server.reach))),
        other => other,
    };
    Ok(Sender {
        queue: server.rows.clone(),
        transport: Arc::new(transport),
        identity: Arc::new(identity.with_context(|| config.placed("server.address"))?),
        now: clock.wall_clock(),
        wake: server.wake.clone(),
        health,
        pace: Pace::default(),
    })
}

/// Builds the transport.
///
/// # Errors
/// The relay's URL, its login or the path of sendmail cannot be used.
pub fn transport(config: &Config) -> anyhow::Result<Transport> {
    let delivery = &config.delivery;
    Ok(match delivery.transport.as_str() {
        "smtp" => {
            let login = Login::configured(
                "delivery",
                &delivery.auth,
                &delivery.password_file,
                &delivery.password_command,
            )
            .map_err(|error| anyhow::anyhow!(config.placed(&error.to_string())))?;
            let relay = Relay::new(&delivery.url, login);
            let mut relay = relay.with_context(|| config.placed("delivery.url"))?;
            if !delivery.ca_file.as_os_str().is_empty() {
                relay = relay
                    .trusting(&delivery.ca_file)
                    .with_context(|| config.placed("delivery.ca_file"))?;
            }
            Transport::Relay(Box::new(relay))
        }
        "sendmail" => {
            let sendmail = Sendmail::new(&delivery.path);
            Transport::Sendmail(sendmail.with_context(|| config.placed("delivery.path"))?)
        }
        _ => Transport::Maildirs(Maildirs::new(config.maildir())),
    })
}
