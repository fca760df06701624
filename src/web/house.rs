//! The pages of the house: the games, the boards being played, the standings, and the help.

use std::sync::Arc;

use axum::extract::{RawPathParams, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::record::Record;
use pbmserv_games::{GAMES, Game};
use serde::Serialize;

use pbmserv_core::command::{COMMANDS, every_command, help_on};
use pbmserv_core::letters::blocks::blocks;
use pbmserv_core::store::{BoardFilter, Reader};

use super::answer::{Kind, answer};
use super::fault::Fault;
use super::listed::Listed;
use super::names::is_shown;
use super::press::form_number;
use super::rules::parts;
use super::site::Site;
use super::standings::{RankedRow, standings};
use super::times::times;
use super::viewer::{Viewer, named};

/// The most boards of a list of the house.
const MAX_BOARDS: u32 = 15;

/// The most boards of a list about one game or one player.
pub(super) const MAX_OF_ONE: u32 = 50;

/// The most players of a game in the standings of the house.
const MAX_PLACES: usize = 3;

/// The most players on the page of a game.
const MAX_PLACES_OF_GAME: usize = 100;

#[derive(Serialize)]
struct Shown {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    running: u32,
    seeks: usize,
    /// Whether a visitor can play it now.
    plays_now: bool,
}

fn shown(reader: &Reader, site: &Site, game: &'static Game) -> Result<Shown, Fault> {
    let (running, _) = reader.board_counts(game)?;
    Ok(Shown {
        name: game.facts.name,
        title: game.facts.title,
        summary: game.facts.summary,
        running,
        seeks: reader.seeks(game, 100)?.len(),
        plays_now: site.plays_now(game),
    })
}

/// The house.
pub(super) async fn show(State(site): State<Arc<Site>>, viewer: Viewer) -> Result<Response, Fault> {
    let now = site.now();
    let (look, here) = (viewer.clone(), site.clone());
    let facts = site.look(move |reader| facts(reader, &here, &look, now)).await?;
    Ok(answer(Kind::Html, site.page(&viewer, "house.html", facts)?))
}

fn facts(reader: &Reader, site: &Site, viewer: &Viewer, now: DateTime<Utc>) -> Result<Value, Fault> {
    let times = times(reader, viewer, now)?;
    let filter = |running| BoardFilter {
        running: Some(running),
        limit: MAX_BOARDS,
        ..BoardFilter::default()
    };
    let games: Result<Vec<_>, _> = GAMES.iter().map(|game| shown(reader, site, game)).collect();
    let mut places = Vec::new();
    for game in GAMES {
        let best = standings(reader, viewer, game, times, MAX_PLACES)?;
        let rated = best.into_iter().filter(RankedRow::is_rated);
        places.extend(rated.map(|place| (game.facts.name, place)));
    }
    Ok(context! {
        games => Value::from(Serde(games?)),
        running => Value::from(Serde(Listed::all(reader, viewer, filter(true), times)?)),
        finished => Value::from(Serde(Listed::all(reader, viewer, filter(false), times)?)),
        places => Value::from(Serde(places)),
        has_gazette => !reader.gazettes(1)?.is_empty(),
    })
}

/// A game: its rules, its boards and its players.
pub(super) async fn game(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let game = named(&params, "game")
        .and_then(pbmserv_games::find)
        .ok_or_else(Fault::not_found)?;
    let now = site.now();
    let (look, here, server) = (viewer.clone(), site.clone(), site.server.address.clone());
    let facts = site.look(move |reader| {
        let times = times(reader, &look, now)?;
        let filter = |running| BoardFilter {
            game: Some(game),
            running: Some(running),
            limit: MAX_OF_ONE,
            ..BoardFilter::default()
        };
        let help = help_on(&COMMANDS, Some(game.facts.name), &server).unwrap_or_default();
        // The first line is the title, which the page has as its heading.
        let rules = help.split_once("\n\n").map_or("", |(_, rules)| rules);
        let seeks = reader.seeks(game, 100)?;
        let mut seeking = Vec::new();
        for seek in seeks {
            if is_shown(reader, &look, seek.player)? {
                seeking.push(context! { userid => seek.userid, options => seek.options.to_string() });
            }
        }
        let computers = here.server.computers();
        let easiest = computers.easiest().filter(|_| computers.play(game));
        Ok(context! {
            game => Value::from(Serde(shown(reader, &here, game)?)),
            computer => easiest.map(|computer| computer.userid),
            form => form_number(),
            rules => Value::from(Serde(parts(game, rules)?)),
            running => Value::from(Serde(Listed::all(reader, &look, filter(true), times)?)),
            finished => Value::from(Serde(Listed::all(reader, &look, filter(false), times)?)),
            places => Value::from(Serde(standings(reader, &look, game, times, MAX_PLACES_OF_GAME)?)),
            seeking,
        })
    });
    Ok(answer(Kind::Html, site.page(&viewer, "game.html", facts.await?)?))
}

/// The picture of a game: the last board of its example.
pub(super) async fn game_picture(
    State(site): State<Arc<Site>>,
    _: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let game = named(&params, "game")
        .and_then(pbmserv_games::find)
        .ok_or_else(Fault::not_found)?;
    let record = Record::worked(game).map_err(|error| Fault::internal(&error))?;
    let drawn = site.look(move |_| {
        let replayed = record.replay().map_err(|error| Fault::internal(&error))?;
        Ok(replayed.picture().board_alone().svg())
    });
    Ok(answer(Kind::Svg, drawn.await?))
}

/// All players, by game.
pub(super) async fn players(State(site): State<Arc<Site>>, viewer: Viewer) -> Result<Response, Fault> {
    let now = site.now();
    let look = viewer.clone();
    let facts = site.look(move |reader| {
        let times = times(reader, &look, now)?;
        let mut games = Vec::new();
        for game in GAMES {
            games.push((
                game.facts.name,
                game.facts.title,
                standings(reader, &look, game, times, MAX_PLACES_OF_GAME / GAMES.len())?,
            ));
        }
        Ok(context! { games => Value::from(Serde(games)) })
    });
    Ok(answer(
        Kind::Html,
        site.page(&viewer, "players.html", facts.await?)?,
    ))
}

/// The help: the same texts as by mail.
pub(super) async fn help(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let topic = named(&params, "topic");
    let server = &site.server.address;
    let facts = match topic {
        Some("commands") => {
            let (head, each) = every_command(&COMMANDS, server);
            let each = each.iter().map(|(command, help)| {
                let (verb, summary, syntax) = (command.verb, command.summary, command.syntax_for(None));
                let help = blocks(help.strip_prefix(&syntax).unwrap_or(help));
                context! { verb, summary, syntax, help => Value::from(Serde(help)) }
            });
            context! { topic, help => Value::from(Serde(blocks(&head))), commands => each.collect::<Vec<_>>() }
        }
        _ => {
            let text = help_on(&COMMANDS, topic, server).ok_or_else(Fault::not_found)?;
            context! { topic, help => Value::from(Serde(blocks(&text))) }
        }
    };
    Ok(answer(Kind::Html, site.page(&viewer, "help.html", facts)?))
}
