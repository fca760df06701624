//! The league of a game: the tables of a season, a page for each ten divisions, and the history of its seasons.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, RawPathParams, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::Game;
use serde::{Deserialize, Serialize};

use pbmserv_core::seasons::changes;
use pbmserv_core::store::{ContestKind, ContestRow, Reader};

use crate::web::answer::{Kind, answer};
use crate::web::fault::Fault;
use crate::web::press::{Did, form_number};
use crate::web::site::Site;
use crate::web::times::{iso, times};
use crate::web::viewer::{Viewer, named};

use super::people::{Person, people};
use super::place::{PER_PAGE, first_of_page, game_in};
use super::tables::{Played, played};

/// The most seasons of the history that are listed; each has a link to the one before.
const MAX_SEASONS: u32 = 12;

/// Which divisions.
#[derive(Debug, Default, Deserialize)]
pub(super) struct From {
    #[serde(default)]
    from: u32,
}

#[derive(Serialize)]
struct Division {
    number: u32,
    is_over: bool,
    played: Played,
    /// How many go up and down.
    ups: usize,
    downs: usize,
}

/// A season of the history.
#[derive(Serialize)]
struct Season {
    number: u32,
    begun: String,
    /// Who has won the first division, once it is over.
    winners: Vec<Person>,
}

/// A league, and which of its pages.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) game: &'static Game,
    /// `None`: the present one.
    pub(super) season: Option<u32>,
    pub(super) from: u32,
}

pub(super) async fn show(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
    did: Result<Query<Did>, QueryRejection>,
    from: Result<Query<From>, QueryRejection>,
) -> Result<Response, Fault> {
    let (Ok(Query(did)), Ok(Query(from))) = (did, from) else {
        return Err(Fault::not_found());
    };
    let season = match named(&params, "season") {
        Some(text) => Some(text.parse().map_err(|_| Fault::not_found())?),
        None => None,
    };
    let asked = Asked {
        game: game_in(&params)?,
        season,
        from: from.from,
    };
    page(&site, &viewer, asked, did, "").await
}

/// The page, with why nothing was done.
pub(super) async fn page(
    site: &Arc<Site>,
    viewer: &Viewer,
    asked: Asked,
    did: Did,
    refused: &str,
) -> Result<Response, Fault> {
    let (now, look, usual) = (site.now(), viewer.clone(), site.server.next_season());
    let facts = site.look(move |reader| {
        let did = did.said(reader, now)?;
        Ok(context! { did, ..facts(reader, &look, asked, usual, now)? })
    });
    let facts = context! { refused, form => form_number(), ..facts.await? };
    Ok(answer(Kind::Html, site.page(viewer, "league.html", facts)?))
}

