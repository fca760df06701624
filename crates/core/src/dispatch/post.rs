//! Turns letters into rows of the outbox: chooses the addresses and the mail thread, and enforces the limits.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use rand::RngExt;

use crate::command::{Addressee, Belief, INVITED_FOR, InternalError, Letter, Sender, good_until, inbox_line};
use crate::letters::{Draft, LetterKind, Times};
use crate::store::{AddressRow, NewMail, Purpose, RateLimit, Store};
use crate::table::{Board, PlayerId, Preferences};
use pbmserv_mail::Address;
use pbmserv_mail::outbox::wire_bytes;

use super::bounds::{Allowance, Mailing};
use super::handler::{Cause, Handler};
use super::later::{is_for_later, with_earlier};
use super::thread::place;
use super::token::{expiring_number, proposal_number};
use super::trust::Trust;

/// One recipient address of a letter.
struct Destination {
    address: Address,
    player: Option<PlayerId>,
    about: Option<i64>,
    /// How far it is known that the reader has written the message.
    standing: Trust,
}

/// A letter for one reader.
struct Form {
    wanted: Preferences,
    standing: Trust,
    /// What is said below it.
    notice: Option<String>,
    subject: String,
    /// The packed draft, from which text and HTML are made when it is sent.
    letter: Vec<u8>,
}

/// The longest text and attachment for a stranger, in bytes as they are sent. With the header, which has less than
/// 6 KB however long subject and Message-IDs are, the mail stays under 20 KB: anybody can have it sent to anybody.
const MAX_FOR_A_STRANGER: usize = 14_000;

impl Handler {
    /// Packs a letter, and adds a row to the outbox for each of its addresses.
    pub(super) fn post(
        &mut self,
        store: &Store,
        cause: &Cause<'_>,
        letter: &Letter,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        let mailing = self.mailing(store, cause, letter, now)?;
        if matches!(mailing, Mailing::Unheard) || is_for_later(store, letter, &mailing)? {
            return Ok(());
        }
        let mut destinations = destinations(store, cause, letter)?;
        if destinations.is_empty() {
            return Ok(());
        }
        if let Mailing::Counted(key) = mailing {
            store.count(RateLimit::News, &key, 1, now)?;
        }
        let letter = &*with_earlier(store, letter)?;
        let board = match letter.board {
            Some((game, number)) => store.board(game, number)?,
            None => None,
        };
        if let Some(board) = &board
            && letter.awaits.is_none()
            && board.computer().is_some()
        {
            store.release_awaiting(board, now)?;
        }
        if let Some(board) = &board {
            for destination in destinations
                .iter_mut()
                .filter(|to| to.standing != Trust::Stranger)
            {
                seat(store, board, destination)?;
            }
        }
        if letter.is_invitation || matches!(cause.answered, Some((_, Purpose::Invitation, _))) {
            for destination in &mut destinations {
                invite(store, cause, destination)?;
            }
        }
        let list = board
            .as_ref()
            .map(|board| format!("{}.{}", board.game.facts.name, board.number));
        let mut form: Option<Form> = None;
        for destination in destinations {
            let reply_to = match destination.player {
                Some(player) if letter.content.kind == LetterKind::Forgot => {
                    Some((Purpose::Reset, expiring_number(player, good_until(now))))
                }
                Some(player) if letter.content.kind == LetterKind::Proposal => store
                    .newest_proposal(player)?
                    .map(|row| (Purpose::Proposal, proposal_number(player, row))),
                Some(player) if letter.content.kind == LetterKind::Digest => store
                    .newest_digest_letter(player)?
                    .map(|row| (Purpose::Digest, row)),
                _ => purpose(board.as_ref(), &destination)
                    .or_else(|| again(cause, letter, &destination))
                    .or_else(|| invitation(letter, &destination, now)),
            };
            let standing = destination.standing;
            let is_proven = cause.standing == Trust::Proven;
            let wanted = wanted(store, &destination)?;
            let times = Times {
                now,
                zone: wanted.zone,
            };
            let notice =
                match self.allow(store, letter, (&destination.address, standing), is_proven, times)? {
                    Allowance::Sent => None,
                    Allowance::Last(notice) => Some(notice),
                    Allowance::Withheld => continue,
                };
            // Usually all addresses belong to one player, so the letter is packed once.
            let form = match &mut form {
                Some(form) if form.wanted == wanted && form.standing == standing && form.notice == notice => {
                    form
                }
                other => other.insert(self.form(letter, wanted, standing, notice)?),
            };
            let thread = (board.as_ref().map(|board| board.id), &destination.address);
            let place = place(
                store,
                &self.key,
                self.settings.own.present(),
                cause,
                letter,
                thread,
            )?;
            let inbox = board.as_ref().map(|board| {
                let reader = destination.player.and_then(|player| board.seat_of(player));
                inbox_line(board, letter, reader)
            });
            let subject = match &inbox {
                Some(inbox) if wanted.news_subjects => Cow::Borrowed(&inbox.subject),
                // Programs join a thread only if the later subjects are the first one with Re: before it.
                Some(_) if place.is_later => Cow::Owned(format!("Re: {}", form.subject)),
                _ => Cow::Borrowed(&form.subject),
            };
            store.add_mail(&NewMail {
                inbox: cause.inbox,
                kind: letter.content.kind,
                player: destination.player,
                board: board.as_ref().map(|board| board.id),
                about: reply_to.map(|(_, row)| row),
                recipient: &destination.address,
                message_id: self.message_id(now),
                in_reply_to: place.in_reply_to.as_deref(),
                references: &place.references,
                is_reply: cause.is_answered_by(letter),
                list: list.clone(),
                reply_to: reply_to.map(|(purpose, _)| purpose),
                sender_name: match &inbox {
                    Some(inbox) => &inbox.sender,
                    // What was not asked for is no receipt.
                    None if letter.content.kind == LetterKind::Done && !letter.is_answer => "",
                    None => &letter.content.sender_name,
                },
                subject: &subject,
                letter: &form.letter,
                unsubscribe: letter
                    .unasked
                    .zip(destination.player)
                    .and_then(|(unasked, reader)| unasked.number(reader)),
                is_watching: letter.is_watching,
                awaits: letter.awaits,
                created_at: now,
                is_unproven: cause.standing != Trust::Proven,
                cause: cause.number(destination.player),
            })?;
            self.count_caused(store, cause, now)?;
        }
        Ok(())
    }

