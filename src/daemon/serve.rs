//! The daemon: doors, engine and sender, started in order and stopped without losing anything.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::config::{Config, Mailboxes};
use pbmserv_core::store::Holder;
use pbmserv_mail::outbox::{Health, Poster};

use super::alarms;
use super::control;
use super::housekeeping;
use super::listeners::Listeners;
use super::mailboxes;
use super::migration;
use super::monitoring::{self, Monitor};
use super::operator;
use super::pages;
use super::process;
use super::reload;
use super::signals::{ServeSignal, Signals};
use super::systemd;
use super::task::{CONTROL, Task};
use super::timer;
use super::waiting::{self, Waited};
use crate::engine::TimeSource;
use crate::engine::configured_folder::data_folder;
use crate::engine::migration::is_needed;
use crate::engine::notices;
use crate::engine::permissions;
use crate::engine::sending::sender;
use crate::engine::server::{Closing, NotOpened, Server};

/// Time limit for closing the engine when another part cannot start.
const CLOSING: Duration = Duration::from_secs(10);

/// The running parts of a server.
#[derive(Debug)]
pub struct Running {
    /// The server behind the doors.
    pub server: Arc<Server>,
    /// Where SMTP listens, if it does.
    pub smtp: Option<std::net::SocketAddr>,
    /// The state of sending.
    pub health: watch::Receiver<Health>,
    listeners: Listeners,
    /// The address of the monitoring pages; `nowhere` if they are disabled.
    http: String,
    /// The address of the pages for players; `nowhere` if they are disabled.
    pub web: String,
    /// The address of the pages for the operator; `nowhere` if they are disabled.
    operator: String,
    /// The health of the doors that fetch mail.
    pub mailboxes: Vec<watch::Receiver<pbmserv_mail::doors::Health>>,
    closing: Closing,
    doors: Vec<Task>,
    sender: JoinHandle<()>,
    stop_doors: watch::Sender<bool>,
    stop_sender: watch::Sender<bool>,
}

/// How a server that had the engine has ended.
enum Ended {
    Stopped,
    /// Another server has the engine now.
    TakenOver,
}

/// Files of the database were removed while it was open. What was in them is saved, and a start finds it.
#[derive(Debug, thiserror::Error)]
#[error(
    "files of the database were removed while the server ran; what was in them is saved, see the log: start the server again, \
     unless systemd does, and find out what removes them"
)]
pub struct FilesLost;

/// Starts all parts.
///
/// # Errors
/// One sentence that says which part cannot start and what to do.
pub async fn start(config: &Config, clock: TimeSource, seed: Option<u64>) -> anyhow::Result<Running> {
    let mailboxes = config.mailboxes()?;
    let (server, closing) = open(config, &clock, seed).await?;
    if let Some(remedy) = permissions::remedy(&config.server.data) {
        tracing::warn!("{remedy}");
    }
    match parts(config, server, &clock, mailboxes).await {
        Ok(running) => Ok(running(closing)),
        Err(error) => {
            // The parts that had started end on their own. Wait for them, or the next start would see an
            // unclean stop.
            let closed = tokio::task::spawn_blocking(move || closing.wait());
            drop(tokio::time::timeout(CLOSING, closed).await);
            Err(error)
        }
    }
}

