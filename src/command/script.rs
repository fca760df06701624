//! What a mail asks for, before anything is looked up: its command, its comment, its answer to a question.

use super::Line;
use super::line::{Misread, begins_a_command, read_line};

/// What a mail asks for.
#[derive(Debug)]
pub enum Script {
    /// A command, with the text of the mail as its comment.
    Command(Box<Line>),
    /// A line that begins as a command but is none.
    Misread(Box<Misread>),
    /// Nothing that reads as a command.
    Nothing,
}

impl Script {
    /// Reads a cleaned subject in plain characters.
    #[must_use]
    pub fn read(subject: &str) -> Self {
        if subject.trim().is_empty() || is_subject_of_ours(subject) {
            return Self::Nothing;
        }
        match read_line(subject) {
            Ok(line) => Self::Command(Box::new(line)),
            Err(misread) => Self::Misread(misread),
        }
    }

    /// The commands before they are done or refused: every word that may be a password masked, and a line
    /// that is no command masked whole but for a first word that is nearly one.
    #[must_use]
    pub fn unjudged(&self) -> String {
        match self {
            Self::Command(line) => line.unjudged(),
            Self::Misread(misread) => misread.echo.text.clone(),
            Self::Nothing => String::new(),
        }
    }
}

/// Whether a subject is one that our own mails bear and that no command begins with.
fn is_subject_of_ours(subject: &str) -> bool {
    [
        "Not done",
        "Help: ",
        "Welcome ",
        "Is ",
        "A message from ",
        "A new password for ",
    ]
    .iter()
    .any(|own| subject.starts_with(own))
}

/// Whether the first paragraph of a text says `confirm` and nothing else.
#[must_use]
pub fn says_confirm(text: &str) -> bool {
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let word = first.trim_matches(|c: char| !c.is_alphanumeric());
    word.eq_ignore_ascii_case("confirm") && !begins_a_command(first)
}
