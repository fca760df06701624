//! Asks the daemon to run a verb, or runs it in this process if no daemon runs.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::config::Config;
use crate::engine::TimeSource;
use crate::engine::configured_folder::{data_folder, existing_folder};
use crate::engine::migration;
use crate::engine::sending::sender;
use crate::engine::server::{Closing, NotOpened, Server};
use pbmserv_core::store::Copying;
use pbmserv_mail::outbox::{Health, Queue};

use super::control::{Answer, VerbRequest, ask};
use super::interrupt::{self, Held};
use super::progress::Progress;
use super::verb::{Makes, Verb};

/// How long the daemon may take for a backup. A large database takes hours.
const BACKUP: Duration = Duration::from_secs(24 * 3600);

/// How long this process delivers letters before it leaves the rest in the outbox.
const DELIVERY: Duration = Duration::from_secs(20);

/// How long an interrupted verb may take until its engine has stopped.
const CLOSING: Duration = Duration::from_secs(5);

/// Asks the daemon to run the verb, or runs it here and delivers the letters that it wrote.
///
/// # Errors
/// The data folder cannot be used, or the daemon does not answer in time.
pub async fn ask_or_do(config: &Config, request: VerbRequest) -> anyhow::Result<Answer> {
    let makes = request.verb.makes();
    let folder = match makes {
        Makes::Folder => data_folder(config)?,
        Makes::Database | Makes::Nothing => existing_folder(config)?,
    };
    let patience = match request.verb {
        Verb::Backup(_) => BACKUP,
        _ => Duration::from_secs(config.limits.control_seconds),
    };
    let progress = Progress::begin(match request.verb {
        Verb::Backup(_) => "copying the database",
        _ => "working",
    });
    let at = |copying| progress.copying(copying);
    // A daemon that is starting or stopping holds the lock, but does not answer.
    let mut last = None;
    for pause_millis in [0, 50, 200, 500, 1000, 2000] {
        tokio::time::sleep(Duration::from_millis(pause_millis)).await;
        match ask(&folder.socket(), &request, patience, at).await {
            Ok(answer) => return Ok(answer),
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => anyhow::bail!(
                "the pbmserv that uses {} has not answered within {} seconds",
                config.server.data.display(),
                patience.as_secs()
            ),
            Err(_) => {}
        }
        if makes == Makes::Nothing {
            folder.was_begun().with_context(|| config.placed("server.data"))?;
        }
        let open = match request.verb.may_write_letters() {
            true => Server::open,
            false => Server::open_even_a_copy,
        };
        // Before the engine starts, which has to stop cleanly.
        let held = interrupt::hold();
        let not_opened = match open(config, TimeSource::machine(), None) {
            Ok(opened) => return Ok(do_here(config, opened, held, request, at).await),
            Err(error) => error,
        };
        held.let_go();
        match not_opened {
            // A copy asks nothing of the database.
            NotOpened::Wrong(error) if migration::is_needed(&error) => {
                let Verb::Backup(backup) = request.verb else {
                    return Err(error);
                };
                return Ok(backup.run_here(&folder, TimeSource::machine().now())?.into());
            }
            NotOpened::InUse(error) | NotOpened::Held(error) => last = Some(error),
            NotOpened::Copy(error) | NotOpened::Wrong(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| anyhow::anyhow!("the data folder is in use")))
}

async fn do_here(
    config: &Config,
    (server, closing): (Arc<Server>, Closing),
    mut held: Held,
    request: VerbRequest,
    at: impl Fn(Copying),
) -> Answer {
    let may_write_letters = request.verb.may_write_letters();
    let (told, mut seen) = watch::channel(None);
    let tell = async {
        while seen.changed().await.is_ok() {
            seen.borrow_and_update().map(&at);
        }
    };
    let doing = async {
        let (answer, ()) = tokio::join!(request.run_and_tell(&server, told), tell);
        if may_write_letters && let Err(error) = deliver(config, &server).await {
            tracing::error!("letters could not be sent, and wait in the outbox: {error:#}");
        }
        answer
    };
    let done = tokio::select! {
        answer = doing => Ok(answer),
        signal = held.came() => Err(signal),
    };
    drop(server);
    let closed = tokio::task::spawn_blocking(move || closing.wait());
    match done {
        Ok(answer) => {
            if closed.await.is_err() {
                tracing::error!("the engine did not stop cleanly");
            }
            held.let_go();
            answer
        }
        Err(signal) => {
            drop(timeout(CLOSING, closed).await);
            interrupt::end(signal)
        }
    }
}

async fn deliver(config: &Config, server: &Arc<Server>) -> anyhow::Result<()> {
    let (health, _seen) = watch::channel(Health::default());
    let (stop, stopping) = watch::channel(false);
    let running = tokio::spawn(sender(config, server, &TimeSource::machine(), health)?.run(stopping));
    let until = tokio::time::Instant::now() + DELIVERY;
    loop {
        let due = server.rows.due(server.now(), 1).await?;
        if due.is_empty() || tokio::time::Instant::now() > until {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.send_replace(true);
    Ok(running.await?)
}
