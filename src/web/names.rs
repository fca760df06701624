//! Which userids the pages for everybody show: a player may have the own one left out.

use pbmserv_games::Seat;

use pbmserv_core::store::{Reader, Result};
use pbmserv_core::table::{Board, PlayerId};

use super::viewer::Viewer;

/// In the place of a userid. No userid can be it: it would be taken for one.
const SOMEONE: &str = "(someone)";

/// Whether this viewer may see the userid of a player: who has a link of a player sees all.
pub(super) fn is_shown(reader: &Reader, viewer: &Viewer, player: PlayerId) -> Result<bool> {
    Ok(viewer.key.is_some() || !reader.preferences(player)?.is_hidden)
}

/// The userid as this viewer sees it.
pub(super) fn shown(reader: &Reader, viewer: &Viewer, player: PlayerId, userid: &str) -> Result<String> {
    Ok(match is_shown(reader, viewer, player)? {
        true => userid.to_owned(),
        false => SOMEONE.to_owned(),
    })
}

/// The board as this viewer sees it.
pub(super) fn seen(reader: &Reader, viewer: &Viewer, mut board: Board) -> Result<Board> {
    for seat in Seat::BOTH {
        let seated = &mut board.players[seat.index()];
        seated.userid = shown(reader, viewer, seated.id, &seated.userid)?;
    }
    Ok(board)
}

/// Whether a userid stands for somebody who is left out.
pub(super) fn is_someone(userid: &str) -> bool {
    userid == SOMEONE
}
