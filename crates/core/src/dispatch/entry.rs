//! A message in `inbox`: its row from the beginning to the end, and what the caller hears of it.

use chrono::{DateTime, Utc};

use crate::command::{InternalError, Unchecked};
use crate::store::{Outcome, Received, State, Store};
use pbmserv_mail::Address;

use super::request::Request;

/// The record of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its row in `inbox`.
    pub id: i64,
    /// Its final state.
    pub state: State,
    /// The reason for the state, if there is one.
    pub reason: Option<String>,
}

impl Recorded {
    pub(super) fn of(id: i64, outcome: Outcome) -> Self {
        Self {
            id,
            state: outcome.state,
            reason: outcome.reason,
        }
    }
}

/// The outcome of a message in its savepoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handled {
    /// Recorded, with all its effects.
    Recorded(Recorded),
    /// Recorded earlier, in this row: nothing is done again.
    Duplicate(i64),
    /// Nothing was done, for this reason, and nothing but a count is kept of it.
    Counted(State, String),
    /// This hash must be computed first. The caller must roll the savepoint back.
    Check(Box<Unchecked>),
    /// Whether `From` is authenticated must be found out first, since nothing else proves the writer. The caller must roll the
    /// savepoint back.
    Unasked,
}

impl Handled {
    /// Whether the message must be handled again, and nothing of it may stay.
    #[must_use]
    pub const fn is_to_be_repeated(&self) -> bool {
        matches!(self, Self::Check(_) | Self::Unasked)
    }

    /// Its row in `inbox`, if it has one.
    #[must_use]
    pub const fn id(&self) -> Option<i64> {
        match self {
            Self::Recorded(Recorded { id, .. }) | Self::Duplicate(id) => Some(*id),
            Self::Counted(..) | Self::Check(_) | Self::Unasked => None,
        }
    }

    /// What has become of it in a word, and the reason if there is one.
    #[must_use]
    pub fn fate(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Recorded(recorded) => (recorded.state.word(), recorded.reason.as_deref()),
            Self::Duplicate(_) => ("duplicate", None),
            Self::Counted(state, reason) => (state.word(), Some(reason)),
            Self::Check(_) | Self::Unasked => ("unchecked", None),
        }
    }
}

/// The row of a message while it is handled.
pub(super) struct Entry {
    /// Its number.
    pub(super) id: i64,
    /// What it says of the message.
    pub(super) received: Received,
    /// The outcome that stands there as long as nothing else is known: that all goes well, so that the index of identities is
    /// written once.
    pub(super) expected: Outcome,
    /// The digest of this copy of the message; see [`Outcome::identity`].
    pub(super) copy: Option<[u8; 32]>,
}

impl Entry {
    /// Adds the row.
    pub(super) fn begin(
        store: &Store,
        request: &Request,
        will_be_proven: bool,
        now: DateTime<Utc>,
    ) -> Result<Self, InternalError> {
        let copy = request.copy();
        let received = received(request, now);
        let expected = Outcome {
            state: State::Done,
            reason: None,
            is_proven: will_be_proven,
            identity: if will_be_proven { request.identity } else { copy },
        };
        Ok(Self {
            id: store.add_received(&received, &expected)?,
            received,
            expected,
            copy,
        })
    }

    /// Writes the outcome of a message without commands.
    pub(super) fn settle(&self, store: &Store, outcome: Outcome) -> Result<Handled, InternalError> {
        self.settle_with(store, outcome, &self.received.commands)
    }

    /// Writes the outcome, and the commands as they are now known, if they are not there yet.
    pub(super) fn settle_with(
        &self,
        store: &Store,
        outcome: Outcome,
        commands: &str,
    ) -> Result<Handled, InternalError> {
        if outcome != self.expected || commands != self.received.commands {
            store.settle_received(self.id, &self.expected, &outcome, commands)?;
        }
        Ok(Handled::Recorded(Recorded::of(self.id, outcome)))
    }
}

/// What is kept of a message.
pub(super) fn received(request: &Request, now: DateTime<Utc>) -> Received {
    Received {
        received_at: now,
        door: request.door,
        sender: request.envelope.sender.as_ref().map(ToString::to_string),
        recipient: request
            .envelope
            .recipients
            .first()
            .map(without_token)
            .unwrap_or_default(),
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
