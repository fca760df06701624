//! The page of a player, behind the private link: the boards that wait, and the settings.

use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::{Deserialize, Serialize};

use crate::command::{PageCommand, clock_until};
use crate::engine::asked::Pressing;
use crate::letters::brief;
use crate::store::{BoardFilter, Reader};
use crate::table::Player;

use super::access::Client;
use super::answer::{Kind, answer, see};
use super::fault::Fault;
use super::press::{Press, form_number};
use super::site::Site;
use super::viewer::Owner;

/// The most boards of a list.
const MOST_BOARDS: u32 = 200;

#[derive(Serialize)]
struct Waiting {
    game: &'static str,
    title: &'static str,
    number: u32,
    other: String,
    until: Option<String>,
    #[serde(skip)]
    at: Option<DateTime<Utc>>,
}

/// The settings that a form sends.
#[derive(Debug, Deserialize)]
pub(super) struct Settings {
    form: String,
    option: String,
}

/// The page.
pub(super) async fn show(State(site): State<Arc<Site>>, owner: Owner) -> Result<Response, Fault> {
    page(&site, owner, "").await
}

async fn page(site: &Site, owner: Owner, refused: &str) -> Result<Response, Fault> {
    let now = site.now();
    let player = owner.player.clone();
    let facts = site.look(move |reader| facts(reader, &player, now)).await?;
    let facts = context! { refused, form => form_number(), ..facts };
    Ok(answer(Kind::Html, site.page(&owner.viewer, "home.html", facts)?))
}

fn facts(reader: &Reader, player: &Player, now: DateTime<Utc>) -> Result<Value, Fault> {
    let filter = BoardFilter {
        player: Some(player.id),
        running: Some(true),
        is_to_move: true,
        limit: MOST_BOARDS,
        ..BoardFilter::default()
    };
    let mut waiting = Vec::new();
    for board in reader.boards(filter)? {
        let Some(seat) = board.to_move else { continue };
        let until = clock_until(reader, &board, seat, now)?;
        waiting.push(Waiting {
            game: board.game.facts.name,
            title: board.game.facts.title,
            number: board.number,
            other: board.at(seat.other()).userid.clone(),
            until: until.map(|until| brief(until, now)),
            at: until,
        });
    }
    // The nearest deadline first; without one, last.
    waiting.sort_by_key(|board| (board.at.is_none(), board.at));
    let preferences = reader.preferences(player.id)?;
    Ok(context! {
        waiting => Value::from(Serde(waiting)),
        digest => preferences.digest,
    })
}

/// Changes the settings, as `set` does.
pub(super) async fn set(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    owner: Owner,
    form: Result<Form<Settings>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(wanted) = form.map_err(|_| Fault::unreadable("The form is not complete."))?;
    let press = Press {
        player: &owner.player,
        command: PageCommand {
            game: None,
            verb: "set",
            board: None,
            rest: &wanted.option,
        },
        words: "",
        shown: None,
        form: &wanted.form,
        client,
    };
    match site.press(&press).await? {
        Pressing::Done | Pressing::Before => see(&owner.viewer.root),
        Pressing::Refused(why) => page(&site, owner, &why).await,
    }
}
