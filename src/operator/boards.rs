//! The boards, found by game and player, and a page for each with its picture and the rulings.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use minijinja::{Value, context};
use pbmserv_games::GAMES;
use serde_json::Value as Json;

use crate::admin::Verb;
use crate::admin::board::{BoardArgs, BoardVerb};
use crate::web::Fault;
use crate::web::answer::see;
use pbmserv_core::command::record_after;

use super::desk::{Asked, Desk, given, value};
use super::sessions::Visit;

/// The boards of a list.
const MOST: usize = 100;

pub(super) async fn list(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let text = given(&asked.text).map(|text| text.to_lowercase());
    let game = given(&asked.game).and_then(|game| pbmserv_games::find(&game));
    if let (Some(game), Some(number)) = (game, text.as_ref().and_then(|text| text.parse::<u32>().ok())) {
        return see(&format!("/boards/{}/{number}", game.facts.name));
    }
    let verb = BoardVerb::List {
        game: game.map(|game| game.facts.name.to_owned()),
        all: !asked.all.is_empty(),
        json: true,
    };
    let mut found = rows(desk.json(Verb::Board(verb)).await?);
    if let Some(text) = &text {
        let number = text.parse().ok();
        found.retain(|board| {
            let is_named = |key: &str| {
                let name = board[key].as_str().unwrap_or_default();
                name.to_lowercase().contains(text)
            };
            is_named("first") || is_named("second") || number.is_some() && board["number"].as_u64() == number
        });
    }
    let all = found.len();
    found.truncate(MOST);
    let games: Vec<_> = GAMES.iter().map(|game| game.facts.name).collect();
    let facts = context! {
        at => "boards", games, all,
        boards => value(Json::Array(found)),
        game => game.map(|game| game.facts.name),
        text => asked.text.trim(),
        is_all => !asked.all.is_empty(),
    };
    desk.page(&visit, &asked, "boards.html", facts)
}

/// The rows that a verb prints as a list.
pub(super) fn rows(json: Json) -> Vec<Json> {
    match json {
        Json::Array(rows) => rows,
        _ => Vec::new(),
    }
}

pub(super) async fn show(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    Path((game, number)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let game = pbmserv_games::find(&game).ok_or_else(Fault::not_found)?;
    let number: u32 = number.parse().map_err(|_| Fault::not_found())?;
    let board = BoardArgs {
        game: game.facts.name.to_owned(),
        number,
    };
    let board = desk
        .json(Verb::Board(BoardVerb::Show { board, json: true }))
        .await?;
    let picture = desk.look(move |reader| {
        let Some(board) = reader.board(game, number)? else {
            return Ok(None);
        };
        let turns = reader.turns(board.id)?;
        // A board that does not replay has none; the verb says why.
        let then = record_after(&board, &turns).replay().ok();
        Ok(then.map(|then| then.picture().svg()))
    });
    let facts = context! {
        at => "boards",
        board => value(board),
        picture => picture.await?.map(Value::from_safe_string),
    };
    desk.page(&visit, &asked, "board.html", facts)
}
