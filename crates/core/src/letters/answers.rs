//! Answers that are not about the progress of one board.

use serde::Serialize;

use super::{Button, Head, LetterKind, Mail, Status, SubjectMark};

/// What may have been meant: `Did you mean a or b?`; all empty without a suggestion.
#[derive(Debug, Default, Serialize)]
pub struct Near {
    /// `Did you mean `.
    pub before: String,
    /// The suggestions.
    pub words: Vec<String>,
    /// `?`.
    pub after: String,
    /// Whether each is a whole answer to the letter, so that HTML shows it as a link.
    pub are_answers: bool,
}

impl std::fmt::Display for Near {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = match self.words.as_slice() {
            [] => return Ok(()),
            [one] => one.clone(),
            [many @ .., last] => format!("{} or {last}", many.join(", ")),
        };
        write!(f, "{}{words}{}", self.before, self.after)
    }
}

/// A refused command and the reason.
#[derive(Debug, Default, Serialize)]
pub struct NotDone {
    /// The subject: that of the board, or `Not done: ...`.
    pub subject: String,
    /// Which game, which board, with whom; empty if the command is about none.
    pub head: Head,
    /// What a mailbox shows below the subject; empty for the sentence.
    pub preheader: String,
    /// The reason.
    pub sentence: String,
    /// The command line with a caret below it; empty if there is no line to show.
    pub line: String,
    /// A suggestion.
    pub near: Near,
    /// Buttons for the words of the suggestion, where the mail shows buttons.
    pub buttons: Vec<Button>,
    /// What the reader may do now: each line with what it does.
    pub choices: Vec<Button>,
    /// The answer that keeps a turn which came too early; empty without one.
    pub queue: String,
    /// Syntax and example, indented; empty if they do not help.
    pub syntax: String,
    /// A whole answer as an example: a turn or a word; empty without one.
    pub example: String,
    /// The present board, if the command is about one.
    pub board: String,
    /// Whose turn it is on that board.
    pub status: Status,
    /// The likely thing to do next: an answer if the letter has an address for one, otherwise a new mail with this
    /// subject.
    pub action: Option<Button>,
    /// Says that words which came with the command reached nobody; empty if there were none.
    pub unsent: String,
    /// Whether to say that the board and any earlier submission are unchanged.
    pub is_unchanged: bool,
    /// The short help, if no command was understood.
    pub help: String,
}

impl NotDone {
    /// The one thing that a letter with these facts asks about: a yes to it means that.
    pub(crate) fn asked(facts: &serde_json::Value) -> Option<String> {
        let all = |name: &str| facts[name].as_array().cloned().unwrap_or_default();
        let suggested = facts["near"]["words"].as_array().cloned().unwrap_or_default();
        let asked = match (
            all("buttons").as_slice(),
            suggested.as_slice(),
            all("choices").as_slice(),
        ) {
            ([_, ..], [word], _) => word.as_str().map(str::to_owned),
            ([], [], [choice]) => choice["word"].as_str().map(str::to_owned),
            _ => None,
        };
        asked.filter(|word| !word.is_empty())
    }

    pub(super) fn sample() -> Self {
        Self {
            subject: SubjectMark::NotDone.before("Pow2 mvoe 101"),
            sentence: "Pow2 has no command \"mvoe\".".into(),
            line: "  Pow2 mvoe 101\n       ^^^^".into(),
            near: Near {
                before: "Did you mean ".into(),
                words: vec!["move".into()],
                after: "?".into(),
                are_answers: false,
            },
            choices: vec![Button {
                label: "help for a first game".into(),
                word: "help tutorial".into(),
            }],
            action: Some(Button {
                label: "Show me the commands".into(),
                word: "help".into(),
            }),
            syntax: "  Pow2 move board userid password MOVE".into(),
            ..Self::default()
        }
    }
}

impl Mail for NotDone {
    const KIND: LetterKind = LetterKind::NotDone;

    fn sender_name(&self) -> String {
        let is_menu = !self.choices.is_empty();
        (if is_menu {
            "What now?"
        } else {
            SubjectMark::NotDone.words()
        })
        .to_owned()
    }
}

/// Help on a topic.
#[derive(Debug, Serialize)]
pub struct Help {
    /// The topic, for the subject.
    pub topic: String,
    /// Its first paragraph.
    pub opening: String,
    /// The others.
    pub text: String,
    /// The page with the same, below those for everybody; empty if there is none.
    pub page: String,
    /// What may be asked for next.
    pub choices: Vec<Button>,
}