/// Starts the parts of an opened server.
async fn parts(
    config: &Config,
    server: Arc<Server>,
    clock: &TimeSource,
    mailboxes: Mailboxes,
) -> anyhow::Result<impl FnOnce(Closing) -> Running> {
    let (stop_doors, stopping_doors) = watch::channel(false);
    let (stop_sender, stopping_sender) = watch::channel(false);
    let mut doors = Vec::new();
    // First: on a machine with much else to do the others take longer than the session may be silent.
    let engine = server.engine.clone();
    let keeping = until_stopped(async move { engine.keep().await }, stopping_doors.clone());
    doors.push(("session", tokio::spawn(keeping)));
    // Before the doors, which ask what the relay takes.
    let (health, seen) = watch::channel(Health::default());
    let sender = sender(config, &server, clock, health)?;
    let listeners = Listeners::open(config, &server, &stopping_doors, &mut doors).await?;
    let watched = monitoring::open(config).await?;
    let operators = operator::open(config).await?;
    let web = pages::serve(config, &server, &stopping_doors, &mut doors).await?;
    let socket = server.folder.socket();
    let listener = control::bind(&socket).with_context(|| {
        config.placed(&format!(
            "server.data: the socket {} cannot be opened; name a folder with a shorter path, on a local disk",
            socket.display()
        ))
    })?;
    let (started, monitor) = watch::channel(None);
    let door = control::serve(listener, server.clone(), monitor, stopping_doors.clone());
    doors.push((CONTROL, tokio::spawn(door)));
    let timer = timer::run(server.engine.clone(), clock.clone(), stopping_doors.clone());
    doors.push(("timer", tokio::spawn(timer)));
    let look = timer::look_while_down(server.engine.clone(), stopping_doors.clone());
    doors.push(("look", tokio::spawn(look)));
    let thinking = server.thinking.clone().run(stopping_doors.clone());
    doors.push(("bots", tokio::spawn(thinking)));
    if config.delivery.web_notices {
        let posting = notices::run(server.clone(), Poster::default(), stopping_doors.clone());
        doors.push(("notices", tokio::spawn(posting)));
    }
    let keeping = housekeeping::run(server.clone(), stopping_doors.clone());
    doors.push(("housekeeping", tokio::spawn(keeping)));
    let inspecting = housekeeping::inspect(server.clone(), stopping_doors.clone());
    doors.push(("inspection", tokio::spawn(inspecting)));
    let warning = listeners.warn_of_expiry(clock.clone(), stopping_doors.clone());
    doors.push(("certificate", tokio::spawn(warning)));
    let (opened, mailboxes) = mailboxes::open(mailboxes, config, &server, clock, &stopping_doors);
    doors.extend(opened);
    let transport = sender.transport.clone();
    let answering = async move { transport.answer().await };
    let answering = until_stopped(answering, stopping_doors.clone());
    doors.push(("reach", tokio::spawn(answering)));
    let sender = tokio::spawn(sender.run(stopping_sender));
    let monitor = Monitor::new(
        &server,
        clock,
        Some((&sender, seen.clone())),
        listeners.certificate(),
        &doors,
        mailboxes.clone(),
    );
    let monitor = Arc::new(monitor);
    let http = match watched {
        None => "nowhere".to_owned(),
        Some(listener) => monitoring::serve(listener, monitor.clone(), &stopping_doors, &mut doors),
    };
    let operator = operator::serve(operators, &server, monitor.clone(), &stopping_doors, &mut doors)?;
    let alarms = alarms::run(
        monitor.clone(),
        server.clone(),
        clock.clone(),
        config.server.weekly_summary,
        stopping_doors.clone(),
    );
    doors.push(("alarms", tokio::spawn(alarms)));
    if systemd::listens() {
        let informing = systemd::inform(monitor.clone(), stopping_doors.clone());
        doors.push(("systemd", tokio::spawn(informing)));
    }
    started.send_replace(Some(monitor));
    Ok(move |closing| Running {
        server,
        smtp: listeners.smtp,
        listeners,
        http,
        web,
        operator,
        health: seen,
        mailboxes,
        closing,
        doors,
        sender,
        stop_doors,
        stop_sender,
    })
}

/// Lets a part run until it ends or all doors stop.
async fn until_stopped(part: impl Future<Output = ()>, mut stopping: watch::Receiver<bool>) {
    tokio::select! {
        () = part => {}
        // A dropped `stop` also means stop.
        _ = stopping.wait_for(|stop| *stop) => {}
    }
}

