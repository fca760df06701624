//! The forms of the page of a turn, as commands.

use std::net::IpAddr;

use serde::Deserialize;

use super::facts::Wanted;
use crate::web::board::Place;
use crate::web::fault::Fault;
use crate::web::site::Site;
use crate::web::viewer::Owner;
use pbmserv_core::command::PageRequest;
use pbmserv_core::table::BoardLetter;

/// The longest text of turns, in bytes: ten of the longest game are shorter.
const MAX_TURNS: usize = 10_000;

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
    /// A turn; several for a queue; the number of one for words on it.
    #[serde(default)]
    pub(super) turn: String,
    /// Words for the other player, for a note, on a turn, or a plan.
    #[serde(default)]
    pub(super) words: String,
    /// A word for the dice, with the first turn of a game that has them.
    #[serde(default)]
    word: String,
}

/// The buttons: the verb of each, and what follows that. `None`: the turn that is chosen or typed.
const BUTTONS: [(&str, &str, Option<&str>); 17] = [
    ("play", "move", None),
    ("queue", "queue", None),
    ("plan", "plan", Some("")),
    ("unplan", "plan", Some("off")),
    ("propose", "move", Some("propose")),
    ("undo", "move", Some("undo")),
    ("pause", "move", Some("pause")),
    ("resume", "move", Some("resume")),
    ("accept", "move", Some("accept")),
    ("reject", "move", Some("reject")),
    ("resign", "resign", Some("")),
    ("rematch", "rematch", Some("")),
    ("chat", "chat", Some("")),
    ("note", "note", Some("")),
    ("comment", "comment", None),
    ("public", "comment", Some("public")),
    ("private", "comment", Some("private")),
];

/// The names of all buttons of the page.
pub fn buttons() -> impl Iterator<Item = &'static str> {
    BUTTONS.iter().map(|(button, ..)| *button)
}

impl Act {
    /// The verb and what follows it.
    fn command(&self) -> Option<(&'static str, String)> {
        let found = BUTTONS.iter().find(|(button, ..)| *button == self.button);
        let turn = || format!("{} {}", self.turn, self.word).trim_end().to_owned();
        found.map(|(_, verb, rest)| (*verb, rest.map_or_else(turn, str::to_owned)))
    }

    /// What stands in the fields of the page again, since it was refused.
    pub(super) fn into_wanted(self) -> Wanted {
        let mut wanted = Wanted::default();
        match self.verb() {
            Some("note") => wanted.note = self.words,
            Some("comment") => wanted.comment = self.words,
            Some("plan") => wanted.plan = self.words,
            _ => wanted.words = self.words,
        }
        Wanted {
            turn: self.turn,
            ..wanted
        }
    }

    pub(super) fn verb(&self) -> Option<&'static str> {
        self.command().map(|(verb, _)| verb)
    }

    /// Whether a computer answers it.
    pub(super) fn is_answered(&self) -> bool {
        self.verb() == Some("move")
    }

    /// What it asks for.
    pub(super) async fn request(
        &self,
        site: &Site,
        owner: &Owner,
        place: &Place,
        client: IpAddr,
    ) -> Result<PageRequest, Fault> {
        let Some((verb, rest)) = self.command().filter(|(_, rest)| rest.len() <= MAX_TURNS) else {
            return Err(Fault::unreadable("There is no such button, so nothing was done."));
        };
        let (at, viewer) = (place.clone(), owner.viewer.clone());
        let board = site.look(move |reader| at.board(reader, &viewer)).await?;
        let seat = board.seat_of(owner.player().id);
        let seat = seat.ok_or_else(|| Fault::no_seat(owner.key.clone()))?;
        Ok(PageRequest {
            game: Some(place.game),
            board: Some(place.number),
            rest,
            words: self.words.clone(),
            shown: Some(BoardLetter {
                board: board.id,
                seat,
                event: self.shown,
            }),
            ..owner.asks(verb, &self.form, client)
        })
    }
}