impl Help {
    pub(super) fn sample() -> Self {
        Self {
            topic: "commands".into(),
            opening: "The commands.".into(),
            text: "Text.".into(),
            page: "help/commands".into(),
            choices: vec![Button {
                label: "Read how a first game goes".into(),
                word: "help tutorial".into(),
            }],
        }
    }
}

impl Mail for Help {
    const KIND: LetterKind = LetterKind::Help;
}

/// One of several boards in a mail.
#[derive(Debug, Serialize)]
pub struct Drawn {
    /// The players, and whose turn it is.
    pub about: String,
    /// The drawing.
    pub board: String,
}

/// A table with a sentence above it.
#[derive(Debug, Default, Serialize)]
pub struct Listing {
    /// On one line.
    pub subject: String,
    /// What the table shows.
    pub sentence: String,
    /// The board of a preview, of which HTML shows the picture.
    pub board: String,
    /// The table in columns.
    pub table: String,
    /// Whether each row of the table begins with a board that has a page.
    pub has_pages: bool,
    /// Drawings of boards, if wanted.
    pub boards: Vec<Drawn>,
    /// The likely answer; `None` if there is none.
    pub action: Option<Button>,
    /// Lines to answer with, each with what it does.
    pub answers: Vec<Button>,
    /// A command that shows more.
    pub hint: String,
}

impl Listing {
    /// What a yes to a letter with these facts means: its action.
    pub(crate) fn asked(facts: &serde_json::Value) -> Option<String> {
        let word = facts["action"]["word"].as_str()?;
        (!word.is_empty()).then(|| word.to_owned())
    }

    pub(super) fn sample() -> Self {
        Self {
            subject: "Pow2 games".into(),
            sentence: "One board.".into(),
            board: String::new(),
            table: "Board  First".into(),
            has_pages: false,
            boards: vec![Drawn {
                about: "Pow2 Board 101.".into(),
                board: "board\n".into(),
            }],
            action: Some(Button {
                label: "Play it".into(),
                word: "confirm".into(),
            }),
            answers: vec![Button {
                label: "Play bob".into(),
                word: "Pow2 challenge bob".into(),
            }],
            hint: String::new(),
        }
    }
}

impl Mail for Listing {
    const KIND: LetterKind = LetterKind::Listing;

    fn sender_name(&self) -> String {
        let is_question = self.subject.ends_with('?');
        (if is_question { "Please confirm" } else { "" }).to_owned()
    }
}

/// A command that succeeded and has nothing to show.
#[derive(Debug, Serialize)]
pub struct Done {
    /// On one line.
    pub subject: String,
    /// What was done.
    pub sentence: String,
    /// A suggestion for the next command; may be empty.
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
    const KIND: LetterKind = LetterKind::Done;

    fn sender_name(&self) -> String {
        "Done".to_owned()
    }
}

/// The result of a mail with several commands.
#[derive(Debug, Serialize)]
pub struct Transcript {
    /// The number of commands.
    pub commands: usize,
    /// The number of commands that failed.
    pub errors: usize,
    /// Both numbers as a sentence.
    pub sentence: String,
    /// Each command line after `>`, followed by its result.
    pub text: String,
    /// Why the rest of the mail was not read; empty if all of it was.
    pub cut: String,
}

impl Transcript {
    pub(super) fn sample() -> Self {
        Self {
            commands: 2,
            errors: 1,
            sentence: "1 of the 2 commands in your mail was done, 1 was not.".into(),
            text: "> list\nFour games are played here.".into(),
            cut: String::new(),
        }
    }
}

impl Mail for Transcript {
    const KIND: LetterKind = LetterKind::Transcript;

    fn sender_name(&self) -> String {
        match (self.commands - self.errors.min(self.commands), self.errors) {
            (done, 0) => format!("{done} done"),
            (done, errors) => format!("{done} done, {errors} not"),
        }
    }
}

/// The answer to a reply token that is invalid or expired.
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
    const KIND: LetterKind = LetterKind::Dead;

    fn sender_name(&self) -> String {
        SubjectMark::NotDone.words().to_owned()
    }
}

/// The answer when handling a message failed by an internal error.
#[derive(Debug, Serialize)]
pub struct Apology {
    /// The number of the recorded message.
    pub number: i64,
}

impl Apology {
    pub(super) const fn sample() -> Self {
        Self { number: 1 }
    }
}

impl Mail for Apology {
    const KIND: LetterKind = LetterKind::Apology;

    fn sender_name(&self) -> String {
        SubjectMark::NotDone.words().to_owned()
    }
}
