//! The page that checks the dice of a finished game by its record alone. Nothing of what is sent is kept.

use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Form, State};
use axum::response::Response;
use hyper::StatusCode;
use minijinja::context;
use pbmserv_core::table::check_dice;
use pbmserv_games::record::Record;
use serde::Deserialize;

use super::answer::{Kind, answer};
use super::fault::Fault;
use super::site::Site;
use super::viewer::Viewer;

#[derive(Debug, Deserialize)]
pub(super) struct Sent {
    #[serde(default)]
    record: String,
}

/// How many rolls were checked, or why they are not those that were announced.
type Checked = Result<u32, String>;

pub(super) async fn show(State(site): State<Arc<Site>>) -> Result<Response, Fault> {
    has_page(&site)?;
    page(&site, "", None)
}

pub(super) async fn check(
    State(site): State<Arc<Site>>,
    form: Result<Form<Sent>, FormRejection>,
) -> Result<Response, Fault> {
    has_page(&site)?;
    let Form(Sent { record }) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let text = record.clone();
    let checked = site.look(move |_| Ok(checked(&text))).await?;
    page(&site, &record, Some(checked))
}

fn checked(text: &str) -> Checked {
    let record: Record = text.parse().map_err(|error| format!("{error}"))?;
    check_dice(&record).map_err(|error| error.to_string())
}

fn has_page(site: &Site) -> Result<(), Fault> {
    match site.is_public {
        true => Ok(()),
        false => Err(Fault::not_found()),
    }
}

fn page(site: &Site, record: &str, checked: Option<Checked>) -> Result<Response, Fault> {
    let is_wrong = matches!(checked, Some(Err(_)));
    let (rolls, why) = match checked {
        None => (None, None),
        Some(Ok(rolls)) => (Some(rolls), None),
        Some(Err(why)) => (None, Some(why)),
    };
    let facts = context! { record, rolls, why };
    let page = site.page(&Viewer::public(site), "dice.html", facts)?;
    let mut made = answer(Kind::Html, page);
    if is_wrong {
        *made.status_mut() = StatusCode::CONFLICT;
    }
    Ok(made)
}
