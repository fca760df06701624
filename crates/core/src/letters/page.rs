//! The HTML part of a mail, rendered from its data when it is sent, with the same wording as the text.
//!
//! Templates with a name in `.html` escape all values. This module adds links that write an answer, and the
//! [blocks](super::blocks) of a text.

use std::fmt::Write as _;

use minijinja::value::Serde;
use minijinja::{Environment, HtmlEscape, Value};

use super::blocks::{blocks, tables};
use super::dress::{Dress, look};
use super::preheader;

/// The values that are known only when the mail is sent.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// On one line.
    pub subject: String,
    /// The address for answers, with its token; empty if an answer would not be a command.
    pub answer: String,
    /// The URL of the picture; empty without one.
    pub picture: String,
    /// The picture in words, for readers who cannot see it; empty without a picture.
    pub description: String,
    /// The URLs of the small pictures in a mail about several boards; empty where one could not be drawn.
    pub thumbnails: Vec<String>,
}

impl Frame {
    /// One with all values and one without any, for the check at startup.
    pub(super) fn samples() -> [Self; 2] {
        let full = Self {
            subject: "Pow2 Board 101 alice".into(),
            answer: "pbmserv+2k-mfzwizdf@games.example".into(),
            picture: "cid:board@games.example".into(),
            description: "The Power of Two after 2 turns.".into(),
            thumbnails: vec!["cid:board1@games.example".into()],
        };
        [full, Self::default()]
    }
}

/// Adds the functions and filters for HTML templates.
pub(super) fn add_to(templates: &mut Environment<'_>) {
    templates.add_function(
        "mail_link",
        |dress: &str, word: &str, to: &str, subject: &str, body: &str| {
            Value::from_safe_string(link(&Dress::named(dress).attributes(), word, to, subject, body))
        },
    );
    templates.add_function("web_link", |dress: &str, word: &str, url: &str| {
        Value::from_safe_string(anchor(&Dress::named(dress).attributes(), word, url))
    });
    templates.add_global("look", look());
    templates.add_filter("paragraphs", |text: &str| {
        text.split("\n\n")
            .filter(|part| !part.trim().is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    templates.add_filter("preheader", |text: &str| preheader([text]));
    templates.add_filter("breakable", |turn: &str| Value::from_safe_string(breakable(turn)));
    templates.add_filter("lines", |text: &str| Value::from_safe_string(lines(text)));
    templates.add_filter("blocks", |text: &str| Value::from(Serde(blocks(text))));
    templates.add_filter("tables", |text: &str| Value::from(Serde(tables(text))));
}

/// A link that writes a mail to `to` with this subject and text (RFC 6068); only the word if `to` is empty.
fn link(attributes: &str, word: &str, to: &str, subject: &str, body: &str) -> String {
    match to {
        "" => HtmlEscape(word).to_string(),
        to => anchor(attributes, word, &mailto(to, subject, body)),
    }
}

/// The address of a new mail to `to` with this subject and text (RFC 6068).
#[must_use]
pub fn mailto(to: &str, subject: &str, body: &str) -> String {
    let mut url = format!("mailto:{}", encoded(to, b"@"));
    let parts = [("subject", subject), ("body", body)];
    let parts = parts.iter().filter(|(_, text)| !text.is_empty());
    for (mark, (name, text)) in ['?', '&'].into_iter().zip(parts) {
        // Writing to a string cannot fail.
        let _ = write!(url, "{mark}{name}={}", encoded(&text.replace('\n', "\r\n"), b""));
    }
    url
}

/// A link to this URL.
fn anchor(attributes: &str, word: &str, url: &str) -> String {
    let (word, url) = (HtmlEscape(word), HtmlEscape(url));
    format!("<a href=\"{url}\" {attributes}>{word}</a>")
}

/// Percent-encodes everything except characters that are safe in every part of such a URL, and the given ones.
fn encoded(text: &str, also: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || also.contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A player's text with its lines and blanks preserved.
fn lines(text: &str) -> String {
    let line = |line: &str| {
        let bare = line.trim_start();
        let indent = "&nbsp;".repeat(line.chars().count() - bare.chars().count());
        let shown = HtmlEscape(bare.trim_end()).to_string();
        format!("{indent}{}", shown.replace("  ", " &nbsp;"))
    };
    text.lines().map(line).collect::<Vec<_>>().join("<br>\n")
}

/// A turn that may be broken after a colon or a comma, and nowhere else.
fn breakable(turn: &str) -> String {
    let parts = turn.split_inclusive([':', ',']);
    let part = |part: &str| format!("<span style=\"white-space: nowrap;\">{}</span>", HtmlEscape(part));
    parts.map(part).collect::<Vec<_>>().join("<wbr>")
}

/// Removes the empty lines that template tags leave; keeps those of drawings.
pub(super) fn squeezed(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut is_drawn = false;
    for line in html.lines().map(str::trim_end) {
        is_drawn |= line.contains("<pre");
        if is_drawn || !line.is_empty() {
            out.push_str(line);
            out.push('\n');
        }
        is_drawn &= !line.contains("</pre>");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_holds_its_mail_and_nothing_gets_out_of_it() {
        assert_eq!(
            link(
                "id=\"1\"",
                "m13-j7",
                "pbmserv+2k-mf@games.example",
                "Pow2 Board 101 bob",
                "m13-j7\nnice & \"good\""
            ),
            "<a href=\"mailto:pbmserv%2B2k-mf@games.example?subject=Pow2%20Board%20101%20bob&amp;\
             body=m13-j7%0D%0Anice%20%26%20%22good%22\" id=\"1\">m13-j7</a>"
        );
        assert_eq!(
            link("id=\"2\"", "<b>", "a@b.example", "", "x"),
            "<a href=\"mailto:a@b.example?body=x\" id=\"2\">&lt;b&gt;</a>"
        );
        assert_eq!(link("", "a & b", "", "subject", "body"), "a &amp; b");
    }

    #[test]
    fn the_words_of_a_player_keep_their_lines_and_are_no_markup() {
        assert_eq!(
            lines("<script>alert(1)</script>\n  two  blanks"),
            "&lt;script&gt;alert(1)&lt;&#x2f;script&gt;<br>\n&nbsp;&nbsp;two &nbsp;blanks"
        );
    }
}
