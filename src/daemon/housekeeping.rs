//! What is done at the start and once a day: what is too old is forgotten, and the whole database is read.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::engine::server::Server;

/// How long the bytes of failed messages are kept.
const FAILED: Duration = Duration::from_secs(14 * 24 * 3600);

/// The pause after a round, and after one that could not be ended.
const PAUSE: Duration = Duration::from_secs(24 * 3600);
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(600);

/// Keeps house until `stop` is true.
pub(super) async fn run(server: Arc<Server>, mut stop: watch::Receiver<bool>) {
    loop {
        let pause = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            pause = keep_house(&server) => pause,
        };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Reads the whole database, again and again, until `stop` is true.
pub(super) async fn inspect(server: Arc<Server>, mut stop: watch::Receiver<bool>) {
    let round = async {
        loop {
            // Who could not read it has logged the cause.
            let pause = match server.inspection.run().await {
                Ok(()) => PAUSE,
                Err(_) => PAUSE_AFTER_FAILURE,
            };
            tokio::time::sleep(pause).await;
        }
    };
    tokio::select! {
        _ = stop.wait_for(|stop| *stop) => {}
        () = round => {}
    }
}

/// Forgets what is too old; returns the pause until it is done again.
async fn keep_house(server: &Server) -> Duration {
    let folder = server.folder.clone();
    let _ = tokio::task::spawn_blocking(move || folder.forget_failed(FAILED)).await;
    match server.engine.forget().await {
        Ok(done) => {
            let longest_milliseconds = u64::try_from(done.longest.as_millis()).unwrap_or(u64::MAX);
            tracing::info!(
                rows = done.rows,
                steps = done.steps,
                longest_milliseconds,
                "old rows were forgotten"
            );
            PAUSE
        }
        Err(error) => {
            tracing::warn!(%error, "not all old rows could be forgotten; it is tried again in ten minutes");
            PAUSE_AFTER_FAILURE
        }
    }
}
