//! All leagues, ladders and cups, and the form that makes a cup.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::GAMES;
use serde::{Deserialize, Serialize};

use pbmserv_core::command::{TURNS_BEFORE_INVITING, ladder_ranking};
use pbmserv_core::store::{ContestKind, ContestRow, Reader};

use crate::web::answer::{Kind, answer};
use crate::web::fault::Fault;
use crate::web::press::{Did, form_number};
use crate::web::site::Site;
use crate::web::times::times;
use crate::web::viewer::Viewer;

use super::cup::how;

/// The most cups that are not over in the list.
const MAX_OPEN: u32 = 100;

/// The cups that are over, a page.
const MAX_OVER: u32 = 30;

/// Which of the cups that are over.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Before {
    /// Those made before the one in this row; 0: the newest.
    #[serde(default)]
    before: i64,
}

/// What stood in the form that makes a cup.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) game: String,
    pub(super) format: String,
    pub(super) rounds: String,
    pub(super) size: String,
    pub(super) from: String,
    pub(super) options: String,
    pub(super) is_private: bool,
}

#[derive(Serialize)]
struct Cup {
    name: String,
    game: &'static str,
    how: String,
    taken: u32,
    seats: u32,
    when: String,
    is_private: bool,
}

#[derive(Serialize)]
struct League {
    name: &'static str,
    title: &'static str,
    season: u32,
    size: u32,
    next: String,
    ladder: usize,
}

pub(super) async fn show(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    did: Result<Query<Did>, QueryRejection>,
    before: Result<Query<Before>, QueryRejection>,
) -> Result<Response, Fault> {
    let (Ok(Query(did)), Ok(Query(Before { before }))) = (did, before) else {
        return Err(Fault::not_found());
    };
    page(&site, &viewer, before, did, Wanted::default(), "").await
}

/// The page, with why nothing was done.
pub(super) async fn page(
    site: &Arc<Site>,
    viewer: &Viewer,
    before: i64,
    did: Did,
    wanted: Wanted,
    refused: &str,
) -> Result<Response, Fault> {
    let (now, look) = (site.now(), viewer.clone());
    let is_director = viewer.player().is_some_and(|me| site.server.is_director(me));
    let facts = site.look(move |reader| {
        let did = did.said(reader, now)?;
        let facts = facts(reader, &look, before, now)?;
        let can_make = match look.player() {
            Some(me) => is_director || reader.has_played(me.id, TURNS_BEFORE_INVITING)?,
            None => false,
        };
        Ok(context! { did, can_make, ..facts })
    });
    let facts = context! {
        refused,
        form => form_number(),
        wanted => Value::from(Serde(wanted)),
        games => GAMES.iter().map(|game| game.facts.name).collect::<Vec<_>>(),
        ..facts.await?
    };
    Ok(answer(Kind::Html, site.page(viewer, "cups.html", facts)?))
}

fn facts(reader: &Reader, viewer: &Viewer, before: i64, now: DateTime<Utc>) -> Result<Value, Fault> {
    let times = times(reader, viewer, now)?;
    let me = viewer.player().map(|player| player.id);
    let cup = |row: &ContestRow| -> Result<Cup, Fault> {
        let name = match &row.new.kind {
            ContestKind::Cup { name, .. } => name.clone(),
            ContestKind::Division { .. } => String::new(),
        };
        Ok(Cup {
            name,
            game: row.new.game.facts.name,
            how: how(row.new.format),
            taken: reader.entrant_count(row.id)?,
            seats: row.new.seats,
            when: match (row.begun_at, row.ended_at) {
                (_, Some(ended)) => times.date(ended),
                (Some(begun), None) => times.date(begun),
                (None, None) => times.said(row.new.begins_at),
            },
            is_private: row.is_private(),
        })
    };
    let (mut open, mut running) = (Vec::new(), Vec::new());
    for row in reader.open_cups(me, MAX_OPEN)? {
        match row.begun_at {
            None => open.push(cup(&row)?),
            Some(_) => running.push(cup(&row)?),
        }
    }
    let before = if before > 0 { before } else { i64::MAX };
    let rows = reader.cups_over(me, before, MAX_OVER)?;
    let older = rows
        .last()
        .filter(|_| rows.len() == MAX_OVER as usize)
        .map(|row| row.id);
    let over: Result<Vec<_>, _> = rows.iter().map(cup).collect();
    let mut leagues = Vec::new();
    for game in GAMES {
        let (league, ladder) = (reader.league(game)?, ladder_ranking(reader, game)?.len());
        if league.is_some() || ladder > 0 {
            leagues.push(League {
                name: game.facts.name,
                title: game.facts.bare_title(),
                season: league.as_ref().map_or(0, |league| league.season),
                size: reader.league_size(game)?,
                next: league.map_or_else(String::new, |league| times.date(league.due_at)),
                ladder,
            });
        }
    }
    Ok(context! {
        open => Value::from(Serde(open)),
        running => Value::from(Serde(running)),
        over => Value::from(Serde(over?)),
        leagues => Value::from(Serde(leagues)),
        older,
    })
}
