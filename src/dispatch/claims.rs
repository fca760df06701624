//! What a message says of the mail that it answers: the tokens in its addresses, and `In-Reply-To`.

use crate::command::InternalError;
use crate::mail::Address;
use crate::store::Store;
use crate::table::Player;

use super::request::Request;
use super::token::{Claim, Purpose};

/// Whether a message comes from a confirmed address of this player.
pub(super) fn is_of(request: &Request, store: &Store, player: &Player) -> Result<bool, InternalError> {
    let Some(sender) = request.sender.believed() else {
        return Ok(false);
    };
    let rows = store.addresses(player.id)?;
    let mut own = rows.iter().filter(|row| row.confirmed_at.is_some());
    Ok(own.any(|row| row.address.key() == sender.key()))
}

/// What the message claims by its tokens for this purpose.
pub(super) fn claims(request: &Request, purpose: Purpose) -> impl Iterator<Item = Claim> {
    let read = move |detail: &String| Claim::read(detail, purpose);
    request.details.iter().filter_map(read)
}

/// The row for this purpose of our mail that this message answers, if that mail went to the same address.
pub(super) fn answered(
    request: &Request,
    store: &Store,
    purpose: Purpose,
) -> Result<Option<i64>, InternalError> {
    let Some(sender) = request.sender.believed().map(Address::key) else {
        return Ok(None);
    };
    for message_id in request.mail.answers() {
        if let Some(kept) = store.sent_mail(message_id)?
            && kept.recipient_key == sender
            && let Some((word, row)) = kept.purpose
            && word == purpose.word()
        {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
