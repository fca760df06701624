//! How a form becomes a command of the engine.

use std::net::IpAddr;

use rand::RngExt;

use crate::command::{COMMANDS, PageCommand};
use crate::engine::asked::{Pressed, Pressing};
use crate::table::BoardLetter;

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

/// A number for a form that is written now, which no other form has.
pub(super) fn form_number() -> String {
    let mut number = [0_u8; 10];
    rand::rng().fill(&mut number);
    data_encoding::BASE32_NOPAD.encode(&number).to_lowercase()
}
