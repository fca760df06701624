//! Encoded words (RFC 2047): non-ASCII text in a header field.
//!
//! Adjacent words in the same charset are decoded together: many programs split a long subject within a character,
//! although RFC 2047 forbids it.

use super::encoding::{to_text, undo_transfer};

/// Decodes the encoded words of a text; everything else stays as it is.
pub(super) fn decode_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut run = Run::default();
    let mut rest = text;
    while let Some(at) = rest.find("=?") {
        let (before, from) = rest.split_at(at);
        let Some((word, after)) = Word::begin_of(from) else {
            run.end(&mut out);
            out.push_str(before);
            out.push_str("=?");
            rest = &from[2..];
            continue;
        };
        // White space between two encoded words is not part of the text; anything else between them ends the run.
        let is_next = run.is_open() && before.trim().is_empty();
        let is_same = run.charset == word.charset && !has_shifts(&word.charset);
        if !(is_next && is_same) {
            run.end(&mut out);
            if !is_next {
                out.push_str(before);
            }
            run.charset = word.charset;
        }
        run.bytes.extend(word.bytes);
        rest = after;
    }
    run.end(&mut out);
    out.push_str(rest);
    out
}

/// The bytes of adjacent words, and their charset.
#[derive(Default)]
struct Run {
    charset: String,
    bytes: Vec<u8>,
}

impl Run {
    fn is_open(&self) -> bool {
        !self.charset.is_empty()
    }

    fn end(&mut self, out: &mut String) {
        if self.is_open() {
            out.push_str(&to_text(Some(&self.charset), &self.bytes));
            *self = Self::default();
        }
    }
}

/// Whether a charset has shift sequences. Each word is then complete, and its decoder rejects two adjacent shifts as an
/// attack.
fn has_shifts(charset: &str) -> bool {
    charset.starts_with("iso-2022-") || charset.contains("utf-7")
}

struct Word {
    charset: String,
    bytes: Vec<u8>,
}

impl Word {
    /// The encoded word at the start of a text, and the rest. Blanks inside are allowed: some programs leave them.
    fn begin_of(text: &str) -> Option<(Self, &str)> {
        let (charset, rest) = text.strip_prefix("=?")?.split_once('?')?;
        let (encoding, rest) = rest.split_once('?')?;
        let (encoded, after) = rest.split_once("?=")?;
        // A language may follow the charset (RFC 2231, section 5).
        let charset = charset.split('*').next().unwrap_or_default();
        let is_name = !charset.is_empty() && charset.bytes().all(|c| c.is_ascii_graphic());
        let bytes = match encoding {
            "q" | "Q" => undo_transfer("quoted-printable", encoded.replace('_', "=20").as_bytes()),
            "b" | "B" => undo_transfer("base64", encoded.as_bytes()),
            _ => return None,
        };
        let charset = charset.to_ascii_lowercase();
        is_name.then_some((Self { charset, bytes }, after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_decoded_and_the_blanks_between_them_are_not() {
        for (text, expected) in [
            ("=?utf-8?Q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
            (
                "=?iso-8859-1?B?R3L832U=?= =?utf-8?Q?_und_?= mehr",
                "Grüße und  mehr",
            ),
            ("a =?UTF-8*de?q?=C3=BC?= b", "a ü b"),
            ("a=?utf-8?q?b?=c", "abc"),
            ("=?utf-8?q?a b?=", "a b"),
            (
                "=?iso-2022-jp?B?GyRCRnwbKEI=?=\t=?iso-2022-jp?B?GyRCS1wbKEI=?=",
                "日本",
            ),
            ("=?utf-8?q??=x", "x"),
        ] {
            assert_eq!(decode_words(text), expected, "{text}");
        }
    }

    #[test]
    fn a_character_cut_in_two_is_whole_again() {
        assert_eq!(decode_words("=?utf-8?B?5A==?= =?utf-8?B?vaA=?="), "你");
        assert_eq!(decode_words("=?gb2312?Q?=C4?= =?gb2312?Q?=E3?="), "你");
        assert_eq!(decode_words("=?utf-8?q?=C3?= =?utf-8?b?vA==?="), "ü");
    }

    #[test]
    fn text_that_is_no_encoded_word_stays() {
        for text in [
            "",
            "=?",
            "=?nonsense",
            "=?utf-8?x?a?=",
            "=??q?a?=",
            "=?utf-8?q?a",
            "=?=?=?",
        ] {
            assert_eq!(decode_words(text), text);
        }
    }
}
