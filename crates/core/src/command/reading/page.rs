//! What a form of a page asks for, and how it is read as a command.

use std::net::{IpAddr, Ipv4Addr};

use pbmserv_games::Game;

use crate::command::reading::word::split;
use crate::command::{
    Argument, Command, Commands, Echo, InAnswer, Line, Misread, Refused, WithoutPassword, Word,
};
use crate::table::{Board, BoardLetter, Player};

/// The name of the door of pages, in the log and in the records of messages.
pub const PAGE_DOOR: &str = "web";

/// What a player asks for on a page: a command without its userid and password, since the key of the page's link proves the player.
#[derive(Clone)]
pub struct PageRequest {
    pub key: String,
    pub by: Player,
    /// The game, if the command needs one.
    pub game: Option<&'static Game>,
    /// The verb, in full.
    pub verb: &'static str,
    /// The number of the board, if the command is about one.
    pub board: Option<u32>,
    /// All that follows: turns, options, the userid of another player.
    pub rest: String,
    /// Words for the other player, as typed.
    pub words: String,
    /// The board as the page has shown it: as with a letter, what is asked for is refused if the board has moved on.
    pub shown: Option<BoardLetter>,
    /// The number of the form, which the page has made: the same form, sent twice, has one effect.
    pub form: String,
    /// Who sent it.
    pub client: IpAddr,
}

impl PageRequest {
    /// A turn of this player on a board, which no page asks for.
    #[must_use]
    pub fn turn(by: &Player, board: &Board, turn: &str) -> Self {
        Self {
            key: String::new(),
            by: by.clone(),
            game: Some(board.game),
            verb: "move",
            board: Some(board.number),
            rest: turn.to_owned(),
            words: String::new(),
            shown: None,
            form: String::new(),
            client: Ipv4Addr::UNSPECIFIED.into(),
        }
    }
}

impl Commands {
    /// The command of a page.
    ///
    /// # Errors
    /// No page gives this command, or some of its words have no place.
    pub fn read_page(&'static self, page: &PageRequest) -> Result<Line, Box<Misread>> {
        let by = &page.by;
        let is_it = |command: &&&Command| command.verb == page.verb && is_given(command);
        let Some(command) = self.iter().find(is_it).copied() else {
            return Err(unknown());
        };
        let word = |text: &str| Word {
            text: text.to_owned(),
            at: 0..0,
        };
        let mut fixed = Vec::new();
        for (place, argument) in command.arguments.iter().enumerate() {
            match argument {
                Argument::Board => fixed.extend(page.board.map(|number| word(&number.to_string()))),
                Argument::Userid if place < 2 && !fixed.iter().any(|word: &Word| word.text == by.userid) => {
                    fixed.push(word(&by.userid));
                }
                // That of the other player, which the page names.
                Argument::Userid => break,
                Argument::Password => fixed.push(word("")),
                Argument::NewPassword | Argument::Account | Argument::Token => return Err(unknown()),
            }
        }
        // As in an answer to a letter about the board, where the game is not named.
        let named = page.game.filter(|_| page.board.is_none());
        let text = [named.map_or("", |game| game.facts.name), page.verb, &page.rest].join(" ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = split(&text);
        let words = words.get(usize::from(named.is_some())..).unwrap_or_default();
        Line {
            fixed,
            by_token: Some(by.id),
            ..Line::begun(self, text.clone(), page.game, command)
        }
        .fill(words)
    }
}

/// Whether a page may give a command: those that stand in answers, those of invitations, notes, and what is watched. Who has the link
/// must not be able to take over the account.
fn is_given(command: &Command) -> bool {
    let is_own = ["subscribe", "unsubscribe", "mynotes"].contains(&command.verb);
    let is_known = command.without_password == WithoutPassword::Known;
    command.in_answer != InAnswer::No || is_known || is_own
}

fn unknown() -> Box<Misread> {
    let refused = Refused::unreadable("There is no such command here.");
    Box::new(Misread {
        refused,
        echo: Echo::default(),
        command: None,
        line: None,
    })
}
