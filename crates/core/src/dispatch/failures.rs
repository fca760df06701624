//! Bounces, refused mails and complaints about spam. The server stops sending to an address that accepts no mail or wants
//! none, and writes to the opponents of its owner.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::command::{InternalError, Letter};
use crate::letters::Unreachable;
use crate::store::{AddressRow, BoardFilter, State, Store};
use crate::table::{Player, PlayerId};
use pbmserv_mail::Address;

use super::handler::{Cause, Handler};
use super::request::Request;

/// The most boards of an unreachable player for which the opponents get a letter.
const MAX_BOARDS: u32 = 1000;

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

    /// Handles a complaint about a mail of ours: nothing more is sent to the address that it went to. Returns what to record;
    /// `None`: the message is no complaint, or shows no sign of ours, which anybody could write.
    pub(super) fn take_complaint(
        &mut self,
        store: &Store,
        request: &Request,
        id: i64,
        now: DateTime<Utc>,
    ) -> Result<Option<(State, String)>, InternalError> {
        let Some(complaint) = &request.complaint else {
            return Ok(None);
        };
        let mail = match (complaint.mail, &complaint.message_id) {
            (Some(mail), _) => Some(mail),
            (None, Some(message_id)) => store.mail_number(message_id)?,
            (None, None) => None,
        };
        let Some(mail) = mail else {
            return Ok(None);
        };
        // As with bounces, one mail counts once.
        let kind = complaint.kind;
        let word = kind.word();
        let Some(address) = store.mail_bounced(mail, &format!("complaint: {word}"), now)? else {
            let why = format!("a complaint about mail {mail}, which is unknown or has failed before");
            return Ok(Some((State::Ignored, why)));
        };
        tracing::warn!(
            mail,
            kind = word,
            "a reader has complained of our mail as spam: nothing is sent there until a mail comes from it"
        );
        for player in store.address_complained(&address, kind, now)? {
            self.tell_opponents(store, &request.cause(id), player, true, now)?;
        }
        Ok(Some((
            State::Done,
            format!("a complaint about mail {mail}: {word}"),
        )))
    }

    fn address_failed(
        &mut self,
        store: &Store,
        cause: &Cause<'_>,
        mail: i64,
        address: &Address,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        if let Some(player) = store.noticed_by(mail)? {
            return self.notice_failed(store, player, None, "the mail came back", now);
        }
        for player in store.address_failed(address, now)? {
            tracing::warn!(
                mail,
                player = player.0,
                "mail to an address has failed on three days: nothing is sent there until a mail comes from it"
            );
            self.tell_opponents(store, cause, player, false, now)?;
        }
        Ok(())
    }

    /// Writes to the opponents of a player, unless another address still reaches the player.
    fn tell_opponents(
        &mut self,
        store: &Store,
        cause: &Cause<'_>,
        player: PlayerId,
        is_unwanted: bool,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        let rows = store.addresses(player)?;
        let Some(player) = store.player_by_id(player)? else {
            return Ok(());
        };
        if rows.iter().any(AddressRow::is_reachable) {
            return Ok(());
        }
        for letter in news(store, &player, is_unwanted)? {
            self.post(store, cause, &letter, now)?;
        }
        Ok(())
    }
}

/// One letter to each opponent on the running boards of an unreachable player.
fn news(store: &Store, player: &Player, is_unwanted: bool) -> Result<Vec<Letter>, InternalError> {
    let boards = store.boards(BoardFilter {
        player: Some(player.id),
        running: Some(true),
        limit: MAX_BOARDS,
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
            is_unwanted,
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

/// Marks the sender's addresses as working again, since a mail came from them. If they complained, a person must have written
/// it: a holiday notice is none.
pub(super) fn have_written(store: &Store, request: &Request) -> Result<(), InternalError> {
    match request.sender.believed() {
        Some(address) => works(store, request, address),
        None => Ok(()),
    }
}

/// The same for a player who is proven to be the writer, from an address of that player: it need not be believed.
pub(super) fn has_written(store: &Store, request: &Request, player: PlayerId) -> Result<(), InternalError> {
    match &request.sender.from {
        Some(address) if store.is_confirmed_of(address, player)? => works(store, request, address),
        _ => Ok(()),
    }
}

fn works(store: &Store, request: &Request, address: &Address) -> Result<(), InternalError> {
    if request.returned.is_some() {
        return Ok(());
    }
    if request.mail.silence.is_none() && store.complaint(address)?.is_some() {
        store.forget_complaint(address)?;
    }
    if store.address_rows(address)?.iter().any(|row| row.failed_days > 0) {
        store.address_works(address)?;
    }
    Ok(())
}
