//! Reads what a form of a page asks for as a command.

use pbmserv_games::Game;

use crate::command::reading::word::split;
use crate::command::{Argument, Command, Commands, Echo, InAnswer, Line, Misread, Refused, Word};
use crate::table::Player;

/// A command as a page names it: without the userid and the password, since the link of the page proves its player.
#[derive(Clone, Copy, Debug)]
pub struct PageCommand<'a> {
    /// The game, if the command needs one.
    pub game: Option<&'static Game>,
    /// The verb, in full.
    pub verb: &'a str,
    /// The number of the board, if the command is about one.
    pub board: Option<u32>,
    /// All that follows: turns, options, the userid of another player.
    pub rest: &'a str,
}

impl Commands {
    /// The command that this player gives on a page.
    ///
    /// # Errors
    /// No page gives this command, or some of its words have no place.
    pub fn read_page(&'static self, page: &PageCommand<'_>, by: &Player) -> Result<Line, Box<Misread>> {
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
        let text = [named.map_or("", |game| game.facts.name), page.verb, page.rest].join(" ");
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

/// Whether a page may give a command: those that stand in answers, and the settings. Who has the link must not be able to
/// take over the account.
fn is_given(command: &Command) -> bool {
    command.in_answer != InAnswer::No || command.in_invitation || command.verb == "set"
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
