//! How a form becomes a command of the engine.

use std::net::IpAddr;

use axum::response::Response;
use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt;
use serde::Deserialize;

use crate::engine::forms::FormOutcome;
use pbmserv_core::command::PageRequest;
use pbmserv_core::dispatch::form_record;
use pbmserv_core::store::{Reader, ReceivedRow, State};

use super::answer::see;
use super::fault::Fault;
use super::viewer::Owner;

impl Owner {
    /// A form that asks for this verb, with nothing more.
    pub(super) fn asks(&self, verb: &'static str, form: &str, client: IpAddr) -> PageRequest {
        PageRequest {
            key: self.key.text.clone(),
            by: self.player().clone(),
            game: None,
            verb,
            board: None,
            rest: String::new(),
            words: String::new(),
            shown: None,
            form: form.to_owned(),
            client,
        }
    }
}

/// What stands in the address after a form.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Did {
    /// The mark of what was asked for.
    #[serde(default)]
    did: String,
    /// Whether the form was carried out before, so that nothing was done now.
    #[serde(default)]
    again: bool,
}

impl Did {
    /// What the page says of it; empty if no form was sent.
    pub(super) fn said(&self, reader: &Reader, now: DateTime<Utc>) -> Result<String, Fault> {
        let record = match self.again {
            true => self.record(reader)?,
            false => self.fresh(reader, now)?,
        };
        let said = record.and_then(|row| row.reason);
        Ok(match (self.again, said) {
            (false, said) => said.unwrap_or_default(),
            (true, None) => BEFORE.to_owned(),
            (true, Some(said)) => format!("{BEFORE} It said then: {said}"),
        })
    }

    /// The mark, if the form was carried out a short time ago; otherwise empty.
    pub(super) fn mark(&self, reader: &Reader, now: DateTime<Utc>) -> Result<&str, Fault> {
        Ok(match self.fresh(reader, now)? {
            Some(_) => &self.did,
            None => "",
        })
    }

    /// An address that is kept or opened again does not tell old news.
    fn fresh(&self, reader: &Reader, now: DateTime<Utc>) -> Result<Option<ReceivedRow>, Fault> {
        let oldest = (now - FRESH).timestamp_millis();
        Ok(self.record(reader)?.filter(|row| row.received_at >= oldest))
    }

    fn record(&self, reader: &Reader) -> Result<Option<ReceivedRow>, Fault> {
        let record = form_record(reader, &self.did)?;
        Ok(record.filter(|row| row.state == State::Done.word()))
    }
}

/// How long a page says what a form has done.
const FRESH: TimeDelta = TimeDelta::hours(1);

const BEFORE: &str = "Nothing was changed now: this form was carried out before.";

/// Sends the browser to the page that says what was done; `Err`: why nothing was done.
pub(super) fn shown_at(place: &str, outcome: FormOutcome) -> Result<Result<Response, Fault>, String> {
    match outcome {
        FormOutcome::Done(mark) => Ok(see(&format!("{place}?did={mark}"))),
        FormOutcome::Before(mark) => Ok(see(&format!("{place}?did={mark}&again=true"))),
        FormOutcome::Refused(why) => Err(why),
    }
}

/// A number for a form that is written now, which no other form has.
pub(crate) fn form_number() -> String {
    let mut number = [0_u8; 10];
    rand::rng().fill(&mut number);
    data_encoding::BASE32_NOPAD.encode(&number).to_lowercase()
}
