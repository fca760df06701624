//! What a command is: its words, who must be authenticated, and whether it may stand in a reply.

use std::ops::Deref;

use pbmserv_games::{Facts, GAMES, Game, Seat};

use crate::command::reading::hidden::SHORTEST_PASSWORD;
use crate::command::{Context, Decision, Line, Undecided, Word};
use crate::letters::SubjectMark;
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

/// The meaning of a positional word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A board's number, perhaps with `#n`.
    Board,
    Userid,
    /// A password: never shown, stored or logged.
    Password,
    /// A password to be set: just as secret.
    NewPassword,
    /// A userid whose existence must not leak: never shown.
    Account,
    /// A token that was mailed to a player: valid as a password for a day, and as secret.
    Token,
}

impl Argument {
    /// Whether the word is never shown.
    #[must_use]
    pub const fn is_secret(self) -> bool {
        matches!(
            self,
            Self::Password | Self::NewPassword | Self::Account | Self::Token
        )
    }

    /// Its name in the syntax.
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

/// What may follow the positional words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trailing {
    Nothing,
    /// Any number of words.
    Words,
    /// The text of turns, in which a hyphen does not begin an option. Holds the name for the refusal when it is
    /// missing.
    Text(&'static str),
    /// The same, or nothing.
    TextIfAny,
    /// One of these words, which determines the rest.
    OneOf(&'static [Form]),
}

/// One form of a command: `change password ...` or `change address ...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The word that selects this form.
    pub word: &'static str,
    /// The positional words after it.
    pub arguments: &'static [Argument],
    /// What may follow them; never [`Trailing::OneOf`].
    pub trailing: Trailing,
}

/// Whether a command may stand in a reply to a letter about a board. There the token in the address replaces the
/// board's number, the userid and the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InAnswer {
    /// Not in a reply.
    No,
    /// Its verb, alone on a line.
    Alone,
    /// Its verb, alone on a line; the command takes one word, the number of the board.
    OfBoard,
    /// Its verb and any text.
    Text,
    /// Its verb, then nothing, one word, or turns. Prose does not match ("queue up, please").
    Turns,
    /// Its verb, then nothing, one word, or conditional turns, which need no verb.
    Plan,
    /// Its verb, then nothing, a line of turns, or the name of one. Prose does not match.
    Line,
    /// A turn, or a word that stands for one, with or without the verb.
    Turn,
    /// Its verb; the rest of the mail is its text.
    AllBelow,
    /// Its verb; the rest of the mail is its text, which is not stored with the mail, and does not go to who gets words otherwise.
    Private,
}

/// Whether a command needs no userid and no password from somebody who is known otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutPassword {
    Never,
    /// By an invitation's token, or from an authenticated sender.
    Known,
    /// By an invitation's token.
    ByToken,
    /// From an authenticated sender, or by the answer to a letter that asked for exactly this line.
    BySender,
    /// By such an answer.
    Asked,
}

/// What a command refers to on its board. In a reply to a letter that was written before that, it is not carried out: its
/// writer meant something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The board as it is at any time.
    Nothing,
    /// The position: each turn, and each that is taken back, makes another.
    Position,
    /// The game so far: what its writer has done since the letter is known to them, a turn of the other player is not.
    Course,
    /// The open offer.
    Offer,
    /// The submitted turn.
    Submitted,
}

