//! What a message asks for, once it is known whose seat it answers from: one step after the other.

use std::borrow::Cow;

use chrono::TimeDelta;

use crate::command::{Batch, COMMANDS, InternalError, Line, Misread, Script};
use crate::mail::Address;
use crate::store::Store;
use crate::table::{Board, Player, Unasked, seat_of_number};

use super::handling::Handling;
use super::request::Request;
use super::token::{Claim, Purpose, seat_generation};

/// One thing that a message asks for.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few steps, and most are lines"
)]
pub(super) enum Step<'a> {
    /// A command with its comment.
    Line(Cow<'a, Line>, String),
    /// The address in this row is confirmed.
    Confirm(i64),
    /// This player wants no more mail of this kind.
    Leave(Box<Player>, Unasked),
    /// A line that is no command.
    Misread(&'a Misread),
    /// Several commands, one a line.
    Batch(&'a Batch),
    /// Nothing that reads as a command.
    Nothing,
    /// An answer to a mail about this board that holds no command.
    Expected(Box<(Board, Player)>),
    /// A token that is not good, from a known address.
    Dead,
    /// A token that is not good, from elsewhere: it gets no answer.
    Silent,
}

impl Step<'_> {
    /// The text beside the command.
    pub(super) fn comment(&self) -> &str {
        match self {
            Self::Line(_, comment) => comment,
            _ => "",
        }
    }

    /// Whether it could not be made out what was wanted.
    pub(super) const fn is_no_command(&self) -> bool {
        !matches!(
            self,
            Self::Line(..) | Self::Confirm(_) | Self::Leave(..) | Self::Batch(_)
        )
    }
}

/// Whose answer a message is.
enum AnsweredBy {
    /// That of a player at a board that runs.
    Seat(Box<(Board, Player)>),
    /// It bears a token that is good no longer, or never was.
    Dead,
    /// It is no answer to a board.
    Nowhere,
}

impl<'a> Handling<'a> {
    /// What a message asks for, in order (the reply token first, then the subject).
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

    /// The address that this message confirms: it says so, and bears the token of the question, or answers it
    /// from the address that was asked.
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

    /// Who wants no more mail of which kind: the message came to the address that such a mail names for this. What
    /// it says is no matter, since programs write it.
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

    /// The seat that this message answers from: by its token, or, where a provider drops that, because it
    /// answers a mail of ours to that player from the address which that mail went to.
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
            // A mailbox that has been taken from the account answers for it no more.
            None => is_of(store, request, &player)?,
        };
        if is_true && board.end.is_none() {
            Ok(AnsweredBy::Seat(Box::new((board, player))))
        } else {
            Ok(AnsweredBy::Dead)
        }
    }

    /// A dead token is answered only to an address of a player, and once a day.
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

/// What may be a token. A person's mail program may answer the envelope sender of our mail: that is none.
fn detail(request: &Request) -> Option<&str> {
    request
        .envelope
        .recipient
        .detail()
        .filter(|_| request.returned.is_none())
}

/// The row of the mail that this message answers, if it was ours for this purpose and went to its sender.
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
