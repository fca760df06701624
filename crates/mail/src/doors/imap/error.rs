//! Errors of an IMAP session, divided by who can resolve them.

use std::io::ErrorKind;

use super::frame::Unreadable;
use crate::stream::{SentEarly, in_plain_words};

/// The longest quote of the server's words.
const WORDS_MAX_CHARS: usize = 200;

/// Why the mailbox cannot be used at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SessionError {
    /// It may resolve itself.
    Temporary(String),
    /// A person must act: a password, a certificate, a permission. Attempts are rare then, because providers
    /// lock an account after wrong passwords.
    Operator(String),
    /// The server is stopping.
    Stopped,
}

impl SessionError {
    /// The error as a fault of the message that it came up with, if the session can go on.
    pub(super) fn of_mail<T>(self) -> Result<T, Fault> {
        Err(match self {
            Self::Operator(why) => Fault::Mail(why),
            other => Fault::Session(other),
        })
    }
}

/// Why something was not done for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The server refuses it for this message. Others may go well.
    Mail(String),
    /// The session has ended.
    Session(SessionError),
}

impl From<SessionError> for Fault {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<Unreadable> for SessionError {
    fn from(_: Unreadable) -> Self {
        Self::Temporary("the server sends an unreadable response".to_owned())
    }
}

impl From<SentEarly> for SessionError {
    fn from(error: SentEarly) -> Self {
        Self::Temporary(error.to_string())
    }
}

impl From<std::io::Error> for SessionError {
    fn from(error: std::io::Error) -> Self {
        Self::Temporary(match error.kind() {
            ErrorKind::UnexpectedEof => lost(),
            _ => in_plain_words(&error).to_string(),
        })
    }
}

/// The text for a closed connection.
pub(super) fn lost() -> String {
    "the server has closed the connection".to_owned()
}

/// The server's words, on one line of limited length.
pub(super) fn words(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    if line.chars().count() > WORDS_MAX_CHARS {
        line = line.chars().take(WORDS_MAX_CHARS).collect::<String>() + "...";
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_words_are_one_short_line() {
        assert_eq!(words(" a\r\n\tb\u{1b}[1m "), "a b [1m");
        assert_eq!(words(&"x ".repeat(500)).chars().count(), 203);
    }
}
