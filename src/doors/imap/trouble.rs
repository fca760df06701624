//! What keeps us from the mailbox, and whose matter it is.

use std::io::ErrorKind;

use async_imap::error::Error;

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

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Passing(match error {
            Error::Io(error) => return error.into(),
            Error::No(_) => "the server refuses".to_owned(),
            // The rest quotes what the server sent, in which a mail may stand.
            _ => "the server sends what cannot be read".to_owned(),
        })
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Passing(match error.kind() {
            // async-imap's own, which quotes what it could not read.
            ErrorKind::Other => "the server sends what cannot be read".to_owned(),
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
    fn what_could_not_be_read_is_not_quoted() {
        let error = std::io::Error::other("during parsing of \"move 101 alice secret\"");
        assert_eq!(
            Trouble::from(Error::Io(error)),
            Trouble::Passing("the server sends what cannot be read".into())
        );
    }

    #[test]
    fn a_servers_words_are_one_short_line() {
        assert_eq!(words(" a\r\n\tb\u{1b}[1m "), "a b [1m");
        assert_eq!(words(&"x ".repeat(500)).chars().count(), 203);
    }
}
