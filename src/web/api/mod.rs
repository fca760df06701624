//! The boards for programs: what the pages show, as JSON, and the turns of a player.
//!
//! The key of a private link stands in the `Authorization` header, never in an address. A turn is the same command as on a page.
//! `templates/openapi.json` describes it; a test holds the two together.

mod caller;
mod shape;

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Extension, Query, RawPathParams, State};
use axum::response::Response;
use axum::routing::get;
use chrono::{DateTime, Utc};
use hyper::header::CONTENT_TYPE;
use hyper::{HeaderMap, StatusCode};
use pbmserv_core::command::PageRequest;
use pbmserv_core::store::{BoardFilter, Reader};
use pbmserv_core::table::{BoardLetter, End, Player};
use pbmserv_games::{GAMES, Game};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::engine::forms::FormOutcome;

use super::access::Client;
use super::answer::{Kind, answer};
use super::board::{OnBoard, Place, SaidOn, said};
use super::fault::Fault;
use super::names::{is_shown, seen};
use super::site::Site;
use super::standings::standings;
use super::times::times;
use super::viewer::{Owner, Viewer, named};
use super::waiting::{OwnBoard, own_boards};
use caller::Caller;
use shape::{BoardFacts, BoardRow, GameFacts, Legal, PlayedTurn, PlayerFacts, Rating};

/// The description, for programs that read it (OpenAPI 3.1), without the names of the games.
const DESCRIPTION: &str = include_str!("../../../templates/openapi.json");

/// The most boards of a list.
const MAX_BOARDS: u32 = 100;

/// The most players in the standings of a game.
const MAX_PLACES: usize = 100;

/// The most legal turns that are listed. A position of some games has more than anybody reads.
const MAX_LEGAL: usize = 5000;

/// The longest text of turns, in bytes.
const MAX_TURNS: usize = 10_000;

type Answer = Result<Response, Fault>;

pub(super) fn routes(at: &str) -> Router<Arc<Site>> {
    let api = format!("{at}api");
    let board = format!("{api}/boards/{{game}}/{{number}}");
    Router::new()
        .route(&format!("{api}/openapi.json"), get(description))
        .route(&format!("{api}/games"), get(games))
        .route(&format!("{api}/boards"), get(boards))
        .route(&board, get(show))
        .route(&format!("{board}/turns"), get(turns).post(play))
        .route(&format!("{board}/legal"), get(legal))
        .route(&format!("{board}/record"), get(record))
        .route(&format!("{api}/players/{{userid}}"), get(player))
        .route(&format!("{api}/standings/{{game}}"), get(ranked))
        .route(&format!("{api}/me"), get(me))
}

fn json(content: &impl Serialize) -> Answer {
    let text = serde_json::to_vec(content).map_err(|error| Fault::internal(&error))?;
    Ok(answer(Kind::Json, text))
}

async fn description() -> Answer {
    let mut document: Value = serde_json::from_str(DESCRIPTION).map_err(|error| Fault::internal(&error))?;
    let names: Vec<&str> = GAMES.iter().map(|game| game.facts.name).collect();
    document["components"]["schemas"]["GameName"]["enum"] = names.into();
    json(&document)
}

async fn games(_: Caller) -> Answer {
    json(&GAMES.iter().map(GameFacts::of).collect::<Vec<_>>())
}

/// Which boards are listed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    game: Option<String>,
    player: Option<String>,
    running: Option<bool>,
    limit: Option<u32>,
}

impl Wanted {
    fn filter(&self, reader: &Reader, viewer: &Viewer) -> Result<BoardFilter, Fault> {
        let game = match &self.game {
            Some(name) => Some(pbmserv_games::find(name).ok_or_else(no_game)?),
            None => None,
        };
        let player = match &self.player {
            Some(userid) => Some(shown_player(reader, viewer, userid)?.id),
            None => None,
        };
        let limit = self.limit.unwrap_or(MAX_BOARDS);
        if !(1..=MAX_BOARDS).contains(&limit) {
            return Err(Fault::unreadable(format!(
                "limit is a number from 1 to {MAX_BOARDS}."
            )));
        }
        Ok(BoardFilter {
            game,
            player,
            running: self.running,
            limit,
            ..BoardFilter::default()
        })
    }
}

fn no_game() -> Fault {
    missing("There is no game of this name.")
}

fn missing(sentence: &str) -> Fault {
    Fault::new(StatusCode::NOT_FOUND, "Not found", sentence)
}