/// The function of a command, and who must be authenticated before it runs.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Only reads; no authentication.
    ReadOnly(fn(&Context<'_>, &Line) -> Result<Decision, Undecided>),
    /// Writes, without authentication.
    Public(fn(&Context<'_>, &Line) -> Result<Decision, Undecided>),
    /// Needs the userid and password in the line.
    Player(fn(&Context<'_>, &Line, &Player) -> Result<Decision, Undecided>),
    /// As `Player`, after a check that does not depend on the password.
    PlayerAfter {
        /// Runs before the password is checked.
        first: fn(&Context<'_>, &Line) -> Result<(), Undecided>,
        /// Runs after it.
        then: fn(&Context<'_>, &Line, &Player) -> Result<Decision, Undecided>,
    },
    /// As `Player`, on the board that the line names.
    OnBoard(fn(&Context<'_>, &Line, Board, &Player) -> Result<Decision, Undecided>),
    /// As `OnBoard`, with the text of turns. The other player reads that text, so it must not contain the password.
    WithTurns(fn(&Context<'_>, &Line, Board, &Player, &Word) -> Result<Decision, Undecided>),
    /// Needs the userid in the line and a token that was mailed to that player.
    WithToken(fn(&Context<'_>, &Line, &Player) -> Result<Decision, Undecided>),
}

impl Run {
    /// Whether it authenticates a player before it does anything.
    #[must_use]
    pub const fn is_proven(&self) -> bool {
        !matches!(self, Self::ReadOnly(_) | Self::Public(_))
    }
}

/// A word that a letter about a board offers as a reply.
#[derive(Clone, Copy, Debug)]
pub struct AnswerWord {
    /// What the reader types.
    pub word: &'static str,
    /// Its position among the others, ascending.
    pub rank: u8,
    /// The note after it for the player in this seat; `None` if the word is of no use on this board now.
    pub note: fn(&Board, Option<Seat>) -> Option<String>,
}

/// One command: its verb, its arguments, its help and its function.
#[derive(Debug)]
pub struct Command {
    pub verb: &'static str,
    /// Other spellings, which are understood but not listed.
    pub aliases: &'static [&'static str],
    /// Whether the name of a game precedes the verb.
    pub scope: Scope,
    /// The positional words after the verb.
    pub arguments: &'static [Argument],
    /// What may follow them.
    pub trailing: Trailing,
    /// Whether the options of the game may stand in the line.
    pub takes_game_options: bool,
    /// The server options that the line may have, without the hyphens: `unrated`, `nagtime=DAYS`.
    pub options: &'static [&'static str],
    /// The pattern of the line; `GAME` is replaced by the name of a game.
    pub syntax: &'static str,
    /// What it does, in one line of at most 60 characters.
    pub summary: &'static str,
    /// What it does, in full: paragraphs, wrapped when printed.
    pub help: &'static str,
    /// Lines that can be typed; `GAME` and `MOVE` are filled in for the game at hand.
    pub examples: &'static [&'static str],
    /// Whether it may stand in a reply to a letter about a board.
    pub in_answer: InAnswer,
    /// Whether `my` may stand before its verb: it is about the writer's own boards.
    pub takes_my: bool,
    /// Whether its writer may leave out userid and password.
    pub without_password: WithoutPassword,
    /// Whether these words may follow its verb where userid and password are left out.
    pub fits_without_password: fn(&[&str]) -> bool,
    /// Whether a line of a mail's text that begins with its verb and these words is meant as the command: prose may
    /// begin with the same word. The line of a subject always is.
    pub is_meant: fn(&[&str]) -> bool,
    /// The reply words that a letter about a board offers for it.
    pub answer_words: &'static [AnswerWord],
    /// What it refers to on this board, with the text of its turns, if it comes from this seat.
    pub about: fn(&Board, Seat, &str) -> About,
    /// How the subject of its refusal begins.
    pub not_done: SubjectMark,
    /// Its function, and who must be authenticated before.
    pub run: Run,
}

impl Command {
    /// The defaults that most commands share; each overrides the rest.
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
        takes_my: false,
        without_password: WithoutPassword::Never,
        fits_without_password: |words| words.iter().all(|word| is_digits(word)),
        is_meant: |_| true,
        answer_words: &[],
        about: |_, _, _| About::Nothing,
        not_done: SubjectMark::NotDone,
        run: Run::ReadOnly(|_, _| Ok(Decision::nothing())),
    };

    /// Whether any form of it takes a password or a token.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        let forms = self.forms().iter().flat_map(|form| form.arguments);
        self.arguments.iter().chain(forms).any(|place| place.is_secret())
    }

    /// Whether it can change the database.
    #[must_use]
    pub const fn may_change(&self) -> bool {
        !matches!(self.run, Run::ReadOnly(_))
    }

    /// Its forms, if it has any.
    #[must_use]
    pub const fn forms(&self) -> &'static [Form] {
        match self.trailing {
            Trailing::OneOf(forms) => forms,
            Trailing::Nothing | Trailing::Words | Trailing::Text(_) | Trailing::TextIfAny => &[],
        }
    }

    /// The syntax with the name of this game, or with `GAME`.
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

    /// Its examples for this game, or for the first one.
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

/// Whether a word is a number, too short for a password.
pub(crate) fn is_digits(word: &str) -> bool {
    word.len() < SHORTEST_PASSWORD && word.bytes().all(|c| c.is_ascii_digit())
}

/// The turn in examples: one that is legal at the start.
pub(crate) fn example_turn(facts: &Facts) -> &'static str {
    facts.example.first().copied().unwrap_or("MOVE")
}

/// A set of commands, in the order of the help.
#[derive(Debug)]
pub struct Commands(pub &'static [&'static Command]);

impl Deref for Commands {
    type Target = [&'static Command];

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

/// The result of looking up a verb.
pub(crate) enum VerbMatch {
    /// Exactly one command.
    One(&'static Command),
    /// An ambiguous beginning: the verbs that match.
    Several(Vec<&'static str>),
    /// No command.
    Unknown,
}

impl Commands {
    /// Finds a command by its verb, an alias, or an unambiguous prefix of at least three letters.
    pub(crate) fn find_verb(&self, word: &str, allowed: impl Fn(Scope) -> bool) -> VerbMatch {
        let word = word.to_ascii_lowercase();
        let open = || self.iter().copied().filter(|command| allowed(command.scope));
        let names =
            |command: &'static Command| std::iter::once(command.verb).chain(command.aliases.iter().copied());
        if let Some(command) = open().find(|command| names(command).any(|name| name == word)) {
            return VerbMatch::One(command);
        }
        // Prose often begins a line with "for", which must not match `forgot`.
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
