//! The handler of messages: its configuration and keys, and how it carries out a decision.

use std::cell::RefCell;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rand::rngs::StdRng;
use sha2::{Digest as _, Sha256};

use crate::command::{
    COMMANDS, Context, Decision, InternalError, Letter, Proofs, Refused, Sender, Settings, Undecided,
};
use crate::letters::Letters;
use crate::store::{Purpose, Store};
use crate::table::PlayerId;
use pbmserv_mail::Key;

use super::apply;
use super::command_result::CommandResult;
use super::trust::Trust;

/// Rate limits for senders and addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Unproven messages from one source in a clock hour.
    pub mails_an_hour: u32,
    /// Refusals of unproven messages to one address in a day.
    pub refusals_a_day: u32,
    /// Answers of any kind to one address in a day.
    pub answers_a_day: u32,
    /// Answers in a day to one address, to unproven messages that do not come from a player's address.
    pub strangers_answers_a_day: u32,
    /// Mails of the whole server in a clock hour that unproven messages cause.
    pub strangers_mails_an_hour: u32,
}

/// The message that causes letters; all `None` if a due item or the operator does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cause<'a> {
    /// Its row in `inbox`.
    pub(super) inbox: Option<i64>,
    /// Its sender, who gets the answers.
    pub(super) sender: Option<&'a Sender>,
    /// Its Message-ID, for `In-Reply-To`.
    pub(super) message_id: Option<&'a str>,
    /// How far its writer is known.
    pub(super) standing: Trust,
    /// The player who does what the letter is about, if that is proven.
    pub(super) by: Option<PlayerId>,
    /// The player whose token it bears.
    pub(super) token_player: Option<PlayerId>,
    /// The daily mail, the invitation or the gazette that it answers, with its reader: letters to that player about no board may be
    /// answered in its place.
    pub(super) answered: Option<(PlayerId, Purpose, i64)>,
}

impl Cause<'_> {
    /// What stands for it in the order of sending: the player or the source that causes a letter. What nobody causes, such as a
    /// reminder, counts as its reader's.
    pub(super) fn number(&self, reader: Option<PlayerId>) -> i64 {
        match (self.by, self.sender, reader) {
            (Some(player), ..) => player.0,
            (None, Some(sender), _) => {
                let digest = Sha256::digest(sender.source().as_bytes());
                let bytes = digest.first_chunk().copied().unwrap_or_default();
                // Below zero, where no person's number is. It says nothing of the address.
                i64::from_be_bytes(bytes) | i64::MIN
            }
            (None, None, reader) => reader.map_or(0, |reader| reader.0),
        }
    }

    /// Whether a letter answers the message: as an answer, or in the place of the receipt for a turn against a computer, when
    /// no sender is there to be answered.
    pub(super) const fn is_answered_by(&self, letter: &Letter) -> bool {
        let takes_the_place = self.sender.is_none() && self.message_id.is_some() && !letter.is_watching;
        letter.is_answer || takes_the_place
    }
}

/// Everything that handling a message needs, except the database.
#[derive(Debug)]
pub struct Handler {
    /// The part of the configuration that commands need.
    pub settings: Settings,
    /// The rate limits.
    pub limits: Limits,
    /// The templates.
    pub letters: Arc<Letters>,
    /// The key that signs tokens.
    pub key: Arc<Key>,
    /// Makes the random part of Message-IDs, and the secrets of dice.
    pub rng: RefCell<StdRng>,
    /// Since when the server has run without a change of the system clock. A short stop does not reset it.
    pub steady_since: DateTime<Utc>,
    /// The outcome of each command in the current batch. Code that rolls a message back must also remove its commands
    /// here.
    pub results: Vec<CommandResult>,
}

impl Handler {
    /// Carries out a decision of the operator, which no message causes. A refusal changes nothing, and is returned in
    /// the inner result.
    ///
    /// # Errors
    /// The server failed.
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
            proven: &[],
            proofs: &proofs,
            tokens: self.key.as_ref(),
            rng: &self.rng,
            comment: "",
            has_asked: false,
            letters: &[],
        };
        match decide(&context) {
            Ok(decision) => {
                self.carry_out(store, &Cause::default(), &decision, now)?;
                Ok(Ok(()))
            }
            Err(Undecided::Refused(refused)) => Ok(Err(*refused)),
            Err(Undecided::InternalError(fault)) => Err(fault),
            Err(Undecided::PasswordUnchecked(_)) => Ok(Err(Refused::impossible("A password is missing."))),
        }
    }

    /// Applies the changes of a decision and posts its letters.
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
