//! The steps of a message: what it asks for, after its reply token has been resolved.

use std::borrow::Cow;

use chrono::TimeDelta;

use crate::command::{Batch, COMMANDS, InternalError, Line, Misread, Script};
use crate::mail::Address;
use crate::store::Store;
use crate::table::{Board, Player, Unasked, seat_of_number};

use super::handling::Handling;
use super::request::Request;
use super::token::{Claim, Purpose, seat_generation};

/// One step of a message.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few steps, and most are lines"
)]
pub(super) enum Step<'a> {
    /// A command with its comment.
    Line(Cow<'a, Line>, String),
    /// Confirms the address in this row.
    Confirm(i64),
    /// Ends mail of this kind for this player.
    Leave(Box<Player>, Unasked),
    /// A line that is not a command.
    Misread(&'a Misread),
    /// A list of commands.
    Batch(&'a Batch),
    /// No command.
    Nothing,
    /// A reply about this board that contains no command.
    Expected(Box<(Board, Player)>),
    /// An invalid token from the address of a player.
    Dead,
    /// An invalid token from any other address: no answer.
    Silent,
}

impl Step<'_> {
    /// The comment of the command.
    pub(super) fn comment(&self) -> &str {
        match self {
            Self::Line(_, comment) => comment,
            _ => "",
        }
    }

    /// Whether no command was understood.
    pub(super) const fn is_no_command(&self) -> bool {
        !matches!(
            self,
            Self::Line(..) | Self::Confirm(_) | Self::Leave(..) | Self::Batch(_)
        )
    }
}

/// The seat that a message answers from.
enum AnsweredBy {
    /// A player's seat at a running board.
    Seat(Box<(Board, Player)>),
    /// None: its token is invalid or expired.
    Dead,
    /// None: it is not a reply about a board.
    Nowhere,
}

impl<'a> Handling<'a> {
    /// The steps in order. A reply token takes precedence over the subject.
    pub(super) fn steps(&self) -> Result<Vec<Step<'a>>, InternalError> {
        let request = self.request;
        if let Some(row) = self.confirmed_address()? {
            return Ok(vec![Step::Confirm(row)]);
        }
        if let Some((player, unasked)) = self.leaving()? {
            return Ok(vec![Step::Leave(Box::new(player), unasked)]);
        }
        let from = self.answered_from()?;
        if let AnsweredBy::Seat(seated) = &from {
            let (board, player) = seated.as_ref();
            let position = board.replay(self.store.turns(board.id)?, usize::MAX)?;
            for text in [&request.comment, &request.subject] {
                let answer = COMMANDS.read_reply(text, board, player, position.game.as_ref());
                if !answer.commands.is_empty() {
                    let step = |(line, comment)| Step::Line(Cow::Owned(line), comment);
                    return Ok(answer.commands.into_iter().map(step).collect());
                }
            }
        }
        Ok(vec![match (&request.script, from) {
            (Script::Command(line), _) => Step::Line(Cow::Borrowed(line), request.comment.clone()),
            (Script::Batch(batch), _) => Step::Batch(batch),
            (_, AnsweredBy::Seat(seated)) => Step::Expected(seated),
            (_, AnsweredBy::Dead) if self.may_be_told()? => Step::Dead,
            (_, AnsweredBy::Dead) => Step::Silent,
            (Script::Misread(misread), AnsweredBy::Nowhere) => Step::Misread(misread),
            (Script::Nothing, AnsweredBy::Nowhere) => Step::Nothing,
        }])
    }

    /// The row of the address that this message confirms. It must say `confirm`, and contain the token of the question
    /// or answer the question from the address concerned.
    fn confirmed_address(&self) -> Result<Option<i64>, InternalError> {
        let request = self.request;
        if !request.says_confirm {
            return Ok(None);
        }
        let claim = detail(request).and_then(|detail| Claim::read(detail, Purpose::Confirm));
        if let Some(claim) = claim.filter(|claim| claim.is_true(&self.handler.key, 0)) {
            return Ok(Some(claim.row));
        }
        answered(self.store, request, Purpose::Confirm)
    }

    /// The player and the kind of mail to end, if the message came to the `List-Unsubscribe` address of a mail. Its
    /// text is ignored, since programs write it.
    fn leaving(&self) -> Result<Option<(Player, Unasked)>, InternalError> {
        let detail = self.request.envelope.recipient.detail();
        let Some(claim) = detail.and_then(|detail| Claim::read(detail, Purpose::Leave)) else {
            return Ok(None);
        };
        let Some((player, unasked)) = Unasked::of_number(claim.row) else {
            return Ok(None);
        };
        let player = self.store.player_by_id(player)?;
        let player = player.filter(|player| claim.is_true(&self.handler.key, player.generation));
        Ok(player.map(|player| (player, unasked)))
    }

    /// The seat that this message answers from. The token identifies it. Some providers remove the token from the
    /// address: then a reply (`In-Reply-To`) counts if it comes from the address to which our mail was sent.
    fn answered_from(&self) -> Result<AnsweredBy, InternalError> {
        let (store, request) = (self.store, self.request);
        let claim = detail(request).and_then(|detail| Claim::read(detail, Purpose::Seat));
        let by_mail = answered(store, request, Purpose::Seat)?;
        let Some(number) = claim.as_ref().map(|claim| claim.row).or(by_mail) else {
            return Ok(if detail(request).is_some() {
                AnsweredBy::Dead
            } else {
                AnsweredBy::Nowhere
            });
        };
        let (board, seat) = seat_of_number(number);
        let Some(board) = store.board_by_id(board)? else {
            return Ok(AnsweredBy::Dead);
        };
        let Some(player) = store.player_by_id(board.at(seat).id)? else {
            return Ok(AnsweredBy::Dead);
        };
        let is_true = match claim {
            Some(claim) => claim.is_true(&self.handler.key, seat_generation(player.id, player.generation)),
            // The address may have been removed from the account after our mail.
            None => is_of(store, request, &player)?,
        };
        if is_true && board.end.is_none() {
            Ok(AnsweredBy::Seat(Box::new((board, player))))
        } else {
            Ok(AnsweredBy::Dead)
        }
    }

    /// Whether an invalid token gets an answer: only to the address of a player, and once a day.
    fn may_be_told(&self) -> Result<bool, InternalError> {
        let (store, now) = (self.store, self.now);
        let Some(sender) = &self.request.sender.envelope else {
            return Ok(false);
        };
        let is_known = store
            .address_rows(sender)?
            .iter()
            .any(|row| row.confirmed_at.is_some());
        Ok(is_known && store.sent_since(sender, &["dead"], now - TimeDelta::days(1))? == 0)
    }
}

