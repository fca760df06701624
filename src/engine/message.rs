//! One task of a batch, in its own savepoint: kept, or rolled back and set aside.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{DateTime, Utc};

use pbmserv_core::command::InternalError;
use pbmserv_core::dispatch::{Handled, Handler, Request};
use pbmserv_core::store::{self, Store};
use pbmserv_mail::{Address, Envelope};

use super::panics;
use super::task::{AfterCommit, InShort, Job, Report, Unavailable, Work};
use super::worker::{MAX_BEGUN, Worker};

impl Worker {
    /// Runs one part of the batch in a savepoint, which stays open on success. An error or a panic rolls the
    /// savepoint back and is returned as text. Only an error that ends the whole transaction is passed on.
    pub(super) fn guarded<T>(
        &mut self,
        part: impl FnOnce(&mut Handler, &Store) -> Result<T, InternalError>,
    ) -> store::Result<Result<T, String>> {
        self.store.begin_message()?;
        let before = self.handler.results.len();
        let whole = || {
            let value = part(&mut self.handler, &self.store)?;
            self.store.settle()?;
            Ok(value)
        };
        let why = match catch_unwind(AssertUnwindSafe(whole)) {
            Ok(Ok(value)) => return Ok(Ok(value)),
            Ok(Err(InternalError::Store(error))) if error.ends_the_transaction() => return Err(error),
            Ok(Err(fault)) => fault.to_string(),
            Err(panic) => panics::words(panic.as_ref()).to_owned(),
        };
        self.store.undo_message()?;
        self.handler.results.truncate(before);
        Ok(Err(why))
    }

    pub(super) fn work(&mut self, work: Work, now: DateTime<Utc>) -> store::Result<Option<AfterCommit>> {
        match self.guarded(|handler, store| work(handler, store, now))? {
            Ok(answer) => {
                self.store.keep_message()?;
                Ok(Some(answer))
            }
            Err(why) => {
                tracing::error!(%why, "an operation on the database failed");
                Ok(None)
            }
        }
    }

    /// Handles one message. If our code fails, its effects are rolled back and the message is recorded as
    /// failed, in the same transaction.
    pub(super) fn message(
        &mut self,
        job: &Job,
        is_set_aside: bool,
        now: DateTime<Utc>,
    ) -> store::Result<Result<Report, Unavailable>> {
        let request = &job.request;
        let before = self.handler.results.len();
        let handled = if is_set_aside {
            Err(format!("it ended the program {MAX_BEGUN} times"))
        } else {
            self.guarded(|handler, store| {
                let handled = handler.handle(store, request, &job.proofs, now)?;
                let commands = InShort::of(&handler.results[before..]);
                report(store, handled, job.wants_letters, commands)
            })?
        };
        let handled = match handled {
            Ok(report) => Ok(report),
            Err(why) => {
                tracing::error!(%why, "a message failed and is set aside: see pbmserv queue list --inbox --state failed");
                self.set_aside(job, &why, now)?
            }
        };
        let answer = match handled {
            Ok(report) => {
                if job.is_rehearsal || report.handled.is_to_be_repeated() {
                    self.store.undo_message()?;
                    self.handler.results.truncate(before);
                } else {
                    self.store.keep_message()?;
                }
                Ok(report)
            }
            Err(why) => {
                tracing::error!(%why, "the failed message could not be set aside either; its sender has to repeat it");
                Err(Unavailable(format!("a fault of the program: {why}")))
            }
        };
        if self.cautious_until.is_some() {
            self.store.remove_begun(&request.digest)?;
        }
        Ok(answer)
    }

    /// The bytes are on disk before the row is committed. If they cannot be written, the message is not
    /// accepted.
    fn set_aside(
        &mut self,
        job: &Job,
        why: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Result<Report, String>> {
        let folder = self.folder.clone();
        self.guarded(|handler, store| {
            let recorded = handler.set_aside(store, &job.request, &job.proofs, why, now)?;
            folder
                .keep_failed(recorded.id, &kept(&job.request))
                .map_err(InternalError::Disk)?;
            report(
                store,
                Handled::Recorded(recorded),
                job.wants_letters,
                InShort::default(),
            )
        })
    }
}

/// The bytes to keep for a retry: the envelope goes in front of the header, as at final delivery (RFC 5321,
/// section 4.4).
fn kept(request: &Request) -> Vec<u8> {
    let Envelope { sender, recipients } = &request.envelope;
    let sender = sender.as_ref().map(Address::as_str).unwrap_or_default();
    let mut with_detail = recipients.iter().filter(|recipient| recipient.detail().is_some());
    let recipient = with_detail.next().or(recipients.first());
    let recipient = recipient.map(Address::as_str).unwrap_or_default();
    let envelope = format!("Return-Path: <{sender}>\r\nX-Original-To: {recipient}\r\n");
    [envelope.as_bytes(), &request.bytes].concat()
}

fn report(
    store: &Store,
    handled: Handled,
    wants_letters: bool,
    commands: InShort,
) -> Result<Report, InternalError> {
    let letters = match &handled {
        Handled::Recorded(recorded) if wants_letters => {
            let letters = store.caused_by(recorded.id)?;
            letters.into_iter().map(|(letter, _)| letter).collect()
        }
        _ => Vec::new(),
    };
    Ok(Report {
        handled,
        letters,
        commands,
    })
}
