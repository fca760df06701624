//! Finds the end of a response (RFC 3501, sections 2.2 and 4.3): the end of the line, unless the line
//! announces a literal. Then that many bytes follow, and another line.
//!
//! The framed response is parsed by imap-proto, which panics on a few invalid responses and recurses for each
//! nested list. This module guards against both.

use std::panic::catch_unwind;

use imap_proto::Response;

/// The most lists that one response may open, which bounds the stack that the parser needs. The responses
/// that we ask for have one or two.
const LISTS_MAX: usize = 40;

/// The server has sent something that is no response. It is not quoted, since it may contain a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// A response, possibly incomplete.
#[derive(Debug, Default)]
pub(super) struct Frame {
    bytes: Vec<u8>,
    /// Where the last line begins. Past the end of `bytes` while a literal before it is incomplete.
    line: usize,
    lists: usize,
    is_complete: bool,
}

impl Frame {
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Takes the bytes that belong to this response from the start of `bytes`; returns how many.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        while !self.is_complete && !rest.is_empty() {
            let literal = self.announced();
            let length = match literal {
                0 => rest
                    .iter()
                    .position(|b| *b == b'\n')
                    .map_or(rest.len(), |end| end + 1),
                literal => literal.min(rest.len()),
            };
            let (part, after) = rest.split_at(length);
            self.bytes.extend_from_slice(part);
            rest = after;
            if literal == 0 && part.ends_with(b"\n") {
                self.end_line();
            }
        }
        bytes.len() - rest.len()
    }

    fn end_line(&mut self) {
        let line = self.bytes.get(self.line..).unwrap_or_default();
        let is_data = is_data(&self.bytes);
        if is_data {
            self.lists += line.iter().filter(|b| **b == b'(').count();
        }
        match literal(line).filter(|_| is_data) {
            Some(bytes) => self.line = self.bytes.len().saturating_add(bytes),
            None => self.is_complete = true,
        }
    }

    /// How many bytes of a literal are still to come.
    pub(super) fn announced(&self) -> usize {
        self.line.saturating_sub(self.bytes.len())
    }

    /// Whether this is data that the parser cannot read. The command that it belongs to goes on.
    pub(super) fn is_unreadable_data(&self) -> bool {
        !is_end(&self.bytes) && self.response().is_err()
    }

    /// Parses the response.
    ///
    /// # Errors
    /// [`Unreadable`]
    pub(super) fn response(&self) -> Result<Response<'_>, Unreadable> {
        if self.lists > LISTS_MAX {
            return Err(Unreadable);
        }
        match catch_unwind(|| Response::parse(&self.bytes)) {
            Ok(Ok(([], response))) => Ok(response),
            _ => Err(Unreadable),
        }
    }
}

/// Whether a response may end a command, or asks for its next line.
fn is_end(response: &[u8]) -> bool {
    response
        .first()
        .is_some_and(|first| first.is_ascii_alphanumeric() || *first == b'+')
}

/// Whether a response contains data: it is untagged and no status. After a status or a `+` comes text for
/// humans, in which `{7}` announces nothing.
fn is_data(response: &[u8]) -> bool {
    let Some(data) = response.strip_prefix(b"* ") else {
        return false;
    };
    let word = data.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    !["OK", "NO", "BAD", "BYE", "PREAUTH"]
        .iter()
        .any(|status| word.eq_ignore_ascii_case(status.as_bytes()))
}

/// The length of the literal that a line announces.
fn literal(line: &[u8]) -> Option<usize> {
    let line = line.strip_suffix(b"}\r\n")?;
    let brace = line.iter().rposition(|b| *b == b'{')?;
    let digits = std::str::from_utf8(line.get(brace + 1..)?).ok()?;
    let is_number = digits.bytes().all(|b| b.is_ascii_digit());
    usize::try_from(digits.parse::<u32>().ok().filter(|_| is_number)?).ok()
}

#[cfg(test)]
mod tests {
    use imap_proto::{AttributeValue, MailboxDatum, Status};
    use proptest::prelude::*;

    use super::*;

    /// The first response in these bytes, and how many bytes were taken.
    fn framed(bytes: &[u8]) -> (Frame, usize) {
        let mut frame = Frame::default();
        let taken = frame.take(bytes);
        (frame, taken)
    }

