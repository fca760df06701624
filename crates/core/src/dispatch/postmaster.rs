//! Messages to the postmaster.

use chrono::{DateTime, Utc};

use crate::command::{COMMANDS, Context, InternalError, Proofs, postmaster};
use crate::store::{Outcome, State, Store};
use pbmserv_mail::Silence;

use super::entry::{Entry, Handled};
use super::handler::Handler;
use super::request::Request;

impl Handler {
    /// Passes a message on to the directors. Its sender gets no answer. Programs are passed on too: they report abuse and
    /// faults to the postmaster.
    pub(super) fn pass_on(
        &mut self,
        store: &Store,
        request: &Request,
        entry: &Entry,
        now: DateTime<Utc>,
    ) -> Result<Handled, InternalError> {
        let is_ours = matches!(
            request.mail.silence,
            Some(Silence::OwnAddress | Silence::LoopMark)
        );
        let proofs = Proofs::default();
        let context = Context {
            commands: &COMMANDS,
            store,
            now,
            settings: &self.settings,
            sender: &request.sender,
            proven: &[],
            proofs: &proofs,
            tokens: self.key.as_ref(),
            rng: &self.rng,
            comment: &request.comment,
            has_asked: false,
            letters: &[],
        };
        let outcome = if is_ours {
            Outcome::of(State::Ignored, "our own mail, to the postmaster".to_owned())
        } else {
            match postmaster(&context, &request.subject)? {
                Ok(decision) => {
                    self.carry_out(store, &request.cause(entry.id), &decision, now)?;
                    Outcome {
                        identity: request.identity,
                        ..Outcome::of(State::Done, "passed on to the directors".to_owned())
                    }
                }
                Err(why) => {
                    tracing::warn!(why, "mail to the postmaster is not passed on");
                    Outcome::of(State::Dropped, why.to_owned())
                }
            }
        };
        entry.settle(store, outcome)
    }
}