/// Whether a message comes from a confirmed address of this player.
fn is_of(store: &Store, request: &Request, player: &Player) -> Result<bool, InternalError> {
    let sender = [&request.sender.from, &request.sender.envelope];
    let rows = store.addresses(player.id)?;
    let mut own = rows.iter().filter(|row| row.confirmed_at.is_some());
    Ok(own.any(|row| {
        let mut all = sender.iter().copied().flatten();
        all.any(|address| address.key() == row.address.key())
    }))
}

/// The detail of the recipient, which may be a reply token. The detail of an envelope sender of ours is not one, but
/// some mail programs reply to it.
fn detail(request: &Request) -> Option<&str> {
    request
        .envelope
        .recipient
        .detail()
        .filter(|_| request.returned.is_none())
}

/// The row for this purpose of our mail that this message answers, if that mail went to the same address.
fn answered(store: &Store, request: &Request, purpose: Purpose) -> Result<Option<i64>, InternalError> {
    let sender = request.sender.believed();
    let own = [&sender.from, &sender.envelope].map(|address| address.as_ref().map(Address::key));
    for message_id in &request.mail.in_reply_to {
        if let Some(kept) = store.sent_mail(message_id)?
            && own.contains(&Some(kept.recipient_key))
            && let Some((word, row)) = kept.purpose
            && word == purpose.word()
        {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
