//! What players ask for: the line of each command, and the little that the laws have to know of it.

use pbmserv_core::command::COMMANDS;
use pbmserv_games::GAMES;

/// The userid and password in a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Who {
    pub(crate) userid: String,
    pub(crate) password: String,
}

impl Who {
    /// As a command has them.
    pub(crate) fn words(&self) -> String {
        format!("{} {}", self.userid, self.password)
    }
}

/// A board as players name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct At {
    /// The index of its game in [`GAMES`].
    pub(crate) game: usize,
    pub(crate) number: u32,
}

impl At {
    /// `Pow2.101`, as in its `List-Id`.
    pub(crate) fn list(self) -> String {
        format!("{}.{}", name(self.game), self.number)
    }

    /// `Pow2 Board 101`.
    pub(crate) fn name(self) -> String {
        format!("{} Board {}", name(self.game), self.number)
    }
}

/// The name of a game.
pub(crate) fn name(game: usize) -> &'static str {
    GAMES[game].facts.name
}

/// What may change a board, or who hears of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Turn(String),
    Queue(Vec<String>),
    Submit(String),
    Confirm,
    Resign,
    Propose,
    Undo,
    Accept,
    Reject,
    Rematch,
    Chat,
    /// Words on the first turn.
    Comment,
    /// The player leaves all boards.
    Leave,
    /// A command that changes no board.
    Nothing(&'static str),
}

impl Act {
    /// The command in a reply to a mail of its board.
    pub(crate) fn reply(&self) -> String {
        match self {
            // A capital at the beginning of a line is asked about.
            Self::Turn(turn) if !turn.starts_with(|c: char| c.is_ascii_uppercase()) => turn.clone(),
            _ => format!("{} {}", self.verb(), self.rest()).trim_end().to_owned(),
        }
    }

    fn verb(&self) -> String {
        match self {
            Self::Turn(_) => "move".to_owned(),
            Self::Nothing(verb) => (*verb).to_owned(),
            Self::Queue(turns) if is_planned(turns) => "plan".to_owned(),
            _ => {
                let name = format!("{self:?}").to_ascii_lowercase();
                name.split('(').next().unwrap_or_default().to_owned()
            }
        }
    }

    fn rest(&self) -> String {
        match self {
            Self::Turn(turn) | Self::Submit(turn) => turn.clone(),
            Self::Queue(turns) if is_planned(turns) => format!("if any then {}", turns.join(" then ")),
            Self::Queue(turns) => turns.join(" then "),
            Self::Comment => "1 Well begun".to_owned(),
            _ => String::new(),
        }
    }
}

/// Whether turns for later are written as a plan: every second ones. It does the same.
fn is_planned(turns: &[String]) -> bool {
    turns != ["off"] && turns.concat().len() % 2 == 0
}

/// What a command asks for.
#[derive(Clone, Debug)]
pub(crate) enum What {
    On(At, Act),
    /// A board of this game for the players with these userids.
    Begin(usize, [String; 2]),
    /// Words for these players; for all if it is `None`.
    Say(Option<Vec<String>>),
    /// An account with this userid, or the return to it.
    SignUp,
    NewPassword(String),
    /// Signing off, or erasing the account.
    Leave,
    /// What changes nothing but rows of the writer's own.
    Own,
}

/// One command.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    /// As it is typed.
    pub(crate) line: String,
    /// As it is typed in answer to a letter, if that is shorter.
    pub(crate) reply: Option<String>,
    /// By which password it is proven.
    pub(crate) who: Option<Who>,
    /// The account whose token proves it.
    pub(crate) by_token: Option<usize>,
    pub(crate) what: What,
}

impl Deed {
    /// A command without a password.
    pub(crate) fn open(line: impl Into<String>) -> Self {
        Self {
            line: line.into().trim_end().to_owned(),
            reply: None,
            who: None,
            by_token: None,
            what: What::Own,
        }
    }

    /// A command with a password. Who hears of it and what may change stands in its first word.
    pub(crate) fn by(who: &Who, line: impl Into<String>) -> Self {
        let mut deed = Self {
            who: Some(who.clone()),
            ..Self::open(line)
        };
        let words: Vec<&str> = deed.line.split(' ').collect();
        deed.what = match words[0] {
            "signup" => What::SignUp,
            "signoff" | "delete" => What::Leave,
            "message" => What::Say(Some(words[3..].iter().map(|word| (*word).to_owned()).collect())),
            "broadcast" => What::Say(None),
            "change" if words[1] == "password" => What::NewPassword(words[4].to_owned()),
            _ => What::Own,
        };
        if words.get(1) == Some(&"seek") {
            deed.reply = Some(format!("seek {} {}", words[0], words[4..].join(" ")));
        }
        deed
    }

    pub(crate) fn meaning(self, what: What) -> Self {
        Self { what, ..self }
    }

    /// A command on a board.
    pub(crate) fn on(at: At, who: &Who, act: Act) -> Self {
        // These are words in the place of a turn.
        let is_word = matches!(act, Act::Propose | Act::Undo | Act::Accept | Act::Reject);
        let (verb, rest) = match is_word {
            true => ("move".to_owned(), act.verb()),
            false => (act.verb(), act.rest()),
        };
        let line = format!("{} {verb} {} {} {rest}", name(at.game), at.number, who.words());
        Self {
            reply: Some(act.reply()),
            what: What::On(at, act),
            ..Self::by(who, line)
        }
    }

    /// Whether its line begins with one of these words.
    pub(crate) fn begins(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.line.starts_with(word))
    }

    /// The verb that the server reads; `None` for a line that is no command.
    pub(crate) fn verb(&self) -> Option<&'static str> {
        Some(COMMANDS.read_line(&self.line).ok()?.command.verb)
    }
}
