//! The parts of a MIME message (RFC 2046): finds the part with the sender's text.
//!
//! This module walks the tree instead of the mail parser: the parser takes quadratic time for some inputs, and dropping
//! its tree of ten thousand nested messages overflows the stack.

use super::Unreadable;
use super::bytes::split_line;
use super::encoding::{to_text, undo_transfer};
use super::header::Header;
use super::plain::is_blank;

/// The deepest nesting of parts.
const DEPTH_MAX: usize = 10;
/// The most parts that are examined before the text is found.
const PARTS_MAX: usize = 200;
/// The most alternatives that a client offers.
const ALTERNATIVES_MAX: usize = 4;
/// The most bytes of a text that are decoded, counted as sent.
const TEXT_MAX_BYTES: usize = 1024 * 1024;

/// The decoded text of a message, and how to read its lines.
pub(super) struct Body {
    pub(super) text: String,
    pub(super) kind: Kind,
    /// Whether the text exceeded the limit.
    pub(super) is_cut: bool,
}

impl Body {
    /// Of alternatives the one with the lowest rank is read.
    const fn rank(&self) -> u8 {
        match self.kind {
            Kind::Plain | Kind::Flowed { .. } => 0,
            Kind::Html => 1,
            Kind::Unknown => 2,
        }
    }
}

/// How to read a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Plain lines.
    Plain,
    /// `format=flowed` (RFC 3676), with or without `DelSp`.
    Flowed { delsp: bool },
    /// HTML.
    Html,
    /// A text of another kind, which reads as plain lines (RFC 2046, 4.1.4).
    Unknown,
}

/// Texts that are no words of their sender, in whatever place.
const NO_WORDS: [&str; 9] = [
    "text/calendar",
    "text/vcard",
    "text/x-vcard",
    "text/directory",
    "text/css",
    "text/csv",
    "text/rtf",
    "text/xml",
    "text/rfc822-headers",
];

/// The content type of a part, in lower case, with the parameters that matter.
pub(super) struct Type {
    /// For example `text/plain`.
    pub(super) name: String,
    boundary: Option<String>,
    charset: Option<String>,
    format: Option<String>,
    delsp: Option<String>,
    /// The report type of a `multipart/report` (RFC 6522).
    pub(super) report: Option<String>,
}

impl Type {
    /// The `Content-Type` of a part; if it is missing or unreadable, plain text (RFC 2045, 5.2).
    pub(super) fn of(header: &Header<'_>) -> Self {
        let value = header.with_parameters("Content-Type");
        let parameter = |name: &str| {
            let value = value.as_ref()?.attribute(name)?;
            Some(value.to_owned())
        };
        let lower = |name: &str| parameter(name).map(|value| value.to_ascii_lowercase());
        // Without a subtype it is no type.
        let name = header.word("Content-Type").filter(|name| name.contains('/'));
        Self {
            name: name.unwrap_or_else(|| "text/plain".to_owned()),
            boundary: parameter("boundary").filter(|boundary| !boundary.is_empty()),
            charset: parameter("charset"),
            format: lower("format"),
            delsp: lower("delsp"),
            report: lower("report-type"),
        }
    }
}

/// Iterates over the parts between the delimiter lines of a multipart body.
pub(super) struct Parts<'a> {
    rest: &'a [u8],
    delimiter: Vec<u8>,
    is_over: bool,
}

impl<'a> Parts<'a> {
    /// The parts of this body; `None` if it is not a multipart, or if its delimiter does not occur.
    pub(super) fn of(kind: &Type, body: &'a [u8]) -> Option<Self> {
        if !kind.name.starts_with("multipart/") {
            return None;
        }
        let delimiter = format!("--{}", kind.boundary.as_deref()?).into_bytes();
        let mut parts = Self {
            rest: body,
            delimiter,
            is_over: false,
        };
        parts.up_to_delimiter().1.then_some(parts)
    }