/// A player whom this viewer may see by name.
fn shown_player(reader: &Reader, viewer: &Viewer, userid: &str) -> Result<Player, Fault> {
    let found = reader.player(userid)?;
    match found {
        Some(player) if is_shown(reader, viewer, player.id)? => Ok(player),
        _ => Err(missing("There is no player of this name.")),
    }
}

/// The newest boards first; declined challenges are left out.
async fn boards(
    State(site): State<Arc<Site>>,
    caller: Caller,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Answer {
    let viewer = caller.anywhere()?;
    let Query(wanted) = wanted.map_err(|rejection| Fault::unreadable(rejection.body_text()))?;
    let base = site.base.clone();
    let rows = site.look(move |reader| {
        let boards = reader.boards(wanted.filter(reader, &viewer)?)?.into_iter();
        let boards = boards.filter(|board| !matches!(board.end, Some(End::Removed(_))));
        let rows = boards.map(|board| BoardRow::of(&seen(reader, &viewer, board)?, &base));
        rows.collect::<Result<Vec<_>, Fault>>()
    });
    json(&rows.await?)
}

async fn show(State(site): State<Arc<Site>>, Caller(viewer): Caller, place: Place) -> Answer {
    let at = reached(viewer, place)?;
    json(&facts(&site, at).await?)
}

/// The board, if the key of the caller reaches it.
fn reached(viewer: Viewer, place: Place) -> Result<OnBoard, Fault> {
    match viewer.key {
        Some(key) if !key.opened.reach.has(place.game, place.number) => Err(Fault::out_of_reach(key)),
        _ => Ok(OnBoard { viewer, place }),
    }
}

async fn facts(site: &Site, OnBoard { viewer, place }: OnBoard) -> Result<BoardFacts, Fault> {
    let (now, base) = (site.now(), site.base.clone());
    site.look(move |reader| BoardFacts::of(reader, &place.read(reader, &viewer)?, &viewer, &base, now))
        .await
}

/// All turns that were played.
async fn turns(State(site): State<Arc<Site>>, Caller(viewer): Caller, place: Place) -> Answer {
    let OnBoard { viewer, place } = reached(viewer, place)?;
    let played = site.look(move |reader| {
        let board = place.board(reader, &viewer)?;
        let turns = reader.turns(board.id)?;
        Ok(turns.iter().map(PlayedTurn::of).collect::<Vec<_>>())
    });
    json(&played.await?)
}

/// The turns that are legal now.
async fn legal(State(site): State<Arc<Site>>, Caller(viewer): Caller, place: Place) -> Answer {
    let OnBoard { viewer, place } = reached(viewer, place)?;
    let legal = site.look(move |reader| {
        let seen = place.read(reader, &viewer)?;
        let mut turns = match seen.board.end {
            None => seen.then.position.turns(MAX_LEGAL + 1),
            Some(_) => Vec::new(),
        };
        let is_complete = turns.len() <= MAX_LEGAL;
        turns.truncate(MAX_LEGAL);
        Ok(Legal { turns, is_complete })
    });
    json(&legal.await?)
}

/// The record as a file has it.
#[derive(Serialize)]
struct RecordText {
    record: String,
    sgf: Option<String>,
    /// What was said on its turns.
    comments: Vec<SaidOn>,
}

async fn record(State(site): State<Arc<Site>>, Caller(viewer): Caller, place: Place) -> Answer {
    let OnBoard { viewer, place } = reached(viewer, place)?;
    let record = site.look(move |reader| {
        let seen = place.read(reader, &viewer)?;
        let record = seen.record(reader, &viewer)?;
        Ok(RecordText {
            record: record.to_string(),
            sgf: record.sgf(),
            comments: said(reader, &viewer, &seen.board)?,
        })
    });
    json(&record.await?)
}

async fn player(State(site): State<Arc<Site>>, caller: Caller, params: RawPathParams) -> Answer {
    let viewer = caller.anywhere()?;
    let userid = named(&params, "userid").unwrap_or_default().to_owned();
    let now = site.now();
    let found = site.look(move |reader| {
        let player = shown_player(reader, &viewer, &userid)?;
        let mut ratings = Vec::new();
        for game in GAMES {
            let standing = reader.standing(player.id, game)?;
            if standing.rated_at.is_some() {
                ratings.push(Rating::of(game, &standing, now));
            }
        }
        Ok(PlayerFacts {
            userid: player.userid,
            ratings,
        })
    });
    json(&found.await?)
}

async fn ranked(State(site): State<Arc<Site>>, caller: Caller, params: RawPathParams) -> Answer {
    let viewer = caller.anywhere()?;
    let game: &'static Game = named(&params, "game")
        .and_then(pbmserv_games::find)
        .ok_or_else(no_game)?;
    let now = site.now();
    let places = site.look(move |reader| {
        let times = times(reader, &viewer, now)?;
        let rows = standings(reader, &viewer, game, times, MAX_PLACES)?;
        Ok(rows.iter().map(shape::Ranked::of).collect::<Vec<_>>())
    });
    json(&places.await?)
}

/// The caller, and the boards that wait for the caller.
#[derive(Serialize)]
struct Me {
    userid: String,
    /// The nearest deadline first.
    waiting: Vec<BoardRow>,
    others: Vec<BoardRow>,
}

async fn me(State(site): State<Arc<Site>>, caller: Caller) -> Answer {
    let owner = caller.owner()?;
    let (now, base): (DateTime<Utc>, _) = (site.now(), site.base.clone());
    let facts = site.look(move |reader| {
        let (waiting, others) = own_boards(reader, &owner, now)?;
        let rows = |boards: Vec<OwnBoard>| {
            let rows = boards.into_iter().map(|own| BoardRow::of(&own.board, &base));
            rows.collect::<Result<Vec<_>, Fault>>()
        };
        Ok(Me {
            userid: owner.player().userid.clone(),
            waiting: rows(waiting)?,
            others: rows(others)?,
        })
    });
    json(&facts.await?)
}

/// What is played.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    /// The newest event of the board that the caller has seen, so that nothing is played on a board that has gone on.
    #[serde(deserialize_with = "whole")]
    event: u32,
    /// As in a mail.
    turn: String,
    /// For the other player.
    #[serde(default)]
    words: String,
}

