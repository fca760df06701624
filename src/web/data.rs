//! The page of the link to all that is stored of a player. It has one button: scanners open links, so nothing but its POST gives
//! the file. The key is good for a day, and opens no other page.

use std::sync::Arc;

use axum::extract::{RawPathParams, State};
use axum::response::Response;
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};
use minijinja::context;

use crate::engine::fetching::Fetched;
use pbmserv_core::letters::Export;

use super::answer::{Kind, answer};
use super::fault::Fault;
use super::site::Site;
use super::viewer::{TOKEN, Viewer, named};

fn page(site: &Site, key: &str, refused: &str) -> Result<Response, Fault> {
    let operator = format!("postmaster@{}", site.server.own().present().domain());
    let facts = context! { key, refused, operator };
    let page = site.page(&Viewer::public(site), "data.html", facts)?;
    Ok(answer(Kind::Html, page))
}

/// Shows the button.
pub(super) async fn ask(State(site): State<Arc<Site>>, params: RawPathParams) -> Result<Response, Fault> {
    let key = named(&params, TOKEN).unwrap_or_default();
    match site.server.exporter(key).await? {
        Some(_) => page(&site, key, ""),
        None => Err(Fault::no_data()),
    }
}

/// Gives the file.
pub(super) async fn fetch(State(site): State<Arc<Site>>, params: RawPathParams) -> Result<Response, Fault> {
    let key = named(&params, TOKEN).unwrap_or_default();
    let text = match site.server.fetch(key).await? {
        Fetched::File(text) => text,
        Fetched::TooLong => return page(&site, key, "long"),
        Fetched::TooOften => return page(&site, key, "often"),
        Fetched::Unknown => return Err(Fault::no_data()),
    };
    let mut file = answer(Kind::Json, text);
    let disposition = format!("attachment; filename=\"{}\"", Export::FILE);
    let disposition = HeaderValue::from_str(&disposition).map_err(|error| Fault::internal(&error))?;
    file.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    Ok(file)
}
