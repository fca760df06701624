//! Handles one message: records it, takes its steps in order, and records the outcome.

use chrono::{DateTime, Utc};

use crate::command::{self, Context, Decision, InternalError, Letter, Proofs, Unchecked, Undecided, confirm};
use crate::letters::Apology;
use crate::mail::Address;
use crate::store::{RateLimit, Received, State, Store, hourly};

use super::command_result::{CommandOutcome, CommandResult};
use super::failures;
use super::handler::Handler;
use super::handling::{Handling, Next};
use super::request::{Request, Returned};
use super::steps::Step;

/// The outcome of a message in its savepoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handled {
    /// Recorded in this row of `inbox`, with all its effects.
    Recorded(i64),
    /// Recorded earlier, in this row: nothing is done again.
    Duplicate(i64),
    /// This hash must be computed first. The caller must roll the savepoint back.
    Check(Box<Unchecked>),
}

impl Handler {
    /// Handles one message.
    ///
    /// # Errors
    /// The server failed, and the caller must roll the savepoint back.
    pub fn handle(
        &mut self,
        store: &Store,
        request: &Request,
        proofs: &Proofs,
        now: DateTime<Utc>,
    ) -> Result<Handled, InternalError> {
        if let Some(identity) = &request.identity
            && let Some(before) = store.seen(identity)?
        {
            return Ok(Handled::Duplicate(before));
        }
        failures::have_written(store, request)?;
        let id = store.add_received(&received(request, now))?;
        if let Some(Returned {
            mail,
            failure: Some(status),
        }) = &request.returned
        {
            let (state, why) = self.take_bounce(store, &request.cause(id), *mail, status, now)?;
            settle(store, request, id, (state, Some(&why)), false, now)?;
            return Ok(Handled::Recorded(id));
        }
        if let Some(why) = &request.mail.silence {
            let why = why.to_string();
            settle(store, request, id, (State::Ignored, Some(&why)), false, now)?;
            return Ok(Handled::Recorded(id));
        }
        let dropped_unless_proven = self.why_dropped(store, request, now)?;
        let handling = Handling {
            handler: self,
            store,
            request,
            proofs,
            now,
            id,
            dropped_unless_proven,
            commands: Vec::new(),
            state: None,
            is_proven: false,
        };
        handling.run()
    }

    /// Records a message whose handling failed, and sends an apology.
    pub fn set_aside(
        &mut self,
        store: &Store,
        request: &Request,
        why: &str,
        now: DateTime<Utc>,
    ) -> Result<i64, InternalError> {
        let id = store.add_received(&received(request, now))?;
        settle(store, request, id, (State::Failed, Some(why)), false, now)?;
        if request.mail.silence.is_none() {
            let letter = Letter::answer(Apology { number: id }.into());
            self.post(store, &request.cause(id), &letter, now)?;
        }
        Ok(id)
    }

    /// Why the message is dropped unless a password or a token authenticates its writer.
    fn why_dropped(
        &self,
        store: &Store,
        request: &Request,
        now: DateTime<Utc>,
    ) -> Result<Option<&'static str>, InternalError> {
        if !request.sender.is_believed {
            return Ok(Some("its sender is not authenticated"));
        }
        let before = store.tally(RateLimit::Unproven, &hourly(&request.sender.key(), now), now)?;
        let is_over = before >= self.limits.mails_an_hour;
        Ok(is_over.then_some("too many mails in an hour"))
    }
}

