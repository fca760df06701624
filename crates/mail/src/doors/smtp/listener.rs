//! Accepts connections, applies the limits, and ends all sessions when the server stops.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, info, warn};

use super::admission::{Admission, Full};
use super::client::{self, Client};
use super::session::{Protocol, Session, Shared};
use super::settings::Settings;
use super::tls::Tls;
use crate::doors::Intake;
use crate::doors::socket::{Connection, Listener, Peer};

/// The pause after accept failed, for example because no file descriptor is left.
const PAUSE: Duration = Duration::from_millis(100);

/// The configuration of a door.
pub struct Door<I> {
    /// Where it listens.
    pub listener: Listener,
    /// SMTP or LMTP.
    pub protocol: Protocol,
    /// The name in the greeting.
    pub hostname: String,
    /// A session uses the limits at its beginning.
    pub settings: watch::Receiver<Settings>,
    /// The certificate for STARTTLS; `None` if not offered. A session uses the one at its beginning.
    pub tls: watch::Receiver<Option<Tls>>,
    /// Counters shared with other doors.
    pub admission: Admission,
    /// Where messages are handed in.
    pub intake: Arc<I>,
    /// When true or dropped, the door closes.
    pub stop: watch::Receiver<bool>,
}

impl<I> fmt::Debug for Door<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door")
            .field("listener", &self.listener)
            .field("protocol", &self.protocol)
            .finish_non_exhaustive()
    }
}

/// Serves a door until it is to close.
///
/// Then no more connections are accepted. Sessions that wait for a command get reply 421. A session that is
/// receiving or handling a message may finish and reply first. After [`grace_seconds`](Settings::grace_seconds)
/// the remaining sessions are aborted; their messages got no reply, so the senders will repeat them.
pub async fn serve<I: Intake>(door: Door<I>) {
    let Door {
        listener,
        protocol,
        hostname,
        settings,
        tls,
        admission,
        intake,
        mut stop,
    } = door;
    let shared = Arc::new(Shared {
        hostname,
        protocol,
        intake,
        held: Arc::clone(&admission.held),
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
        let (connection, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if !is_failing {
                    warn!(%error, "a connection could not be accepted");
                }
                is_failing = true;
                sleep(PAUSE).await;
                continue;
            }
        };
        is_failing = false;
        let settings = settings.borrow().clone();
        // LMTP is for the operator's MTA, and so is a unix socket.
        let is_trusted =
            protocol == Protocol::Lmtp || matches!(peer, Peer::Local) || settings.trusted.contains(peer.ip());
        let client = match Client::admit(&admission, peer, is_trusted, &settings) {
            Ok(client) => client,
            Err(full) => {
                if client::is_refusal_log_due(&admission, peer) {
                    info!(%peer, ?full, "connection refused");
                }
                turn_away(connection, peer, full);
                continue;
            }
        };
        let session = Session::new(
            connection.into_stream(),
            peer,
            client,
            Arc::clone(&shared),
            settings,
            tls.borrow().clone(),
            stop.clone(),
        );
        sessions.spawn(session.run());
    }
    drop(listener);
    let grace = settings.borrow().grace();
    let all_ended = async {
        while let Some(ended) = sessions.join_next().await {
            report(ended);
        }
    };
    if timeout(grace, all_ended).await.is_err() {
        info!(
            sessions = sessions.len(),
            "sessions were aborted at the end of the grace period"
        );
        sessions.shutdown().await;
    }
}

/// Turns every client away until `stop`, since another server takes the mail: a mail server then tries the next one of its list
/// (RFC 5321, 5.1).
pub async fn turn_all_away(listener: Listener, mut stop: watch::Receiver<bool>) {
    const ELSEWHERE: &[u8] = b"421 4.3.2 This server waits behind another one, please try that\r\n";
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            accepted = listener.accept() => accepted,
        };
        let turned_away = match accepted {
            Ok((connection, _)) => connection.turn_away(ELSEWHERE),
            Err(error) => {
                sleep(PAUSE).await;
                Err(error)
            }
        };
        if let Err(error) = turned_away {
            debug!(%error, "a client could not be turned away");
        }
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        warn!(%error, "a session failed");
    }
}

fn turn_away(connection: Connection, peer: Peer, full: Full) {
    let sentence: &[u8] = match full {
        Full::All => b"421 4.7.0 Too many connections at the moment, please try again later\r\n",
        Full::Peer => b"421 4.7.0 Too many connections from your address, please close some\r\n",
        Full::Often => {
            b"421 4.7.0 Too many new connections from your network, please try again in a minute\r\n"
        }
        Full::Refusals => {
            b"421 4.7.0 Too many refused commands from your network, please try again in a minute\r\n"
        }
    };
    if let Err(error) = connection.turn_away(sentence) {
        debug!(%peer, %error, "the refusal could not be sent");
    }
}
