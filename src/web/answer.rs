//! Answers, and the header fields that all of them have.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use hyper::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName,
    HeaderValue, IF_NONE_MATCH, LOCATION, REFERRER_POLICY, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{HeaderMap, StatusCode};
use minijinja::context;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::fault::Fault;
use super::site::Site;
use super::viewer::Viewer;

/// No scripts, no frames, nothing from elsewhere. Forms go to our own pages only.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// What no page needs of a browser.
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), clipboard-read=(), \
                           display-capture=(), encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), \
                           magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), \
                           screen-wake-lock=(), usb=(), xr-spatial-tracking=()";

/// What the paths of pages begin with that no browser keeps and no search engine lists: those of one player, one address or one
/// visitor.
const PRIVATE: [&str; 3] = ["k/", "u/", "play/"];

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Html,
    Plain,
    Style,
    Svg,
    Png,
    Atom,
    Calendar,
    Json,
}

impl Kind {
    const fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Plain => "text/plain; charset=utf-8",
            Self::Style => "text/css; charset=utf-8",
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Calendar => "text/calendar; charset=utf-8",
            Self::Json => "application/json",
        }
    }

    const fn caching(self) -> &'static str {
        match self {
            // The version stands in its address.
            Self::Style => "public, max-age=31536000, immutable",
            // Drawing it takes long, and chats ask for it together.
            Self::Png => "public, max-age=300",
            _ => "no-cache",
        }
    }
}

/// An answer of this kind, which a browser need not load again while it is the same.
pub(crate) fn answer(kind: Kind, content: impl Into<Bytes>) -> Response {
    let content: Bytes = content.into();
    let digest: [u8; 32] = Sha256::digest(&content).into();
    // Weak: a compressed answer has other bytes.
    let tag = format!("W/\"{}\"", data_encoding::BASE64URL_NOPAD.encode(&digest[..12]));
    let mut answer = Response::new(Body::from(content));
    set(&mut answer, CONTENT_TYPE, kind.media_type());
    set(&mut answer, CACHE_CONTROL, kind.caching());
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.headers_mut().insert(ETAG, tag);
    }
    answer
}

/// Sends the browser to another page, which it asks for with GET.
pub(crate) fn see(place: &str) -> Result<Response, Fault> {
    let place = HeaderValue::from_str(place).map_err(|error| Fault::internal(&error))?;
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::SEE_OTHER;
    answer.headers_mut().insert(LOCATION, place);
    Ok(answer)
}

/// Writes the page of a fault, and sets the header fields of all answers.
pub(super) async fn finish(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let below = request.uri().path().strip_prefix(site.base.path());
    let is_api = below.is_some_and(|path| path.starts_with("api/"));
    let is_private = below.is_some_and(|path| PRIVATE.iter().any(|own| path.starts_with(own)))
        || (is_api && request.headers().contains_key(AUTHORIZATION));
    let known = request.headers().get(IF_NONE_MATCH).cloned();
    let mut answer = next.run(request).await;
    if let Some(fault) = answer.extensions_mut().remove::<Fault>() {
        let allowed = answer.headers_mut().remove(ALLOW);
        answer = match is_api {
            true => sentence_of(&fault),
            false => page_of(&site, &fault),
        };
        mark(&mut answer, fault.status);
        if let Some(allowed) = allowed {
            answer.headers_mut().insert(ALLOW, allowed);
        }
    }
    close_off(&mut answer, is_private);
    if is_private {
        keep_private(&mut answer);
    }
    if let (Some(known), StatusCode::OK) = (known, answer.status())
        && is_known(&known, answer.headers())
    {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
        *answer.body_mut() = Body::empty();
        answer.headers_mut().remove(CONTENT_TYPE);
    }
    answer
}

/// Keeps an answer out of caches and of search engines.
pub(crate) fn keep_private(answer: &mut Response) {
    set(answer, CACHE_CONTROL, "no-store");
    let robots = HeaderName::from_static("x-robots-tag");
    set(answer, robots, "noindex, nofollow");
    answer.headers_mut().remove(ETAG);
}

/// Says what a browser and pages elsewhere may do with an answer.
pub(crate) fn close_off(answer: &mut Response, is_private: bool) {
    // Chats and other sites show the picture of a board. Nothing else of ours is part of a page elsewhere.
    let pictures = [Kind::Png, Kind::Svg].map(Kind::media_type);
    let kind = answer.headers().get(CONTENT_TYPE);
    let is_picture = kind.is_some_and(|kind| pictures.iter().any(|picture| kind == picture));
    let readers = match is_picture && !is_private {
        true => "cross-origin",
        false => "same-origin",
    };
    set(answer, CONTENT_SECURITY_POLICY, POLICY);
    set(answer, REFERRER_POLICY, "same-origin");
    set(answer, X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(answer, X_FRAME_OPTIONS, "DENY");
    for (name, value) in [
        ("cross-origin-resource-policy", readers),
        ("cross-origin-opener-policy", "same-origin"),
        ("permissions-policy", PERMISSIONS),
    ] {
        set(answer, HeaderName::from_static(name), value);
    }
}

fn is_known(known: &HeaderValue, header: &HeaderMap) -> bool {
    let (Ok(known), Some(Ok(tag))) = (known.to_str(), header.get(ETAG).map(HeaderValue::to_str)) else {
        return false;
    };
    known.split(',').any(|one| one.trim() == tag)
}

/// A fault as programs read it.
fn sentence_of(fault: &Fault) -> Response {
    let error = format!("{}. {}", fault.title, fault.sentence);
    answer(Kind::Json, json!({ "error": error }).to_string())
}

fn page_of(site: &Site, fault: &Fault) -> Response {
    let viewer = match &fault.key {
        Some(key) => Viewer::with_key(site, key.as_ref().clone()),
        None => Viewer::public(site),
    };
    let facts = context! { title => fault.title, sentence => fault.sentence.as_str() };
    let text = site.page(&viewer, "fault.html", facts).unwrap_or_else(|_| {
        // Without templates, which are checked when the server starts.
        fault.title.to_owned()
    });
    answer(Kind::Html, text)
}

/// Makes an answer one of a fault.
fn mark(answer: &mut Response, status: StatusCode) {
    *answer.status_mut() = status;
    answer.headers_mut().remove(ETAG);
    set(answer, CACHE_CONTROL, "no-store");
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => set(answer, RETRY_AFTER, "60"),
        StatusCode::UNAUTHORIZED => set(answer, WWW_AUTHENTICATE, "Bearer"),
        _ => {}
    }
}

fn set(answer: &mut Response, name: HeaderName, value: &'static str) {
    answer.headers_mut().insert(name, HeaderValue::from_static(value));
}
