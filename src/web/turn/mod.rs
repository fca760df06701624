//! The page on which a player plays a turn, a point at a time, and answers what the other player asks.
//!
//! What is chosen so far stands in the address, so each step is a link and opening one changes nothing. What changes something
//! is a form: it becomes a command that is answered by mail, as if it had come by mail.

mod act;
mod chosen;
mod commenting;
mod computer;
mod facts;
mod planned;
mod seen;

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Extension, Form, Query, State};
use axum::response::Response;
use axum::routing::get;
use hyper::StatusCode;
use serde::Deserialize;

use crate::engine::forms::FormOutcome;

use super::access::Client;
use super::answer::{Kind, answer};
use super::board::{OnBoard, Place};
use super::fault::Fault;
use super::press::{Did, shown_at};
use super::site::Site;
use super::viewer::Owner;
use act::Act;
pub use act::buttons;
pub(super) use chosen::{Choosing, Chosen, in_address};
use facts::Wanted;

pub(super) fn routes(at: &str) -> Router<Arc<Site>> {
    let board = format!("{at}board/{{game}}/{{number}}");
    Router::new()
        .route(&format!("{board}/turn"), get(show).post(act))
        .route(&format!("{board}/resign"), get(ask))
}

/// What stands in the address.
#[derive(Debug, Deserialize)]
struct Given {
    /// The turn so far.
    #[serde(default)]
    turn: String,
    /// Whether the board is larger than a telephone's screen.
    #[serde(default)]
    large: bool,
}

/// The board, and how the turn goes on.
async fn show(
    State(site): State<Arc<Site>>,
    at: OnBoard,
    given: Result<Query<Given>, QueryRejection>,
    did: Result<Query<Did>, QueryRejection>,
) -> Result<Response, Fault> {
    let Query(Given { turn, large }) = given.map_err(|_| Fault::not_found())?;
    let Query(did) = did.map_err(|_| Fault::not_found())?;
    let wanted = Wanted {
        turn,
        is_large: large,
        did,
        ..Wanted::default()
    };
    let (owner, place) = at.owner()?;
    page(&site, &owner, place, wanted, "turn.html").await
}

/// The question whether the player gives up.
async fn ask(State(site): State<Arc<Site>>, at: OnBoard) -> Result<Response, Fault> {
    let (owner, place) = at.owner()?;
    page(&site, &owner, place, Wanted::default(), "turn_resign.html").await
}

/// Carries a form out, then shows the board.
async fn act(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    at: OnBoard,
    form: Result<Form<Act>, FormRejection>,
) -> Result<Response, Fault> {
    let (owner, place) = at.owner()?;
    let Form(act) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let asked = act.request(&site, &owner, &place, client).await?;
    let outcome = site.server.press(asked).await?;
    if act.is_answered() && !matches!(outcome, FormOutcome::Refused(_)) {
        computer::wait(&site, &owner.viewer, &place).await;
    }
    let (game, number) = (place.game.facts.name, place.number);
    match shown_at(
        &format!("{}board/{game}/{number}/turn", owner.viewer.root),
        outcome,
    ) {
        Ok(shown) => shown,
        Err(why) => {
            let wanted = Wanted {
                refused: why,
                ..act.into_wanted()
            };
            let mut answer = page(&site, &owner, place, wanted, "turn.html").await?;
            *answer.status_mut() = StatusCode::CONFLICT;
            Ok(answer)
        }
    }
}

async fn page(
    site: &Site,
    owner: &Owner,
    place: Place,
    wanted: Wanted,
    template: &'static str,
) -> Result<Response, Fault> {
    let now = site.now();
    let (asking, server) = (owner.clone(), site.server.clone());
    let made = site.look(move |reader| facts::facts(reader, &server, &place, &asking, &wanted, now));
    let (facts, seen) = made.await?;
    let page = site.page(&owner.viewer, template, facts)?;
    if let Some(letter) = seen {
        seen::note(site, letter);
    }
    Ok(answer(Kind::Html, page))
}