    /// Packs the letter as its reader prefers it. A stranger gets plain text, and no more than a mail of 20 KB.
    fn form(
        &mut self,
        letter: &Letter,
        wanted: Preferences,
        standing: Trust,
        notice: Option<String>,
    ) -> Result<Form, InternalError> {
        let failed = |error: &dyn std::fmt::Display| InternalError::Letter(error.to_string());
        let content = &letter.content;
        let file = letter.attachment.as_ref();
        let file = file.map_or(0, |(_, text)| wire_bytes(text));
        let draft = Draft {
            has_html: wanted.html,
            has_text_board: wanted.both_boards,
            notice: notice.clone().unwrap_or_default(),
            record: content.picture.clone().filter(|_| wanted.html && wanted.picture),
            attachment: letter.attachment.clone(),
            most_bytes: (standing == Trust::Stranger).then(|| MAX_FOR_A_STRANGER.saturating_sub(file)),
            ..Draft::of(content.facts().map_err(|error| failed(&error))?, wanted.width)
        };
        let subject = self.letters.subject(content).map_err(|error| failed(&error))?;
        let letter = draft.packed().map_err(|error| failed(&error))?;
        Ok(Form {
            wanted,
            standing,
            notice,
            subject,
            letter,
        })
    }

    /// A new Message-ID (RFC 5322, section 3.6.4): the current millisecond, so that new IDs are appended to the end of
    /// their index, and 72 random bits, so that nobody can guess it.
    fn message_id(&mut self, now: DateTime<Utc>) -> String {
        let mut id = [0; 15];
        let (time, random) = id.split_at_mut(6);
        time.copy_from_slice(&now.timestamp_millis().to_be_bytes()[2..]);
        self.rng.fill(random);
        format!(
            "{}@{}",
            // This alphabet sorts as the numbers that it encodes.
            data_encoding::BASE32_DNSSEC.encode(&id),
            self.settings.own.present().domain()
        )
    }
}

