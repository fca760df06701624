//! What a player's own page says of leagues, ladders and cups.

use chrono::{DateTime, TimeDelta, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use pbmserv_core::command::{capital, ladder_ranking, own_tables};
use pbmserv_core::letters::Times;
use pbmserv_core::store::{ContestKind, Reader};
use pbmserv_core::table::PlayerId;

use crate::web::fault::Fault;

use super::place::page_of;

/// How long a contest that is over still stands there.
const SHOWN_FOR: TimeDelta = TimeDelta::days(7);

/// A contest that is played, or was over a short time ago.
#[derive(Serialize)]
struct Table {
    sentence: String,
    page: String,
    /// Where one leaves it; empty if it is over.
    leave: String,
}

#[derive(Serialize)]
struct League {
    name: &'static str,
    title: &'static str,
    next: String,
}

#[derive(Serialize)]
struct Ladder {
    name: &'static str,
    title: &'static str,
    rank: usize,
    of: usize,
}

/// A cup that has not begun.
#[derive(Serialize)]
struct Cup {
    name: String,
    title: String,
    begins: String,
}

/// The facts of that part of the page.
pub(in crate::web) fn facts(
    reader: &Reader,
    player: PlayerId,
    times: Times,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let tables = own_tables(reader, player, now - SHOWN_FOR)?;
    let tables = tables.into_iter().map(|own| Table {
        leave: match (own.row.ended_at, &own.row.new.kind) {
            (Some(_), _) => String::new(),
            (None, ContestKind::Division { .. }) => {
                format!("games/{}/league/withdraw", own.row.new.game.facts.name)
            }
            (None, ContestKind::Cup { name, .. }) => format!("cups/{name}/leave"),
        },
        page: page_of(&own.row),
        sentence: own.sentence,
    });
    let tables: Vec<_> = tables.collect();
    let mut leagues = Vec::new();
    for game in reader.leagues_of(player)? {
        let next = reader.league(game)?.map(|league| times.said(league.due_at));
        leagues.push(League {
            name: game.facts.name,
            title: game.facts.bare_title(),
            next: next.unwrap_or_default(),
        });
    }
    let mut ladders = Vec::new();
    for game in reader.ladders_of(player)? {
        let ranks = ladder_ranking(reader, game)?;
        if let Some(place) = ranks.iter().position(|id| *id == player) {
            ladders.push(Ladder {
                name: game.facts.name,
                title: game.facts.bare_title(),
                rank: place + 1,
                of: ranks.len(),
            });
        }
    }
    let mut cups = Vec::new();
    for row in reader.contests_of(player, now)? {
        if let (None, ContestKind::Cup { name, .. }) = (row.begun_at, &row.new.kind) {
            cups.push(Cup {
                name: name.clone(),
                title: capital(&row.name()),
                begins: times.said(row.new.begins_at),
            });
        }
    }
    Ok(context! {
        tables => Value::from(Serde(tables)),
        leagues => Value::from(Serde(leagues)),
        ladders => Value::from(Serde(ladders)),
        cups => Value::from(Serde(cups)),
    })
}
