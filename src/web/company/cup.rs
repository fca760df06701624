//! A cup: who is in, its rounds with their games, its tables, and the bracket of a knockout.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, RawPathParams, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::{Deserialize, Serialize};

use pbmserv_core::command::cup_made_by;
use pbmserv_core::seasons::Format;
use pbmserv_core::store::{ContestKind, ContestRow, Reader};

use crate::web::answer::{Kind, answer};
use crate::web::fault::Fault;
use crate::web::press::{Did, form_number};
use crate::web::site::Site;
use crate::web::times::{iso, times};
use crate::web::viewer::Viewer;

use super::people::{Person, people};
use super::place::{cup_in, open_cup};
use super::tables::{Game, games, played};

/// Which round's games are listed.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Round {
    /// 0: the newest.
    #[serde(default)]
    round: u32,
}

#[derive(Serialize)]
struct Listed {
    number: u32,
    games: Vec<Game>,
}

pub(super) async fn show(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
    did: Result<Query<Did>, QueryRejection>,
    round: Result<Query<Round>, QueryRejection>,
) -> Result<Response, Fault> {
    let (Ok(Query(did)), Ok(Query(Round { round }))) = (did, round) else {
        return Err(Fault::not_found());
    };
    page(&site, &viewer, cup_in(&params)?, round, did, "").await
}

/// The page, with why nothing was done.
pub(super) async fn page(
    site: &Arc<Site>,
    viewer: &Viewer,
    name: String,
    round: u32,
    did: Did,
    refused: &str,
) -> Result<Response, Fault> {
    let (now, look) = (site.now(), viewer.clone());
    let facts = site.look(move |reader| {
        let did = did.said(reader, now)?;
        let row = open_cup(reader, &look, &name)?;
        Ok(context! { did, ..facts(reader, &look, row, round, now)? })
    });
    let facts = context! { refused, form => form_number(), ..facts.await? };
    Ok(answer(Kind::Html, site.page(viewer, "cup.html", facts)?))
}

/// How a cup is played, as a clause.
pub(super) fn how(format: Format) -> String {
    match format {
        Format::Swiss { rounds: 1 } => "by the Swiss system, in one round".to_owned(),
        Format::Swiss { rounds } => format!("by the Swiss system, in {rounds} rounds"),
        Format::Knockout => "as a knockout".to_owned(),
        Format::Groups => "in groups, then as a knockout".to_owned(),
        Format::League => "everybody against everybody".to_owned(),
    }
}

fn facts(
    reader: &Reader,
    viewer: &Viewer,
    row: ContestRow,
    round: u32,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let (times, game) = (times(reader, viewer, now)?, row.new.game.facts);
    let ContestKind::Cup { name, .. } = row.new.kind.clone() else {
        return Err(Fault::not_found());
    };
    let contest = reader.filled(row)?;
    let (row, new) = (&contest.row, &contest.row.new);
    let people = people(reader, viewer, &contest)?;
    let newest = contest.round();
    let listed = match round {
        0 => newest,
        asked if asked <= newest => asked,
        _ => return Err(Fault::not_found()),
    };
    // A knockout's are in the bracket, those of groups in their tables.
    let is_listed = matches!(new.format, Format::Swiss { .. });
    let listed = (is_listed && listed > 0).then(|| Listed {
        number: listed,
        games: games(&contest, &people, listed),
    });
    let me = viewer.player().map(|player| player.id);
    let entrant = me
        .and_then(|me| contest.place_of(me))
        .and_then(|place| contest.entrants.get(place));
    let maker = match cup_made_by(row) {
        Some(id) => {
            let userid = reader.player_by_id(id)?.map(|player| player.userid);
            Some(Person::of(reader, viewer, id, &userid.unwrap_or_default())?)
        }
        None => None,
    };
    let is_open = row.begun_at.is_none() && row.ended_at.is_none();
    Ok(context! {
        game => context! { name => game.name, title => game.bare_title() },
        cup => name,
        is_private => row.is_private(),
        how => how(new.format),
        options => new.options.to_string(),
        seats => new.seats,
        taken => contest.entrants.len(),
        days => new.terms.forfeit_days,
        total_days => new.terms.total_days,
        begins => times.said(new.begins_at),
        begins_iso => iso(new.begins_at),
        begun => row.begun_at.map(|at| times.date(at)),
        ended => row.ended_at.map(|at| times.date(at)),
        is_open,
        is_mine => me.is_some() && cup_made_by(row) == me,
        invited => reader.cup_guests(row.id)?,
        is_in => entrant.is_some_and(|entrant| entrant.left_at.is_none()),
        has_room => contest.entrants.len() < new.seats as usize,
        maker => Value::from(Serde(maker)),
        played => row.begun_at.map(|_| Value::from(Serde(played(&contest, &people)))),
        people => Value::from(Serde(&people)),
        rounds => newest,
        listed => Value::from(Serde(listed)),
    })
}
