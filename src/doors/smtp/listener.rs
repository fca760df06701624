//! Connections: taken, counted, refused, and ended together when the program stops.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, info, warn};

use super::admission::{Full, Guests, Held};
use super::limits::Limits;
use super::session::{House, Protocol, Session};
use crate::doors::Intake;

/// The pause after a connection could not be taken, as when the process has no file descriptor left.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves SMTP on a listener until `stop` is true or its sender is gone.
///
/// Then no more connections are taken. Sessions that wait for a command are told 421; one that is receiving
/// a message or waits for its verdict goes on and answers first. After
/// [`grace_seconds`](Limits::grace_seconds) those still open are cut off: what they were handling was not
/// answered, so its sender repeats it.
///
/// `hostname` is the name said in the greeting. Each session takes the limits as they are when it begins.
pub async fn serve<I: Intake>(
    listener: TcpListener,
    hostname: String,
    limits: watch::Receiver<Limits>,
    intake: Arc<I>,
    mut stop: watch::Receiver<bool>,
) {
    let guests = Arc::new(Guests::default());
    let house = Arc::new(House {
        hostname,
        intake,
        held: Arc::new(Held::default()),
    });
    let mut sessions = JoinSet::new();
    let mut is_failing = false;
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            Some(ended) = sessions.join_next() => {
                report(ended);
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if !is_failing {
                    warn!(%error, "no connection can be taken");
                }
                is_failing = true;
                sleep(PAUSE).await;
                continue;
            }
        };
        is_failing = false;
        let limits = limits.borrow().clone();
        let guest = match guests.admit(peer.ip(), &limits) {
            Ok(guest) => guest,
            Err(full) => {
                turn_away(stream, peer, full);
                continue;
            }
        };
        // Replies are small and whole: none should wait for another.
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%peer, %error, "replies may be slow");
        }
        let house = Arc::clone(&house);
        let session = Session::new(
            stream,
            peer.to_string(),
            Protocol::Smtp,
            house,
            limits,
            stop.clone(),
        );
        sessions.spawn(async move {
            session.run().await;
            drop(guest);
        });
    }
    drop(listener);
    let grace = limits.borrow().grace();
    let all_ended = async {
        while let Some(ended) = sessions.join_next().await {
            report(ended);
        }
    };
    if timeout(grace, all_ended).await.is_err() {
        info!(
            sessions = sessions.len(),
            "sessions were cut off at the end of the grace time"
        );
        sessions.shutdown().await;
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        warn!(%error, "a session failed");
    }
}

/// Refuses a connection in one sentence. A new socket has room for it, so there is nothing to wait for.
fn turn_away(stream: TcpStream, peer: SocketAddr, full: Full) {
    let sentence: &[u8] = match full {
        Full::All => b"421 4.7.0 Too many connections at the moment, please try again later\r\n",
        Full::Peer => b"421 4.7.0 Too many connections from your address, please close some\r\n",
    };
    info!(%peer, ?full, "connection refused");
    if let Ok(mut stream) = stream.into_std()
        && let Err(error) = stream.write_all(sentence)
    {
        debug!(%peer, %error, "the refusal was not heard");
    }
}
