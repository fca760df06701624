//! Why a session ends, and the last reply.

use super::reply::Reply;

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The peer said QUIT.
    Quit,
    /// The peer closed the connection, or it broke.
    Gone,
    /// The peer was silent or too slow for too long.
    Silent,
    /// The peer does not read our replies.
    Deaf,
    /// The server stops.
    Stopping,
    /// A command line did not end.
    EndlessLine,
    /// A message was many times too long.
    EndlessMessage,
    /// Too many refused commands.
    TooManyErrors,
    /// Too many commands without an accepted message.
    TooManyCommands,
    /// Too many commands in all.
    LongSession,
    /// The session has lasted too long.
    OldSession,
    /// No message was accepted for too long.
    NoMessage,
    /// The peer spoke before the greeting, so it does not read what we say.
    Early,
    /// A bare CR or LF in a command line: what follows may be smuggled.
    BareInCommand,
    /// The same in a message, which was refused already.
    BareInMessage,
    /// The bytes that follow are not SMTP.
    Foreign,
    /// Plain text followed STARTTLS in the same packet: an attacker may have inserted it.
    Injection,
    /// The TLS handshake failed.
    Handshake,
}

impl End {
    /// The last reply, if one can still be sent.
    pub(super) fn last_words(self) -> Option<Reply> {
        Some(Reply::new(match self {
            Self::Gone | Self::Deaf | Self::Handshake | Self::BareInMessage => return None,
            Self::Quit => "221 2.0.0 Goodbye",
            Self::Silent => "421 4.4.2 Nothing or too little came for too long, closing the connection",
            Self::Stopping => "421 4.3.2 The server is shutting down, please try again later",
            Self::EndlessLine => "500 5.5.2 The line has no end, closing the connection",
            Self::EndlessMessage => "552 5.3.4 The message is far too long, closing the connection",
            Self::TooManyErrors => "421 4.7.0 Too many commands were refused, closing the connection",
            Self::TooManyCommands => "421 4.7.0 Too many commands without a message, closing the connection",
            Self::LongSession => "421 4.7.0 Too many commands in one session, please open another",
            Self::OldSession => "421 4.4.2 The session has lasted too long, please open another",
            Self::NoMessage => "421 4.4.2 No message was accepted for too long, closing the connection",
            Self::Early => "554 5.5.1 The client spoke before the greeting, closing the connection",
            Self::BareInCommand => {
                "500 5.5.2 A line must end in CRLF and hold no other CR or LF, closing the connection"
            }
            Self::Foreign => "502 5.5.1 This is SMTP without CHUNKING, closing the connection",
            Self::Injection => {
                "501 5.5.1 Nothing may follow STARTTLS before its answer, closing the connection"
            }
        }))
    }

    /// Whether a limit ended the session, which is logged for the operator.
    pub(super) fn is_limit(self) -> bool {
        !matches!(self, Self::Quit | Self::Gone | Self::Stopping)
    }

    /// Whether the peer may still be sending. Then its bytes must be read, or it will not see the last reply.
    pub(super) fn is_interruption(self) -> bool {
        !matches!(
            self,
            Self::Quit | Self::Gone | Self::Silent | Self::Deaf | Self::Handshake
        )
    }
}
