//! Walking a line of turns on a board that nobody plays: forward and back, from any position, without an account.
//!
//! The path has the board, after which of its turns the line begins, the line, and how far it is walked. So each step is a link,
//! most of them relative to that path, and opening one changes nothing. What is kept of it is a form, as a command.

mod facts;
mod planning;
mod walk;

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Extension, Form, Query, RawPathParams, State};
use axum::response::Response;
use axum::routing::{get, post};
use hyper::StatusCode;
use pbmserv_core::command::PageRequest;
use serde::Deserialize;

use super::access::Client;
use super::answer::{Kind, answer, see};
use super::board::OnBoard;
use super::fault::Fault;
use super::press::{Did, shown_at};
use super::site::Site;
use super::viewer::named;
use walk::{LineAddress, Walk};

pub(super) fn routes(at: &str) -> Router<Arc<Site>> {
    let place = format!("{at}board/{{game}}/{{number}}/try");
    Router::new()
        .route(&place, get(show))
        .route(&format!("{place}/{{turn}}"), get(show))
        .route(&walked(at), get(show))
}

/// The forms of a player.
pub(super) fn of_a_player(at: &str) -> Router<Arc<Site>> {
    Router::new().route(&walked(at), post(keep))
}

fn walked(at: &str) -> String {
    format!("{at}board/{{game}}/{{number}}/try/{{turn}}/{{line}}/{{walked}}")
}

/// What stands in the address behind the path.
#[derive(Debug, Default, Deserialize)]
struct Given {
    /// The next turn, as far as it is chosen or typed.
    #[serde(default)]
    turn: String,
    #[serde(default)]
    large: bool,
}

/// The form that keeps a line, or drops one.
#[derive(Debug, Deserialize)]
struct Keeping {
    form: String,
    #[serde(rename = "do")]
    button: String,
    name: String,
}

/// The position, and how the line goes on. A whole turn leads to the page after it.
async fn show(
    State(site): State<Arc<Site>>,
    params: RawPathParams,
    at: OnBoard,
    given: Result<Query<Given>, QueryRejection>,
    did: Result<Query<Did>, QueryRejection>,
) -> Result<Response, Fault> {
    let Query(Given { turn, large }) = given.map_err(|_| Fault::not_found())?;
    let Query(did) = did.map_err(|_| Fault::not_found())?;
    let is_path = named(&params, "line").is_some();
    let asked = asked(&params, turn)?;
    page(&site, at, asked, (large, is_path), (did, String::new())).await
}

/// What the path asks for, and this turn.
fn asked(params: &RawPathParams, turn: String) -> Result<LineAddress, Fault> {
    let walked = match named(params, "walked") {
        Some(walked) => walked.parse().map_err(|_| Fault::not_found())?,
        None => usize::MAX,
    };
    LineAddress::new(named(params, "line").unwrap_or("-"), walked, turn)
}

async fn page(
    site: &Site,
    at: OnBoard,
    asked: LineAddress,
    (is_large, is_path): (bool, bool),
    (did, refused): (Did, String),
) -> Result<Response, Fault> {
    let (now, viewer) = (site.now(), at.viewer.clone());
    let made = site.look(move |reader| {
        let walk = Walk::new(at.place.read(reader, &at.viewer)?, &asked)?;
        match (&walk.goes_to, is_path) {
            (None, true) => {
                let facts = facts::facts(reader, &at.viewer, &walk, (is_large, &refused), &did, now);
                facts.map(Ok)
            }
            _ => {
                let large = if is_large { "?large=true" } else { "" };
                Ok(Err(format!("{}{}{large}", at.viewer.root, walk.goes_to())))
            }
        }
    });
    match made.await? {
        Ok(facts) => Ok(answer(Kind::Html, site.page(&viewer, "try.html", facts)?)),
        Err(place) => see(&place),
    }
}

/// Keeps a line for the player, or drops it.
async fn keep(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    params: RawPathParams,
    at: OnBoard,
    form: Result<Form<Keeping>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(Keeping { form, button, name }) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let asked = asked(&params, String::new())?;
    let (owner, place) = at.clone().owner()?;
    let after = place.turn.unwrap_or_default();
    let rest = match button.as_str() {
        "keep" => format!("as {name} at {after} {}", asked.line),
        "drop" => format!("{name} off"),
        _ => return Err(Fault::unreadable("There is no such button, so nothing was done.")),
    };
    let here = asked.path(&place);
    let (there, viewer) = (place.clone(), owner.viewer.clone());
    let board = site.look(move |reader| there.board(reader, &viewer)).await?;
    // The key of a letter reaches what was shown of its board.
    let shown = board.seat_of(owner.player().id).map(|seat| board.letter_to(seat));
    let request = PageRequest {
        game: Some(place.game),
        board: Some(place.number),
        rest,
        shown,
        ..owner.asks("try", &form, client)
    };
    match shown_at(
        &format!("{}{here}", owner.viewer.root),
        site.server.press(request).await?,
    ) {
        Ok(shown) => shown,
        Err(why) => {
            let mut page = page(&site, at, asked, (false, true), (Did::default(), why)).await?;
            *page.status_mut() = StatusCode::CONFLICT;
            Ok(page)
        }
    }
}
