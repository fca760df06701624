//! Where the pages of contests are, and who may open them.

use axum::extract::RawPathParams;
use pbmserv_games::Game;

use pbmserv_core::command::{capital, may_see_cup};
use pbmserv_core::store::{ContestKind, ContestRow, Reader};
use pbmserv_core::table::Board;

use crate::web::fault::Fault;
use crate::web::viewer::{Viewer, named};

/// The divisions of a page.
pub(super) const PER_PAGE: u32 = 10;

/// The first division of the page that has this one.
pub(super) const fn first_of_page(division: u32) -> u32 {
    division.saturating_sub(1) / PER_PAGE * PER_PAGE + 1
}

/// The game in a path.
pub(super) fn game_in(params: &RawPathParams) -> Result<&'static Game, Fault> {
    let game = named(params, "game").and_then(pbmserv_games::find);
    game.ok_or_else(Fault::not_found)
}

/// The cup in a path.
pub(super) fn cup_in(params: &RawPathParams) -> Result<String, Fault> {
    let name = named(params, "cup").ok_or_else(Fault::not_found)?;
    Ok(name.to_owned())
}

/// The cup with this name, if this viewer may know of it.
pub(super) fn open_cup(reader: &Reader, viewer: &Viewer, name: &str) -> Result<ContestRow, Fault> {
    match reader.cup(name)? {
        Some(row) if is_open_to(reader, viewer, &row)? => Ok(row),
        _ => Err(Fault::not_found()),
    }
}

/// The page of a contest, below the root of a viewer.
pub(super) fn page_of(row: &ContestRow) -> String {
    match &row.new.kind {
        ContestKind::Division { season, division } => {
            let from = first_of_page(*division);
            let at = format!("games/{}/league/{season}", row.new.game.facts.name);
            match from {
                1 => format!("{at}#division-{division}"),
                _ => format!("{at}?from={from}#division-{division}"),
            }
        }
        ContestKind::Cup { name, .. } => format!("cups/{name}"),
    }
}

/// Whether this viewer may know of a contest.
pub(super) fn is_open_to(reader: &Reader, viewer: &Viewer, row: &ContestRow) -> Result<bool, Fault> {
    // The smaller key of a letter opens boards, and nothing else that is private.
    let player = viewer.player().filter(|_| !viewer.has_smaller_key());
    Ok(match player {
        Some(player) => may_see_cup(reader, row, player.id)?,
        None => !row.is_private(),
    })
}

/// What a board is played for, and the page of it, if this viewer may know.
pub(in crate::web) fn of_board(
    reader: &Reader,
    viewer: &Viewer,
    board: &Board,
) -> Result<Option<(String, String)>, Fault> {
    if let Some(row) = reader.contest_of(board.id)? {
        let is_open = is_open_to(reader, viewer, &row)?;
        return Ok(is_open.then(|| (capital(&row.name()), page_of(&row))));
    }
    let game = board.game.facts;
    Ok(reader.is_on_ladder(board.id)?.then(|| {
        (
            format!("The {} ladder", game.bare_title()),
            format!("games/{}/ladder", game.name),
        )
    }))
}
