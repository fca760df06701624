//! The source of due daily mails.

use chrono::{DateTime, Utc};

use crate::command::{self, Decision, InternalError};
use crate::store::{Reader, Store};
use crate::table::PlayerId;

use super::due_task::DueTask;
use super::handler::{Cause, Handler};

/// The daily mails of the players who want one.
pub(super) static DIGESTS: DueTask = DueTask {
    name: "digest",
    first: Reader::first_digest,
    run: |handler, store, row, now| handler.send_digest(store, PlayerId(row), now),
    is_stepwise: false,
    postpone: |store, row, at| store.postpone_digest(PlayerId(row), at),
};

impl Handler {
    /// Writes the daily mail of a player, if there is anything to report.
    fn send_digest(&mut self, store: &Store, id: PlayerId, now: DateTime<Utc>) -> Result<(), InternalError> {
        let Some(player) = store.player_by_id(id)? else {
            return Ok(store.set_digest(id, None, now)?);
        };
        let since = store.digested_at(id)?.unwrap_or(now);
        if let Some((letter, shown)) = command::digest(store, &player, since, now)? {
            let decision = Decision {
                changes: vec![shown],
                letters: vec![letter],
                proven: None,
            };
            self.carry_out(store, &Cause::default(), &decision, now)?;
        }
        store.forget_digest_news(id)?;
        let next = command::next_digest(now, self.settings.digest_hour);
        Ok(store.set_digest(id, Some(next), now)?)
    }
}
