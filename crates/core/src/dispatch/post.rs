//! Turns letters into rows of the outbox: chooses the mail thread and the token of each, and enforces the limits.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use rand::RngExt;

use crate::command::{Addressee, INVITED_FOR, InboxLine, InternalError, Letter, good_until, inbox_line};
use crate::letters::{Draft, LetterKind, Times};
use crate::store::{NewMail, Purpose, RateLimit, Store};
use crate::table::{Board, Preferences};
use pbmserv_mail::outbox::wire_bytes;

use super::bounds::{Allowance, Mailing};
use super::destination::{Destination, destinations, invite, seat, wanted};
use super::handler::{Cause, Handler};
use super::later::{is_for_later, with_earlier};
use super::thread::place;
use super::token::{expiring_number, row_of_player};
use super::trust::Trust;

/// A letter on its way into the outbox.
struct Posting<'a> {
    store: &'a Store,
    cause: &'a Cause<'a>,
    letter: &'a Letter,
    /// The board that it is about, as it is now.
    board: Option<Board>,
    now: DateTime<Utc>,
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

impl Form {
    fn is_for(&self, wanted: Preferences, standing: Trust, notice: Option<&String>) -> bool {
        self.wanted == wanted && self.standing == standing && self.notice.as_ref() == notice
    }
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
        self.notify(store, cause, letter, now)?;
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
        let posting = Posting {
            store,
            cause,
            letter: &*with_earlier(store, letter)?,
            board: match letter.board {
                Some((game, number)) => store.board(game, number)?,
                None => None,
            },
            now,
        };
        posting.release_receipts()?;
        posting.find_readers(&mut destinations)?;
        let mut form = None;
        for destination in &destinations {
            self.post_to(&posting, destination, &mut form)?;
        }
        Ok(())
    }

    /// Adds the row for one address, if its limits allow it. Usually all addresses belong to one player, so the letter is packed
    /// once: `form` is as the last reader got it.
    fn post_to(
        &mut self,
        posting: &Posting<'_>,
        destination: &Destination,
        form: &mut Option<Form>,
    ) -> Result<(), InternalError> {
        let Posting {
            store,
            cause,
            letter,
            ref board,
            now,
        } = *posting;
        let standing = destination.standing;
        let is_proven = cause.standing == Trust::Proven;
        let wanted = wanted(store, destination)?;
        let times = Times {
            now,
            zone: wanted.zone,
        };
        let notice = match self.allow(store, letter, (&destination.address, standing), is_proven, times)? {
            Allowance::Sent => None,
            Allowance::Last(notice) => Some(notice),
            Allowance::Withheld => return Ok(()),
        };
        let form = match form {
            Some(form) if form.is_for(wanted, standing, notice.as_ref()) => form,
            other => other.insert(self.form(letter, wanted, standing, notice)?),
        };
        let reply_to = posting.reply_to(destination)?;
        let thread = (board.as_ref().map(|board| board.id), &destination.address);
        let place = place(
            store,
            &self.key,
            self.settings.own.present(),
            cause,
            letter,
            thread,
        )?;
        let inbox = posting.inbox_line(destination);
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
            list: posting.list(),
            reply_to: reply_to.map(|(purpose, _)| purpose),
            sender_name: posting.sender_name(inbox.as_ref()),
            subject: &subject,
            letter: &form.letter,
            unsubscribe: letter
                .unasked
                .zip(destination.player)
                .and_then(|(unasked, reader)| unasked.number(reader)),
            is_watching: letter.is_watching,
            is_last: matches!(letter.to, Addressee::Former(_)),
            awaits: letter.awaits,
            created_at: now,
            is_unproven: !is_proven,
            cause: cause.number(destination.player),
        })?;
        self.count_caused(store, cause, now)
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
        self.rng.get_mut().fill(random);
        format!(
            "{}@{}",
            // This alphabet sorts as the numbers that it encodes.
            data_encoding::BASE32_DNSSEC.encode(&id),
            self.settings.own.present().domain()
        )
    }
}

impl Posting<'_> {
    /// A letter about a board with a computer sends the receipts that waited for it.
    fn release_receipts(&self) -> Result<(), InternalError> {
        if let Some(board) = &self.board
            && self.letter.awaits.is_none()
            && board.computer().is_some()
        {
            self.store.release_awaiting(board, self.now)?;
        }
        Ok(())
    }

    /// Finds who reads at these addresses, where a letter to a player of the board or an invitation depends on it.
    fn find_readers(&self, destinations: &mut [Destination]) -> Result<(), InternalError> {
        let is_invitation =
            self.letter.is_invitation || matches!(self.cause.answered, Some((_, Purpose::Invitation, _)));
        if let Some(board) = &self.board {
            for destination in destinations
                .iter_mut()
                .filter(|to| to.standing != Trust::Stranger)
            {
                seat(self.store, board, destination)?;
            }
        }
        for destination in destinations.iter_mut().filter(|_| is_invitation) {
            invite(self.store, self.cause, destination)?;
        }
        Ok(())
    }

    /// The token in its `Reply-To`: what for, and the row that it names.
    fn reply_to(&self, destination: &Destination) -> Result<Option<(Purpose, i64)>, InternalError> {
        let (store, now) = (self.store, self.now);
        Ok(match (destination.player, self.letter.content.kind) {
            // Where it goes, others may read it: nothing of it plays for the player.
            (_, LetterKind::Notice) => None,
            (Some(player), LetterKind::Forgot) => {
                Some((Purpose::Reset, expiring_number(player, good_until(now))))
            }
            (Some(player), LetterKind::Export) => {
                Some((Purpose::Export, expiring_number(player, good_until(now))))
            }
            (Some(player), LetterKind::Proposal) => store
                .newest_proposal(player)?
                .map(|row| (Purpose::Proposal, row_of_player(player, row))),
            (Some(player), LetterKind::Digest) => store
                .newest_digest_letter(player)?
                .map(|row| (Purpose::Digest, row)),
            (Some(player), LetterKind::Gazette) => store
                .gazettes(1)?
                .first()
                .map(|newest| (Purpose::Gazette, row_of_player(player, newest.number))),
            _ => purpose(self.board.as_ref(), destination)
                .or_else(|| again(self.cause, self.letter, destination))
                .or_else(|| invitation(self.letter, destination, now)),
        })
    }

    /// What the list of an inbox says of it, if it is about a board.
    fn inbox_line(&self, destination: &Destination) -> Option<InboxLine> {
        let board = self.board.as_ref()?;
        if self.letter.content.kind == LetterKind::Notice {
            return None;
        }
        let reader = destination.player.and_then(|player| board.seat_of(player));
        Some(inbox_line(board, self.letter, reader))
    }

    fn sender_name<'b>(&'b self, inbox: Option<&'b InboxLine>) -> &'b str {
        let content = &self.letter.content;
        match inbox {
            Some(inbox) => &inbox.sender,
            // What was not asked for is no receipt.
            None if content.kind == LetterKind::Done && !self.letter.is_answer => "",
            None => &content.sender_name,
        }
    }

    /// The `List-Id` of its board, or of the gazette.
    fn list(&self) -> Option<String> {
        if self.letter.content.kind == LetterKind::Gazette {
            return Some(LetterKind::Gazette.name().to_owned());
        }
        let board = self.board.as_ref()?;
        Some(format!("{}.{}", board.game.facts.name, board.number))
    }
}

/// What a reply to this letter can do: confirm the address, or act for a player's seat at a running board.
fn purpose(board: Option<&Board>, destination: &Destination) -> Option<(Purpose, i64)> {
    if destination.about.is_some() {
        return destination.about;
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
