//! Builds the sender and its transport from the configuration.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use tokio::sync::watch;

use crate::config::Config;
use crate::outbox::{Health, Identity, Maildirs, Pace, Relay, Sender, Sendmail, Transport};

use super::clock::TimeSource;
use super::queue::Rows;
use super::server::Server;

/// Builds the sender.
///
/// # Errors
/// The relay's URL or its password file cannot be used.
pub fn sender(
    config: &Config,
    server: &Server,
    clock: &TimeSource,
    health: watch::Sender<Health>,
) -> anyhow::Result<Sender<Rows, Transport>> {
    let identity = Identity::new(
        server.own().clone(),
        config.server.name.clone(),
        (*server.key).clone(),
    );
    Ok(Sender {
        queue: server.rows.clone(),
        transport: Arc::new(transport(config)?),
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
/// The relay's URL, its password file or the path of sendmail cannot be used.
pub fn transport(config: &Config) -> anyhow::Result<Transport> {
    let delivery = &config.delivery;
    Ok(match delivery.transport.as_str() {
        "smtp" => {
            let password = match delivery.password_file.as_os_str().is_empty() {
                true => None,
                false => Some(first_line(&delivery.password_file).with_context(|| {
                    config.placed(&format!(
                        "delivery.password_file: {}: name a file that this account can read",
                        delivery.password_file.display()
                    ))
                })?),
            };
            let relay = Relay::new(&delivery.url, password);
            Transport::Relay(relay.with_context(|| config.placed("delivery.url"))?)
        }
        "sendmail" => {
            let sendmail = Sendmail::new(&delivery.path);
            Transport::Sendmail(sendmail.with_context(|| config.placed("delivery.path"))?)
        }
        _ => Transport::Maildirs(Maildirs::new(config.maildir())),
    })
}

fn first_line(file: &Path) -> std::io::Result<String> {
    let text = std::fs::read_to_string(file)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
