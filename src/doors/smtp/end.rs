//! Why sessions end, and what is said then.

use super::reply::Reply;

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The peer said QUIT.
    Quit,
    /// The peer closed the connection, or it broke.
    Gone,
    /// The peer sent too little for too long.
    Silent,
    /// The peer did not read what it was told.
    Deaf,
    /// The program stops.
    Stopping,
    /// A command line had no end.
    EndlessLine,
    /// A message was many times too long.
    EndlessMessage,
    /// Too many commands were refused.
    TooManyErrors,
    /// There were too many commands for nothing.
    TooManyCommands,
    /// What follows would not be SMTP.
    Foreign,
    /// Plain text came right behind STARTTLS: it might be somebody else's than the peer's.
    Injection,
    /// The peer did not come to an encrypted connection with us.
    Handshake,
}

impl End {
    /// What is said last, if anything can be said.
    pub(super) fn last_words(self) -> Option<Reply> {
        Some(Reply::new(match self {
            Self::Gone | Self::Deaf | Self::Handshake => return None,
            Self::Quit => "221 2.0.0 Goodbye",
            Self::Silent => "421 4.4.2 Nothing or too little came for too long, closing the connection",
            Self::Stopping => "421 4.3.2 The server is shutting down, please try again later",
            Self::EndlessLine => "500 5.5.2 The line has no end, closing the connection",
            Self::EndlessMessage => "552 5.3.4 The message is far too long, closing the connection",
            Self::TooManyErrors => "421 4.7.0 Too many commands were refused, closing the connection",
            Self::TooManyCommands => "421 4.7.0 Too many commands without a message, closing the connection",
            Self::Foreign => "502 5.5.1 This is SMTP without CHUNKING, closing the connection",
            Self::Injection => {
                "501 5.5.1 Nothing may follow STARTTLS before its answer, closing the connection"
            }
        }))
    }

    /// Whether a limit ended the session, of which the operator should know.
    pub(super) fn is_limit(self) -> bool {
        !matches!(self, Self::Quit | Self::Gone | Self::Stopping)
    }

    /// Whether the peer may still be sending, so that the last words reach it only if that is read.
    pub(super) fn is_interruption(self) -> bool {
        !matches!(
            self,
            Self::Quit | Self::Gone | Self::Silent | Self::Deaf | Self::Handshake
        )
    }
}