/// Opens the server. Retries while an operator's verb holds the data folder. Does not retry if a daemon holds
/// it: that has its control socket open. Migrates a database of an older version first.
async fn open(
    config: &Config,
    clock: &TimeSource,
    seed: Option<u64>,
) -> Result<(Arc<Server>, Closing), NotOpened> {
    let mut pauses_millis = [50, 200, 500, 1000, 2000].into_iter();
    loop {
        let error = match Server::open(config, clock.clone(), seed) {
            Ok(opened) => return Ok(opened),
            Err(NotOpened::Wrong(error)) if is_needed(&error) => {
                match migration::run(config, clock.now()).await {
                    Ok(()) => continue,
                    Err(error) => error,
                }
            }
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

impl Running {
    /// Stops the doors, then the sender, then the engine. Each finishes what it has begun.
    pub async fn stop(self) {
        self.stop_doors.send_replace(true);
        for (_, door) in self.doors {
            report(door.await);
        }
        self.stop_sender.send_replace(true);
        report(self.sender.await);
        drop(self.server);
        let closing = self.closing;
        report(tokio::task::spawn_blocking(move || closing.wait()).await);
    }

    /// Says in the log where it listens, and who had the engine before.
    async fn tell(&self, config: &Config, before: Option<Holder>) {
        let [smtp, lmtp] = &self.listeners.places;
        let (http, web, operator) = (&self.http, &self.web, &self.operator);
        tracing::info!(address = %self.server.address, %smtp, %lmtp, %http, %web, %operator, data = %config.server.data.display(), "ready");
        if let Ok(Some(holder)) = self.server.holder().await {
            let since = holder.since.format("%Y-%m-%d %H:%M:%S UTC");
            match before {
                Some(before) => tracing::info!(
                    "this server has the engine now (since {since}, it was {}'s)",
                    before.host
                ),
                None => tracing::info!("this server has the engine now (since {since})"),
            }
        }
    }

    /// Serves until SIGTERM or SIGINT, or until the engine ends, and stops.
    ///
    /// # Errors
    /// The engine has ended, although it was not taken over.
    async fn serve(
        self,
        config: &mut Config,
        load: &impl Fn() -> anyhow::Result<Config>,
        signals: &mut Signals,
    ) -> anyhow::Result<Ended> {
        let started = config.clone();
        let is_asked = loop {
            let asked = tokio::select! {
                asked = signals.next() => asked,
                () = self.server.engine.ended() => break false,
            };
            if asked == ServeSignal::Stop {
                break true;
            }
            systemd::reloading();
            match load() {
                Ok(new) => {
                    self.reload(&new).await;
                    reload::warn(&started, &new);
                    *config = new;
                }
                Err(error) => tracing::error!("the old configuration stays: {error:#}"),
            }
            systemd::ready();
        };
        let was_taken_over = self.server.engine.was_taken_over();
        let has_lost_files = self.server.engine.has_lost_files();
        if !is_asked && was_taken_over {
            tracing::warn!("another server has the engine now: this one stops its doors, and waits");
            self.stop().await;
            return Ok(Ended::TakenOver);
        }
        tracing::info!("stopping");
        systemd::stopping();
        self.stop().await;
        if has_lost_files {
            return Err(FilesLost.into());
        }
        anyhow::ensure!(
            is_asked,
            "the engine has ended, which is a bug: see the log and start the server again"
        );
        Ok(Ended::Stopped)
    }

    /// Applies what may change while running: the SMTP limits, the certificate and the templates.
    async fn reload(&self, config: &Config) {
        self.listeners.reload(config);
        match self.server.reload(config).await {
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

/// Runs the daemon until SIGTERM or SIGINT. SIGHUP calls `load` again. `ready` is called when all parts run, or when the server
/// waits for another one that has the engine.
///
/// A server that loses its engine to another one stops all its parts and waits, in the same process: so it comes back by
/// itself also where nothing restarts it, and its pages stay.
///
/// # Errors
/// A part cannot start.
pub async fn run(
    config: &Config,
    load: impl Fn() -> anyhow::Result<Config>,
    ready: impl FnOnce(),
) -> anyhow::Result<()> {
    process::has_enough_files()?;
    process::close_to_others();
    // A socket has the mode of the umask until it gets its own.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    // Installed first, so that a signal during the start leads to a clean stop.
    let mut signals = Signals::take()?;
    let mut ready = Some(ready);
    let mut is_ready = || {
        if let Some(ready) = ready.take() {
            ready();
        }
    };
    let mut config = config.clone();
    let (mut has_begun, mut must_wait, mut before) = (false, false, None);
    loop {
        if must_wait {
            match waiting::wait(&config, &TimeSource::machine(), &mut signals, &mut is_ready).await? {
                Waited::Free(holder) => before = holder.or(before),
                Waited::Signal(ServeSignal::Stop) => break,
                Waited::Signal(ServeSignal::Reload) => {
                    match load() {
                        Ok(new) => config = new,
                        Err(error) => tracing::error!("the old configuration stays: {error:#}"),
                    }
                    continue;
                }
            }
        }
        match start(&config, TimeSource::machine(), None).await {
            Err(error) if migration::was_stopped(&error) => {
                tracing::info!("{error}");
                return Ok(());
            }
            Err(error) if waiting::is_worth_it(&error, has_begun) => {
                tracing::debug!("the engine is not here: {error:#}");
                must_wait = true;
            }
            Err(error) => return Err(error),
            Ok(running) => {
                running.tell(&config, before.take()).await;
                is_ready();
                systemd::ready();
                match running.serve(&mut config, &load, &mut signals).await? {
                    Ended::Stopped => break,
                    Ended::TakenOver => must_wait = true,
                }
            }
        }
        has_begun = true;
    }
    tracing::info!("stopped");
    Ok(())
}
