//! The rules of a game, with the pictures that show what their sentences say. The rules of the game play and draw each.

use std::sync::Arc;

use axum::extract::{RawPathParams, State};
use axum::response::Response;
use pbmserv_games::kit::picture::Picture;
use pbmserv_games::record::{Record, Replayed};
use pbmserv_games::{Game, Pictured};
use serde::Serialize;

use pbmserv_core::letters::blocks::{Block, blocks};

use super::answer::{Kind, answer};
use super::fault::Fault;
use super::site::Site;
use super::viewer::{Viewer, named};

/// A paragraph, and the pictures after it.
#[derive(Serialize)]
pub(super) struct Part {
    blocks: Vec<Block>,
    pictures: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    /// Which picture of the game.
    number: usize,
    shows: &'static str,
    /// The board in words.
    description: String,
}

/// The text of the rules in parts. A picture stands after the paragraph with the first of its sentences.
pub(super) fn parts(game: &'static Game, text: &str) -> Result<Vec<Part>, Fault> {
    let mut waiting: Vec<_> = game.facts.pictured.iter().enumerate().collect();
    let mut parts = Vec::new();
    for paragraph in text.split("\n\n") {
        let words = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_here = |pictured: &Pictured| pictured.rules.first().is_some_and(|begin| words.contains(begin));
        let here: Vec<_> = waiting
            .extract_if(.., |(_, pictured)| is_here(pictured))
            .collect();
        let shown = |(number, pictured): (usize, &'static Pictured)| {
            Ok(Shown {
                number,
                shows: pictured.shows,
                description: replayed(game, pictured)?.picture().description,
            })
        };
        parts.push(Part {
            blocks: blocks(paragraph),
            pictures: here.into_iter().map(shown).collect::<Result<_, Fault>>()?,
        });
    }
    Ok(parts)
}

fn replayed(game: &'static Game, pictured: &Pictured) -> Result<Replayed, Fault> {
    let record = Record::pictured(game, pictured).map_err(|error| Fault::internal(&error))?;
    record.replay().map_err(|error| Fault::internal(&error))
}

/// A picture of the rules.
pub(super) async fn picture(
    State(site): State<Arc<Site>>,
    _: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let game = named(&params, "game").and_then(pbmserv_games::find);
    let number = named(&params, "number").and_then(|number| number.parse::<usize>().ok());
    let found = game
        .zip(number)
        .and_then(|(game, number)| Some((game, game.facts.pictured.get(number)?)));
    let (game, pictured) = found.ok_or_else(Fault::not_found)?;
    let drawn = site.look(move |_| {
        // With the names of columns and rows: what it shows is said by them.
        let statuses = Vec::new();
        Ok(Picture {
            statuses,
            ..replayed(game, pictured)?.picture()
        }
        .svg())
    });
    Ok(answer(Kind::Svg, drawn.await?))
}
