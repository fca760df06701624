//! The server's side of the control socket. The protocol is in `admin/control.rs`.
//!
//! The socket is in the data folder with mode 0600. An account that can open it can also read the database,
//! so nothing more needs to be checked.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::admin::control::{ARRIVAL, Line, MAX_REQUEST_BYTES};
use crate::admin::{Answer, Verb, VerbRequest};
use crate::engine::server::Server;

use super::monitoring::Monitor;

/// The most verbs at a time, but for `ingest`. Each has a thread.
const VERBS: usize = 8;

/// The monitor, as soon as all parts of the server have started.
pub(super) type Watched = watch::Receiver<Option<Arc<Monitor>>>;

/// Opens the socket. A leftover of a dead process is replaced.
///
/// # Errors
/// A system call failed.
pub fn bind(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Answers requests until `stop`. Requests that have arrived are finished first.
pub(super) async fn serve(
    listener: UnixListener,
    server: Arc<Server>,
    monitor: Watched,
    mut stop: watch::Receiver<bool>,
) {
    let mut requests = JoinSet::new();
    let verbs = Arc::new(Semaphore::new(VERBS));
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            Some(_) = requests.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let (server, verbs) = (server.clone(), verbs.clone());
                let (monitor, stop) = (monitor.clone(), stop.clone());
                requests.spawn(async move {
                    if let Err(error) = answer(stream, server, verbs, monitor, stop).await {
                        tracing::debug!(%error, "a request on the control socket was interrupted");
                    }
                });
            }
            Err(error) => {
                tracing::warn!(%error, "the control socket could not accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    while requests.join_next().await.is_some() {}
}

async fn answer(
    mut stream: UnixStream,
    server: Arc<Server>,
    verbs: Arc<Semaphore>,
    monitor: Watched,
    mut stop: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut bounded = (&mut stream).take(MAX_REQUEST_BYTES);
    tokio::select! {
        arrived = timeout(ARRIVAL, bounded.read_to_end(&mut bytes)) => arrived??,
        // The request is not executed. The client then waits for the lock and does the work itself.
        _ = stop.wait_for(|stop| *stop) => return Ok(()),
    };
    let answer = match VerbRequest::parse(&bytes) {
        Ok(request) if matches!(request.verb, Verb::Health) => health(monitor).await,
        Ok(request) => run(request, server, verbs, &mut stream).await?,
        Err(error) => Answer::from(anyhow::anyhow!("the request cannot be read: {error}")),
    };
    let answer = serde_json::to_vec(&answer).map_err(io::Error::other)?;
    timeout(ARRIVAL, stream.write_all(&answer)).await??;
    stream.shutdown().await
}

/// Runs the verb, and tells its caller what it is at. A caller who does not read, or has gone away, stops no verb.
///
/// # Errors
/// The caller was not told, so there is nobody to answer.
async fn run(
    request: VerbRequest,
    server: Arc<Server>,
    verbs: Arc<Semaphore>,
    stream: &mut UnixStream,
) -> io::Result<Answer> {
    let (at, mut seen) = watch::channel(None);
    let tell = async {
        while seen.changed().await.is_ok() {
            let copying = *seen.borrow_and_update();
            if let Some(copying) = copying {
                let mut line = serde_json::to_vec(&Line::At { copying }).map_err(io::Error::other)?;
                line.push(b'\n');
                timeout(ARRIVAL, stream.write_all(&line)).await??;
            }
        }
        io::Result::Ok(())
    };
    let done = async {
        // It comes as often as mail does, and waits as a door does.
        if matches!(request.verb, Verb::Ingest { .. }) {
            return request.run_and_tell(&server, at).await;
        }
        // Other verbs read as much as they like.
        request.run_apart(server, verbs, at).await
    };
    let (answer, was_told) = tokio::join!(done, tell);
    was_told.map(|()| answer)
}

/// What `check` asks for. It waits until the server has started; its caller waits for a limited time.
async fn health(mut monitor: Watched) -> Answer {
    let started = match monitor.wait_for(Option::is_some).await {
        Ok(started) => started.clone(),
        Err(_) => None,
    };
    let Some(monitor) = started else {
        return Answer::from(anyhow::anyhow!("the server is stopping"));
    };
    match serde_json::to_string(&monitor.health_now().await) {
        Ok(health) => Answer::from(health),
        Err(error) => Answer::from(anyhow::Error::from(error)),
    }
}
