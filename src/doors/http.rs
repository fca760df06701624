//! Serves the monitoring pages over HTTP/1.1 (RFC 9112): GET and HEAD only, one request per connection, with
//! limits on memory, time and connections. The content of the pages comes from a [`Site`].

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::Listener;

/// The most concurrent connections.
const MOST_CONNECTIONS: usize = 16;

/// The longest header of a request, in bytes.
const LONGEST_HEADER: usize = 8 * 1024;

/// The most header fields of a request.
const MOST_FIELDS: usize = 50;

/// How long the header of a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(2);

/// How long a connection may stay open in total.
const CONNECTION: Duration = Duration::from_secs(8);

/// The pause after accept failed.
const PAUSE: Duration = Duration::from_millis(100);

const PLAIN: &str = "text/plain; charset=utf-8";

/// Sent when all connections are in use.
const CROWDED: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\nRetry-After: 5\r\n\r\n";

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Status 200 if true, otherwise 503.
    pub is_well: bool,
    /// The media type.
    pub kind: &'static str,
    /// The body.
    pub text: String,
}

/// Where the pages come from.
pub trait Site: Send + Sync + 'static {
    /// The page at a path; `None` if there is none. It must return soon, even if the engine hangs.
    fn page(&self, path: &str) -> impl Future<Output = Option<Page>> + Send;
}

/// Serves the pages until `stop`; running requests are finished.
pub async fn serve<S: Site>(listener: Listener, site: S, mut stop: watch::Receiver<bool>) {
    let site = Arc::new(site);
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = super::stopped(&mut stop) => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match (accepted, room.clone().try_acquire_owned()) {
            (Ok((connection, _)), Ok(place)) => {
                let io = TokioIo::new(connection.into_stream());
                connections.spawn(one(io, site.clone(), place));
            }
            // Reply 503 without waiting for the request.
            (Ok((connection, _)), Err(_)) => drop(connection.turn_away(CROWDED)),
            (Err(error), _) => {
                tracing::warn!(%error, "a connection for a monitoring page could not be accepted");
                sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    // Each ends by itself, at the latest after its time limit.
    while connections.join_next().await.is_some() {}
}

/// Serves one connection with its one request.
async fn one<I, S>(io: TokioIo<I>, site: Arc<S>, _place: OwnedSemaphorePermit)
where
    I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    S: Site,
{
    let service = service_fn(|request| {
        let site = site.clone();
        async move { Ok::<_, Infallible>(answer(&request, site.as_ref()).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ARRIVAL)
        .max_buf_size(LONGEST_HEADER)
        .max_headers(MOST_FIELDS)
        .keep_alive(false)
        .serve_connection(io, service);
    match timeout(CONNECTION, served).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection for a monitoring page failed"),
        Err(_) => tracing::debug!("a connection for a monitoring page took too long"),
    }
}

async fn answer<S: Site>(request: &Request<Incoming>, site: &S) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut answer = response(
            StatusCode::METHOD_NOT_ALLOWED,
            PLAIN,
            "This page can only be read: use GET or HEAD.\n".to_owned(),
        );
        set(&mut answer, ALLOW, "GET, HEAD");
        return answer;
    }
    match site.page(request.uri().path()).await {
        Some(page) if page.is_well => response(StatusCode::OK, page.kind, page.text),
        Some(page) => response(StatusCode::SERVICE_UNAVAILABLE, page.kind, page.text),
        None => response(
            StatusCode::NOT_FOUND,
            PLAIN,
            "There is no such page: see /healthz and /metrics.\n".to_owned(),
        ),
    }
}

fn response(status: StatusCode, kind: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(Bytes::from(text)));
    *answer.status_mut() = status;
    set(&mut answer, CONTENT_TYPE, kind);
    set(&mut answer, CACHE_CONTROL, "no-store");
    set(&mut answer, X_CONTENT_TYPE_OPTIONS, "nosniff");
    answer
}

fn set(answer: &mut Response<Full<Bytes>>, name: HeaderName, value: &'static str) {
    let value = hyper::header::HeaderValue::from_static(value);
    answer.headers_mut().insert(name, value);
}
