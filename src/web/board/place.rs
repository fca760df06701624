//! Which board, and after which turn, a path means.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use hyper::http::request::Parts;
use pbmserv_games::Game;

use crate::web::fault::Fault;
use crate::web::names::seen;
use crate::web::site::Site;
use crate::web::viewer::Viewer;
use pbmserv_core::store::Reader;
use pbmserv_core::table::{Board, End};

use super::view::Seen;

/// A board, and after how many of its turns.
#[derive(Clone, Debug)]
pub(in crate::web) struct Place {
    pub(in crate::web) game: &'static Game,
    pub(in crate::web) number: u32,
    /// `None`: as it stands.
    pub(in crate::web) turn: Option<usize>,
}

impl Place {
    /// The board as this viewer sees it. A declined challenge is the business of its two players.
    pub(in crate::web) fn board(&self, reader: &Reader, viewer: &Viewer) -> Result<Board, Fault> {
        let board = reader.board(self.game, self.number)?;
        let is_own = |board: &Board| {
            viewer
                .player()
                .is_some_and(|player| board.seat_of(player.id).is_some())
        };
        let board = board.filter(|board| !matches!(board.end, Some(End::Removed(_))) || is_own(board));
        Ok(seen(reader, viewer, board.ok_or_else(Fault::not_found)?)?)
    }

    /// The board, replayed.
    pub(in crate::web) fn read(&self, reader: &Reader, viewer: &Viewer) -> Result<Seen, Fault> {
        Seen::new(reader, self.board(reader, viewer)?, self.turn)
    }
}

impl FromRequestParts<Arc<Site>> for Place {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Fault> {
        let params = RawPathParams::from_request_parts(parts, site).await;
        let params = params.map_err(|_| Fault::not_found())?;
        let named = |wanted: &str| {
            params
                .iter()
                .find(|(name, _)| *name == wanted)
                .map(|(_, text)| text)
        };
        let number = |text: &str| {
            let is_plain =
                text.bytes().all(|c| c.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
            text.parse::<u32>().ok().filter(|_| is_plain)
        };
        let found = || {
            let game = named("game").and_then(pbmserv_games::find)?;
            let board = named("number").and_then(number)?;
            let turn = match named("turn") {
                Some(text) => Some(usize::try_from(number(text)?).ok()?),
                None => None,
            };
            Some(Self {
                game,
                number: board,
                turn,
            })
        };
        found().ok_or_else(Fault::not_found)
    }
}
