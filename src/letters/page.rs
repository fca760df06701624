//! The HTML part of a mail, rendered from its data when it is sent, with the same wording as the text.
//!
//! Templates with a name in `.html` escape all values. This module adds links that write an answer, and text in
//! columns.

use std::fmt::Write as _;

use minijinja::{Environment, HtmlEscape, Value, context};

/// The values that are known only when the mail is sent.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// On one line.
    pub subject: String,
    /// The address for answers, with its token; empty if an answer would not be a command.
    pub answer: String,
    /// The URL of the picture; empty without one.
    pub picture: String,
}

impl Frame {
    /// One with all values and one without any, for the check at startup.
    pub(super) fn samples() -> [Self; 2] {
        let full = Self {
            subject: "Pow2 Board 101 alice".into(),
            answer: "pbmserv+2k-mfzwizdf@games.example".into(),
            picture: "cid:board@games.example".into(),
        };
        [full, Self::default()]
    }
}

/// Adds the functions and filters for HTML templates.
pub(super) fn add_to(templates: &mut Environment<'_>) {
    templates.add_function("link", |word: &str, to: &str, subject: &str, body: &str| {
        Value::from_safe_string(link(word, to, subject, body))
    });
    templates.add_filter("lines", |text: &str| Value::from_safe_string(lines(text)));
    templates.add_filter("fit", fit);
    templates.add_filter("blocks", |text: &str| {
        let block = |block: &str| {
            let is_set = is_set(block);
            context! { text => block, is_prose => !is_set, is_lines => is_set && is_of_lines(block) }
        };
        text.split("\n\n")
            .filter(|text| !text.trim().is_empty())
            .map(block)
            .collect::<Vec<_>>()
    });
}

/// A link that writes a mail to `to` with this subject and text (RFC 6068); only the word if `to` is empty.
fn link(word: &str, to: &str, subject: &str, body: &str) -> String {
    let shown = HtmlEscape(word);
    if to.is_empty() {
        return shown.to_string();
    }
    let mut url = format!("mailto:{}", encoded(to, b"@"));
    let parts = [("subject", subject), ("body", body)];
    let parts = parts.iter().filter(|(_, text)| !text.is_empty());
    for (mark, (name, text)) in ['?', '&'].into_iter().zip(parts) {
        // Writing to a string cannot fail.
        let _ = write!(url, "{mark}{name}={}", encoded(&text.replace('\n', "\r\n"), b""));
    }
    format!("<a href=\"{}\">{shown}</a>", HtmlEscape(&url))
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

/// The width of a drawing as one of the sizes in `layout.html`: wider drawings get smaller letters on a telephone.
fn fit(text: &str) -> &'static str {
    let columns = text.lines().map(|line| line.chars().count()).max();
    match columns.unwrap_or_default() {
        0..=41 => "w41",
        42..=48 => "w48",
        49..=54 => "w54",
        55..=60 => "w60",
        61..=68 => "w68",
        _ => "w80",
    }
}

/// Whether a block of text is set in columns. Otherwise it is wrapped prose, in which all lines except the last are
/// long.
fn is_set(block: &str) -> bool {
    const SHORTEST_WRAPPED: usize = 45;
    let mut lines = block.lines().filter(|line| !line.is_empty()).peekable();
    while let Some(line) = lines.next() {
        let is_short = lines.peek().is_some() && line.chars().count() < SHORTEST_WRAPPED;
        if is_short || line.starts_with(' ') || line.trim_end().contains("  ") {
            return true;
        }
    }
    false
}

/// Whether the lines of a block are independent commands or sentences, which may be wrapped, and not columns or a
/// board.
fn is_of_lines(block: &str) -> bool {
    block.lines().all(|line| {
        let has_word = line
            .split(|c: char| !c.is_ascii_alphabetic())
            .any(|word| word.len() > 2);
        has_word && !line.trim().contains("  ")
    })
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
                "m13-j7",
                "pbmserv+2k-mf@games.example",
                "Pow2 Board 101 bob",
                "m13-j7\nnice & \"good\""
            ),
            "<a href=\"mailto:pbmserv%2B2k-mf@games.example?subject=Pow2%20Board%20101%20bob&amp;\
             body=m13-j7%0D%0Anice%20%26%20%22good%22\">m13-j7</a>"
        );
        assert_eq!(
            link("<b>", "a@b.example", "", "x"),
            "<a href=\"mailto:a@b.example?body=x\">&lt;b&gt;</a>"
        );
        assert_eq!(link("a & b", "", "subject", "body"), "a &amp; b");
    }

    #[test]
    fn the_words_of_a_player_keep_their_lines_and_are_no_markup() {
        assert_eq!(
            lines("<script>alert(1)</script>\n  two  blanks"),
            "&lt;script&gt;alert(1)&lt;&#x2f;script&gt;<br>\n&nbsp;&nbsp;two &nbsp;blanks"
        );
    }

    #[test]
    fn prose_and_text_in_columns_are_distinguished() {
        for prose in [
            "One line.",
            "A paragraph that was wrapped at seventy-two columns, as all of them\nare, ends soon.",
        ] {
            assert!(!is_set(prose), "{prose}");
        }
        for set in [
            "  Pow2 move 101",
            "Board  First\n101    alice",
            "12 . . x\n11 . . .\n10 . . .",
        ] {
            assert!(is_set(set), "{set}");
        }
        assert!(is_of_lines(
            "  Pow2 move 101 alice PASSWORD m13-j7\n  Pow2 show 101"
        ));
        for columns in [
            "Board  First\n101    alice",
            "  Pow2 mvoe 101\n       ^^^^",
            "12 . . x\n11 . . .",
        ] {
            assert!(!is_of_lines(columns), "{columns}");
        }
    }

    #[test]
    fn a_drawing_is_as_wide_as_its_longest_line() {
        assert_eq!(fit(""), "w41");
        assert_eq!(fit(&format!("a\n{}", "x".repeat(60))), "w60");
        assert_eq!(fit(&"x".repeat(200)), "w80");
    }
}