    /// The bytes before the next delimiter line, and whether there was one.
    fn up_to_delimiter(&mut self) -> (&'a [u8], bool) {
        let from = self.rest;
        let mut end = 0;
        while !self.rest.is_empty() {
            let at = from.len() - self.rest.len();
            let (line, after) = split_line(self.rest);
            self.rest = after;
            if let Some(tail) = line.strip_prefix(self.delimiter.as_slice()) {
                let tail = tail.trim_ascii_end();
                if tail.is_empty() || tail == b"--" {
                    self.is_over = tail == b"--";
                    return (&from[..end], true);
                }
            }
            // The line end before a delimiter belongs to the delimiter.
            end = at + line.len();
        }
        (from, false)
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.is_over {
            return None;
        }
        let (part, is_ended) = self.up_to_delimiter();
        self.is_over |= !is_ended;
        (is_ended || !part.is_empty()).then_some(part)
    }
}

/// The text of a message: the first part that is text, not an attachment, and not blank; of alternatives, the plain
/// text.
///
/// # Errors
/// [`Unreadable`]: more parts, or deeper nesting, than any client produces.
pub(super) fn body_text(header: &Header<'_>, body: &[u8]) -> Result<Option<Body>, Unreadable> {
    Walk { parts: 0 }.text(header, body, 0)
}

/// The type of what a message holds in place of a text, such as `application/pkcs7-mime`; `None` if it holds nothing.
pub(super) fn instead_of_text(header: &Header<'_>, body: &[u8]) -> Option<String> {
    let mut kind = Type::of(header);
    let mut rest = body;
    for _ in 0..DEPTH_MAX {
        let Some(part) = Parts::of(&kind, rest).and_then(|mut parts| parts.next()) else {
            break;
        };
        let (header, body) = Header::split(part).ok()?;
        (kind, rest) = (Type::of(&header), body);
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "/.+-".contains(c);
    let is_there = !rest.trim_ascii().is_empty() && kind.name.chars().all(is_name);
    is_there.then_some(kind.name)
}

/// All texts of a message that is one text, or alternatives of which each is; `None` if it has anything else, such as a
/// file.
pub(super) fn nothing_but_texts(header: &Header<'_>, body: &[u8]) -> Option<Vec<Body>> {
    let kind = Type::of(header);
    let Some(parts) = Parts::of(&kind, body) else {
        let is_text = !kind.name.starts_with("multipart/") && !is_attachment(header);
        return leaf(header, &kind, body)
            .filter(|_| is_text)
            .map(|text| vec![text]);
    };
    if kind.name != "multipart/alternative" {
        return None;
    }
    let mut texts = Vec::new();
    for part in parts {
        let (header, body) = Header::split(part).ok()?;
        let kind = Type::of(&header);
        let is_text = !kind.name.starts_with("multipart/") && !is_attachment(&header);
        texts.push(leaf(&header, &kind, body).filter(|_| is_text && texts.len() < ALTERNATIVES_MAX)?);
    }
    (!texts.is_empty()).then_some(texts)
}

struct Walk {
    parts: usize,
}

impl Walk {
    fn text(&mut self, header: &Header<'_>, body: &[u8], depth: usize) -> Result<Option<Body>, Unreadable> {
        let kind = Type::of(header);
        let Some(parts) = Parts::of(&kind, body) else {
            let is_body = depth == 0 || !is_attachment(header);
            return Ok(is_body.then(|| leaf(header, &kind, body)).flatten());
        };
        if depth == DEPTH_MAX {
            return Err(Unreadable::TooDeep);
        }
        let is_choice = kind.name == "multipart/alternative";
        let mut second_best = None;
        for part in parts {
            self.parts += 1;
            if self.parts > PARTS_MAX {
                return Err(Unreadable::TooManyParts);
            }
            let (header, body) = Header::split(part).map_err(|_| Unreadable::HeaderTooLong)?;
            let Some(found) = self.text(&header, body, depth + 1)? else {
                continue;
            };
            let is_filled = !is_blank(&found.text);
            if is_filled && (!is_choice || found.rank() == 0) {
                return Ok(Some(found));
            }
            let is_better = |best: &Body| is_blank(&best.text) || is_filled && found.rank() < best.rank();
            if second_best.as_ref().is_none_or(is_better) {
                second_best = Some(found);
            }
        }
        Ok(second_best)
    }
}

/// Whether a part is an attachment (RFC 2183): the sender's own text has no file name.
fn is_attachment(header: &Header<'_>) -> bool {
    header
        .with_parameters("Content-Disposition")
        .is_some_and(|value| value.is_attachment() || value.has_attribute("filename"))
}

/// Whether the whole part is encoded in a way of files from before MIME, which hides its text.
fn is_encoded_as_a_file(header: &Header<'_>) -> bool {
    let encoding = header.word("Content-Transfer-Encoding").unwrap_or_default();
    ["uue", "yenc", "binhex"]
        .iter()
        .any(|kind| encoding.contains(kind))
}

/// The text of a part without subparts, if it is text.
fn leaf(header: &Header<'_>, kind: &Type, body: &[u8]) -> Option<Body> {
    let is_flowed = kind.format.as_deref() == Some("flowed");
    let reading = match kind.name.as_str() {
        "text/html" | "text/xhtml" | "text/x-html" | "text/x-amp-html" | "application/xhtml+xml" => {
            Kind::Html
        }
        "text/plain" if is_flowed => Kind::Flowed {
            delsp: kind.delsp.as_deref() == Some("yes"),
        },
        "text/plain" | "text/markdown" | "plain/text" => Kind::Plain,
        // A multipart without its delimiter: treat all of it as text.
        name if name.starts_with("multipart/") => Kind::Plain,
        name if name.starts_with("text/") && !NO_WORDS.contains(&name) => Kind::Unknown,
        _ => return None,
    };
    if is_encoded_as_a_file(header) {
        return None;
    }
    let is_cut = body.len() > TEXT_MAX_BYTES;
    let bytes = decoded(header, &body[..body.len().min(TEXT_MAX_BYTES)]);
    let text = to_text(kind.charset.as_deref(), &bytes);
    Some(Body {
        text: match kind.name.as_str() {
            "text/enriched" | "text/richtext" => without_commands(&text),
            _ => text,
        },
        kind: reading,
        is_cut,
    })
}

/// A text without the formatting commands of text/enriched (RFC 1896), such as `<bold>`; `<<` stands for `<`.
fn without_commands(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        kept.push_str(before);
        if let Some(after) = after.strip_prefix('<') {
            kept.push('<');
            rest = after;
        } else if after.starts_with("param>") {
            rest = after.split_once("</param>").map_or("", |(_, after)| after);
        } else {
            rest = after.split_once('>').map_or("", |(_, after)| after);
        }
    }
    kept + rest
}