    #[test]
    fn a_line_is_a_response_and_what_follows_is_the_next() {
        let (frame, taken) = framed(b"* 3 EXISTS\r\n* 1 RECENT\r\n");
        assert_eq!(taken, 12);
        assert_eq!(
            frame.response(),
            Ok(Response::MailboxData(MailboxDatum::Exists(3)))
        );
    }

    #[test]
    fn a_literal_is_taken_with_all_that_looks_like_an_end() {
        let text = b"* 1 FETCH (BODY[] {9}\r\na)\r\nA OK\n UID 7)\r\n* 2 EXISTS\r\n";
        let (frame, taken) = framed(text);
        assert_eq!(taken, text.len() - 12);
        let Ok(Response::Fetch(1, attributes)) = frame.response() else {
            panic!("{frame:?}");
        };
        assert!(matches!(
            &attributes[..],
            [AttributeValue::BodySection { data: Some(data), .. }, AttributeValue::Uid(7)] if **data == *b"a)\r\nA OK\n"
        ));
    }

    #[test]
    fn an_empty_literal_is_followed_by_its_line() {
        let text = b"* 1 FETCH (UID 7 BODY[] {0}\r\n)\r\n";
        let (frame, taken) = framed(text);
        assert_eq!(taken, text.len());
        assert!(matches!(frame.response(), Ok(Response::Fetch(..))));
    }

    #[test]
    fn in_words_for_people_nothing_is_a_literal() {
        for text in [
            "* OK hello {7}\r\n",
            "* bye {7}\r\n",
            "+ go on {7}\r\n",
            "A0001 NO not {7}\r\n",
        ] {
            let (frame, taken) = framed(text.as_bytes());
            assert_eq!(taken, text.len(), "{text}");
            assert!(frame.response().is_ok(), "{text}");
        }
    }

    #[test]
    fn what_the_parser_panics_on_is_unreadable() {
        for text in ["* OK [ALERT]\u{e9}\r\n", "* 1 FETCH (INTERNALDATE NIL)\r\n"] {
            let (frame, _) = framed(text.as_bytes());
            assert_eq!(frame.response(), Err(Unreadable), "{text}");
        }
    }

    #[test]
    fn deeply_nested_lists_are_refused_before_they_are_read() {
        let nested = |depth: usize| {
            let (open, close) = ("(".repeat(depth), ")".repeat(depth));
            format!("* 1 FETCH (BODYSTRUCTURE {open}\"a\" \"b\" NIL NIL NIL \"7bit\" 1{close})\r\n")
        };
        let (frame, taken) = framed(nested(100_000).as_bytes());
        assert!(frame.is_complete() && taken > 200_000);
        assert_eq!(frame.response(), Err(Unreadable));
        // At the deepest nesting allowed, parsing must not exhaust the stack, whether it succeeds or not.
        let _ = framed(nested(LISTS_MAX - 1).as_bytes()).0.response();
    }

    #[test]
    fn a_status_has_its_words() {
        let (frame, _) = framed(b"A0001 NO [UNAVAILABLE] later\r\n");
        let Ok(Response::Done { status, outcome, .. }) = frame.response() else {
            panic!("{frame:?}");
        };
        assert_eq!(status, Status::No);
        assert_eq!(outcome.information.as_deref(), Some("[UNAVAILABLE] later"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_framed_alike_however_they_come(
            bytes in "(\\* |A1 |\\+ )?(OK|1 FETCH|SEARCH)?[ -~é\\r\\n(){}0-9\\]]{0,60}(\\{[0-9]{1,2}\\}\r\n)?[a-z)]{0,20}\r\n",
            at in any::<prop::sample::Index>(),
        ) {
            let bytes = bytes.as_bytes();
            let (whole, taken) = framed(bytes);
            let (first, second) = bytes.split_at(at.index(bytes.len()));
            let mut parted = Frame::default();
            let mut length = parted.take(first);
            if !parted.is_complete() {
                length += parted.take(second);
            }
            prop_assert_eq!(taken, length);
            prop_assert_eq!(whole.is_complete(), parted.is_complete());
            prop_assert_eq!(whole.response(), parted.response());
        }
    }
}
