//! When the next season of a league begins, and when a cup: as calendars (RFC 5545), and in the own calendar of a player.

use std::sync::Arc;

use axum::extract::{RawPathParams, State};
use axum::response::Response;
use chrono::{DateTime, TimeDelta, Utc};
use icalendar::{Calendar, Component as _, Event, EventLike as _};
use pbmserv_games::Game;

use pbmserv_core::command::capital;
use pbmserv_core::store::{ContestRow, Reader};
use pbmserv_core::table::PlayerId;

use crate::web::answer::{Kind, answer};
use crate::web::event::{REVISIONS_SINCE, Where, revision};
use crate::web::fault::Fault;
use crate::web::site::Site;
use crate::web::viewer::Viewer;

use super::place::{cup_in, game_in, open_cup, page_of};

/// How long a beginning takes in a calendar.
const LENGTH: TimeDelta = TimeDelta::hours(1);

/// `since`: since when the date is known.
fn event(
    place: &Where,
    uid: &str,
    (at, since): (DateTime<Utc>, DateTime<Utc>),
    summary: &str,
    page: &str,
) -> Event {
    Event::new()
        .uid(&format!("{uid}@{}", place.host))
        .timestamp(since)
        .last_modified(since)
        // A date may be postponed, never brought forward.
        .sequence(revision(at))
        .starts(at)
        .ends(at + LENGTH)
        .summary(summary)
        .url(&format!("{}{page}", place.root))
        .done()
}

/// The next season of a league; `usual`: when it begins if nobody has joined.
fn of_league(
    reader: &Reader,
    place: &Where,
    game: &Game,
    usual: Option<DateTime<Utc>>,
) -> Result<Option<Event>, Fault> {
    let (name, title) = (game.facts.name, game.facts.bare_title());
    let league = reader.league(game)?;
    let (season, at) = match &league {
        Some(league) => (league.season, Some(league.due_at)),
        None => (0, usual),
    };
    let Some(at) = at else { return Ok(None) };
    let last = reader.divisions_from(game, season, 1, 1)?.pop();
    let since = last.map_or(REVISIONS_SINCE, |row| row.new.begins_at);
    let next = season + 1;
    Ok(Some(event(
        place,
        &format!("league-{name}-{next}"),
        (at, since),
        &format!("Season {next} of the {title} league begins"),
        &format!("games/{name}/league"),
    )))
}

/// The beginning of a cup that comes about, or may.
fn of_cup(place: &Where, row: &ContestRow) -> Option<Event> {
    let has_failed = row.ended_at.is_some() && row.begun_at.is_none();
    (!has_failed).then(|| {
        event(
            place,
            &format!("cup-{}", row.id),
            (row.new.begins_at, REVISIONS_SINCE),
            &format!("{} begins", capital(&row.name())),
            &page_of(row),
        )
    })
}

fn calendar(name: &str, events: impl IntoIterator<Item = Event>) -> Response {
    let mut calendar = Calendar::new();
    calendar.name(name);
    for event in events {
        calendar.push(event);
    }
    answer(Kind::Calendar, calendar.to_string())
}

/// The next season of a league.
pub(super) async fn league(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let game = game_in(&params)?;
    let (place, usual) = (Where::of(&site, &viewer), site.server.next_season());
    let event = site
        .look(move |reader| of_league(reader, &place, game, usual))
        .await?;
    Ok(calendar(
        &format!("The {} league", game.facts.bare_title()),
        event,
    ))
}

/// The beginning of a cup.
pub(super) async fn cup(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let (name, place) = (cup_in(&params)?, Where::of(&site, &viewer));
    let made = site.look(move |reader| {
        let row = open_cup(reader, &viewer, &name)?;
        Ok((capital(&row.name()), of_cup(&place, &row)))
    });
    let (name, event) = made.await?;
    Ok(calendar(&name, event))
}

/// The seasons and cups that a player has joined and that have not begun.
pub(in crate::web) fn of_player(
    reader: &Reader,
    place: &Where,
    player: PlayerId,
    now: DateTime<Utc>,
) -> Result<Vec<Event>, Fault> {
    let mut events = Vec::new();
    for game in reader.leagues_of(player)? {
        events.extend(of_league(reader, place, game, None)?);
    }
    for row in reader.contests_of(player, now)? {
        if row.begun_at.is_none() {
            events.extend(of_cup(place, &row));
        }
    }
    Ok(events)
}
