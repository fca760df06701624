//! Writes header fields: folded, encoded where they are not ASCII, and never more than one field per call.

use data_encoding::BASE64;

use crate::{Address, cut};

/// Preferred line length (RFC 5322, section 2.1.1, recommends 78).
const FOLD_AT: usize = 76;
/// The longest word that is not encoded. A line may have 998 octets.
const MAX_WORD: usize = 900;
/// Bytes of text in one encoded word: 52 characters of base64 and 12 around them, so that a line with its
/// field name stays within 76 (RFC 2047, section 2).
const ENCODED_BYTES: usize = 39;

/// Header fields under construction.
#[derive(Default)]
pub(super) struct Header(Vec<u8>);

impl Header {
    /// Adds a field of words, folded between them. Any character other than printable ASCII becomes `?`, so
    /// no value can end its field and start another.
    pub(super) fn words<'a>(&mut self, name: &str, words: impl IntoIterator<Item = &'a str>) {
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(b':');
        let mut column = name.len() + 1;
        let mut is_first = true;
        for word in words {
            if !is_first && column + 1 + word.len() > FOLD_AT {
                self.0.extend_from_slice(b"\r\n");
                column = 0;
            }
            self.0.push(b' ');
            self.0
                .extend(word.bytes().map(|b| if b.is_ascii_graphic() { b } else { b'?' }));
            column += 1 + word.len();
            is_first = false;
        }
        self.0.extend_from_slice(b"\r\n");
    }

    /// Adds a field of unstructured text (RFC 5322, section 3.2.5) such as `Subject`, encoded if necessary.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        if is_plain(text) {
            self.words(name, text.split(' '));
        } else {
            let words = encoded_words(text);
            self.words(name, words.iter().map(String::as_str));
        }
    }

    /// Adds a field of one mailbox (RFC 5322, section 3.4). The display name may be empty.
    pub(super) fn mailbox(&mut self, name: &str, display_name: &str, address: &str) {
        let angle = format!("<{address}>");
        let is_atom = |word: &str| {
            word.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&b))
        };
        if display_name.is_empty() {
            self.words(name, [address]);
        } else if is_plain(display_name) && display_name.split(' ').all(is_atom) {
            self.words(name, display_name.split(' ').chain([angle.as_str()]));
        } else if is_plain(display_name) {
            let quoted = format!("\"{}\"", display_name.replace('\\', "\\\\").replace('"', "\\\""));
            self.words(name, quoted.split(' ').chain([angle.as_str()]));
        } else {
            let encoded = encoded_words(display_name);
            self.words(name, encoded.iter().map(String::as_str).chain([angle.as_str()]));
        }
    }

    /// Adds `To`, in ASCII if the address has such a form.
    pub(super) fn recipient(&mut self, to: &Address) {
        self.0
            .extend_from_slice(format!("To: {}\r\n", to.on_the_wire()).as_bytes());
    }

    /// The fields, each ended by CRLF.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// One line of visible text, at most `most` characters long. Control characters become blanks; blanks at the
/// ends are removed.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let clean: String = cut::chars(text, most)
        .chars()
        .map(|c| {
            let ends_a_line = matches!(c, '\u{2028}' | '\u{2029}');
            if c.is_control() || ends_a_line { ' ' } else { c }
        })
        .collect();
    clean.trim().to_owned()
}

/// Whether the text needs no encoding: ASCII words with single blanks between them, none of which looks
/// encoded.
fn is_plain(text: &str) -> bool {
    !text.contains("=?")
        && text
            .split(' ')
            .all(|word| (1..=MAX_WORD).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_graphic()))
}

/// The text as encoded words (RFC 2047): UTF-8 in base64, no character split.
fn encoded_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.floor_char_boundary(ENCODED_BYTES));
        words.push(format!("=?utf-8?B?{}?=", BASE64.encode(word.as_bytes())));
        rest = after;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> String {
        let mut header = Header::default();
        header.text("Subject", value);
        String::from_utf8(header.into_bytes()).unwrap()
    }

    #[test]
    fn plain_text_stands_as_it_is_and_is_folded_between_words() {
        assert_eq!(text("Pow2.101: your turn"), "Subject: Pow2.101: your turn\r\n");
        let long = text("word ".repeat(40).trim());
        assert!(long.lines().count() > 2);
        assert!(long.lines().all(|l| l.len() <= FOLD_AT));
        assert!(long.lines().skip(1).all(|l| l.starts_with(' ')));
        assert_eq!(
            long.replace("\r\n", ""),
            format!("Subject: {}", "word ".repeat(40).trim())
        );
    }

    #[test]
    fn what_is_not_plain_is_encoded() {
        assert_eq!(
            text("Zug für dich"),
            "Subject: =?utf-8?B?WnVnIGbDvHIgZGljaA==?=\r\n"
        );
        for odd in ["two  blanks", "=?utf-8?B?eA==?=", "a\r\nBcc: b@c", "tab\there"] {
            let line = text(odd);
            assert!(line.starts_with("Subject: =?utf-8?B?"), "{line}");
            assert_eq!(line.matches("\r\n").count(), 1, "{line}");
        }
        let long = text(&"ü".repeat(300));
        assert!(long.lines().all(|l| l.len() <= FOLD_AT), "{long}");
    }

    #[test]
    fn names_are_quoted_or_encoded_as_they_need() {
        let mailbox = |name: &str| {
            let mut header = Header::default();
            header.mailbox("From", name, "p@h.example");
            String::from_utf8(header.into_bytes()).unwrap()
        };
        assert_eq!(mailbox(""), "From: p@h.example\r\n");
        assert_eq!(mailbox("The games"), "From: The games <p@h.example>\r\n");
        assert_eq!(
            mailbox("Games, by mail"),
            "From: \"Games, by mail\" <p@h.example>\r\n"
        );
        assert_eq!(mailbox("a\"b\\c"), "From: \"a\\\"b\\\\c\" <p@h.example>\r\n");
        assert_eq!(
            mailbox("Spiel für dich"),
            "From: =?utf-8?B?U3BpZWwgZsO8ciBkaWNo?= <p@h.example>\r\n"
        );
    }
}