/// A whole number, which JSON may also write as `7.0`.
fn whole<'a, D: Deserializer<'a>>(from: D) -> Result<u32, D::Error> {
    let number = f64::deserialize(from)?;
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    match is_whole {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is in bounds"
        )]
        true => Ok(number as u32),
        false => Err(D::Error::custom("not the number of an event")),
    }
}

/// The board after a turn.
#[derive(Serialize)]
struct Played {
    /// Whether the same was asked for before, so that nothing was done now.
    again: bool,
    board: BoardFacts,
}

async fn play(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    caller: Caller,
    place: Place,
    header: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Answer {
    let owner = Owner::of(caller.known()?)?;
    let at = reached(owner.viewer.clone(), place.clone())?;
    let turn = read(&header, body)?;
    let (seeing, look) = (at.place.clone(), at.viewer.clone());
    let board = site.look(move |reader| seeing.board(reader, &look)).await?;
    let seat = board.seat_of(owner.player().id);
    let seat = seat.ok_or_else(|| Fault::no_seat(owner.key.clone()))?;
    let asked = PageRequest {
        game: Some(place.game),
        board: Some(place.number),
        rest: turn.turn,
        words: turn.words,
        shown: Some(BoardLetter {
            board: board.id,
            seat,
            event: turn.event,
        }),
        // The event tells one turn from another, so the same turn sent twice is played once.
        ..owner.asks("move", "api", client)
    };
    let again = match site.server.press(asked).await? {
        FormOutcome::Done(_) => false,
        FormOutcome::Before(_) => true,
        FormOutcome::Refused(why) => return Err(Fault::new(StatusCode::CONFLICT, "Not done", why)),
    };
    let board = facts(&site, at).await?;
    json(&Played { again, board })
}

fn read(header: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<Turn, Fault> {
    let kind = header.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        let sentence = "The body must be JSON, with Content-Type: application/json.";
        return Err(Fault::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Not done",
            sentence,
        ));
    }
    let body =
        body.map_err(|rejection| Fault::new(rejection.status(), "Not done", "The body is too long."))?;
    let turn: Turn = serde_json::from_slice(&body).map_err(|_| {
        Fault::unreadable("The body must be {\"event\": NUMBER, \"turn\": \"TURN\"}, and may have \"words\".")
    })?;
    match turn.turn.len() <= MAX_TURNS {
        true => Ok(turn),
        false => Err(Fault::unreadable("The turn is too long.")),
    }
}
