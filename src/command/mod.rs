//! What players may write: one file a verb or a close family, and the list of them all.
//!
//! A command decides and changes nothing: it reads through a [`Context`] and gives a [`Decision`], which
//! `dispatch` carries out. To add one, write its file, then its `mod` line and its line in [`COMMANDS`]; help
//! is printed from that list.

mod addresses;
mod all;
mod answer;
mod batch;
mod block;
mod board;
mod challenge;
mod change;
mod chat;
mod clocks;
mod confirm;
mod context;
mod decision;
mod digest;
mod echo;
mod ended;
mod forgot;
mod games;
mod help;
mod hidden;
mod history;
mod leave;
mod line;
mod message;
mod offers;
pub(crate) mod operate;
mod play;
mod preview;
mod queue;
mod record;
mod refused;
mod reply;
mod resign;
mod script;
mod seek;
mod set;
mod show;
mod signoff;
mod signup;
mod standings;
mod submit;
mod taking;
mod turns;
mod vacation;
mod watch;

use crate::games::Game;

pub(crate) use answer::{
    dead_letter, echo as echo_of, expected_letter, in_short, misread_letter, nothing_letter, refusal_letter,
};
pub use batch::{Batch, Entry};
pub(crate) use board::{about as board_about, status as board_status};
pub(crate) use clocks::{remind, time_is_up, vacation_is_over, warn};
pub(crate) use confirm::confirm;
pub use context::{Context, Proof, Proofs, Secret, Sender, Settings, Tokens};
pub use decision::{Addressee, Change, Decision, Letter};
pub(crate) use digest::{digest, next_digest};
pub use echo::Echo;
pub(crate) use forgot::good_until;
pub(crate) use games::table as board_table;
pub(crate) use leave::leave;
pub use line::{Line, Misread, Word, read_line};
use play::MOVE;
pub use refused::{Fault, Kind, Refused, Stop};
pub use reply::{Answer, read as read_reply};
pub use script::{Script, says_confirm};

/// Every command, in the order in which help shows them.
pub static COMMANDS: &[&Command] = &[
    &help::HELP,
    &signup::SIGNUP,
    &addresses::ADD,
    &addresses::REMOVE,
    &change::CHANGE,
    &forgot::FORGOT,
    &forgot::RESET,
    &block::BLOCK,
    &block::UNBLOCK,
    &message::MESSAGE,
    &message::BROADCAST,
    &vacation::VACATION,
    &signoff::SIGNOFF,
    &signoff::DELETE,
    &games::LIST,
    &all::ALL,
    &challenge::CHALLENGE,
    &seek::SEEK,
    &taking::ACCEPT,
    &taking::REJECT,
    &taking::LIMIT,
    &MOVE,
    &queue::QUEUE,
    &submit::SUBMIT,
    &submit::CONFIRM,
    &resign::RESIGN,
    &preview::PREVIEW,
    &show::SHOW,
    &show::SHOWAS,
    &games::GAMES,
    &history::HISTORY,
    &record::RECORD,
    &standings::STANDINGS,
    &chat::CHAT,
    &watch::SUBSCRIBE,
    &watch::UNSUBSCRIBE,
    &watch::NOTIFY,
    &set::SET,
];

/// Words that no player may be called, beside the games and the verbs.
pub(crate) const RESERVED: [&str; 5] = ["all", "new", "anyone", "server", "me"];

/// Whether a verb follows the name of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `signup alice secret`.
    Server,
    /// `Pow2 challenge alice bob`.
    Game,
    /// Either: `help`, `Pow2 help`.
    Both,
}

/// What a word of a fixed place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A board's number, perhaps with `#n`.
    Board,
    /// A userid.
    Userid,
    /// A password: never shown, stored or logged.
    Password,
    /// A password that is to become an account's: just as secret.
    NewPassword,
    /// A userid of which nobody is told whether there is one: what stands here is never shown.
    Account,
    /// A token that was mailed to a player: as good as a password for a day, and as secret.
    Token,
}

impl Place {
    /// Whether what stands here is never shown.
    #[must_use]
    pub const fn is_secret(self) -> bool {
        matches!(
            self,
            Self::Password | Self::NewPassword | Self::Account | Self::Token
        )
    }

