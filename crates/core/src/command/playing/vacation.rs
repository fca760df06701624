//! The effect of a vacation on the boards of its player.

use crate::command::{Change, Context, InternalError};
use crate::store::BoardFilter;
use crate::table::{Board, Player};

/// The running boards on which a player is to move.
pub(crate) fn to_move(context: &Context<'_>, player: &Player) -> Result<Vec<Board>, InternalError> {
    Ok(context.store.boards(BoardFilter {
        player: Some(player.id),
        running: Some(true),
        is_to_move: true,
        limit: u32::MAX,
        ..BoardFilter::default()
    })?)
}

/// Ends a player's vacation: the clocks run again on the boards where the player is to move.
pub(crate) fn vacation_over(context: &Context<'_>, player: &Player, boards: Vec<Board>) -> Vec<Change> {
    let resumed = boards.into_iter().map(|mut board| {
        board.vacation_over(context.now);
        Change::Board(Box::new(board))
    });
    resumed.chain([Change::EndVacation(player.id)]).collect()
}
