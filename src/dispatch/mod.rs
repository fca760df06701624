//! One message, one transaction: the only place that knows all parts.
//!
//! [`Desk::handle`] records a message, decides what it does, carries that out and writes the answers to the
//! outbox, all inside the savepoint that the engine opened for it.

mod apply;
mod batch;
mod clocks;
mod digest;
pub mod due;
mod failures;
mod judged;
mod post;
mod steps;
mod token;

pub use failures::Returned;
pub use judged::{Fate, Judged};
pub use token::{Purpose, seat_generation, token};

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rand::rngs::StdRng;

use steps::Step;

use crate::command::{
    self, COMMANDS, Context, Decision, Fault, Letter, Proofs, Refused, Script, Sender, Settings, Stop,
    confirm,
};
use crate::letters::{Apology, Letters};
use crate::mail::{Address, Key};
use crate::store::{Counted, Received, State, Store, hourly};

/// How much may come from one sender and go to one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Messages that prove nothing, from one sender in an hour of the clock.
    pub mails_an_hour: u32,
    /// Refusals mailed to one address in a day.
    pub refusals_a_day: u32,
    /// Answers of any kind mailed to one address in a day.
    pub answers_a_day: u32,
    /// Answers mailed in a day to one address that belongs to no player.
    pub strangers_answers_a_day: u32,
}

/// A message, read.
pub struct Request {
    /// By which door it came.
    pub door: &'static str,
    /// Who wrote.
    pub sender: Sender,
    /// The reverse-path, as it came; `None` for the null sender.
    pub reverse_path: Option<Address>,
    /// What it is about, if it came to the envelope sender of a mail of ours.
    pub returned: Option<Returned>,
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
    /// Its subject, cleaned, in plain characters.
    pub subject: String,
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

impl Request {
    /// What the letters of this message, recorded under that number, answer.
    fn cause(&self, id: i64) -> Cause<'_> {
        Cause {
            inbox: Some(id),
            sender: self.sender.believed().envelope.as_ref(),
            message_id: self.message_id.as_deref(),
        }
    }
}

