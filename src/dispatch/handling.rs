//! A message while it is handled, in the open savepoint.

use chrono::{DateTime, Utc};

use crate::command::{COMMANDS, Context, Decision, InternalError, Letter, Proofs};
use crate::store::{State, Store};

use super::handler::{Cause, Handler};
use super::request::Request;

/// A message that is recorded, and what became of its steps so far.
pub(super) struct Handling<'a> {
    pub(super) handler: &'a mut Handler,
    pub(super) store: &'a Store,
    pub(super) request: &'a Request,
    pub(super) proofs: &'a Proofs,
    pub(super) now: DateTime<Utc>,
    /// The number of its record.
    pub(super) id: i64,
    /// Why it is dropped as soon as something of it is not proven.
    pub(super) dropped_unless_proven: Option<&'static str>,
    /// Its commands, secrets masked.
    pub(super) commands: Vec<String>,
    /// How it ended and why, unless all was done.
    pub(super) state: Option<(State, String)>,
    /// Whether a password or a token proved who wrote.
    pub(super) is_proven: bool,
}

/// What comes after a step.
pub(super) enum Next {
    /// The next one.
    Step,
    /// Nothing more of this message.
    End,
    /// All of it again, once its passwords are checked.
    Check,
}

impl Handling<'_> {
    /// What a command with this comment sees.
    pub(super) fn context<'c>(&'c self, comment: &'c str) -> Context<'c> {
        Context {
            commands: &COMMANDS,
            store: self.store,
            now: self.now,
            settings: &self.handler.settings,
            sender: &self.request.sender,
            proofs: self.proofs,
            tokens: self.handler.key.as_ref(),
            comment,
        }
    }

    /// Posts a letter that this message causes.
    pub(super) fn post(&mut self, letter: &Letter) -> Result<(), InternalError> {
        self.handler
            .post(self.store, &self.request.cause(self.id), letter, self.now)
    }

    /// Carries out what one of its steps decided.
    pub(super) fn carry_out(&mut self, decision: &Decision) -> Result<(), InternalError> {
        let cause: Cause<'_> = self.request.cause(self.id);
        self.handler.carry_out(self.store, &cause, decision, self.now)
    }
}
