//! One message, one transaction: the only place that knows all parts.
//!
//! [`Desk::handle`] records a message, decides what it does, carries that out and writes the answers to the
//! outbox, all inside the savepoint that the engine opened for it.

mod apply;
mod post;

pub use post::token;

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rand::rngs::StdRng;

use crate::command::{
    self, Context, Decision, Fault, Letter, Line, Proofs, Refused, Script, Sender, Settings, Stop, confirm,
};
use crate::letters::{Apology, Letters};
use crate::mail::{Address, Key};
use crate::store::{Received, State, Store};
use crate::table::PlayerId;

/// The kind of token that stands in the `Reply-To` of the one question to a new address.
pub const CONFIRM: &str = "confirm";

/// How much may come from one sender and go to one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Messages that prove nothing, from one sender in an hour.
    pub mails_an_hour: u32,
    /// Refusals mailed to one address in a day.
    pub refusals_a_day: u32,
    /// Answers mailed in a day to one address that belongs to no player.
    pub strangers_answers_a_day: u32,
}

/// A message, read.
pub struct Request {
    /// By which door it came.
    pub door: &'static str,
    /// Who wrote.
    pub sender: Sender,
    /// The address it was sent to.
    pub recipient: Address,
    /// Its Message-ID.
    pub message_id: Option<String>,
    /// The Message-IDs that it answers.
    pub in_reply_to: Vec<String>,
    /// The digest that a second copy would share.
    pub identity: Option<[u8; 32]>,
    /// A digest of its bytes.
    pub digest: [u8; 32],
    /// Why it is never answered, if it is of such a kind.
    pub silence: Option<String>,
    /// What its subject asks for.
    pub script: Script,
    /// Whether its text answers a question with yes.
    pub says_confirm: bool,
    /// Its text.
    pub comment: String,
    /// Its bytes, kept only if handling it fails.
    pub bytes: Arc<[u8]>,
}

impl std::fmt::Debug for Request {
    /// Without its text and its bytes, in which passwords stand.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("door", &self.door)
            .field("message_id", &self.message_id)
            .field("script", &self.script)
            .finish_non_exhaustive()
    }
}

/// What became of a message in its savepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    /// It is recorded under this number, with all that it does.
    Recorded(i64),
    /// It was recorded before, under this number: nothing is done again.
    Duplicate(i64),
    /// A password has to be checked against what is stored now; nothing was done.
    Check,
}

/// What handling needs beside the database.
#[derive(Debug)]
pub struct Desk {
    /// The configuration that commands see.
    pub settings: Settings,
    /// The limits.
    pub limits: Limits,
    /// The templates.
    pub letters: Letters,
    /// The key of the reply tokens.
    pub key: Arc<Key>,
    /// Where Message-IDs come from.
    pub rng: StdRng,
}

impl Desk {
    /// Handles one message.
    ///
    /// # Errors
    /// A fault of ours; the savepoint is then to be undone.
    pub fn handle(
        &mut self,
        store: &Store,
        request: &Request,
        proofs: &Proofs,
        now: DateTime<Utc>,
    ) -> Result<Handled, Fault> {
        if let Some(identity) = &request.identity
            && let Some(before) = store.seen(identity)?
        {
            return Ok(Handled::Duplicate(before));
        }
        if let Some(why) = &request.silence {
            let id = store.add_received(&received(request, now))?;
            store.settle_received(id, State::Ignored, Some(why), false)?;
            return Ok(Handled::Recorded(id));
        }
        let context = Context {
            store,
            now,
            settings: &self.settings,
            sender: &request.sender,
            proofs,
            comment: &request.comment,
        };
        let verdict = match self.decide(&context, request) {
            Ok(decision) => Ok(decision),
            Err(Stop::Check) => return Ok(Handled::Check),
            Err(Stop::Fault(fault)) => return Err(fault),
            Err(Stop::Refused(refused)) => Err(refused),
        };
        let mut row = received(request, now);
        if let Script::Command(line) = &request.script {
            row.commands = match &verdict {
                Ok(_) => line.masked(),
                Err(refused) => command::echo_of(&context, line, refused)?.text,
            };
        }
        let id = store.add_received(&row)?;
        let proven = match &verdict {
            Ok(decision) => decision.proven,
            Err(refused) => refused.proven,
        };
        if proven.is_none() && self.is_over_the_hour(store, request, now)? {
            store.settle_received(id, State::Dropped, Some("too many mails in an hour"), false)?;
            return Ok(Handled::Recorded(id));
        }
        match verdict {
            Ok(decision) => self.carry_out(store, request, id, &decision, now)?,
            Err(refused) => self.refuse(store, request, proofs, id, &refused, now)?,
        }
        Ok(Handled::Recorded(id))
    }

