//! What handling needs apart from the database, and how a decision is carried out.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rand::rngs::StdRng;

use crate::command::{
    COMMANDS, Context, Decision, InternalError, Proofs, Refused, Sender, Settings, Undecided,
};
use crate::letters::Letters;
use crate::mail::{Address, Key};
use crate::store::Store;

use super::apply;
use super::command_result::CommandResult;

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

/// Why letters are written: a message, or only that a time has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cause<'a> {
    /// The record of the message.
    pub(super) inbox: Option<i64>,
    /// Its envelope sender, to whom an answer goes.
    pub(super) sender: Option<&'a Address>,
    /// Its Message-ID.
    pub(super) message_id: Option<&'a str>,
}

/// What handling needs beside the database.
#[derive(Debug)]
pub struct Handler {
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
    pub results: Vec<CommandResult>,
}

impl Handler {
    /// Carries out what the operator asks for: decided as a command is, but by nobody's mail.
    ///
    /// # Errors
    /// A fault of ours. What is refused is no error of this kind, and changes nothing.
    pub fn operate(
        &mut self,
        store: &Store,
        now: DateTime<Utc>,
        decide: impl FnOnce(&Context<'_>) -> Result<Decision, Undecided>,
    ) -> Result<Result<(), Refused>, InternalError> {
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
            Err(Undecided::Refused(refused)) => Ok(Err(*refused)),
            Err(Undecided::InternalError(fault)) => Err(fault),
            Err(Undecided::PasswordUnchecked) => Ok(Err(Refused::impossible("A password is missing."))),
        }
    }

    /// Makes the changes of a decision and posts its letters.
    pub(super) fn carry_out(
        &mut self,
        store: &Store,
        cause: &Cause<'_>,
        decision: &Decision,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        for change in &decision.changes {
            apply::apply(store, change, now)?;
        }
        for letter in &decision.letters {
            self.post(store, cause, letter, now)?;
        }
        Ok(())
    }
}
