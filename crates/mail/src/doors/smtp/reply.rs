//! Replies: a code, an enhanced status code (RFC 3463) and a sentence.

use std::borrow::Cow;

use crate::doors::Verdict;

/// The longest sentence in a reply, so that its line stays within 512 bytes (RFC 5321, 4.5.3.1.5).
const MAX_SENTENCE: usize = 480;

/// One reply of one or more lines, without the last CRLF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply(Cow<'static, str>);

impl Reply {
    /// A constant reply.
    pub(super) const fn new(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// A reply with a sentence that may quote anything, even the peer: characters other than printable ASCII
    /// become blanks or question marks, and a long sentence is cut.
    pub(super) fn with(codes: &str, sentence: &str) -> Self {
        let printable = |c: char| match c {
            ' '..='~' => c,
            c if c.is_control() => ' ',
            _ => '?',
        };
        let sentence: String = sentence.chars().take(MAX_SENTENCE).map(printable).collect();
        Self(Cow::Owned(format!("{codes} {}", sentence.trim())))
    }

    /// The reply to EHLO (RFC 5321, 4.1.1.1) or LHLO, with the supported extensions.
    pub(super) fn extensions(hostname: &str, max_message_bytes: usize, is_tls_offered: bool) -> Self {
        let starttls = if is_tls_offered { "250-STARTTLS\r\n" } else { "" };
        Self(Cow::Owned(format!(
            "250-{hostname}\r\n250-PIPELINING\r\n250-SIZE {max_message_bytes}\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n{starttls}250 ENHANCEDSTATUSCODES"
        )))
    }

    /// Several replies in a row, as LMTP needs them after a message (RFC 2033, 4.2).
    pub(super) fn all<'a>(replies: impl Iterator<Item = &'a Self>) -> Self {
        let replies: Vec<&str> = replies.map(|reply| &*reply.0).collect();
        Self(Cow::Owned(replies.join("\r\n")))
    }

    /// The reply to a message.
    pub(super) fn verdict(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Accepted(number) => Self(Cow::Owned(format!("250 2.0.0 Accepted, number {number}"))),
            Verdict::Unusable(why) => Self::with("554 5.6.0", why),
            Verdict::TryLater(why) => Self::with("451 4.3.0", why),
        }
    }

    /// The bytes to send, without the last CRLF.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Whether the reply refuses a command through the peer's own fault, which counts as an error.
    pub(super) fn is_refusal(&self) -> bool {
        self.0.lines().all(|line| line.starts_with('5'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(reply: &Reply) -> &str {
        std::str::from_utf8(reply.as_bytes()).unwrap()
    }

    #[test]
    fn a_sentence_stays_one_short_ascii_line() {
        let reply = Reply::with("451 4.3.0", "full\r\n250 ok é\0");
        assert_eq!(text(&reply), "451 4.3.0 full  250 ok ?");
        assert!(Reply::with("451 4.3.0", &"ä".repeat(9999)).as_bytes().len() < 510);
    }

    #[test]
    fn several_replies_are_a_refusal_if_each_is() {
        let no = Reply::new("554 5.6.0 no");
        let both = Reply::all([&no, &Reply::new("250 2.0.0 yes")].into_iter());
        assert_eq!(text(&both), "554 5.6.0 no\r\n250 2.0.0 yes");
        assert!(!both.is_refusal());
        assert!(Reply::all([&no, &no].into_iter()).is_refusal());
    }
}
