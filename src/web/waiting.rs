//! The running boards of a player, as far as the key opens them: those that wait for the player, and the others.

use chrono::{DateTime, Utc};
use pbmserv_games::Seat;
use serde::Serialize;

use pbmserv_core::command::clock_until;
use pbmserv_core::store::{BoardFilter, Reader};
use pbmserv_core::table::{Board, BoardId};

use super::fault::Fault;
use super::viewer::Owner;

/// The most boards that are looked through.
const MAX_BOARDS: u32 = 100;

/// A running board of the player.
pub(super) struct OwnBoard {
    pub(super) board: Board,
    pub(super) seat: Seat,
    /// When the player's time ends, on a board where it runs.
    pub(super) until: Option<DateTime<Utc>>,
}

impl OwnBoard {
    /// Whether it waits for the player: an offer wants an answer too.
    fn waits(&self) -> bool {
        let Self { board, seat, .. } = self;
        board.to_move == Some(*seat) || board.offer.is_some_and(|(_, by)| by != *seat)
    }
}

/// The boards that wait, the nearest deadline first and without one last; and the others.
pub(super) fn own_boards(
    reader: &Reader,
    owner: &Owner,
    now: DateTime<Utc>,
) -> Result<(Vec<OwnBoard>, Vec<OwnBoard>), Fault> {
    let filter = BoardFilter {
        player: Some(owner.player().id),
        running: Some(true),
        limit: MAX_BOARDS,
        ..BoardFilter::default()
    };
    let reach = &owner.key.opened.reach;
    let (mut waiting, mut others) = (Vec::new(), Vec::new());
    for board in reader.boards(filter)? {
        let seat = board.seat_of(owner.player().id);
        let Some(seat) = seat.filter(|_| reach.has(board.game, board.number)) else {
            continue;
        };
        let until = match board.to_move == Some(seat) {
            true => clock_until(reader, &board, seat, now)?,
            false => None,
        };
        let own = OwnBoard { board, seat, until };
        match own.waits() {
            true => waiting.push(own),
            false => others.push(own),
        }
    }
    waiting.sort_by_key(|own| (own.until.is_none(), own.until));
    Ok((waiting, others))
}

/// The board to go to from another one.
#[derive(Serialize)]
pub(super) struct Next {
    game: &'static str,
    number: u32,
    /// How many wait.
    count: usize,
}

/// Where the player goes on after this board.
pub(super) fn next(
    reader: &Reader,
    owner: &Owner,
    after: BoardId,
    now: DateTime<Utc>,
) -> Result<Option<Next>, Fault> {
    let (mut waiting, _) = own_boards(reader, owner, now)?;
    waiting.retain(|own| own.board.id != after);
    let count = waiting.len();
    Ok(waiting.first().map(|OwnBoard { board, .. }| Next {
        game: board.game.facts.name,
        number: board.number,
        count,
    }))
}
