//! The players, found by userid or address, a page for each, and the audit log.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use minijinja::context;
use serde_json::Value as Json;

use crate::admin::Verb;
use crate::admin::user::{Filter, UserVerb};
use crate::web::Fault;

use super::boards::rows;
use super::desk::{Asked, Desk, given, value};
use super::sessions::Visit;

/// The players of a list.
const MOST: usize = 100;

/// The entries of the audit log.
const ENTRIES: u32 = 200;

pub(super) async fn list(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let filter = Filter {
        text: given(&asked.text),
        state: given(&asked.state),
        json: true,
        ..Filter::default()
    };
    let mut found = rows(desk.json(Verb::User(UserVerb::List(filter))).await?);
    let all = found.len();
    found.truncate(MOST);
    let facts = context! {
        at => "players", all,
        players => value(Json::Array(found)),
        text => asked.text.trim(),
        state => asked.state.trim(),
    };
    desk.page(&visit, &asked, "players.html", facts)
}

pub(super) async fn show(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    Path(userid): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let json = true;
    let player = desk.json(Verb::User(UserVerb::Show { userid, json })).await?;
    let facts = context! { at => "players", player => value(player) };
    desk.page(&visit, &asked, "player.html", facts)
}

/// The changes by the operator, newest first.
pub(super) async fn audit(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let verb = Verb::Audit {
        about: given(&asked.text),
        limit: ENTRIES,
        json: true,
    };
    let entries = desk.json(verb).await?;
    let facts = context! {
        at => "audit",
        entries => value(entries),
        text => asked.text.trim(),
        most => ENTRIES,
    };
    desk.page(&visit, &asked, "audit.html", facts)
}
