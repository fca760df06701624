//! The state of a message while it is handled in the open savepoint.

use chrono::{DateTime, Utc};

use crate::command::{COMMANDS, Context, Decision, InternalError, Letter, Proofs, Unchecked};
use crate::store::{State, Store};

use super::handler::{Cause, Handler};
use super::request::Request;

/// A recorded message, and the results of its steps so far.
pub(super) struct Handling<'a> {
    pub(super) handler: &'a mut Handler,
    pub(super) store: &'a Store,
    pub(super) request: &'a Request,
    pub(super) proofs: &'a Proofs,
    pub(super) now: DateTime<Utc>,
    /// Its row in `inbox`.
    pub(super) id: i64,
    /// Why the message is dropped at the first step without a password or token; `None`: it need not be authenticated.
    pub(super) dropped_unless_proven: Option<&'static str>,
    /// Its commands, with passwords masked.
    pub(super) commands: Vec<String>,
    /// The state other than done in which it ends, and the reason.
    pub(super) state: Option<(State, String)>,
    /// Whether a password or a token authenticated the writer.
    pub(super) is_proven: bool,
}

/// How to continue after a step.
pub(super) enum Next {
    /// With the next step.
    Step,
    /// The message is finished.
    End,
    /// Roll back, have this hash computed, and handle the whole message again.
    Check(Box<Unchecked>),
}

impl Handling<'_> {
    /// The context of a command with this comment.
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

    /// Whether a hash is of no use, since what it is for is dropped: it can authenticate nobody.
    pub(super) fn is_in_vain(&self, hash: &Unchecked) -> bool {
        self.dropped_unless_proven.is_some() && hash.stored.is_none() && hash.proven.is_none()
    }

    /// Posts a letter caused by this message.
    pub(super) fn post(&mut self, letter: &Letter) -> Result<(), InternalError> {
        self.handler
            .post(self.store, &self.request.cause(self.id), letter, self.now)
    }

    /// Carries out the decision of one of its steps.
    pub(super) fn carry_out(&mut self, decision: &Decision) -> Result<(), InternalError> {
        let cause: Cause<'_> = self.request.cause(self.id);
        self.handler.carry_out(self.store, &cause, decision, self.now)
    }
}