/// The preferences of the reader at an address. For an unauthenticated request it is the player with this address. A
/// stranger gets plain text, and nothing that depends on an account.
fn wanted(store: &Store, destination: &Destination) -> Result<Preferences, InternalError> {
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
fn seat(store: &Store, board: &Board, destination: &mut Destination) -> Result<(), InternalError> {
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
fn invite(store: &Store, cause: &Cause<'_>, destination: &mut Destination) -> Result<(), InternalError> {
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

/// What a reply to this letter can do: confirm the address, or act for a player's seat at a running board.
fn purpose(board: Option<&Board>, destination: &Destination) -> Option<(Purpose, i64)> {
    if let Some(row) = destination.about {
        return Some((Purpose::Confirm, row));
    }
    let board = board.filter(|board| board.can_be_answered())?;
    let seat = board.seat_of(destination.player?)?;
    Some((Purpose::Seat, board.letter_to(seat).number()))
}

/// A letter that answers an answer to a daily mail or an invitation, and is about no board, is answered as that one. So a
/// mistake can be mended by an answer to its refusal. Its token is the same, and expires no later.
fn again(cause: &Cause<'_>, letter: &Letter, destination: &Destination) -> Option<(Purpose, i64)> {
    let (reader, purpose, number) = cause.answered?;
    let is_to_reader = letter.is_answer && letter.board.is_none() && destination.player == Some(reader);
    is_to_reader.then_some((purpose, number))
}

/// The token of a letter that is an invitation.
fn invitation(letter: &Letter, destination: &Destination, now: DateTime<Utc>) -> Option<(Purpose, i64)> {
    let player = destination.player.filter(|_| letter.is_invitation)?;
    Some((Purpose::Invitation, expiring_number(player, now + INVITED_FOR)))
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

fn destinations(
    store: &Store,
    cause: &Cause<'_>,
    letter: &Letter,
) -> Result<Vec<Destination>, InternalError> {
    let of_player = |row: AddressRow, about| Destination {
        address: row.address,
        player: Some(row.player),
        about,
        standing: match cause.standing {
            Trust::Proven => Trust::Proven,
            Trust::Known | Trust::Stranger => Trust::Known,
        },
    };
    let sender = |standing: Trust| -> Result<Vec<Destination>, InternalError> {
        let address = match cause.sender {
            Some(sender) => answers_to(store, sender, cause.standing)?,
            None => None,
        };
        // The address of a player who complained counts as failing; that of anybody else is known here only.
        let address = match address {
            Some(address) if store.complaint(&address)?.is_some() => None,
            other => other,
        };
        let destination = |address| Destination {
            address,
            player: None,
            about: None,
            standing,
        };
        Ok(address.into_iter().map(destination).collect())
    };
    let reachable = |player: PlayerId| -> Result<Vec<Destination>, InternalError> {
        let mut rows = store.addresses(player)?;
        rows.retain(AddressRow::is_reachable);
        // A player without an address that accepts mail gets the answer at the sender's address, as a stranger does.
        if rows.is_empty() && letter.is_answer {
            return sender(Trust::Stranger);
        }
        Ok(rows.into_iter().map(|row| of_player(row, None)).collect())
    };
    Ok(match &letter.to {
        Addressee::Sender => {
            let believed = cause.sender.and_then(Sender::believed);
            match (cause.token_player, believed) {
                // The bearer of a token is its player, and is answered there, from whatever address it came.
                (Some(player), Some(from)) if store.is_confirmed_of(from, player)? => sender(cause.standing)?,
                (Some(player), _) => reachable(player)?,
                (None, _) => sender(cause.standing)?,
            }
        }
        Addressee::Player(player) => reachable(*player)?,
        Addressee::Former(address) => vec![Destination {
            address: address.clone(),
            player: None,
            about: None,
            standing: Trust::Proven,
        }],
        Addressee::Mailbox { userid, address } => {
            let Some(player) = store.player(userid)? else {
                return Ok(Vec::new());
            };
            let row = store
                .addresses(player.id)?
                .into_iter()
                .find(|row| row.address.key() == address.key() && !row.is_failing());
            let is_question = letter.content.kind == LetterKind::Question;
            row.map(|row| of_player(row.clone(), is_question.then_some(row.id)))
                .into_iter()
                .collect()
        }
    })
}
