//! Reads what a mail asks for, without the database: one command or a list of commands.

use crate::command::reading::batch::read_batch;
use crate::command::{Batch, Commands, Entry, Line, Misread};
use crate::letters::Headline;

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

/// Whether a subject is one of our own mails and not a command.
fn is_subject_of_ours(subject: &str) -> bool {
    [
        "Not done",
        "Help: ",
        "Welcome ",
        "Is ",
        "A message from ",
        "A new password for ",
        "A game in your name, ",
        "Asked: ",
        "Mail to ",
        "To the postmaster: ",
        "Wrong passwords for ",
        "Your boards, ",
    ]
    .iter()
    .any(|own| subject.starts_with(own))
        || Headline::is_subject(subject)
        || is_subject_of_a_transcript(subject)
        || is_subject_of_a_vacation(subject)
}

/// Whether a subject is the one of the news that a player is away: `Vacation of bob`. As a command it would be the vacation
/// of a player who is called "of".
fn is_subject_of_a_vacation(subject: &str) -> bool {
    matches!(
        subject.split_whitespace().collect::<Vec<_>>().as_slice(),
        ["Vacation", "of", _]
    )
}

/// Whether a subject is one of a transcript: `3 commands, 1 error`.
fn is_subject_of_a_transcript(subject: &str) -> bool {
    let counts = |text: &str, one: &str| {
        let counted = text.trim().split_once(' ');
        counted.is_some_and(|(count, what)| {
            count.bytes().all(|c| c.is_ascii_digit()) && (what == one || what.strip_suffix('s') == Some(one))
        })
    };
    subject
        .split_once(',')
        .is_some_and(|(commands, errors)| counts(commands, "command") && counts(errors, "error"))
}

/// Whether a subject is exactly the one of a board's mails: `Pow2 Board 101 alice`.
fn is_board_subject(subject: &str) -> bool {
    let words: Vec<_> = subject.split_whitespace().collect();
    let is_board = |word: &str| word.eq_ignore_ascii_case("board");
    matches!(words.as_slice(), [game, board, number] | [game, board, number, _]
        if pbmserv_games::find(game).is_some() && is_board(board) && number.bytes().all(|c| c.is_ascii_digit()))
}

/// Whether a subject is one of our own mails, to which its reader has added nothing.
pub(super) fn is_subject_of_a_letter(subject: &str) -> bool {
    is_subject_of_ours(subject) || is_board_subject(subject)
}

impl Commands {
    /// Reads a subject, cleaned and in plain characters, and the text of the mail.
    #[must_use]
    pub fn read_script(&'static self, subject: &str, body: &str) -> Script {
        let is_ours = is_subject_of_a_letter(subject);
        if let Some(batch) = read_batch(self, if is_ours { "" } else { subject }, body) {
            return Script::Batch(batch);
        }
        if subject.trim().is_empty() || is_subject_of_ours(subject) {
            return Script::Nothing;
        }
        match self.read_line(subject) {
            Ok(line) => Script::Command(Box::new(line)),
            Err(misread) => Script::Misread(misread),
        }
    }
}
