//! The monitoring pages over HTTP: GET and HEAD only, one request per connection.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::{Method, Request, Response, StatusCode};

use pbmserv_mail::doors::http::Limits;

pub(super) const LIMITS: Limits = Limits {
    connections: 16,
    connections_per_peer: 16,
    header_bytes: 8 * 1024,
    header_fields: 50,
    arrival: Duration::from_secs(2),
    lifetime: Duration::from_secs(8),
    grace: Duration::ZERO,
    is_kept: false,
};

const PLAIN: &str = "text/plain; charset=utf-8";

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Status 200 if true, otherwise 503.
    pub(super) is_well: bool,
    /// The media type.
    pub(super) kind: &'static str,
    /// The body.
    pub(super) text: String,
}

/// Answers a request with one of the two pages. Both must come soon, even if the engine hangs.
pub(super) async fn answer(
    request: &Request<Incoming>,
    health: impl Future<Output = Page> + Send,
    metrics: impl Future<Output = Page> + Send,
) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let sentence = "This page can only be read: use GET or HEAD.\n".to_owned();
        let mut answer = response(StatusCode::METHOD_NOT_ALLOWED, PLAIN, sentence);
        set(&mut answer, ALLOW, "GET, HEAD");
        return answer;
    }
    let page = match request.uri().path() {
        "/healthz" => health.await,
        "/metrics" => metrics.await,
        _ => {
            let sentence = "There is no such page: see /healthz and /metrics.\n".to_owned();
            return response(StatusCode::NOT_FOUND, PLAIN, sentence);
        }
    };
    let status = match page.is_well {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    response(status, page.kind, page.text)
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
    answer.headers_mut().insert(name, HeaderValue::from_static(value));
}
