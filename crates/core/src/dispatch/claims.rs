//! What a message says of the mail that it answers: the tokens in its addresses, and `In-Reply-To`.

use crate::command::{InternalError, has_ended};
use crate::store::{self, Purpose, Reader, Store};
use crate::table::{Player, Unasked};
use pbmserv_mail::{Address, Key};

use super::request::Request;
use super::token::Claim;

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

/// The row in a good token for this purpose that belongs to no account.
pub(super) fn claimed(request: &Request, purpose: Purpose, key: &Key) -> Option<i64> {
    let mut claims = claims(request, purpose);
    claims.find(|claim| claim.is_true(key, 0)).map(|claim| claim.row)
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
            && let Some((asked, row)) = kept.purpose
            && asked == purpose
        {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// The player and the kind of mail to end, if the message came to the `List-Unsubscribe` address of a mail. Its text is
/// ignored, since programs write it.
pub(super) fn leaving(
    request: &Request,
    store: &Store,
    key: &Key,
) -> Result<Option<(Player, Unasked)>, InternalError> {
    for claim in claims(request, Purpose::Leave) {
        if let Some(found) = ended_by(&claim, store, key)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Whether a token of `List-Unsubscribe` still has something to end; `None`: it is no such token.
///
/// # Errors
/// Those of the database.
pub fn has_something_to_end(store: &Reader, key: &Key, token: &str) -> store::Result<Option<bool>> {
    let Some(claim) = Claim::read(token, Purpose::Leave) else {
        return Ok(None);
    };
    let found = ended_by(&claim, store, key)?;
    let open = found.map(|(player, unasked)| Ok(!has_ended(store, player.id, unasked)?));
    open.transpose()
}

fn ended_by(claim: &Claim, store: &Reader, key: &Key) -> store::Result<Option<(Player, Unasked)>> {
    let Some((player, unasked)) = Unasked::of_number(claim.row) else {
        return Ok(None);
    };
    let player = store.player_by_id(player)?;
    let player = player.filter(|player| claim.is_true(key, player.generation));
    Ok(player.map(|player| (player, unasked)))
}
