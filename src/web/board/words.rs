//! What each turn of a board did, in words.

use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::Seat;
use serde::Serialize;

use crate::web::fault::Fault;
use crate::web::viewer::Viewer;
use pbmserv_core::command::TurnSummary;
use pbmserv_core::store::Reader;

use super::place::Place;
use super::said::{SaidOn, said};

/// The turns of one page, so that it stays small; fewer if much was said on them, in bytes.
const A_PAGE: usize = 150;
const SAID_ON_A_PAGE: usize = 12_000;

#[derive(Serialize)]
struct SaidTurn {
    after: usize,
    sentence: String,
    said: Vec<SaidOn>,
}

/// The facts of the page: the turns up to the one of the place, or the last ones.
pub(super) fn facts(reader: &Reader, place: &Place, viewer: &Viewer) -> Result<Value, Fault> {
    let board = place.board(reader, viewer)?;
    let turns = reader.turns(board.id)?;
    let last = place.turn.unwrap_or(turns.len());
    if last > turns.len() {
        return Err(Fault::not_found());
    }
    let all = said(reader, viewer, &board)?;
    let mut first = last.saturating_sub(A_PAGE);
    let mut left = SAID_ON_A_PAGE;
    for said in all.iter().rev().filter(|said| said.turn <= last) {
        match left.checked_sub(said.words.len()) {
            Some(less) => left = less,
            // At least the last turn.
            None => {
                first = first.max(said.turn.min(last.saturating_sub(1)));
                break;
            }
        }
    }
    let position = board.game.start(&board.options);
    let mut position = position.map_err(|error| Fault::internal(&error))?;
    let mut rows = Vec::new();
    for (after, turn) in (1..=last).zip(&turns) {
        let before = (after > first).then(|| position.fork());
        let played = position.play(&turn.text);
        played.map_err(|error| Fault::internal(&error))?;
        if let Some(before) = before {
            let told = TurnSummary::of(before.as_ref(), std::slice::from_ref(&turn.text));
            rows.push(SaidTurn {
                after,
                sentence: told.sentence(&board.at(turn.seat).userid),
                said: all.iter().filter(|said| said.turn == after).cloned().collect(),
            });
        }
    }
    Ok(context! {
        game => context! { name => board.game.facts.name, title => board.game.facts.title },
        number => board.number,
        players => Seat::BOTH.map(|seat| board.at(seat).userid.clone()),
        said => Value::from(Serde(rows)),
        earlier => (first > 0).then_some(first),
        later => last < turns.len(),
    })
}
