//! The gazette: an issue that is due, and each of its readers, who is an item of work of their own. So the issue and a row for each
//! reader are one commit, and a row goes with its letter: a crash sends nobody two and nobody none.

use chrono::{DateTime, Utc};

use crate::command::{self, Decision, InternalError};
use crate::store::{Finds, Reader, Store};
use crate::table::PlayerId;

use super::due_task::DueTask;
use super::handler::{Cause, Handler};

/// The planned issue: the search for it begins, then it appears.
pub(super) static GAZETTES: DueTask = DueTask {
    name: "gazette",
    first: Reader::first_gazette,
    is_stepwise: false,
    run: |handler, store, row, now| handler.make_gazette(store, row, now),
    postpone: |store, row, at| store.postpone_gazette(row, at),
};

/// The readers of the newest issue.
pub(super) static READERS: DueTask = DueTask {
    name: "gazette reader",
    first: Reader::first_gazette_post,
    is_stepwise: false,
    run: |handler, store, row, now| handler.send_gazette(store, PlayerId(row), now),
    postpone: |store, row, at| store.postpone_gazette_post(PlayerId(row), at),
};

impl Handler {
    fn make_gazette(&self, store: &Store, number: i64, now: DateTime<Utc>) -> Result<(), InternalError> {
        let Some(gazette) = store.gazette(number)? else {
            return Ok(());
        };
        if !store.has_gazette_readers()? {
            return Ok(store.unplan_gazette(number)?);
        }
        if !gazette.is_sought {
            let appears = command::gazette_appears(gazette.due_at.unwrap_or(now), now);
            return Ok(store.set_gazette(number, appears, true)?);
        }
        let next = command::next_gazette_search(now, self.settings.digest_hour);
        if command::is_gazette_empty(store, &gazette, now)? {
            return Ok(store.set_gazette(number, next, false)?);
        }
        store.publish_gazette(number, now)?;
        Ok(store.plan_gazette(now, next)?)
    }

    fn send_gazette(&mut self, store: &Store, id: PlayerId, now: DateTime<Utc>) -> Result<(), InternalError> {
        let number = store.take_gazette_post(id)?;
        let gazette = number.map(|number| store.gazette(number)).transpose()?.flatten();
        let (Some(gazette), Some(player)) = (gazette, store.account(id)?) else {
            return Ok(());
        };
        let is_here = player.away_since.is_none() && player.disabled_at.is_none();
        if !is_here || !store.preferences(id)?.gazette {
            return Ok(());
        }
        let decision = Decision {
            letters: command::gazette(store, &player, &gazette, now)?
                .into_iter()
                .collect(),
            ..Decision::default()
        };
        self.carry_out(store, &Cause::default(), &decision, now)
    }

    /// Stores what a search has found for an issue.
    ///
    /// # Errors
    /// The server failed.
    pub fn found_for_gazette(
        &self,
        store: &Store,
        number: i64,
        finds: &Finds,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        Ok(store.found_for_gazette(number, finds, now)?)
    }
}