/// The body of a part with its transfer encoding undone.
pub(super) fn decoded(header: &Header<'_>, body: &[u8]) -> Vec<u8> {
    let encoding = header.word("Content-Transfer-Encoding").unwrap_or_default();
    undo_transfer(&encoding, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(message: &str) -> Result<Option<String>, Unreadable> {
        let (header, body) = Header::split(message.as_bytes()).ok().unwrap();
        body_text(&header, body).map(|body| body.map(|body| body.text))
    }

    #[test]
    fn of_alternatives_the_plain_one_is_read_unless_it_is_blank() {
        let message = |plain: &str| {
            format!(
                "Content-Type: multipart/alternative; boundary=\"=_b\"\n\nnot this\n--=_b\n\n{plain}\n--=_b\n\
                 Content-Type: text/html\n\n<p>page</p>\n--=_b--\nnor this\n"
            )
        };
        assert_eq!(text(&message("words")), Ok(Some("words".to_owned())));
        assert_eq!(text(&message("")), Ok(Some("<p>page</p>".to_owned())));
    }

    #[test]
    fn a_footer_or_a_file_after_the_page_is_not_the_text() {
        let message = "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; name=x\n\
            Content-Disposition: attachment\n\nfile\n--b\nContent-Type: text/html\n\npage\n--b\n\nfooter\n--b--\n";
        assert_eq!(text(message), Ok(Some("page".to_owned())));
    }

    #[test]
    fn types_and_encodings_are_read_as_they_are_meant() {
        for head in [
            "Content-Type: text/plain charset=utf-8",
            "Content-Type: TEXT/PLAIN;CHARSET=UTF-8",
            "Content-Type: text/plain\n charset=utf-8",
            "Content-Type: plain/text",
            "Content-Type: text",
            "Content-Type: text/x-markdown; charset=utf-8",
            "Content-Type: text/enriched",
            "Content-Type: text/plain (words); charset=utf-8",
            "Content-Type: ; charset=utf-8",
        ] {
            for encoding in [
                "base64",
                "base64;",
                "BASE64 ;",
                "\"base64\"",
                "'base64'",
                "base64 (RFC 2045)",
                "(why) base64",
                "base64\"",
                "\n base64",
                "base64, 7bit",
            ] {
                let message =
                    format!("{head}\nContent-Transfer-Encoding: {encoding}\n\nYTItYTMgZ3LDvMOfZQ==\n");
                assert_eq!(text(&message), Ok(Some("a2-a3 grüße".to_owned())), "{message}");
            }
        }
        let enriched = "Content-Type: text/enriched\n\n<bold>a2</bold>-a3<param>x</param> <<3\n";
        assert_eq!(text(enriched), Ok(Some("a2-a3 <3\n".to_owned())));
    }

    #[test]
    fn a_boundary_is_found_without_its_semicolon() {
        let message = "Content-Type: multipart/mixed boundary=\"b\"\n\n--b\nContent-Type: image/png\n\nx\n--b\n\na2-a3\n--b--\n";
        assert_eq!(text(message), Ok(Some("a2-a3".to_owned())));
    }

    #[test]
    fn of_alternatives_a_text_of_an_unknown_kind_is_the_last_choice() {
        let message = |kind: &str, plain: &str| {
            format!(
                "Content-Type: multipart/alternative; boundary=b\n\n--b\n\n{plain}\n--b\nContent-Type: {kind}\n\nodd\n--b\n\
                 Content-Type: text/html\n\npage\n--b--\n"
            )
        };
        for unseen in ["\u{feff}", "\u{200b}\u{200e}\n\u{a0}", "\u{34f} \u{ad}"] {
            for kind in ["text/x-watch", "text/calendar"] {
                assert_eq!(
                    text(&message(kind, unseen)),
                    Ok(Some("page".to_owned())),
                    "{unseen:?}"
                );
            }
        }
    }

    #[test]
    fn what_stands_in_place_of_a_text_is_named() {
        let found = |message: &str| {
            let (header, body) = Header::split(message.as_bytes()).ok().unwrap();
            assert!(body_text(&header, body).ok().unwrap().is_none(), "{message}");
            instead_of_text(&header, body)
        };
        for (message, expected) in [
            (
                "Content-Type: application/pkcs7-mime; name=smime.p7m\n\nMIAG\n",
                Some("application/pkcs7-mime"),
            ),
            (
                "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: image/jpeg\n\nx\n--b--\n",
                Some("image/jpeg"),
            ),
            (
                "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\n",
                Some("text/calendar"),
            ),
            (
                "Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n",
                Some("text/plain"),
            ),
            ("Content-Type: image/jpeg\n\n \n", None),
        ] {
            assert_eq!(found(message).as_deref(), expected, "{message}");
        }
    }

    #[test]
    fn a_forwarded_message_is_not_the_text() {
        let message = "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\nA: b\n\nc\n--b--\n";
        assert_eq!(text(message), Ok(None));
    }

    #[test]
    fn a_missing_end_or_a_missing_delimiter_loses_nothing() {
        let head = "Content-Type: multipart/mixed; boundary=b\n\n";
        assert_eq!(
            text(&format!("{head}--b\n\nwords\nmore")),
            Ok(Some("words\nmore".to_owned()))
        );
        assert_eq!(text(&format!("{head}words")), Ok(Some("words".to_owned())));
    }

    #[test]
    fn too_deep_and_too_many_are_refused() {
        let mut deep = String::new();
        for level in 0..10_000 {
            deep += &format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n");
        }
        assert_eq!(text(&deep), Err(Unreadable::TooDeep));
        let many = format!(
            "Content-Type: multipart/mixed; boundary=b\n\n{}",
            "--b\n\n\n".repeat(1000)
        );
        assert_eq!(text(&many), Err(Unreadable::TooManyParts));
        let nested = "Content-Type: message/rfc822\n\n".repeat(100_000);
        assert_eq!(text(&nested), Ok(None));
    }
}