    /// As the syntax names it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Userid | Self::Account => "userid",
            Self::Password | Self::NewPassword => "password",
            Self::Token => "token",
        }
    }
}

/// What may stand after the fixed words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing.
    Nothing,
    /// Any number of words.
    Words,
    /// The text of turns, in which a hyphen is no option. Its name, for the refusal when it is missing.
    Text(&'static str),
    /// One of these words, which decides what comes after it.
    OneOf(&'static [Form]),
}

/// What comes after the word that decides it: `change password ...`, `change address ...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The word.
    pub word: &'static str,
    /// The fixed words after it.
    pub places: &'static [Place],
    /// What may come after them; never another choice.
    pub rest: Rest,
}

/// One verb: what it is called, what it takes, what it does.
#[derive(Debug)]
pub struct Command {
    /// The verb.
    pub verb: &'static str,
    /// Other spellings, understood but not shown first.
    pub aliases: &'static [&'static str],
    /// Whether it follows a game.
    pub scope: Scope,
    /// The fixed words after the verb.
    pub places: &'static [Place],
    /// What may come after them.
    pub rest: Rest,
    /// Whether the options of the game may stand in the line.
    pub takes_game_options: bool,
    /// The server's options that may stand in the line, without the hyphens: `unrated`, `nagtime=DAYS`.
    pub options: &'static [&'static str],
    /// The line as a pattern; `GAME` stands for a game.
    pub syntax: &'static str,
    /// What it does, in one line of at most 60 characters.
    pub summary: &'static str,
    /// What it does, in full: paragraphs, wrapped when printed.
    pub help: &'static str,
    /// Lines that can be typed; `GAME` and `MOVE` are filled in for the game at hand.
    pub examples: &'static [&'static str],
    /// Decides what the line does.
    pub run: fn(&Context<'_>, &Line) -> Result<Decision, Stop>,
}

impl Command {
    /// Whether a password stands in its line, in any of its forms.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        let forms = self.forms().iter().flat_map(|form| form.places);
        self.places.iter().chain(forms).any(|place| place.is_secret())
    }

    /// The words that decide what comes after them, if it has such.
    #[must_use]
    pub const fn forms(&self) -> &'static [Form] {
        match self.rest {
            Rest::OneOf(forms) => forms,
            Rest::Nothing | Rest::Words | Rest::Text(_) => &[],
        }
    }

    /// The syntax for this game, or for any.
    #[must_use]
    pub fn syntax_for(&self, game: Option<&Game>) -> String {
        match game {
            Some(game) if self.scope != Scope::Server => match self.syntax.strip_prefix("GAME ") {
                Some(rest) => format!("{} {rest}", game.facts.name),
                None => format!("{} {}", game.facts.name, self.syntax),
            },
            _ => self.syntax.to_owned(),
        }
    }
}

/// What a word can mean where a verb is expected.
pub(crate) enum Verb {
    /// This command.
    One(&'static Command),
    /// The beginning of several.
    Several(Vec<&'static str>),
    /// None.
    Unknown,
}

/// Finds the command of a verb, an alias, or an unambiguous beginning of at least three letters.
pub(crate) fn find_verb(word: &str, allowed: impl Fn(Scope) -> bool) -> Verb {
    let word = word.to_ascii_lowercase();
    let open = || COMMANDS.iter().copied().filter(|command| allowed(command.scope));
    let names =
        |command: &'static Command| std::iter::once(command.verb).chain(command.aliases.iter().copied());
    if let Some(command) = open().find(|command| names(command).any(|name| name == word)) {
        return Verb::One(command);
    }
    // Prose begins lines with "for", and asks for no password.
    if word.len() < 3 || word == "for" {
        return Verb::Unknown;
    }
    let begun: Vec<_> = open()
        .filter(|command| names(command).any(|name| name.starts_with(&word)))
        .collect();
    match begun.as_slice() {
        [] => Verb::Unknown,
        [command] => Verb::One(command),
        several => Verb::Several(several.iter().map(|command| command.verb).collect()),
    }
}