impl Handling<'_> {
    /// Takes all steps in order, and records the outcome.
    fn run(mut self) -> Result<Handled, InternalError> {
        for step in self.steps()? {
            let next = match &step {
                Step::Batch(batch) => self.take_batch(batch)?,
                step => self.take(step)?,
            };
            match next {
                Next::Step => {}
                Next::End => break,
                Next::Check(hash) => return Ok(Handled::Check(hash)),
            }
        }
        if !self.commands.is_empty() {
            self.store.set_commands(self.id, &self.commands.join("\n"))?;
        }
        let (state, reason) = self.state.unzip();
        let became = (state.unwrap_or(State::Done), reason.as_deref());
        settle(
            self.store,
            self.request,
            self.id,
            became,
            self.is_proven,
            self.now,
        )?;
        Ok(Handled::Recorded(self.id))
    }

    /// Takes one step: decides it, then carries it out or refuses it.
    fn take(&mut self, step: &Step<'_>) -> Result<Next, InternalError> {
        let context = self.context(step.comment());
        let verdict = match decide(&context, step) {
            Ok(decision) => Ok(decision),
            // Whatever it decides is dropped below.
            Err(Undecided::PasswordUnchecked(hash)) if self.is_in_vain(&hash) => Ok(Decision::default()),
            Err(Undecided::PasswordUnchecked(hash)) => return Ok(Next::Check(hash)),
            Err(Undecided::InternalError(fault)) => return Err(fault),
            Err(Undecided::Refused(refused)) => Err(refused),
        };
        let (proven, echo, refusal) = match (&verdict, step) {
            (Ok(decision), Step::Line(line, _)) => (decision.proven, Some(line.masked()), None),
            (Ok(decision), _) => (decision.proven, None, None),
            (Err(refused), Step::Line(line, _)) => {
                let echo = command::echo_of(&context, line, refused)?.text;
                let letter = command::refusal_letter(&context, line, refused)?;
                (refused.proven, Some(echo), Some(letter))
            }
            (Err(refused), _) => (refused.proven, None, None),
        };
        self.commands.extend(echo);
        self.is_proven |= proven.is_some();
        // Counted even if the mail is dropped below. Otherwise a sender over the hourly limit could guess passwords
        // without end.
        if let Err(refused) = &verdict
            && let Some(player) = refused.wrong_password_of
        {
            self.store
                .add_guess(player, &self.request.sender.key(), self.now)?;
        }
        let is_dropped = proven.is_none() && self.dropped_unless_proven.is_some();
        let outcome = match &verdict {
            _ if is_dropped => CommandOutcome::Dropped,
            Ok(_) => CommandOutcome::Done,
            Err(refused) => CommandOutcome::Refused(refused.kind),
        };
        match step {
            Step::Line(line, _) => self.handler.results.push(CommandResult::of(line, outcome)),
            Step::Misread(misread) => self.handler.results.push(CommandResult::of_misread(misread)),
            _ => {}
        }
        if is_dropped && let Some(why) = self.dropped_unless_proven {
            self.state = Some((State::Dropped, why.to_owned()));
            return Ok(Next::End);
        }
        match verdict {
            Ok(decision) => {
                self.carry_out(&decision)?;
                if step.is_no_command() {
                    self.state = Some((State::Refused, "no command".to_owned()));
                }
                Ok(Next::Step)
            }
            Err(refused) => {
                if let Some(letter) = refusal {
                    self.post(&letter)?;
                }
                self.state = Some((State::Refused, refused.sentence));
                // The later commands of a reply were written for the case that this one succeeds, so they are skipped.
                Ok(Next::End)
            }
        }
    }
}

/// Decides one step.
fn decide(context: &Context<'_>, step: &Step<'_>) -> Result<Decision, Undecided> {
    let server = &context.settings.address;
    match step {
        Step::Line(line, _) => command::decide(context, line),
        Step::Confirm(row) => confirm(context, *row),
        Step::Leave(player, unasked) => Ok(command::leave(context, player, *unasked)?),
        Step::Misread(misread) => Ok(Decision::answer(command::misread_letter(misread, server))),
        Step::Nothing => Ok(Decision::answer(command::nothing_letter(server))),
        Step::Expected(seated) => {
            let (board, player) = seated.as_ref();
            let letter = command::expected_letter(context, board, player)?;
            Ok(Decision {
                proven: Some(player.id),
                ..Decision::answer(letter)
            })
        }
        Step::Dead => Ok(Decision::answer(command::dead_letter(server))),
        // `take_batch` handles a list, line by line.
        Step::Silent | Step::Batch(_) => Ok(Decision::default()),
    }
}

/// Records the outcome of a message, and counts it for the hourly limit if it was not authenticated.
fn settle(
    store: &Store,
    request: &Request,
    id: i64,
    (state, why): (State, Option<&str>),
    is_proven: bool,
    now: DateTime<Utc>,
) -> Result<(), InternalError> {
    if !is_proven {
        store.count(RateLimit::Unproven, &hourly(&request.sender.key(), now), 1, now)?;
    }
    Ok(store.settle_received(id, state, why, is_proven)?)
}

fn received(request: &Request, now: DateTime<Utc>) -> Received {
    Received {
        identity: request.identity,
        received_at: now,
        door: request.door,
        sender: request.envelope.sender.as_ref().map(ToString::to_string),
        sender_key: request.sender.key(),
        recipient: without_token(&request.envelope.recipient),
        header_from: request.sender.from.as_ref().map(ToString::to_string),
        message_id: request.mail.message_id.clone(),
        commands: request.script.unjudged(),
    }
}

/// The recipient without its detail. That may be a token, which must not be stored, as a password.
fn without_token(recipient: &Address) -> String {
    let local = recipient.local().split('+').next().unwrap_or_default();
    format!("{local}@{}", recipient.domain())
}
