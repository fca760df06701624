//! A server that waits while another one has the engine of the database: it turns mail away, so that mail servers try the other
//! one, shows pages, and asks every second whether the engine is free.
//!
//! It asks, and does not let PostgreSQL wake it (`pg_advisory_lock` would): a session that waits for the lock stays with the host
//! that it was opened at, and hears nothing when that is lost or replaced by its standby. Each look opens a session as a start
//! does, with the first host that takes writes.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::config::Config;
use crate::engine::TimeSource;
use crate::engine::configured_folder::data_folder;
use crate::engine::folder::Lock;
use crate::engine::server::{NotOpened, Server};
use pbmserv_core::command::InternalError;
use pbmserv_core::store::{self, ErrorKind, Holder, Location, Reader};
use pbmserv_mail::log_throttle::LogThrottle;

use super::monitoring::{self, Monitor};
use super::signals::{ServeSignal, Signals};
use super::task::{CONTROL, Task};
use super::{control, listeners, pages, systemd};

/// Between two looks. The take-over takes as long on average as half of it, and what the new engine reads at its start.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a look may take. A host that hangs is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long the doors of a server that has waited may take to end what they are at. Nothing is lost then.
const CLOSING: Duration = Duration::from_secs(2);

/// Why the wait has ended.
pub(super) enum Waited {
    /// Nobody has the engine. It was this server's before.
    Free(Option<Holder>),
    Signal(ServeSignal),
}

/// Whether a start that failed is worth waiting: the engine is another server's. Where one has waited or worked before, so is any
/// fault of the database.
pub(super) fn is_worth_it(error: &anyhow::Error, has_begun: bool) -> bool {
    match error.downcast_ref() {
        Some(NotOpened::Held(_)) => true,
        // A verb of the operator was quicker.
        Some(NotOpened::InUse(_)) => has_begun,
        Some(NotOpened::Wrong(error)) => match of_the_store(error) {
            // During a migration.
            Some(store::Error::InUse { .. }) => true,
            Some(store::Error::Database { kind, .. }) => {
                has_begun && !matches!(kind, ErrorKind::Damaged | ErrorKind::Unprepared)
            }
            _ => false,
        },
        Some(NotOpened::Copy(_)) | None => false,
    }
}

fn of_the_store(error: &anyhow::Error) -> Option<&store::Error> {
    error.downcast_ref().or_else(|| match error.downcast_ref() {
        Some(InternalError::Store(error)) => Some(error),
        _ => None,
    })
}

/// Waits until nobody has the engine, or a signal comes. `ready` is called when the doors are open.
///
/// # Errors
/// A door cannot be opened, or the configuration cannot be used.
pub(super) async fn wait(
    config: &Config,
    clock: &TimeSource,
    signals: &mut Signals,
    mut ready: impl FnMut(),
) -> anyhow::Result<Waited> {
    let location = data_folder(config)?.location();
    let mut open = None;
    let mut last: Option<Holder> = None;
    let mut log = LogThrottle::default();
    let mut pause = Duration::ZERO;
    let waited = loop {
        let looked = async {
            sleep(pause).await;
            look(&location).await
        };
        let looked = tokio::select! {
            looked = looked => looked,
            asked = signals.next() => break Waited::Signal(asked),
        };
        match looked {
            Ok(None) if !pause.is_zero() => break Waited::Free(last),
            Ok(None) => {}
            Ok(Some(holder)) => {
                if log.recovered() {
                    tracing::info!("the database can be read again");
                }
                if open.is_none() {
                    open = Doors::open(config, clock).await?;
                    if open.is_some() {
                        ready();
                        systemd::ready();
                    }
                }
                if let Some(doors) = &open
                    && last.as_ref() != Some(&holder)
                {
                    doors.tell(&holder);
                    last = Some(holder);
                }
            }
            Err(why) => {
                if log.failed() {
                    tracing::warn!("whether the engine is free cannot be asked every second: {why}");
                }
            }
        }
        pause = PAUSE;
    };
    if let Some(doors) = open {
        doors.close().await;
    }
    Ok(waited)
}

/// Who has the engine.
async fn look(location: &Location) -> Result<Option<Holder>, String> {
    let location = location.clone();
    let looking =
        tokio::task::spawn_blocking(move || Reader::open(location).and_then(|reader| reader.holder()));
    match timeout(PATIENCE, looking).await {
        Ok(Ok(found)) => found.map_err(|error| error.to_string()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the database does not answer".to_owned()),
    }
}

/// What a server that waits has open.
struct Doors {
    server: Arc<Server>,
    /// SMTP, LMTP, monitoring, pages.
    places: [String; 4],
    tasks: Vec<Task>,
    stop: watch::Sender<bool>,
    _lock: Lock,
}

impl Doors {
    /// `None`: the database cannot be read now, or is of another version, which is logged at the take-over.
    async fn open(config: &Config, clock: &TimeSource) -> anyhow::Result<Option<Self>> {
        let (server, lock) = match Server::waiting(config, clock.clone()) {
            Ok(opened) => opened,
            // A verb of the operator has the folder for a moment.
            Err(NotOpened::InUse(_)) => return Ok(None),
            Err(NotOpened::Wrong(error)) if of_the_store(&error).is_some() => {
                tracing::debug!("the server that waits cannot show pages now: {error:#}");
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let (stop, stopping) = watch::channel(false);
        let mut tasks = Vec::new();
        let [smtp, lmtp] = listeners::turn_all_away(config, &stopping, &mut tasks).await?;
        let watched = monitoring::open(config).await?;
        let web = pages::serve(config, &server, &stopping, &mut tasks).await?;
        let socket = server.folder.socket();
        let listener = control::bind(&socket)
            .with_context(|| config.placed(&format!("server.data: the socket {}", socket.display())))?;
        let (started, monitor) = watch::channel(None);
        let control = control::serve(listener, server.clone(), monitor, stopping.clone());
        tasks.push((CONTROL, tokio::spawn(control)));
        let monitor = Arc::new(Monitor::new(
            &server,
            clock,
            None,
            watch::channel(None).1,
            &tasks,
            Vec::new(),
        ));
        let http = match watched {
            None => "nowhere".to_owned(),
            Some(listener) => monitoring::serve(listener, monitor.clone(), &stopping, &mut tasks),
        };
        if systemd::listens() {
            let informing = systemd::inform(monitor.clone(), stopping.clone());
            tasks.push(("systemd", tokio::spawn(informing)));
        }
        started.send_replace(Some(monitor));
        Ok(Some(Self {
            server,
            places: [smtp, lmtp, http, web],
            tasks,
            stop,
            _lock: lock,
        }))
    }

    fn tell(&self, holder: &Holder) {
        let [smtp, lmtp, http, web] = &self.places;
        let Holder { host, since } = holder;
        tracing::info!(
            address = %self.server.address, %smtp, %lmtp, %http, %web,
            "this server waits: {host} has the engine since {}",
            since.format("%Y-%m-%d %H:%M:%S UTC")
        );
    }

    async fn close(self) {
        self.stop.send_replace(true);
        for (name, mut task) in self.tasks {
            if timeout(CLOSING, &mut task).await.is_err() {
                tracing::debug!(name, "a part of the server that waited was aborted");
                task.abort();
                let _ = task.await;
            }
        }
    }
}
