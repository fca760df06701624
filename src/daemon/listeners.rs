//! The doors that listen: SMTP and LMTP. Their limits and certificate can change while they are open.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::watch;

use crate::config::{Config, Smtp};
use pbmserv_mail::doors::Listener;
use pbmserv_mail::doors::smtp::{self, Admission, Door, Protocol, Tls};

use super::process::most_files;
use super::task::Task;
use crate::engine::TimeSource;
use crate::engine::server::Server;

/// File descriptors reserved for the database, the mailboxes and the operator.
const RESERVED_FILES: usize = 64;

/// How often the log says that the certificate expires.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// The open doors and their settings.
#[derive(Debug)]
pub(super) struct Listeners {
    /// The SMTP address, if it is a TCP port.
    pub(super) smtp: Option<SocketAddr>,
    /// The address of each door, for the log; `nowhere` if it is disabled.
    pub(super) places: [String; 2],
    settings: watch::Sender<Smtp>,
    tls: watch::Sender<Option<Tls>>,
}

impl Listeners {
    /// Opens the configured doors and serves them until `stop`. Their tasks are added to `doors`.
    ///
    /// # Errors
    /// One sentence that names the key and what to do.
    pub(super) async fn open(
        config: &Config,
        server: &Arc<Server>,
        stop: &watch::Receiver<bool>,
        doors: &mut Vec<Task>,
    ) -> anyhow::Result<Self> {
        let hostname = match config.smtp.hostname.as_str() {
            "" => server.address.domain(),
            named => named,
        };
        let mut listeners = Self {
            smtp: None,
            places: std::array::from_fn(|_| "nowhere".to_owned()),
            settings: watch::Sender::new(possible(&config.smtp)),
            tls: watch::Sender::new(
                tls(&config.smtp).map_err(|error| anyhow::anyhow!(config.placed(&error.to_string())))?,
            ),
        };
        // LMTP is for the operator's MTA, on this machine or in a private network.
        let not_offered = watch::Sender::new(None);
        let admission = Admission::default();
        let both = [
            (Protocol::Smtp, "smtp", &config.smtp.listen, &listeners.tls),
            (Protocol::Lmtp, "lmtp", &config.lmtp.listen, &not_offered),
        ];
        for ((protocol, name, listen, tls), place) in both.into_iter().zip(&mut listeners.places) {
            if listen.is_empty() {
                continue;
            }
            let listener = bind(config, name, listen).await?;
            *place = listener.to_string();
            if protocol == Protocol::Smtp {
                listeners.smtp = listener.tcp_address();
            }
            let door = smtp::serve(Door {
                listener,
                protocol,
                hostname: hostname.to_owned(),
                settings: listeners.settings.subscribe(),
                tls: tls.subscribe(),
                admission: admission.clone(),
                intake: Arc::new(server.door(name)),
                stop: stop.clone(),
            });
            doors.push((name, tokio::spawn(door)));
        }
        Ok(listeners)
    }

    /// The certificate that is shown to other servers.
    pub(super) fn certificate(&self) -> watch::Receiver<Option<Tls>> {
        self.tls.subscribe()
    }

    /// Says in the log once a day that the certificate expires soon, until `stop`.
    pub(super) fn warn_of_expiry(
        &self,
        clock: TimeSource,
        mut stop: watch::Receiver<bool>,
    ) -> impl Future<Output = ()> + use<> {
        let mut tls = self.tls.subscribe();
        async move {
            loop {
                let expires_at = tls.borrow_and_update().as_ref().and_then(Tls::expires_at);
                if let Some(ends) = expires_at.and_then(|at| Tls::ends(at, clock.now())) {
                    tracing::error!("smtp.certificate {ends}");
                }
                tokio::select! {
                    _ = stop.wait_for(|stop| *stop) => return,
                    changed = tls.changed() => if changed.is_err() { return },
                    () = tokio::time::sleep(DAY) => {}
                }
            }
        }
    }

    /// Applies new limits and a new certificate. If the certificate is unusable, the old one stays.
    pub(super) fn reload(&self, config: &Config) {
        self.settings.send_replace(possible(&config.smtp));
        match tls(&config.smtp) {
            Ok(tls) => {
                self.tls.send_replace(tls);
            }
            Err(error) => tracing::error!("the old certificate stays: {error}"),
        }
    }
}

/// Opens the configured doors and turns all mail away until `stop`; returns their addresses.
///
/// # Errors
/// One sentence that names the key and what to do.
pub(super) async fn turn_all_away(
    config: &Config,
    stop: &watch::Receiver<bool>,
    doors: &mut Vec<Task>,
) -> anyhow::Result<[String; 2]> {
    let mut places = std::array::from_fn(|_| "nowhere".to_owned());
    let both = [("smtp", &config.smtp.listen), ("lmtp", &config.lmtp.listen)];
    for ((name, listen), place) in both.into_iter().zip(&mut places) {
        if !listen.is_empty() {
            let listener = bind(config, name, listen).await?;
            *place = listener.to_string();
            doors.push((name, tokio::spawn(smtp::turn_all_away(listener, stop.clone()))));
        }
    }
    Ok(places)
}

async fn bind(config: &Config, name: &str, listen: &str) -> anyhow::Result<Listener> {
    Listener::bind(listen).await.with_context(|| {
        config.placed(&format!(
            "{name}.listen: {listen} cannot be opened; stop what listens there or name another address"
        ))
    })
}

/// The configured certificate.
fn tls(smtp: &Smtp) -> Result<Option<Tls>, smtp::BadTls> {
    if smtp.certificate.as_os_str().is_empty() {
        return Ok(None);
    }
    Tls::load(&smtp.certificate, &smtp.key).map(Some)
}

/// The limits for all doors together, with no more connections than there are file descriptors. Otherwise
/// many clients could use up all of them, and no password could be checked and no letter delivered.
fn possible(smtp: &Smtp) -> Smtp {
    let mut settings = smtp.clone();
    let Some(files) = most_files().and_then(|files| usize::try_from(files).ok()) else {
        return settings;
    };
    let possible = files.saturating_sub(RESERVED_FILES).max(1);
    if settings.max_connections > possible {
        tracing::info!(
            "{possible} connections are possible, not {}: this process may open {files} files (ulimit -n)",
            settings.max_connections
        );
        settings.max_connections = possible;
    }
    settings
}
