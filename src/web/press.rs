//! How a form becomes a command of the engine.

use std::net::IpAddr;

use axum::response::Response;
use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt;
use serde::Deserialize;

use crate::engine::asked::{Pressed, Pressing};
use pbmserv_core::command::{COMMANDS, PageCommand};
use pbmserv_core::dispatch::form_record;
use pbmserv_core::store::{Reader, State};
use pbmserv_core::table::BoardLetter;

use super::answer::see;
use super::fault::Fault;
use super::site::Site;
use super::viewer::Owner;

/// A command that a player gives on a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Press<'a> {
    /// The player whose key it is.
    pub(super) owner: &'a Owner,
    /// The command.
    pub(super) command: PageCommand<'a>,
    /// Words for the other player.
    pub(super) words: &'a str,
    /// The board as the form has shown it.
    pub(super) shown: Option<BoardLetter>,
    /// The number of the form: [`form_number`] when it was written.
    pub(super) form: &'a str,
    /// Who sent it.
    pub(super) client: IpAddr,
}

impl Site {
    /// Has a command carried out once, however often the form is sent.
    ///
    /// # Errors
    /// Nothing was changed, and it may be tried again.
    pub(super) async fn press(&self, press: &Press<'_>) -> Result<Pressing, Fault> {
        let line = match COMMANDS.read_page(&press.command, press.owner.player()) {
            Ok(line) => line,
            Err(misread) => return Ok(Pressing::Refused(misread.refused.sentence.clone())),
        };
        let pressed = Pressed {
            key: &press.owner.key.text,
            player: press.owner.player(),
            line: &line,
            words: press.words,
            shown: press.shown,
            form: press.form,
            client: press.client,
        };
        Ok(self.server.press(pressed).await?)
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
        let record = form_record(reader, &self.did)?.filter(|row| row.state == State::Done.word());
        // An address that is kept or opened again does not tell old news.
        let oldest = (now - FRESH).timestamp_millis();
        let record = record.filter(|row| self.again || row.received_at >= oldest);
        let said = record.and_then(|row| row.reason);
        Ok(match (self.again, said) {
            (false, said) => said.unwrap_or_default(),
            (true, None) => BEFORE.to_owned(),
            (true, Some(said)) => format!("{BEFORE} It said then: {said}"),
        })
    }
}

/// How long a page says what a form has done.
const FRESH: TimeDelta = TimeDelta::hours(1);

const BEFORE: &str = "Nothing was changed now: this form was carried out before.";

/// Sends the browser to the page that says what was done; `Err`: why nothing was done.
pub(super) fn shown_at(place: &str, pressing: Pressing) -> Result<Result<Response, Fault>, String> {
    match pressing {
        Pressing::Done(mark) => Ok(see(&format!("{place}?did={mark}"))),
        Pressing::Before(mark) => Ok(see(&format!("{place}?did={mark}&again=true"))),
        Pressing::Refused(why) => Err(why),
    }
}

/// A number for a form that is written now, which no other form has.
pub(super) fn form_number() -> String {
    let mut number = [0_u8; 10];
    rand::rng().fill(&mut number);
    data_encoding::BASE32_NOPAD.encode(&number).to_lowercase()
}
