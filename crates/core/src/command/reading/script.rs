//! Reads what a mail asks for, without the database: one command or a list of commands.

use crate::command::reading::batch::read_batch;
use crate::command::{Batch, Commands, Entry, Line, Misread};
use crate::letters::{is_board_subject, is_own_subject};

/// What a mail asks for.
#[derive(Debug)]
pub enum Script {
    /// A command, with the text of the mail as its comment.
    Command(Box<Line>),
    /// A line that begins as a command but is not one.
    Misread(Box<Misread>),
    /// A list of commands in the text of the mail.
    Batch(Batch),
    /// No command.
    Nothing,
}

impl Script {
    /// The lines that are commands.
    #[must_use]
    pub fn lines(&self) -> Vec<&Line> {
        match self {
            Self::Command(line) => vec![line],
            Self::Batch(batch) => batch.lines().collect(),
            Self::Misread(_) | Self::Nothing => Vec::new(),
        }
    }

    /// The commands before they are run, with every word masked that may be a password. Of a line that is not a
    /// command at most the first word is shown, if it is near a verb.
    #[must_use]
    pub fn unjudged(&self) -> String {
        match self {
            Self::Command(line) => line.unjudged(),
            Self::Misread(misread) => misread.echo.text.clone(),
            Self::Batch(batch) => batch
                .entries
                .iter()
                .map(Entry::unjudged)
                .collect::<Vec<_>>()
                .join("\n"),
            Self::Nothing => String::new(),
        }
    }
}

/// Whether a subject is one of our own mails, to which its reader has added nothing.
pub(super) fn is_subject_of_a_letter(subject: &str) -> bool {
    is_own_subject(subject) || is_board_subject(subject)
}

impl Commands {
    /// Reads a subject, cleaned and in plain characters, and the text of the mail.
    #[must_use]
    pub fn read_script(&'static self, subject: &str, body: &str) -> Script {
        let is_ours = is_subject_of_a_letter(subject);
        if let Some(batch) = read_batch(self, if is_ours { "" } else { subject }, body) {
            return Script::Batch(batch);
        }
        if subject.trim().is_empty() || is_own_subject(subject) {
            return Script::Nothing;
        }
        match self.read_line(subject) {
            Ok(line) => Script::Command(Box::new(line)),
            Err(misread) => Script::Misread(misread),
        }
    }
}
