//! Where a letter goes: the addresses of its reader, and who reads there.

use crate::command::{Addressee, Belief, InternalError, Letter, Sender};
use crate::letters::LetterKind;
use crate::store::{AddressRow, Purpose, Store};
use crate::table::{Board, PlayerId, Preferences};
use pbmserv_mail::Address;

use super::handler::Cause;
use super::trust::Trust;

/// One recipient address of a letter.
pub(super) struct Destination {
    pub(super) address: Address,
    /// Its reader, if that is known.
    pub(super) player: Option<PlayerId>,
    /// The purpose and the number of the token for answers, if the letter is about the address itself.
    pub(super) about: Option<(Purpose, i64)>,
    /// How far it is known that the reader has written the message.
    pub(super) standing: Trust,
}

impl Destination {
    /// An address of a player.
    fn of_player(cause: &Cause<'_>, row: AddressRow, about: Option<(Purpose, i64)>) -> Self {
        Self {
            address: row.address,
            player: Some(row.player),
            about,
            standing: match cause.standing {
                Trust::Proven => Trust::Proven,
                Trust::Known | Trust::Stranger => Trust::Known,
            },
        }
    }

    /// An address of nobody in particular.
    const fn of_address(address: Address, standing: Trust) -> Self {
        Self {
            address,
            player: None,
            about: None,
            standing,
        }
    }
}

/// The addresses that a letter goes to.
pub(super) fn destinations(
    store: &Store,
    cause: &Cause<'_>,
    letter: &Letter,
) -> Result<Vec<Destination>, InternalError> {
    match &letter.to {
        Addressee::Sender => {
            let believed = cause.sender.and_then(Sender::believed);
            match (cause.token_player, believed) {
                // The bearer of a token is its player, and is answered there, from whatever address it came.
                (Some(player), Some(from)) if store.is_confirmed_of(from, player)? => {
                    at_sender(store, cause, cause.standing)
                }
                (Some(player), _) => reachable(store, cause, letter, player),
                (None, _) => at_sender(store, cause, cause.standing),
            }
        }
        Addressee::Player(player) => reachable(store, cause, letter, *player),
        Addressee::Newcomer(address) => Ok(vec![Destination {
            about: joining(store, address)?,
            ..Destination::of_address(address.clone(), Trust::Stranger)
        }]),
        Addressee::Former(address) => Ok(vec![Destination::of_address(address.clone(), Trust::Proven)]),
        Addressee::Elsewhere { player, address } => {
            let is_wanted = store.complaint(address)?.is_none();
            let destination = Destination {
                player: Some(*player),
                ..Destination::of_address(address.clone(), Trust::Proven)
            };
            Ok(is_wanted.then_some(destination).into_iter().collect())
        }
        Addressee::Mailbox { userid, address } => {
            let Some(player) = store.player(userid)? else {
                return Ok(Vec::new());
            };
            let mut rows = store.addresses(player.id)?;
            rows.retain(|row| row.address.key() == address.key() && !row.is_failing());
            let Some(row) = rows.into_iter().next() else {
                return Ok(Vec::new());
            };
            let about = match letter.content.kind {
                LetterKind::Question => Some((Purpose::Confirm, row.id)),
                LetterKind::Join => joining(store, address)?,
                _ => None,
            };
            Ok(vec![Destination::of_player(cause, row, about)])
        }
    }
}

/// The newest question of a mailbox under which name its reader wants to play, or whether a game is to be kept.
fn joining(store: &Store, address: &Address) -> Result<Option<(Purpose, i64)>, InternalError> {
    Ok(store.newest_join(address)?.map(|row| (Purpose::Join, row)))
}

/// Where the sender of the message is answered.
fn at_sender(store: &Store, cause: &Cause<'_>, standing: Trust) -> Result<Vec<Destination>, InternalError> {
    let address = match cause.sender {
        Some(sender) => answers_to(store, sender, cause.standing)?,
        None => None,
    };
    // The address of a player who complained counts as failing; that of anybody else is known here only.
    let address = match address {
        Some(address) if store.complaint(&address)?.is_some() => None,
        other => other,
    };
    let destination = |address| Destination::of_address(address, standing);
    Ok(address.into_iter().map(destination).collect())
}

/// The addresses of a player that accept mail. A player without one gets an answer at the sender's address, as a stranger does.
fn reachable(
    store: &Store,
    cause: &Cause<'_>,
    letter: &Letter,
    player: PlayerId,
) -> Result<Vec<Destination>, InternalError> {
    let mut rows = store.addresses(player)?;
    rows.retain(AddressRow::is_reachable);
    if rows.is_empty() && letter.is_answer {
        return at_sender(store, cause, Trust::Stranger);
    }
    let of_player = |row| Destination::of_player(cause, row, None);
    Ok(rows.into_iter().map(of_player).collect())
}

/// Where a sender is answered: at the mailbox in `From` if it is believed and a player's, because the answer may depend on
/// who that player is; otherwise at the envelope sender, or at a believed `From` if that sender is only noted: the
/// envelope is as easily forged. Where authentication is required, mail that has none and proves nothing is not answered.
pub(super) fn answers_to(
    store: &Store,
    sender: &Sender,
    standing: Trust,
) -> Result<Option<Address>, InternalError> {
    let envelope = sender.envelope.as_ref();
    Ok(match (sender.belief, sender.believed()) {
        (Belief::Missing | Belief::Unasked, _) if standing != Trust::Proven => None,
        (Belief::Authenticated, from) => from,
        (_, Some(from)) if store.is_confirmed(from)? => Some(from),
        (_, from) => envelope.filter(|sender| sender.can_be_written_to()).or(from),
    }
    .cloned())
}

/// The preferences of the reader at an address. For an unauthenticated request it is the player with this address. A
/// stranger gets plain text, and nothing that depends on an account.
pub(super) fn wanted(store: &Store, destination: &Destination) -> Result<Preferences, InternalError> {
    if destination.standing == Trust::Stranger {
        return Ok(Preferences {
            html: false,
            ..Preferences::default()
        });
    }
    let player = match destination.player {
        Some(player) => Some(player),
        None => {
            let rows = store.address_rows(&destination.address)?;
            rows.iter()
                .find(|row| row.confirmed_at.is_some())
                .map(|row| row.player)
        }
    };
    Ok(match player {
        Some(player) => store.preferences(player)?,
        None => Preferences::default(),
    })
}

/// If the address belongs to a player of the board, the letter is treated as that player's, even if somebody else
/// requested it.
pub(super) fn seat(store: &Store, board: &Board, destination: &mut Destination) -> Result<(), InternalError> {
    if destination.player.is_none() {
        let rows = store.address_rows(&destination.address)?;
        let mut players = rows
            .iter()
            .filter(|row| row.confirmed_at.is_some())
            .map(|row| row.player);
        destination.player = players.find(|player| board.seat_of(*player).is_some());
    }
    Ok(())
}

/// The player who reads an invitation that goes to the sender of a message: the one whose token it bears, or the only one
/// whose confirmed address it is.
pub(super) fn invite(
    store: &Store,
    cause: &Cause<'_>,
    destination: &mut Destination,
) -> Result<(), InternalError> {
    if destination.player.is_some() || destination.standing == Trust::Stranger {
        return Ok(());
    }
    let mut rows = store.address_rows(&destination.address)?;
    rows.retain(|row| {
        row.confirmed_at.is_some()
            && cause
                .token_player
                .is_none_or(|token_player| token_player == row.player)
    });
    if let [row] = rows.as_slice() {
        destination.player = Some(row.player);
    }
    Ok(())
}
