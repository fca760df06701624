//! What keeps us from the mailbox, and whose matter it is.

use std::io::ErrorKind;

use super::frame::Unreadable;

/// How much of a server's own words is repeated.
const WORDS_MAX_CHARS: usize = 200;

/// Why there is no mailbox at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It may be over in a moment.
    Passing(String),
    /// Somebody has to do something: a password, a certificate, a right. It is asked about slowly, since
    /// providers close an account to which wrong passwords are sent.
    Operator(String),
    /// The server is to stop.
    Stopped,
}

impl From<Unreadable> for Trouble {
    fn from(_: Unreadable) -> Self {
        Self::Passing("the server sends what cannot be read".to_owned())
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Passing(match error.kind() {
            ErrorKind::UnexpectedEof => lost(),
            _ => error.to_string(),
        })
    }
}

/// What is said when the server has hung up.
pub(super) fn lost() -> String {
    "the server has closed the connection".to_owned()
}

/// A server's own words, on one line and not too many.
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