/// Why letters are written: a message, or only that a time has come.
#[derive(Clone, Copy, Debug, Default)]
struct Cause<'a> {
    /// The record of the message.
    inbox: Option<i64>,
    /// Its envelope sender, to whom an answer goes.
    sender: Option<&'a Address>,
    /// Its Message-ID.
    message_id: Option<&'a str>,
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
    pub letters: Arc<Letters>,
    /// The key of the reply tokens.
    pub key: Arc<Key>,
    /// Where Message-IDs come from.
    pub rng: StdRng,
    /// Since when the server has been up with a clock that nobody has set.
    pub steady_since: DateTime<Utc>,
    /// What became of each command of the present batch; whoever takes a message back takes its commands back here.
    pub judged: Vec<Judged>,
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
        if let Some(why) = &request.silence {
            settle(store, request, id, (State::Ignored, Some(why)), false, now)?;
            return Ok(Handled::Recorded(id));
        }
        let mut tally = Tally {
            id,
            dropped_unless_proven: self.why_dropped(store, request, now)?,
            ..Tally::default()
        };
        for step in self.steps(store, request, now)? {
            let next = match &step {
                Step::Batch(batch) => self.take_batch(store, request, proofs, batch, &mut tally, now)?,
                step => self.take(store, request, proofs, step, &mut tally, now)?,
            };
            match next {
                Next::Step => {}
                Next::End => break,
                Next::Check => return Ok(Handled::Check),
            }
        }
        if !tally.commands.is_empty() {
            store.set_commands(id, &tally.commands.join("\n"))?;
        }
        let (state, reason) = tally.state.unzip();
        let became = (state.unwrap_or(State::Done), reason.as_deref());
        settle(store, request, id, became, tally.is_proven, now)?;
        Ok(Handled::Recorded(id))
    }

    /// Takes one step of a message: decides, then carries out or refuses.
    fn take(
        &mut self,
        store: &Store,
        request: &Request,
        proofs: &Proofs,
        step: &Step<'_>,
        tally: &mut Tally,
        now: DateTime<Utc>,
    ) -> Result<Next, Fault> {
        let context = self.context(store, request, proofs, now, step.comment());
        let verdict = match self.decide(&context, step) {
            Ok(decision) => Ok(decision),
            Err(Stop::Check) => return Ok(Next::Check),
            Err(Stop::Fault(fault)) => return Err(fault),
            Err(Stop::Refused(refused)) => Err(refused),
        };
        let (proven, refusal) = match (&verdict, step) {
            (Ok(decision), Step::Line(line, _)) => {
                tally.commands.push(line.masked());
                (decision.proven, None)
            }
            (Ok(decision), _) => (decision.proven, None),
            (Err(refused), Step::Line(line, _)) => {
                tally
                    .commands
                    .push(command::echo_of(&context, line, refused)?.text);
                (
                    refused.proven,
                    Some(command::refusal_letter(&context, line, refused)?),
                )
            }
            (Err(refused), _) => (refused.proven, None),
        };
        tally.is_proven |= proven.is_some();
        // Counted even if the mail is dropped below: otherwise whoever is over the hour could guess for ever.
        if let Err(refused) = &verdict
            && let Some(player) = refused.wrong_password_of
        {
            store.add_guess(player, &request.sender.key(), now)?;
        }
        let is_dropped = proven.is_none() && tally.dropped_unless_proven.is_some();
        let fate = match &verdict {
            _ if is_dropped => Fate::Dropped,
            Ok(_) => Fate::Done,
            Err(refused) => Fate::Refused(refused.kind),
        };
        match step {
            Step::Line(line, _) => self.judged.push(Judged::of(line, fate)),
            Step::Misread(misread) => self.judged.push(Judged::of_misread(misread)),
            _ => {}
        }
        if is_dropped && let Some(why) = tally.dropped_unless_proven {
            tally.state = Some((State::Dropped, why.to_owned()));
            return Ok(Next::End);
        }
        match verdict {
            Ok(decision) => {
                self.carry_out(store, &request.cause(tally.id), &decision, now)?;
                if step.is_no_command() {
                    tally.state = Some((State::Refused, "no command".to_owned()));
                }
                Ok(Next::Step)
            }
            Err(refused) => {
                if let Some(letter) = refusal {
                    self.post(store, &request.cause(tally.id), &letter, now)?;
                }
                tally.state = Some((State::Refused, refused.sentence));
                // What follows in an answer was written in the belief that this would be done.
                Ok(Next::End)
            }
        }
    }

    fn context<'a>(
        &'a self,
        store: &'a Store,
        request: &'a Request,
        proofs: &'a Proofs,
        now: DateTime<Utc>,
        comment: &'a str,
    ) -> Context<'a> {
        Context {
            commands: &COMMANDS,
            store,
            now,
            settings: &self.settings,
            sender: &request.sender,
            proofs,
            tokens: self.key.as_ref(),
            comment,
        }
    }

    /// Carries out what the operator asks for: decided as a command is, but by nobody's mail.
    ///
    /// # Errors
    /// A fault of ours. What is refused is no error of this kind, and changes nothing.
    pub fn operate(
        &mut self,
        store: &Store,
        now: DateTime<Utc>,
        decide: impl FnOnce(&Context<'_>) -> Result<Decision, Stop>,
    ) -> Result<Result<(), Refused>, Fault> {
        let (sender, proofs) = (Sender::default(), Proofs::default());
        let context = Context {
            commands: &COMMANDS,
            store,
            now,
            settings: &self.settings,
            sender: &sender,
            proofs: &proofs,
            tokens: self.key.as_ref(),
            comment: "",
        };
        match decide(&context) {
            Ok(decision) => {
                self.carry_out(store, &Cause::default(), &decision, now)?;
                Ok(Ok(()))
            }
            Err(Stop::Refused(refused)) => Ok(Err(*refused)),
            Err(Stop::Fault(fault)) => Err(fault),
            Err(Stop::Check) => Ok(Err(Refused::impossible("A password is missing."))),
        }
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
        settle(store, request, id, (State::Failed, Some(why)), false, now)?;
        if request.silence.is_none() {
            let letter = Letter::answer(Apology { number: id }.into());
            self.post(store, &request.cause(id), &letter, now)?;
        }
        Ok(id)
    }

    fn decide(&self, context: &Context<'_>, step: &Step<'_>) -> Result<Decision, Stop> {
        let server = &self.settings.address;
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
            // A list is taken elsewhere, line by line.
            Step::Silent | Step::Batch(_) => Ok(Decision::default()),
        }
    }

    fn carry_out(
        &mut self,
        store: &Store,
        cause: &Cause<'_>,
        decision: &Decision,
        now: DateTime<Utc>,
    ) -> Result<(), Fault> {
        for change in &decision.changes {
            apply::apply(store, change, now)?;
        }
        for letter in &decision.letters {
            self.post(store, cause, letter, now)?;
        }
        Ok(())
    }

    /// Why the message is dropped unless a password or a token proves who wrote it.
    fn why_dropped(
        &self,
        store: &Store,
        request: &Request,
        now: DateTime<Utc>,
    ) -> Result<Option<&'static str>, Fault> {
        if !request.sender.is_believed {
            return Ok(Some("its sender is not authenticated"));
        }
        let before = store.tally(Counted::Unproven, &hourly(&request.sender.key(), now), now)?;
        let is_over = before >= self.limits.mails_an_hour;
        Ok(is_over.then_some("too many mails in an hour"))
    }
}

/// Records what became of a message, and counts it if it proved nothing.
fn settle(
    store: &Store,
    request: &Request,
    id: i64,
    (state, why): (State, Option<&str>),
    is_proven: bool,
    now: DateTime<Utc>,
) -> Result<(), Fault> {
    if !is_proven {
        store.count(Counted::Unproven, &hourly(&request.sender.key(), now), 1, now)?;
    }
    Ok(store.settle_received(id, state, why, is_proven)?)
}

/// What became of the steps of a message.
#[derive(Default)]
struct Tally {
    /// The number of the message's record.
    id: i64,
    /// Why it is dropped as soon as something of it is not proven.
    dropped_unless_proven: Option<&'static str>,
    commands: Vec<String>,
    state: Option<(State, String)>,
    is_proven: bool,
}

/// What comes after a step.
enum Next {
    /// The next one.
    Step,
    /// Nothing more of this message.
    End,
    /// All of it again, once its passwords are checked.
    Check,
}

fn received(request: &Request, now: DateTime<Utc>) -> Received {
    Received {
        identity: request.identity,
        received_at: now,
        door: request.door,
        sender: request.reverse_path.as_ref().map(ToString::to_string),
        sender_key: request.sender.key(),
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
