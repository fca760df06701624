//! The daemon: doors, engine and sender, started in order and stopped so that nothing is lost.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use chrono::TimeDelta;
use tokio::net::UnixStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::config::Config;
use crate::outbox::{Health, House, Maildirs, Pace, Relay, Sender, Sendmail, Transport};

use super::control;
use super::engine::Clock;
use super::listeners::Listeners;
use super::mailboxes::Mailboxes;
use super::office::{Closing, NotOpened, Office, data_folder};
use super::queue::Rows;
use super::timer;
use super::watching::{self, Watch};

/// For how long the texts of mails are kept.
const TEXTS_DAYS: i64 = 90;

/// For how long the bytes of messages whose handling failed are kept.
const FAILED: Duration = Duration::from_secs(14 * 24 * 3600);

/// How long the parts of a server that cannot start may take to end.
const CLOSING: Duration = Duration::from_secs(10);

/// A part of the server that runs by itself, and its name.
pub(super) type Task = (&'static str, JoinHandle<()>);

/// The running parts of a server.
#[derive(Debug)]
pub struct Running {
    /// The office behind the doors.
    pub office: Arc<Office>,
    /// Where SMTP listens, if it does.
    pub smtp: Option<std::net::SocketAddr>,
    /// How sending goes.
    pub health: watch::Receiver<Health>,
    listeners: Listeners,
    /// Where the pages for a monitoring are served; `nowhere` if they are not.
    http: String,
    /// How the doors are doing that fetch their mail.
    pub mailboxes: Vec<watch::Receiver<crate::doors::Health>>,
    closing: Closing,
    doors: Vec<Task>,
    sender: JoinHandle<()>,
    stop_doors: watch::Sender<bool>,
    stop_sender: watch::Sender<bool>,
}

/// The clock of the machine.
#[must_use]
pub fn machine_clock() -> Clock {
    Clock::machine()
}

/// Starts all parts.
///
/// # Errors
/// One sentence that says which part cannot start and what to do.
pub async fn start(config: &Config, clock: Clock, seed: Option<u64>) -> anyhow::Result<Running> {
    let mailboxes = Mailboxes::of(config)?;
    let (office, closing) = open(config, &clock, seed).await?;
    match parts(config, office, &clock, mailboxes).await {
        Ok(running) => Ok(running(closing)),
        Err(error) => {
            // What had started ends by itself; until then the stop would not count as clean.
            let closed = tokio::task::spawn_blocking(move || closing.wait());
            drop(tokio::time::timeout(CLOSING, closed).await);
            Err(error)
        }
    }
}

/// Starts the parts of a server whose office is open.
async fn parts(
    config: &Config,
    office: Arc<Office>,
    clock: &Clock,
    mailboxes: Mailboxes,
) -> anyhow::Result<impl FnOnce(Closing) -> Running> {
    let (stop_doors, stopping_doors) = watch::channel(false);
    let (stop_sender, stopping_sender) = watch::channel(false);
    let mut doors = Vec::new();
    let listeners = Listeners::open(config, &office, &stopping_doors, &mut doors).await?;
    let watched = watching::open(config).await?;
    let socket = office.folder.socket();
    let listener =
        control::bind(&socket).with_context(|| {
            config.placed(&format!(
                "server.data: the socket {} cannot be opened; name a folder with a shorter path, on a disk of this machine",
                socket.display()
            ))
        })?;
    let door = control::serve(listener, office.clone(), stopping_doors.clone());
    doors.push(("control", tokio::spawn(door)));
    let timer = timer::run(office.engine.clone(), clock.clone(), stopping_doors.clone());
    doors.push(("timer", tokio::spawn(timer)));
    let look = timer::look_while_down(office.engine.clone(), stopping_doors.clone());
    doors.push(("look", tokio::spawn(look)));
    let forget = forget_old_texts(office.clone(), stopping_doors.clone());
    doors.push(("housekeeping", tokio::spawn(forget)));
    let (health, seen) = watch::channel(Health::default());
    let sender = sender(config, &office, clock, health)?;
    let (opened, mailboxes) = mailboxes.open(config, &office, clock, &stopping_doors);
    doors.extend(opened);
    let sender = tokio::spawn(sender.run(stopping_sender));
    let http = match watched {
        None => "nowhere".to_owned(),
        Some(listener) => {
            let watch = Watch::new(&office, clock, &sender, seen.clone(), &doors, mailboxes.clone());
            watching::serve(listener, watch, &stopping_doors, &mut doors)
        }
    };
    Ok(move |closing| Running {
        office,
        smtp: listeners.smtp,
        listeners,
        http,
        health: seen,
        mailboxes,
        closing,
        doors,
        sender,
        stop_doors,
        stop_sender,
    })
}

/// Opens the office. A verb that works without a daemon may have the data folder for a moment; it is waited
/// for, but not another daemon, which has its socket open.
async fn open(
    config: &Config,
    clock: &Clock,
    seed: Option<u64>,
) -> Result<(Arc<Office>, Closing), NotOpened> {
    let mut pauses_millis = [50, 200, 500, 1000, 2000].into_iter();
    loop {
        let error = match Office::open(config, clock.clone(), seed) {
            Ok(opened) => return Ok(opened),
            Err(error) => error,
        };
        let is_busy = matches!(error, NotOpened::InUse(_));
        let socket = data_folder(config)?.socket();
        match pauses_millis.next() {
            Some(pause) if is_busy && UnixStream::connect(socket).await.is_err() => {
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
            _ => return Err(error),
        }
    }
}

/// The sender of this configuration.
///
/// # Errors
/// The relay's URL or its password file cannot be used.
pub fn sender(
    config: &Config,
    office: &Office,
    clock: &Clock,
    health: watch::Sender<Health>,
) -> anyhow::Result<Sender<Rows, Transport>> {
    let house = House::new(
        office.address.clone(),
        config.server.name.clone(),
        (*office.key).clone(),
    );
    Ok(Sender {
        queue: office.rows.clone(),
        transport: Arc::new(transport(config)?),
        house: Arc::new(house.with_context(|| config.placed("server.address"))?),
        now: clock.teller(),
        wake: office.wake.clone(),
        health,
        pace: Pace::default(),
    })
}

/// The transport of this configuration.
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

/// What can be told of a configuration before anything is opened.
///
/// # Errors
/// One sentence that names the key and the remedy.
pub fn check_start(config: &Config) -> anyhow::Result<()> {
    transport(config)?;
    Mailboxes::of(config).map(drop)
}

fn first_line(file: &Path) -> std::io::Result<String> {
    let text = std::fs::read_to_string(file)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

impl Running {
    /// Stops: the doors first, then the sender, then the engine, each finishing what it has begun.
    pub async fn stop(self) {
        self.stop_doors.send_replace(true);
        for (_, door) in self.doors {
            report(door.await);
        }
        self.stop_sender.send_replace(true);
        report(self.sender.await);
        drop(self.office);
        let closing = self.closing;
        report(tokio::task::spawn_blocking(move || closing.wait()).await);
    }

    /// Takes over what may change while running: the SMTP limits, the certificate and the templates.
    async fn reload(&self, config: &Config) {
        self.listeners.reload(config);
        match self.office.reload(config).await {
            Ok(()) => tracing::info!("limits and templates are reloaded"),
            Err(error) => tracing::error!("the old limits and templates stay: {error:#}"),
        }
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a part of the server ended in a panic");
    }
}

/// Runs the daemon until SIGTERM or SIGINT. SIGHUP reads `load` again. `ready` is called when all parts run.
///
/// # Errors
/// It cannot start.
pub async fn run(
    config: &Config,
    load: impl Fn() -> anyhow::Result<Config>,
    ready: impl FnOnce() -> std::io::Result<()>,
) -> anyhow::Result<()> {
    // Before anything is begun: from here on a signal is a clean stop.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let running = start(config, machine_clock(), None).await?;
    let [smtp, lmtp] = &running.listeners.places;
    let http = &running.http;
    tracing::info!(address = %running.office.address, %smtp, %lmtp, %http, data = %config.server.data.display(), "ready");
    ready()?;
    notify(&[sd_notify::NotifyState::Ready]);
    let is_asked = loop {
        tokio::select! {
            _ = terminate.recv() => break true,
            _ = interrupt.recv() => break true,
            () = running.office.engine.ended() => break false,
            _ = hangup.recv() => match load() {
                Ok(config) => running.reload(&config).await,
                Err(error) => tracing::error!("the old configuration stays: {error:#}"),
            },
        }
    };
    tracing::info!("stopping");
    notify(&[sd_notify::NotifyState::Stopping]);
    running.stop().await;
    anyhow::ensure!(
        is_asked,
        "the engine has ended through a fault: start the server again"
    );
    tracing::info!("stopped");
    Ok(())
}

fn notify(state: &[sd_notify::NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::debug!(%error, "systemd is not told");
    }
}

/// Once a day: what was kept of old messages and letters is emptied, and what was counted for limits.
async fn forget_old_texts(office: Arc<Office>, mut stop: watch::Receiver<bool>) {
    loop {
        let forgotten = office.engine.write(|store, now| {
            store.forget_tallies(now)?;
            store.forget_texts_before(now - TimeDelta::days(TEXTS_DAYS))
        });
        if let Err(error) = forgotten.await {
            tracing::warn!(%error, "old texts could not be forgotten");
        }
        office.folder.forget_failed(FAILED);
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(Duration::from_secs(24 * 3600)) => {}
        }
    }
}
