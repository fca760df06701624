//! Serves HTTP/1.1 (RFC 9112) with limits on memory, time and connections: the connections of the pages for players and of
//! those for monitoring. What a request is answered with comes from [`Answering`].

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::Listener;
use super::line_ends::LineEnds;

/// The pause after accept failed.
const PAUSE: Duration = Duration::from_millis(100);

/// How long requests at work may still take when the server stops.
const STOPPING: Duration = Duration::from_secs(10);

/// Sent when all connections are in use.
const CROWDED: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\nRetry-After: 5\r\n\r\n";

/// The limits of a listener.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most concurrent connections.
    pub connections: usize,
    /// The most concurrent connections from one address.
    pub connections_per_peer: usize,
    /// The longest header of a request, in bytes.
    pub header_bytes: usize,
    /// The most header fields of a request.
    pub header_fields: usize,
    /// How long the header of a request may take to arrive.
    pub arrival: Duration,
    /// After this time a connection takes no further request.
    pub lifetime: Duration,
    /// How long the request at work may then still take.
    pub grace: Duration,
    /// Whether a connection serves several requests.
    pub is_kept: bool,
}

/// Who answers requests.
pub trait Answering: Send + Sync + 'static {
    /// The body of an answer.
    type Body: Body<Data = Bytes, Error: std::error::Error + Send + Sync> + Send + 'static;

    /// What the requests are for, for the log.
    const NAME: &'static str;

    /// Answers a request from this address, the loopback address for a unix socket.
    fn answer(
        &self,
        request: Request<Incoming>,
        peer: IpAddr,
    ) -> impl Future<Output = Response<Self::Body>> + Send;

    /// Whether one address may have all connections, since others connect through it.
    fn is_gateway(&self, _peer: IpAddr) -> bool {
        false
    }
}

/// Serves until `stop`; running requests are finished.
pub async fn serve<A: Answering>(
    listener: Listener,
    limits: Limits,
    answering: Arc<A>,
    mut stop: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(limits.connections));
    let peers = Peers::default();
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = super::stopped(&mut stop) => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let (connection, peer) = match accepted {
            Ok((connection, peer)) => (connection, peer.ip().to_canonical()),
            Err(error) => {
                tracing::warn!(%error, "a connection for {} could not be accepted", A::NAME);
                sleep(PAUSE).await;
                continue;
            }
        };
        let most = match answering.is_gateway(peer) {
            true => limits.connections,
            false => limits.connections_per_peer,
        };
        match (room.clone().try_acquire_owned(), peers.enter(peer, most)) {
            (Ok(place), Some(counted)) => {
                let io = TokioIo::new(LineEnds::of(connection.into_stream()));
                let places = (place, counted);
                connections.spawn(one(io, limits, answering.clone(), peer, places, stop.clone()));
            }
            // Reply 503 without waiting for the request.
            _ => drop(connection.turn_away(CROWDED)),
        }
    }
    drop(listener);
    // Each ends by itself, at the latest after its time limit.
    while connections.join_next().await.is_some() {}
}

/// Serves one connection.
async fn one<I, A>(
    io: TokioIo<I>,
    limits: Limits,
    answering: Arc<A>,
    peer: IpAddr,
    _places: (OwnedSemaphorePermit, Counted),
    mut stop: watch::Receiver<bool>,
) where
    I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    A: Answering,
{
    let service = service_fn(|request| {
        let answering = answering.clone();
        async move { Ok::<_, Infallible>(answering.answer(request, peer).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.arrival)
        .max_buf_size(limits.header_bytes)
        .max_headers(limits.header_fields)
        .keep_alive(limits.is_kept)
        .serve_connection(io, service);
    let mut served = pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => Ok(ended),
        () = sleep(limits.lifetime) => {
            served.as_mut().graceful_shutdown();
            timeout(limits.grace, served).await
        }
        () = super::stopped(&mut stop) => {
            served.as_mut().graceful_shutdown();
            timeout(limits.lifetime.min(STOPPING), served).await
        }
    };
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection for {} failed", A::NAME),
        Err(_) => tracing::debug!("a connection for {} took too long", A::NAME),
    }
}

/// The connections of each address.
#[derive(Clone, Default)]
struct Peers(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One connection of an address, until it is dropped.
struct Counted {
    peers: Peers,
    peer: IpAddr,
}

impl Peers {
    /// Counts one more, unless there are `most` already.
    fn enter(&self, peer: IpAddr, most: usize) -> Option<Counted> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(peer).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Counted {
            peers: self.clone(),
            peer,
        })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut open = self.peers.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.peer);
            }
        }
    }
}
