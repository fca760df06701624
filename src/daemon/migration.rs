//! The migration of an older database before the server opens it. systemd is asked for more time as long as it lasts.

use std::time::Duration;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::interval;

use super::systemd;
use crate::admin::migrate::progress;
use crate::config::Config;
use crate::engine::configured_folder::data_folder;
use crate::engine::migration::{self, Stage};
use crate::engine::server::NotOpened;

/// How often systemd hears of it.
const EVERY: Duration = Duration::from_secs(2);

/// How long systemd then waits for the next word. A machine whose disk is busy may be slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// The operator stopped the server meanwhile. The database is as it was, or migrated, if that was the last moment.
#[derive(Debug, thiserror::Error)]
#[error("stopped during the migration of the database: the next start does it again")]
struct Stopped;

/// Whether the start ended because the operator stopped it.
pub(super) fn was_stopped(error: &anyhow::Error) -> bool {
    let inner = match error.downcast_ref() {
        Some(NotOpened::Wrong(inner)) => inner,
        _ => error,
    };
    inner.is::<Stopped>()
}

/// Migrates the database in a blocking thread. SIGTERM and SIGINT end the wait for it; the end of the process then rolls
/// the transaction back.
pub(super) async fn run(config: &Config, now: DateTime<Utc>) -> Result<(), NotOpened> {
    let folder = data_folder(config)?;
    let lock = folder
        .lock()
        .map_err(|error| NotOpened::not_locked(config, error))?;
    let mut terminate = signal(SignalKind::terminate()).context("signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("signals")?;
    let (told, seen) = watch::channel(None);
    let config = config.clone();
    let mut work = tokio::task::spawn_blocking(move || {
        let mut line = progress();
        let mut at = |stage| {
            line(stage);
            told.send_replace(Some(stage));
        };
        migration::run(&config, &folder, &lock, now, &mut at).map(drop)
    });
    let mut ticks = interval(EVERY);
    loop {
        tokio::select! {
            done = &mut work => {
                systemd::starting("starting", PATIENCE);
                return Ok(done.context("the migration ended in a panic")??);
            }
            _ = terminate.recv() => return Err(anyhow::Error::from(Stopped).into()),
            _ = interrupt.recv() => return Err(anyhow::Error::from(Stopped).into()),
            _ = ticks.tick() => ask_for_time(*seen.borrow()),
        }
    }
}

fn ask_for_time(stage: Option<Stage>) {
    let status = stage.map_or_else(|| "migrating the database".to_owned(), |stage| stage.to_string());
    systemd::starting(&status, PATIENCE);
}