    /// Records a message whose handling failed, and apologises for it.
    ///
    /// # Errors
    /// The database's.
    pub fn set_aside(
        &mut self,
        store: &Store,
        request: &Request,
        why: &str,
        now: DateTime<Utc>,
    ) -> Result<i64, Fault> {
        let id = store.add_received(&received(request, now))?;
        store.settle_received(id, State::Failed, Some(why), false)?;
        if request.silence.is_none() {
            let letter = Letter::answer(Apology { number: id }.into());
            self.post(store, request, id, &letter, now)?;
        }
        Ok(id)
    }

    fn decide(&self, context: &Context<'_>, request: &Request) -> Result<Decision, Stop> {
        if let Some(row) = self.confirmed_address(context, request)? {
            return confirm(context, row);
        }
        match &request.script {
            Script::Command(line) => (line.command.run)(context, line),
            Script::Misread(misread) => Ok(Decision::answer(command::misread_letter(
                misread,
                &self.settings.address,
            ))),
            Script::Nothing => Ok(Decision::answer(command::nothing_letter(&self.settings.address))),
        }
    }

    /// The address that this message confirms: it says so, and bears the token of the question, or answers it
    /// from the address that was asked.
    fn confirmed_address(&self, context: &Context<'_>, request: &Request) -> Result<Option<i64>, Fault> {
        if !request.says_confirm {
            return Ok(None);
        }
        if let Some(row) = request
            .recipient
            .detail()
            .and_then(|detail| post::read_token(&self.key, CONFIRM, detail))
        {
            return Ok(Some(row));
        }
        let own = [&request.sender.from, &request.sender.envelope]
            .map(|address| address.as_ref().map(Address::key));
        for message_id in &request.in_reply_to {
            if let Some(kept) = context.store.kept(message_id)?
                && own.contains(&Some(kept.recipient_key))
                && kept.about.is_some()
            {
                return Ok(kept.about);
            }
        }
        Ok(None)
    }

    fn carry_out(
        &mut self,
        store: &Store,
        request: &Request,
        id: i64,
        decision: &Decision,
        now: DateTime<Utc>,
    ) -> Result<(), Fault> {
        for change in &decision.changes {
            apply::apply(store, change, now)?;
        }
        for letter in &decision.letters {
            self.post(store, request, id, letter, now)?;
        }
        let refused =
            matches!(request.script, Script::Misread(_) | Script::Nothing) && decision.changes.is_empty();
        let state = if refused { State::Refused } else { State::Done };
        store.settle_received(id, state, None, decision.proven.is_some())?;
        Ok(())
    }

    fn refuse(
        &mut self,
        store: &Store,
        request: &Request,
        proofs: &Proofs,
        id: i64,
        refused: &Refused,
        now: DateTime<Utc>,
    ) -> Result<(), Fault> {
        if let Script::Command(line) = &request.script {
            let letter = self.refusal(store, request, proofs, line, refused, now)?;
            self.post(store, request, id, &letter, now)?;
        }
        let proven: Option<PlayerId> = refused.proven;
        store.settle_received(id, State::Refused, Some(&refused.sentence), proven.is_some())?;
        Ok(())
    }

    fn refusal(
        &self,
        store: &Store,
        request: &Request,
        proofs: &Proofs,
        line: &Line,
        refused: &Refused,
        now: DateTime<Utc>,
    ) -> Result<Letter, Fault> {
        let context = Context {
            store,
            now,
            settings: &self.settings,
            sender: &request.sender,
            proofs,
            comment: &request.comment,
        };
        command::refusal_letter(&context, line, refused)
    }

    fn is_over_the_hour(&self, store: &Store, request: &Request, now: DateTime<Utc>) -> Result<bool, Fault> {
        let since = now - TimeDelta::hours(1);
        // The message at hand is recorded already, hence more than and not as many as.
        Ok(store.unproven_since(&request.sender.key(), since)? > self.limits.mails_an_hour)
    }
}

fn received(request: &Request, now: DateTime<Utc>) -> Received {
    Received {
        identity: request.identity,
        received_at: now,
        door: request.door,
        sender: request.sender.envelope.as_ref().map(ToString::to_string),
        recipient: without_token(&request.recipient),
        header_from: request.sender.from.as_ref().map(ToString::to_string),
        message_id: request.message_id.clone(),
        commands: request.script.unjudged(),
    }
}

/// The recipient without its detail, which may be a token: that is as good as a password.
fn without_token(recipient: &Address) -> String {
    let local = recipient.local().split('+').next().unwrap_or_default();
    format!("{local}@{}", recipient.domain())
}
