//! Bounces and refused mails. The server stops sending to an address that accepts no mail, and writes to the opponents
//! of its owner.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::command::{InternalError, Letter};
use crate::letters::Unreachable;
use crate::mail::Address;
use crate::store::{AddressRow, BoardFilter, State, Store};
use crate::table::{Player, PlayerId};

use super::handler::{Cause, Handler};
use super::request::Request;

/// The most boards of an unreachable player for which the opponents get a letter.
const MOST_BOARDS: u32 = 1000;

impl Handler {
    /// Handles a bounce. A second bounce of the same mail has no effect, so that one mail is not enough to make an
    /// address fail.
    pub(super) fn take_bounce(
        &mut self,
        store: &Store,
        cause: &Cause<'_>,
        mail: i64,
        status: &str,
        now: DateTime<Utc>,
    ) -> Result<(State, String), InternalError> {
        let Some(address) = store.mail_bounced(mail, &format!("bounced: {status}"), now)? else {
            let why = format!("a bounce of mail {mail}, which is unknown or has failed before");
            return Ok((State::Ignored, why));
        };
        self.address_failed(store, cause, mail, &address, now)?;
        Ok((State::Done, format!("mail {mail} has bounced: {status}")))
    }

    /// Handles a permanent refusal by our relay, in the same way as a bounce.
    ///
    /// # Errors
    /// The server failed, and the caller must roll the savepoint back.
    pub fn mail_refused(
        &mut self,
        store: &Store,
        mail: i64,
        why: &str,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        match store.mail_failed(mail, why, now)? {
            Some(address) => self.address_failed(store, &Cause::default(), mail, &address, now),
            None => Ok(()),
        }
    }

    fn address_failed(
        &mut self,
        store: &Store,
        cause: &Cause<'_>,
        mail: i64,
        address: &Address,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        for player in store.address_failed(address, now)? {
            let Some(player) = store.player_by_id(player)? else {
                continue;
            };
            tracing::warn!(
                mail,
                player = player.userid,
                "mail to an address has failed on three days: nothing is sent there until a mail comes from it"
            );
            let rows = store.addresses(player.id)?;
            if rows.iter().any(AddressRow::is_reachable) {
                continue;
            }
            for letter in news(store, &player)? {
                self.post(store, cause, &letter, now)?;
            }
        }
        Ok(())
    }
}

/// One letter to each opponent on the running boards of an unreachable player.
fn news(store: &Store, player: &Player) -> Result<Vec<Letter>, InternalError> {
    let boards = store.boards(BoardFilter {
        player: Some(player.id),
        running: Some(true),
        limit: MOST_BOARDS,
        ..BoardFilter::default()
    })?;
    let mut of_others: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for board in boards.iter().rev() {
        for other in board.players.iter().filter(|other| other.id != player.id) {
            of_others.entry(other.id.0).or_default().push(board.name());
        }
    }
    let letter = |(other, names): (i64, Vec<String>)| {
        let content = Unreachable {
            userid: player.userid.clone(),
            are_several: names.len() > 1,
            boards: match names.as_slice() {
                [] => String::new(),
                [one] => one.clone(),
                [many @ .., last] => format!("{} and {last}", many.join(", ")),
            },
        };
        Letter::news(PlayerId(other), content.into())
    };
    Ok(of_others.into_iter().map(letter).collect())
}

/// Marks the sender's addresses as working again, since a mail came from them.
pub(super) fn have_written(store: &Store, request: &Request) -> Result<(), InternalError> {
    match request.sender.believed() {
        Some(address) if request.returned.is_none() => Ok(store.address_works(address)?),
        _ => Ok(()),
    }
}
