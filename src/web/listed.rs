//! Boards in a list.

use pbmserv_games::{Outcome, Seat};
use serde::Serialize;

use pbmserv_core::command::board_ended;
use pbmserv_core::letters::Times;
use pbmserv_core::store::{BoardFilter, Reader};
use pbmserv_core::table::{Board, End};

use super::fault::Fault;
use super::names::seen;
use super::viewer::Viewer;

/// A board in a list.
#[derive(Debug, Serialize)]
pub(super) struct Listed {
    game: &'static str,
    title: &'static str,
    number: u32,
    players: [String; 2],
    /// The index of the player who is to move, or who has won.
    marked: Option<usize>,
    turns: u32,
    /// How it ended; empty while it runs.
    ended: String,
    /// When something happened last.
    last: String,
}

impl Listed {
    pub(super) fn of(reader: &Reader, viewer: &Viewer, board: Board, times: Times) -> Result<Self, Fault> {
        let board = seen(reader, viewer, board)?;
        let winner = match board.end {
            Some(End::Finished(ending)) => match ending.outcome {
                Outcome::Won(seat) => Some(seat),
                Outcome::Drawn => None,
            },
            _ => None,
        };
        Ok(Self {
            game: board.game.facts.name,
            title: board.game.facts.title,
            number: board.number,
            players: Seat::BOTH.map(|seat| board.at(seat).userid.clone()),
            marked: board.to_move.or(winner).map(Seat::index),
            turns: board.turns,
            ended: board.end.map_or_else(String::new, |end| board_ended(&board, end)),
            last: times.brief(board.ended_at.unwrap_or(board.moved_at)),
        })
    }

    /// The boards that match the filter, the newest first; declined challenges are left out.
    pub(super) fn all(
        reader: &Reader,
        viewer: &Viewer,
        filter: BoardFilter,
        times: Times,
    ) -> Result<Vec<Self>, Fault> {
        let boards = reader.boards(filter)?.into_iter();
        let boards = boards.filter(|board| !matches!(board.end, Some(End::Removed(_))));
        boards
            .map(|board| Self::of(reader, viewer, board, times))
            .collect()
    }
}
