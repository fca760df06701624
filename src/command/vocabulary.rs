//! What a command is: its words, what they mean, who must prove to be its writer, what an answer may hold of it.

use std::ops::Deref;

use crate::command::{Context, Decision, Line, Undecided, Word};
use crate::games::{Facts, GAMES, Game, Seat};
use crate::table::{Board, Player};

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
pub enum Argument {
    /// A board's number, perhaps with `#n`.
    Board,
    /// A userid.
    Userid,
    /// A password: never shown, stored or logged.
    Password,
    /// A password that is to become an account's: just as secret.
    NewPassword,
    /// A userid whose existence must not leak: what stands here is never shown.
    Account,
    /// A token that was mailed to a player: as good as a password for a day, and as secret.
    Token,
}

impl Argument {
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
pub enum Trailing {
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
    pub arguments: &'static [Argument],
    /// What may come after them; never another choice.
    pub trailing: Trailing,
}

/// Whether a command may stand in the answer to a letter about a board, where the token in the address takes the
/// place of the board's number, the userid and the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InAnswer {
    /// It may not.
    No,
    /// Its verb, alone on a line.
    Alone,
    /// Its verb, alone on a line; the number of the board is the one word that it takes.
    OfBoard,
    /// Its verb and any text.
    Text,
    /// Its verb and nothing, one word, or turns. Prose is none of them ("queue up, please").
    Turns,
    /// A turn or a word in the place of one, with the verb before it or without.
    Turn,
    /// Its verb, with the rest of the mail as its text.
    AllBelow,
}

/// What a command does, and who must prove before it that they wrote the line.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// It only looks: nobody needs to prove anything.
    Looks(fn(&Context<'_>, &Line) -> Result<Decision, Undecided>),
    /// It changes something that anybody may change.
    Anybody(fn(&Context<'_>, &Line) -> Result<Decision, Undecided>),
    /// It is for the player whose userid and password stand in the line.
    Player(fn(&Context<'_>, &Line, &Player) -> Result<Decision, Undecided>),
    /// The same; what `first` refuses is refused whether the password is right or not.
    PlayerAfter {
        /// What is looked at before the password.
        first: fn(&Context<'_>, &Line) -> Result<(), Undecided>,
        /// What it does.
        then: fn(&Context<'_>, &Line, &Player) -> Result<Decision, Undecided>,
    },
    /// It is for that player, on the board that the line names.
    OnBoard(fn(&Context<'_>, &Line, Board, &Player) -> Result<Decision, Undecided>),
    /// The same with the text of turns, which goes to the other player: no password may stand in it.
    WithTurns(fn(&Context<'_>, &Line, Board, &Player, &Word) -> Result<Decision, Undecided>),
    /// It is for the player to whom the token in the line was mailed.
    WithToken(fn(&Context<'_>, &Line, &Player) -> Result<Decision, Undecided>),
}

/// A word that a letter about a board offers to its reader, to answer with.
#[derive(Clone, Copy, Debug)]
pub struct AnswerWord {
    /// The word.
    pub word: &'static str,
    /// Where it stands among the others: those with lower numbers come first.
    pub rank: u8,
    /// What stands behind it on this board for the player in this seat; `None` if it is of no use there now.
    pub note: fn(&Board, Option<Seat>) -> Option<String>,
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
    pub arguments: &'static [Argument],
    /// What may come after them.
    pub trailing: Trailing,
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
    /// Whether it may stand in the answer to a letter about a board.
    pub in_answer: InAnswer,
    /// The words of it that a letter about a board offers.
    pub answer_words: &'static [AnswerWord],
    /// Who must prove to be the writer, and what it then does.
    pub run: Run,
}

impl Command {
    /// What most commands have in common; each names the rest.
    pub const USUAL: Self = Self {
        verb: "",
        aliases: &[],
        scope: Scope::Server,
        arguments: &[],
        trailing: Trailing::Nothing,
        takes_game_options: false,
        options: &[],
        syntax: "",
        summary: "",
        help: "",
        examples: &[],
        in_answer: InAnswer::No,
        answer_words: &[],
        run: Run::Looks(|_, _| Ok(Decision::nothing())),
    };

    /// Whether a password stands in its line, in any of its forms.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        let forms = self.forms().iter().flat_map(|form| form.arguments);
        self.arguments.iter().chain(forms).any(|place| place.is_secret())
    }

    /// Whether it may change anything.
    #[must_use]
    pub const fn may_change(&self) -> bool {
        !matches!(self.run, Run::Looks(_))
    }

    /// The words that decide what comes after them, if it has such.
    #[must_use]
    pub const fn forms(&self) -> &'static [Form] {
        match self.trailing {
            Trailing::OneOf(forms) => forms,
            Trailing::Nothing | Trailing::Words | Trailing::Text(_) => &[],
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

    /// Its examples, filled in for this game or for the first one.
    #[must_use]
    pub fn examples_for(&self, game: Option<&'static Game>) -> Vec<String> {
        let game = game.or_else(|| GAMES.first());
        let fill = |example: &&str| match game {
            Some(game) => example
                .replace("GAME", game.facts.name)
                .replace("MOVE", example_turn(game.facts)),
            None => (*example).to_owned(),
        };
        self.examples.iter().map(fill).collect()
    }
}

/// What stands in for a turn in examples: one that is legal at the start.
pub(crate) fn example_turn(facts: &Facts) -> &'static str {
    facts.example.first().copied().unwrap_or("MOVE")
}

/// All commands that are understood, in the order in which help shows them.
#[derive(Debug)]
pub struct Commands(pub &'static [&'static Command]);

impl Deref for Commands {
    type Target = [&'static Command];

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

/// What a word can mean where a verb is expected.
pub(crate) enum VerbMatch {
    /// This command.
    One(&'static Command),
    /// The beginning of several.
    Several(Vec<&'static str>),
    /// None.
    Unknown,
}

impl Commands {
    /// Finds the command of a verb, an alias, or an unambiguous beginning of at least three letters.
    pub(crate) fn find_verb(&self, word: &str, allowed: impl Fn(Scope) -> bool) -> VerbMatch {
        let word = word.to_ascii_lowercase();
        let open = || self.iter().copied().filter(|command| allowed(command.scope));
        let names =
            |command: &'static Command| std::iter::once(command.verb).chain(command.aliases.iter().copied());
        if let Some(command) = open().find(|command| names(command).any(|name| name == word)) {
            return VerbMatch::One(command);
        }
        // Prose begins lines with "for", and asks for no password.
        if word.len() < 3 || word == "for" {
            return VerbMatch::Unknown;
        }
        let begun: Vec<_> = open()
            .filter(|command| names(command).any(|name| name.starts_with(&word)))
            .collect();
        match begun.as_slice() {
            [] => VerbMatch::Unknown,
            [command] => VerbMatch::One(command),
            several => VerbMatch::Several(several.iter().map(|command| command.verb).collect()),
        }
    }
}
