//! The source of accounts that nobody has confirmed in time.
//!
//! The row stays as `deleted-N`, since the mail with the question refers to it and numbers in tokens are never given twice: a
//! late `confirm` confirms nothing of another account.

use chrono::{DateTime, Utc};

use crate::command::InternalError;
use crate::store::{Reader, Store};
use crate::table::PlayerId;

use super::due_task::DueTask;
use super::handler::Handler;

/// Accounts whose time to be confirmed is over.
pub(super) static UNCONFIRMED: DueTask = DueTask {
    name: "unconfirmed",
    first: Reader::first_expiry,
    run: |handler, store, row, now| handler.remove_unconfirmed(store, PlayerId(row), now),
    is_stepwise: false,
    postpone: |store, row, at| store.set_expiry(PlayerId(row), Some(at)),
};

impl Handler {
    /// Removes an account that never had a confirmed address, so that its userid is free again. Nobody gets a mail: the
    /// question said so, and its address may be anybody's.
    ///
    /// The account of a director stays. Otherwise a stranger could sign up under that userid and have the director's rights.
    fn remove_unconfirmed(
        &self,
        store: &Store,
        id: PlayerId,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        let Some(player) = store.player_by_id(id)? else {
            return Ok(store.set_expiry(id, None)?);
        };
        if self.settings.is_director(&player) || store.is_established(id)? {
            return Ok(store.set_expiry(id, None)?);
        }
        store.delete_player(id, now)?;
        tracing::info!(
            player = id.0,
            "an account without a confirmed address was removed"
        );
        Ok(())
    }
}
