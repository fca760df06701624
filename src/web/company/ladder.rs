//! The ladder of a game: the ranks, the games that are open, who is away, and whom one may challenge.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, RawPathParams, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::Game;
use serde::{Deserialize, Serialize};

use pbmserv_core::command::{CHALLENGES_AT_ONCE, is_frozen, ladder_ranking, open_on_ladder};
use pbmserv_core::store::Reader;

use crate::web::answer::{Kind, answer};
use crate::web::fault::Fault;
use crate::web::press::{Did, form_number};
use crate::web::site::Site;
use crate::web::viewer::Viewer;

use super::people::Person;
use super::place::game_in;

/// The ranks of a page.
const PER_PAGE: usize = 100;

/// The most open games of a list.
const MAX_GAMES: usize = 100;

/// From which rank.
#[derive(Debug, Default, Deserialize)]
pub(super) struct From {
    #[serde(default)]
    from: usize,
}

#[derive(Serialize)]
struct Rank {
    rank: usize,
    person: Person,
    rating: String,
    is_away: bool,
    /// Whether the player of the link may challenge this one now.
    is_open: bool,
}

/// A game on the ladder that runs.
#[derive(Serialize)]
struct Open {
    challenger: Person,
    defender: Person,
    board: u32,
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
    page(&site, &viewer, game_in(&params)?, from.from, did, "").await
}

/// The page, with why nothing was done.
pub(super) async fn page(
    site: &Arc<Site>,
    viewer: &Viewer,
    game: &'static Game,
    from: usize,
    did: Did,
    refused: &str,
) -> Result<Response, Fault> {
    let (now, look) = (site.now(), viewer.clone());
    let days = site.server.ladder_days();
    let facts = site.look(move |reader| {
        let did = did.said(reader, now)?;
        Ok(context! { did, ..facts(reader, &look, game, from, now)? })
    });
    let facts = context! { refused, days, form => form_number(), ..facts.await? };
    Ok(answer(Kind::Html, site.page(viewer, "ladder.html", facts)?))
}

fn facts(
    reader: &Reader,
    viewer: &Viewer,
    game: &'static Game,
    from: usize,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let ranks = ladder_ranking(reader, game)?;
    let boards = reader.ladder_boards(game)?;
    let me = viewer.player();
    let own = me.and_then(|me| ranks.iter().position(|id| *id == me.id));
    let challenges = boards
        .iter()
        .filter(|board| me.is_some_and(|me| board.challenger == me.id));
    let may_challenge = challenges.count() < CHALLENGES_AT_ONCE;
    let open = match me.filter(|_| own.is_some() && may_challenge) {
        Some(me) => open_on_ladder(reader, game, &ranks, me)?,
        None => Vec::new(),
    };
    let first = from.max(1);
    if first > 1 && first > ranks.len() {
        return Err(Fault::not_found());
    }
    let mut rows = Vec::new();
    for (rank, id) in (1..).zip(&ranks).skip(first - 1).take(PER_PAGE) {
        let Some(player) = reader.player_by_id(*id)? else {
            continue;
        };
        rows.push(Rank {
            rank,
            person: Person::of(reader, viewer, *id, &player.userid)?,
            rating: reader.standing(*id, game)?.rating_at(now).shown(),
            is_away: is_frozen(reader, &player)?,
            is_open: open.iter().any(|other| other.id == *id),
        });
    }
    let person = |id| -> Result<Person, Fault> {
        let userid = reader.player_by_id(id)?.map(|player| player.userid);
        Person::of(reader, viewer, id, &userid.unwrap_or_default())
    };
    let mut games = Vec::new();
    for board in boards.iter().rev().take(MAX_GAMES) {
        games.push(Open {
            challenger: person(board.challenger)?,
            defender: person(board.defender)?,
            board: board.number,
        });
    }
    let forward = first + PER_PAGE;
    Ok(context! {
        game => context! { name => game.facts.name, title => game.facts.bare_title() },
        count => ranks.len(),
        own => own.map(|place| place + 1),
        may_challenge,
        from => first,
        back => (first > 1).then(|| first.saturating_sub(PER_PAGE).max(1)),
        forward => (forward <= ranks.len()).then_some(forward),
        ranks => Value::from(Serde(rows)),
        game_count => boards.len(),
        games => Value::from(Serde(games)),
    })
}
