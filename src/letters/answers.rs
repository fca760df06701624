//! Answers to a mail that are not about one board's progress.

use serde::Serialize;

use super::Mail;

/// A command that is not done, and why.
#[derive(Debug, Default, Serialize)]
pub struct NotDone {
    /// The subject: the board's, or `Not done: ...`.
    pub subject: String,
    /// What is wrong.
    pub sentence: String,
    /// The line, and under it a caret; empty if there is no line to show.
    pub line: String,
    /// What could be meant instead: `Did you mean ...?`; empty if nothing is near.
    pub near: String,
    /// The syntax and an example, set off; empty if they do not help.
    pub syntax: String,
    /// The board as it stands, if it is about one.
    pub board: String,
    /// Whose turn it is there.
    pub status: String,
    /// Whether the board and what was there before are unchanged and the reader wants to hear so.
    pub is_unchanged: bool,
    /// The short help, for a mail of which nothing was understood.
    pub help: String,
}

impl NotDone {
    pub(super) fn sample() -> Self {
        Self {
            subject: "Not done: Pow2 mvoe 101".into(),
            sentence: "Pow2 has no command \"mvoe\".".into(),
            line: "  Pow2 mvoe 101\n       ^^^^".into(),
            near: "Did you mean move?".into(),
            syntax: "  Pow2 move board userid password MOVE".into(),
            ..Self::default()
        }
    }
}

impl Mail for NotDone {
    const KIND: &'static str = "notdone";
}

/// Help on a topic.
#[derive(Debug, Serialize)]
pub struct Help {
    /// The topic, for the subject.
    pub topic: String,
    /// The text.
    pub text: String,
}

impl Help {
    pub(super) fn sample() -> Self {
        Self {
            topic: "commands".into(),
            text: "Text.".into(),
        }
    }
}

impl Mail for Help {
    const KIND: &'static str = "help";
}

/// One of several boards in a mail.
#[derive(Debug, Serialize)]
pub struct Drawn {
    /// Who plays, whose turn it is.
    pub about: String,
    /// The drawing.
    pub board: String,
}

/// A table with a sentence above it.
#[derive(Debug, Default, Serialize)]
pub struct Listing {
    /// The subject.
    pub subject: String,
    /// What the table shows.
    pub sentence: String,
    /// The table, in columns.
    pub table: String,
    /// The boards, if they are drawn.
    pub boards: Vec<Drawn>,
    /// What to type to see more.
    pub hint: String,
}

impl Listing {
    pub(super) fn sample() -> Self {
        Self {
            subject: "Pow2 games".into(),
            sentence: "One board.".into(),
            table: "Board  First".into(),
            boards: vec![Drawn {
                about: "Pow2 Board 101.".into(),
                board: "board\n".into(),
            }],
            hint: String::new(),
        }
    }
}

impl Mail for Listing {
    const KIND: &'static str = "listing";
}

/// A command that is done and has nothing to show.
#[derive(Debug, Serialize)]
pub struct Done {
    /// The subject.
    pub subject: String,
    /// What was done.
    pub sentence: String,
    /// What to try next; may be empty.
    pub hint: String,
}

impl Done {
    pub(super) fn sample() -> Self {
        Self {
            subject: "Pow2 set alice".into(),
            sentence: "Done.".into(),
            hint: String::new(),
        }
    }
}

impl Mail for Done {
    const KIND: &'static str = "done";
}

/// What became of a mail that lists several commands.
#[derive(Debug, Serialize)]
pub struct Transcript {
    /// How many commands it had.
    pub commands: usize,
    /// How many of them were not done.
    pub errors: usize,
    /// Both in a sentence.
    pub sentence: String,
    /// Each line after `>` with its result.
    pub text: String,
    /// Why the rest was not read; empty if all was.
    pub cut: String,
}

impl Transcript {
    pub(super) fn sample() -> Self {
        Self {
            commands: 2,
            errors: 1,
            sentence: "Of 2 commands in your mail 1 were done and 1 were not.".into(),
            text: "> list\nFour games are played here.".into(),
            cut: String::new(),
        }
    }
}

impl Mail for Transcript {
    const KIND: &'static str = "transcript";
}

/// A reply token that is not good any more, or never was.
#[derive(Debug, Serialize)]
pub struct Dead {
    /// The short help.
    pub help: String,
}

impl Dead {
    pub(super) fn sample() -> Self {
        Self { help: "help".into() }
    }
}

impl Mail for Dead {
    const KIND: &'static str = "dead";
}

/// Handling a message failed through a fault of ours.
#[derive(Debug, Serialize)]
pub struct Apology {
    /// The number of the message's record.
    pub number: i64,
}

impl Apology {
    pub(super) const fn sample() -> Self {
        Self { number: 1 }
    }
}

impl Mail for Apology {
    const KIND: &'static str = "apology";
}
