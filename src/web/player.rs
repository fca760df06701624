//! The page of a player, on which who is signed in keeps a private note.

use std::sync::Arc;

use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Extension, Form, Query, RawPathParams, State};
use axum::response::Response;
use hyper::StatusCode;
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::GAMES;
use serde::{Deserialize, Serialize};

use pbmserv_core::command::PageRequest;
use pbmserv_core::store::BoardFilter;

use super::access::Client;
use super::answer::{Kind, answer};
use super::chart::chart;
use super::company::trophies;
use super::fault::Fault;
use super::house::MAX_OF_ONE;
use super::listed::Listed;
use super::names::is_shown;
use super::press::{Did, form_number, shown_at};
use super::site::Site;
use super::times::times;
use super::viewer::{Owner, Viewer, named};

/// The most ratings of a chart.
const MAX_RATINGS: u32 = 60;

#[derive(Serialize)]
struct Rated {
    name: &'static str,
    title: &'static str,
    rating: String,
    won: u32,
    lost: u32,
    drawn: u32,
    chart: Option<String>,
    lowest: String,
    highest: String,
}

/// A player: the ratings and the boards; and what who is signed in has noted.
pub(super) async fn show(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
    did: Result<Query<Did>, QueryRejection>,
) -> Result<Response, Fault> {
    let Query(did) = did.map_err(|_| Fault::not_found())?;
    let userid = named(&params, "userid").ok_or_else(Fault::not_found)?.to_owned();
    page(&site, viewer, userid, (did, String::new(), String::new())).await
}

/// What the form of a note sends.
#[derive(Debug, Deserialize)]
pub(super) struct Noted {
    form: String,
    words: String,
}

/// Adds words to the note on a player, or empties it.
pub(super) async fn note(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    owner: Owner,
    params: RawPathParams,
    form: Result<Form<Noted>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(noted) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let named = named(&params, "userid").ok_or_else(Fault::not_found)?.to_owned();
    let found = site.look(move |reader| Ok(reader.player(&named)?)).await?;
    let userid = found.ok_or_else(Fault::not_found)?.userid;
    let asked = PageRequest {
        rest: userid.clone(),
        words: noted.words.clone(),
        ..owner.asks("mynotes", &noted.form, client)
    };
    let place = format!("{}players/{userid}", owner.viewer.root);
    match shown_at(&place, site.server.press(asked).await?) {
        Ok(shown) => shown,
        Err(why) => {
            let mut answer = page(&site, owner.viewer, userid, (Did::default(), noted.words, why)).await?;
            *answer.status_mut() = StatusCode::CONFLICT;
            Ok(answer)
        }
    }
}

async fn page(
    site: &Site,
    viewer: Viewer,
    userid: String,
    (did, words, refused): (Did, String, String),
) -> Result<Response, Fault> {
    let now = site.now();
    let look = viewer.clone();
    let facts = site.look(move |reader| {
        let player = reader.player(&userid)?.ok_or_else(Fault::not_found)?;
        // Who is left out has no page, as if there were no such player.
        if !is_shown(reader, &look, player.id)? {
            return Err(Fault::not_found());
        }
        let times = times(reader, &look, now)?;
        let filter = |running| BoardFilter {
            player: Some(player.id),
            running: Some(running),
            limit: MAX_OF_ONE,
            ..BoardFilter::default()
        };
        let mut ratings = Vec::new();
        for game in GAMES {
            let standing = reader.standing(player.id, game)?;
            if standing.rated_at.is_none() {
                continue;
            }
            let mut history = reader.rating_history(player.id, game, MAX_RATINGS)?;
            history.reverse();
            let ends = [f64::min, f64::max].map(|of| history.iter().copied().reduce(of).unwrap_or(0.0));
            ratings.push(Rated {
                name: game.facts.name,
                title: game.facts.title,
                rating: standing.rating_at(now).shown(),
                won: standing.won,
                lost: standing.lost,
                drawn: standing.drawn,
                chart: chart(&history),
                lowest: format!("{:.0}", ends[0]),
                highest: format!("{:.0}", ends[1]),
            });
        }
        let own = match look.player() {
            Some(own) => context! {
                note => reader.player_note(own.id, player.id)?,
                did => did.said(reader, now)?,
                form => form_number(),
                words,
                refused,
            },
            None => context! {},
        };
        Ok(context! {
            userid => player.userid,
            ratings => Value::from(Serde(ratings)),
            trophies => Value::from(Serde(trophies(reader, &look, player.id, times)?)),
            running => Value::from(Serde(Listed::all(reader, &look, filter(true), times)?)),
            finished => Value::from(Serde(Listed::all(reader, &look, filter(false), times)?)),
            ..own
        })
    });
    Ok(answer(
        Kind::Html,
        site.page(&viewer, "player.html", facts.await?)?,
    ))
}
