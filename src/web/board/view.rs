//! A board as a page shows it: after one of its turns, or as it stands.

use pbmserv_games::Seat;
use pbmserv_games::kit::picture::Picture;
use pbmserv_games::record::{Record, Replayed};

use crate::web::fault::Fault;
use crate::web::viewer::Viewer;
use pbmserv_core::command::{TurnSummary, record_after};
use pbmserv_core::store::Reader;
use pbmserv_core::table::{Board, Played};

use super::said::names_all;

/// The last turn in words, by this player: `rosa played a1-b2, captured c3.`
pub(in crate::web) fn told(then: &Replayed, player: &str) -> String {
    let (before, last) = then.last();
    TurnSummary::of(before, last).sentence(player)
}

/// A board after one of its turns.
pub(in crate::web) struct Seen {
    pub(in crate::web) board: Board,
    /// All turns of the board.
    pub(in crate::web) turns: Vec<Played>,
    /// After how many of them it is shown.
    pub(in crate::web) shown: usize,
    /// The position then.
    pub(in crate::web) then: Replayed,
}

impl Seen {
    /// Replays the board, up to a turn.
    pub(super) fn new(reader: &Reader, board: Board, turn: Option<usize>) -> Result<Self, Fault> {
        let turns = reader.turns(board.id)?;
        let shown = turn.unwrap_or(turns.len());
        let Some(played) = turns.get(..shown) else {
            return Err(Fault::not_found());
        };
        let then = record_after(&board, played).replay();
        let then = then.map_err(|error| Fault::internal(&format_args!("{}: {error}", board.name())))?;
        Ok(Self {
            board,
            turns,
            shown,
            then,
        })
    }

    /// Whether it is the board as it stands.
    pub(in crate::web) fn is_now(&self) -> bool {
        self.shown == self.turns.len()
    }

    /// The player who played the last turn.
    pub(in crate::web) fn last_player(&self) -> Option<Seat> {
        let before = self.shown.checked_sub(1)?;
        self.turns.get(before).map(|turn| turn.seat)
    }

    /// The last turn in words: `rosa played a1-b2, captured c3`; empty at the start.
    pub(in crate::web) fn told(&self) -> String {
        let Some(seat) = self.last_player() else {
            return String::new();
        };
        told(&self.then, &self.board.at(seat).userid)
    }

    /// The picture, with the last turn marked.
    pub(in crate::web) fn picture(&self) -> Picture {
        self.then.picture()
    }

    /// The record with what was said on its turns, as far as this viewer may read it; there is none of a game that was declared
    /// void.
    pub(in crate::web) fn record(&self, reader: &Reader, viewer: &Viewer) -> Result<Record, Fault> {
        let record = match names_all(&self.board) {
            true => reader.record_of(&self.board, viewer.player().map(|player| player.id), &[])?,
            false => self.board.record(&self.turns),
        };
        record.ok_or_else(Fault::not_found)
    }
}
