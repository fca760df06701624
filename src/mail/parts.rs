//! The parts of a MIME message (RFC 2046): finds the part with the sender's text.
//!
//! This module walks the tree instead of the mail parser: the parser takes quadratic time for some inputs, and dropping
//! its tree of ten thousand nested messages overflows the stack.

use super::Unreadable;
use super::bytes::split_line;
use super::encoding::{to_text, undo_transfer};
use super::header::Header;

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

/// How to read a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Plain lines.
    Plain,
    /// `format=flowed` (RFC 3676), with or without `DelSp`.
    Flowed { delsp: bool },
    /// HTML.
    Html,
}

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
        let name = value.as_ref().and_then(|value| {
            let subtype = value.subtype()?;
            Some(format!("{}/{subtype}", value.ctype()).to_ascii_lowercase())
        });
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
            let is_blank = found.text.trim().is_empty();
            if !is_blank && (!is_choice || found.kind != Kind::Html) {
                return Ok(Some(found));
            }
            if second_best
                .as_ref()
                .is_none_or(|best: &Body| best.text.trim().is_empty())
            {
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

/// The text of a part without subparts, if it is text.
fn leaf(header: &Header<'_>, kind: &Type, body: &[u8]) -> Option<Body> {
    let is_flowed = kind.format.as_deref() == Some("flowed");
    let reading = match kind.name.as_str() {
        "text/html" => Kind::Html,
        "text/plain" if is_flowed => Kind::Flowed {
            delsp: kind.delsp.as_deref() == Some("yes"),
        },
        "text/plain" | "text/markdown" => Kind::Plain,
        // A multipart without its delimiter: treat all of it as text.
        name if name.starts_with("multipart/") => Kind::Plain,
        _ => return None,
    };
    let is_cut = body.len() > TEXT_MAX_BYTES;
    let bytes = decoded(header, &body[..body.len().min(TEXT_MAX_BYTES)]);
    Some(Body {
        text: to_text(kind.charset.as_deref(), &bytes),
        kind: reading,
        is_cut,
    })
}

/// The body of a part with its transfer encoding undone.
pub(super) fn decoded(header: &Header<'_>, body: &[u8]) -> Vec<u8> {
    let encoding = header.text("Content-Transfer-Encoding").unwrap_or_default();
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
