//! One-click unsubscribing (RFC 8058): the mail program posts to the address in `List-Unsubscribe`.
//!
//! The token in the path is the proof, and it can do nothing else: so a POST from anywhere is taken. Opening the link asks first,
//! since scanners open links.

use std::sync::Arc;

use axum::extract::{Extension, RawPathParams, State};
use axum::response::Response;
use minijinja::context;

use crate::engine::forms::Unsubscribed;

use super::access::Client;
use super::answer::{Kind, answer};
use super::fault::Fault;
use super::site::Site;
use super::viewer::Viewer;

/// `result`: "asked", "done", "before" or "unknown".
fn facts(site: &Site, params: &RawPathParams, result: &str) -> Result<Response, Fault> {
    let token = params
        .iter()
        .find(|(name, _)| *name == "leave")
        .map(|(_, text)| text);
    let facts = context! { token, result };
    let page = site.page(&Viewer::public(site), "unsubscribe.html", facts)?;
    Ok(answer(Kind::Html, page))
}

/// Asks.
pub(super) async fn ask(State(site): State<Arc<Site>>, params: RawPathParams) -> Result<Response, Fault> {
    facts(&site, &params, "asked")
}

/// Ends the mails, or says that nothing was done.
pub(super) async fn leave(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let token = params
        .iter()
        .find(|(name, _)| *name == "leave")
        .map(|(_, text)| text);
    let result = match site.server.leave(token.unwrap_or_default(), client).await? {
        Unsubscribed::Now => "done",
        Unsubscribed::Before => "before",
        Unsubscribed::Unknown => "unknown",
    };
    facts(&site, &params, result)
}
