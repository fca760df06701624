//! Carries out what a command has decided.

use chrono::{DateTime, Utc};

use crate::command::Change;
use crate::store::{Result, Store};

/// Makes one change.
///
/// # Errors
/// The database's.
pub(super) fn apply(store: &Store, change: &Change, now: DateTime<Utc>) -> Result<()> {
    match change {
        Change::Signup {
            player,
            addresses,
            confirmed_at,
        } => {
            let id = store.add_player(player)?;
            for address in addresses {
                store.add_address(id, address, *confirmed_at, now)?;
            }
            Ok(())
        }
        Change::ConfirmAddress(row) => store.confirm_address(*row, now),
        Change::Begin(board) => store.add_board(board).map(|_| ()),
        Change::Turn {
            board,
            ordinal,
            played,
            to_move,
        } => store.add_turn(*board, *ordinal, played, *to_move),
        Change::Offer { board, offer } => store.set_offer(*board, *offer),
        Change::TakeBack { board, to_move } => store.take_back(*board, *to_move, now),
        Change::End { board, end } => store.end_board(*board, *end, now),
        Change::Rate(rated) => store.rate(rated),
        Change::Display {
            player,
            game,
            display,
        } => store.set_display(*player, game, *display),
    }
}
