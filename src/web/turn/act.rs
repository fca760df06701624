//! The forms of the page of a turn, as commands.

use std::net::IpAddr;

use serde::Deserialize;

use crate::command::PageCommand;
use crate::engine::asked::Pressing;
use crate::table::BoardLetter;
use crate::web::board::Place;
use crate::web::fault::Fault;
use crate::web::press::Press;
use crate::web::site::Site;
use crate::web::viewer::Owner;

/// The longest text of turns, in bytes: ten of the longest game are shorter.
const LONGEST_TURNS: usize = 10_000;

/// What a form sends.
#[derive(Debug, Deserialize)]
pub(super) struct Act {
    /// The number of the form, so that it acts once.
    form: String,
    /// The newest event of the board as the page has shown it, so that nothing is done on a board that has moved on.
    shown: u32,
    /// The button.
    #[serde(rename = "do")]
    button: String,
    /// A turn; several for a queue.
    #[serde(default)]
    pub(super) turn: String,
    /// Words for the other player.
    #[serde(default)]
    pub(super) words: String,
}

impl Act {
    /// The verb and what follows it.
    fn command(&self) -> Option<(&'static str, &str)> {
        Some(match self.button.as_str() {
            "play" => ("move", self.turn.as_str()),
            "queue" => ("queue", self.turn.as_str()),
            "unqueue" => ("queue", "off"),
            answer @ ("propose" | "undo" | "accept" | "reject") => ("move", answer),
            "resign" => ("resign", ""),
            "rematch" => ("rematch", ""),
            "chat" => ("chat", ""),
            _ => return None,
        })
    }

    /// The button, for the page that says what was done.
    pub(super) fn did(&self) -> &str {
        self.command().map_or("", |_| self.button.as_str())
    }

    /// Has the command carried out.
    pub(super) async fn press(
        &self,
        site: &Site,
        owner: &Owner,
        place: &Place,
        client: IpAddr,
    ) -> Result<Pressing, Fault> {
        let Some((verb, rest)) = self.command().filter(|_| self.turn.len() <= LONGEST_TURNS) else {
            return Err(Fault::unreadable("The form is not complete."));
        };
        let (game, number, player) = (place.game, place.number, owner.player().id);
        let board = site.look(move |reader| Ok(reader.board(game, number)?));
        let board = board.await?.ok_or_else(Fault::not_found)?;
        let seat = board.seat_of(player).ok_or_else(Fault::not_found)?;
        let press = Press {
            owner,
            command: PageCommand {
                game: Some(game),
                verb,
                board: Some(number),
                rest,
            },
            words: &self.words,
            shown: Some(BoardLetter {
                board: board.id,
                seat,
                event: Some(self.shown),
            }),
            form: &self.form,
            client,
        };
        site.press(&press).await
    }
}
