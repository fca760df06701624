//! Copies of a message that was refused. What was carried out is never done again. What was refused has changed nothing, so a
//! player who sends the mail again means it: by now it may be possible.
//!
//! Any other copy of a refused message is a duplicate. One is answered with the reason, where the first answer went and within
//! the bounds on what anybody may send; the others are not.

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use crate::command::{Addressee, Belief, InternalError, Letter};
use crate::letters::{NotDone, SubjectMark};
use crate::store::Store;

use super::destination::answers_to;
use super::handler::{Cause, Handler};
use super::repeating::NO_COMMAND;
use super::reply_context::ReplyContext;
use super::request::Request;
use super::trust::Trust;

/// What a message is to those that came before it.
pub(super) enum Coming {
    /// It is new, or acts again. If it is refused without an effect, this identifies it.
    New(Option<[u8; 32]>),
    /// It is a copy of the message in this row, and does nothing.
    Copy(i64),
}

impl Request {
    /// The digest under which it is known as refused: by the first copy, or by one with these `Resent-` fields.
    pub(super) fn refused(&self, resent: Option<[u8; 32]>) -> Option<[u8; 32]> {
        let mut digest = Sha256::new();
        digest.update(self.identity?);
        digest.update("refused");
        digest.update(resent.unwrap_or_default());
        Some(digest.finalize().into())
    }

    /// The digest under which this delivery is known once it was refused.
    pub(super) fn delivery(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update("delivered");
        digest.update(self.mail.delivery);
        digest.finalize().into()
    }
}

impl Coming {
    /// What a message is. A refused one acts again if its writer's program has sent it again, which it says in `Resent-` fields that
    /// no copy had before, and a token is valid. A server that repeats a delivery writes no such fields.
    pub(super) fn of(
        store: &Store,
        request: &Request,
        answers: &ReplyContext,
    ) -> Result<Self, InternalError> {
        let resent = request.mail.resent;
        let (first, this) = (request.refused(None), request.refused(resent));
        let (Some(identity), Some(copy), Some(first), Some(this)) =
            (request.identity, request.copy(), first, this)
        else {
            return Ok(Self::New(None));
        };
        if let Some(before) = store.seen([&identity, &copy])? {
            return Ok(Self::Copy(before));
        }
        if request.page.is_some() {
            // A page has shown its refusal, and shows it again.
            return Ok(Self::New(Some(identity)));
        }
        let Some(before) = store.seen([&first, &first])? else {
            return Ok(Self::New(Some(first)));
        };
        let is_sent_again = resent.is_some() && !answers.tokens().is_empty();
        if is_sent_again && store.seen([&this, &this])?.is_none() {
            return Ok(Self::New(Some(this)));
        }
        Ok(Self::Copy(before))
    }
}

impl Handler {
    /// Answers a copy of a refused message with the reason of the refusal: once, and nowhere but where the first answer went.
    /// The same bytes are no copy but the same delivery, whose 250 was not heard: they get nothing.
    /// Returns whether it must be found out first if `From` is authenticated; nothing was done then.
    pub(super) fn tell_again(
        &mut self,
        store: &Store,
        request: &Request,
        answers: &ReplyContext,
        before: i64,
        now: DateTime<Utc>,
    ) -> Result<bool, InternalError> {
        let is_silent = request.mail.silence.is_some() || request.returned.is_some();
        if is_silent || request.page.is_some() || request.click.is_some() {
            return Ok(false);
        }
        let told: [u8; 32] = Sha256::digest(format!("refused again {before}")).into();
        let refusals = store.refusals(before)?;
        let delivery = request.delivery();
        if refusals.is_empty() || store.seen([&told, &delivery])?.is_some() {
            return Ok(false);
        }
        let sender = &request.sender;
        let standing = Trust::unproven(store, sender)?;
        if answers.tokens().is_empty() {
            match sender.belief {
                Belief::Authenticated => {}
                Belief::Unasked => return Ok(true),
                Belief::Missing => return Ok(false),
                Belief::Agreed | Belief::Doubted => {
                    let dropped = self.why_unserved(store, sender, standing, now)?;
                    Self::count_unproven(store, sender, dropped, now)?;
                    if dropped.is_some() {
                        return Ok(false);
                    }
                }
            }
        }
        // A copy proves nothing new: it is bounded as a mail that anybody may send.
        let cause = Cause {
            standing,
            ..request.cause(before)
        };
        store.remember(&told, before)?;
        for refusal in refusals {
            let to = match refusal.userid {
                Some(userid) => Addressee::Mailbox {
                    userid,
                    address: refusal.address,
                },
                None if answers_to(store, sender, standing)?.as_ref() == Some(&refusal.address) => {
                    Addressee::Sender
                }
                None => continue,
            };
            let content = NotDone {
                subject: SubjectMark::NotDone.before("this mail came before"),
                sentence: sentence(&refusal.reason),
                ..NotDone::default()
            };
            let letter = Letter {
                to,
                ..Letter::answer(content.into())
            };
            self.post(store, &cause, &letter, now)?;
        }
        Ok(false)
    }
}

fn sentence(reason: &str) -> String {
    let why = match reason {
        NO_COMMAND => "no command was found in it.",
        reason => reason,
    };
    format!(
        "This mail came before and was refused, so it is not read again: write a new one. The reason was: {why}"
    )
}