/// `usual`: when a season begins of which nothing is stored.
fn facts(
    reader: &Reader,
    viewer: &Viewer,
    asked: Asked,
    usual: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let (game, times) = (asked.game, times(reader, viewer, now)?);
    let league = reader.league(game)?;
    let newest = league.as_ref().map_or(0, |league| league.season);
    let season = asked.season.unwrap_or(newest);
    if asked.season == Some(0) || season > newest {
        return Err(Fault::not_found());
    }
    let from = first_of_page(asked.from.max(1));
    let count = reader.division_count(game, season)?;
    if from > 1 && from > count {
        return Err(Fault::not_found());
    }
    let rows = reader.divisions_from(game, season, from, PER_PAGE)?;
    let begun = rows.first().map(|row| times.date(row.new.begins_at));
    let days = rows
        .first()
        .map(|row| (row.new.terms.forfeit_days, row.new.terms.total_days));
    let mut divisions = Vec::new();
    for row in rows {
        divisions.push(division(reader, viewer, row, count)?);
    }
    let player = viewer.player().map(|player| player.id);
    let own = match player {
        Some(player) => reader.division_of(game, season, player)?,
        None => None,
    };
    let is_in = match player {
        Some(player) => reader.in_league_since(game, player)?.is_some(),
        None => false,
    };
    let next = match &league {
        Some(league) => Some(league.due_at),
        None => usual,
    };
    let last = count.div_ceil(PER_PAGE);
    let pages = (count > PER_PAGE).then(|| {
        let number = first_of_page(from) / PER_PAGE + 1;
        [
            ("First", 1),
            ("Back", number.saturating_sub(1)),
            ("Forward", number + 1),
            ("Last", last),
        ]
        .into_iter()
        .filter(|(_, page)| *page != number && (1..=last).contains(page))
        .map(|(label, page)| context! { label, from => (page - 1) * PER_PAGE + 1 })
        .collect::<Vec<_>>()
    });
    Ok(context! {
        game => context! { name => game.facts.name, title => game.facts.bare_title() },
        season,
        is_present => season == newest,
        begun, days, count, from, pages, is_in, newest,
        until => count.min(from + PER_PAGE - 1),
        size => reader.league_size(game)?,
        own => own.map(|division| context! { division, from => first_of_page(division) }),
        plays_on => own.is_some() && season == newest && has_open(reader, viewer, game, now)?,
        next => next.map(|next| times.said(next)),
        next_iso => next.map(iso),
        divisions => Value::from(Serde(divisions)),
        history => Value::from(Serde(history(reader, viewer, game, (season, newest), times)?)),
    })
}

fn division(reader: &Reader, viewer: &Viewer, row: ContestRow, count: u32) -> Result<Division, Fault> {
    let contest = reader.filled(row)?;
    let people = people(reader, viewer, &contest)?;
    let number = match contest.row.new.kind {
        ContestKind::Division { division, .. } => division,
        ContestKind::Cup { .. } => 0,
    };
    let changing = changes(contest.entrants.len());
    Ok(Division {
        number,
        is_over: contest.row.ended_at.is_some(),
        played: played(&contest, &people),
        ups: if number > 1 { changing } else { 0 },
        downs: if number < count { changing } else { 0 },
    })
}

/// Whether the player of the link still plays in a season of this league.
fn has_open(reader: &Reader, viewer: &Viewer, game: &Game, now: DateTime<Utc>) -> Result<bool, Fault> {
    let Some(player) = viewer.player() else {
        return Ok(false);
    };
    for row in reader.contests_of(player.id, now)? {
        if std::ptr::eq(row.new.game, game) && matches!(row.new.kind, ContestKind::Division { .. }) {
            let contest = reader.filled(row)?;
            let entrant = contest
                .place_of(player.id)
                .and_then(|place| contest.entrants.get(place));
            if entrant.is_some_and(|entrant| entrant.left_at.is_none()) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The seasons before, the newest first.
fn history(
    reader: &Reader,
    viewer: &Viewer,
    game: &Game,
    (shown, newest): (u32, u32),
    times: pbmserv_core::letters::Times,
) -> Result<Vec<Season>, Fault> {
    // The neighbours of an old season too.
    let first = newest.min(shown.saturating_add(MAX_SEASONS / 2)).max(1);
    let numbers = (1..=first).rev().filter(|number| *number != shown);
    let mut seasons = Vec::new();
    for number in numbers.take(MAX_SEASONS as usize) {
        let Some(row) = reader.divisions_from(game, number, 1, 1)?.pop() else {
            continue;
        };
        let begun = times.date(row.new.begins_at);
        let mut winners = Vec::new();
        if row.ended_at.is_some() {
            let contest = reader.filled(row)?;
            let tables = contest.facts().tables();
            for row in tables.iter().flat_map(|table| &table.rows) {
                if let (Some(1), Some(entrant)) = (row.place, contest.entrants.get(row.entrant)) {
                    winners.push(Person::of(reader, viewer, entrant.player, &entrant.userid)?);
                }
            }
        }
        seasons.push(Season {
            number,
            begun,
            winners,
        });
    }
    Ok(seasons)
}
