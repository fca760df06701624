//! Converts HTML to lines of text: blocks and `<br>` end lines, `<pre>` keeps them, `<blockquote>` becomes `>`.
//!
//! No tree is built: one pass over the page, whatever the nesting. A page with a hundred thousand open tags would keep
//! a general HTML renderer busy for minutes, and takes a minute to write.

use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::html::add_html_token;

/// The text of a horizontal rule (`<hr>`): mail programs draw one above a quotation.
pub(super) const RULE: &str = "________________________________";
/// The longest character reference that is recognised, in bytes, with `&` and `;`.
const REFERENCE_MAX: usize = 34;

/// The text of a page.
pub(super) struct Lines {
    /// The lines, each ended by a line feed.
    pub(super) text: String,
    /// Whether the page had more lines.
    pub(super) is_cut: bool,
}

/// Converts a page to text, up to this many lines. A rule of four bytes makes a line of 32, so the size must be limited
/// here.
pub(super) fn to_lines(page: &str, most: usize) -> Lines {
    let mut text = Text::default();
    let mut rest = page;
    while !rest.is_empty() && text.ended < most {
        let upto = rest.find(['<', '&']).unwrap_or(rest.len());
        text.words(&rest[..upto]);
        rest = &rest[upto..];
        rest = match rest.as_bytes().first() {
            Some(b'&') => reference(&mut text, rest),
            Some(_) => markup(&mut text, rest),
            None => "",
        };
    }
    text.end_line();
    Lines {
        text: text.out,
        is_cut: !rest.trim_ascii().is_empty(),
    }
}

/// Reads a character reference at the start of `rest`, or only its `&`.
fn reference<'a>(text: &mut Text, rest: &'a str) -> &'a str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '#';
    let end = 1 + rest[1..].find(|c| !is_name(c)).unwrap_or(rest.len() - 1);
    if end > 1 && end < REFERENCE_MAX && rest[end..].starts_with(';') {
        match &rest[1..end] {
            "amp" => text.words("&"),
            "lt" => text.words("<"),
            "gt" => text.words(">"),
            "nbsp" => text.words("\u{a0}"),
            _ => {
                let mut character = String::new();
                add_html_token(&mut character, &rest.as_bytes()[..=end], false);
                text.words(&as_windows_1252(character));
            }
        }
        &rest[end + 1..]
    } else {
        text.words("&");
        &rest[1..]
    }
}

/// The numbers 128 to 159 mean windows-1252 (HTML, section 13.2.5.80).
fn as_windows_1252(character: String) -> String {
    let mut chars = character.chars();
    match (chars.next(), chars.next()) {
        (Some(c @ '\u{80}'..='\u{9f}'), None) => u8::try_from(u32::from(c))
            .ok()
            .and_then(|c| Some(charset_decoder(b"windows-1252")?(&[c])))
            .unwrap_or_default(),
        _ => character,
    }
}

/// Reads a tag, comment or declaration at the start of `rest`, or only its `<` if it begins none.
fn markup<'a>(text: &mut Text, rest: &'a str) -> &'a str {
    // Of several in a row only the last can begin one.
    let bare = rest.len() - rest.trim_start_matches('<').len() - 1;
    if bare > 0 {
        text.words(&rest[..bare]);
        return &rest[bare..];
    }
    let inside = &rest[1..];
    if let Some(comment) = inside.strip_prefix("!--") {
        return comment.find("-->").map_or("", |end| &comment[end + 3..]);
    }
    if inside.starts_with(['!', '?']) {
        return inside.find('>').map_or("", |end| &inside[end + 1..]);
    }
    let (is_end, named) = match inside.strip_prefix('/') {
        Some(named) => (true, named),
        None => (false, inside),
    };
    if !named.starts_with(|c: char| c.is_ascii_alphabetic()) {
        text.words("<");
        return inside;
    }
    let upto = named
        .find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/')
        .unwrap_or(named.len());
    let name = named.get(..upto.min(16)).unwrap_or("").to_ascii_lowercase();
    let after = &named[tag_end(named, upto)..];
    let is_hidden = matches!(
        name.as_str(),
        "style" | "script" | "title" | "template" | "textarea" | "select" | "iframe" | "object"
    );
    if is_hidden && !is_end {
        return past_end_tag(after, &name);
    }
    text.tag(&name, is_end);
    after
}

/// The end of a tag: after the first `>` outside of quoted attribute values.
fn tag_end(tag: &str, from: usize) -> usize {
    let mut quote = None;
    for (at, c) in tag.bytes().enumerate().skip(from) {
        match quote {
            None if c == b'>' => return at + 1,
            None if c == b'"' || c == b'\'' => quote = Some(c),
            Some(open) if c == open => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// Skips the content of an element that is not text, and its end tag; without an end tag, everything.
fn past_end_tag<'a>(content: &'a str, name: &str) -> &'a str {
    let mut rest = content;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        if rest
            .get(..name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name))
        {
            return rest.find('>').map_or("", |end| &rest[end + 1..]);
        }
    }
    ""
}

/// The lines so far, and the state of the page here.
#[derive(Default)]
struct Text {
    out: String,
    line: String,
    /// The number of complete lines.
    ended: usize,
    /// A blank belongs before the next word.
    is_spaced: bool,
    /// An empty line belongs before the next text.
    is_parted: bool,
    /// Inside `<head>`, which is not shown.
    is_head: bool,
    quotes: u32,
    pres: u32,
}

impl Text {
    fn words(&mut self, words: &str) {
        if self.is_head {
            return;
        }
        for c in words.chars() {
            if self.pres > 0 && c == '\n' {
                self.break_line();
            } else if self.pres == 0 && c.is_ascii_whitespace() {
                self.is_spaced = true;
            } else if c != '\r' {
                if std::mem::take(&mut self.is_spaced) && !self.line.is_empty() {
                    self.line.push(' ');
                }
                self.line.push(c);
            }
        }
    }

    fn tag(&mut self, name: &str, is_end: bool) {
        let count = |n: &mut u32| {
            *n = if is_end {
                n.saturating_sub(1)
            } else {
                n.saturating_add(1)
            };
        };
        match name {
            "head" => self.is_head = !is_end,
            "body" => self.is_head = false,
            "br" => self.break_line(),
            "hr" => {
                self.end_line();
                self.words(RULE);
                self.end_line();
            }
            "td" | "th" => self.is_spaced = true,
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "ul" | "ol" | "dl" | "table" => {
                self.end_line();
                self.is_parted = true;
            }
            "blockquote" => {
                self.end_line();
                count(&mut self.quotes);
            }
            "pre" => {
                self.end_line();
                count(&mut self.pres);
            }
            "div" | "li" | "dt" | "dd" | "tr" | "center" | "address" | "article" | "aside" | "section"
            | "header" | "footer" | "main" | "nav" | "figure" | "form" | "fieldset" | "html" => {
                self.end_line();
            }
            _ => {}
        }
    }

    /// Ends the line unless it is empty.
    fn end_line(&mut self) {
        if self.line.is_empty() {
            self.is_spaced = false;
        } else {
            self.break_line();
        }
    }

    /// Ends the line, even if it is empty.
    fn break_line(&mut self) {
        let prefix = if self.quotes > 0 { "> " } else { "" };
        if std::mem::take(&mut self.is_parted) && !self.out.is_empty() {
            self.out.push_str(prefix.trim_end());
            self.out.push('\n');
            self.ended += 1;
        }
        self.ended += 1;
        self.out.push_str(prefix);
        self.out.push_str(&self.line);
        self.out.push('\n');
        self.line.clear();
        self.is_spaced = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_lines() {
        for (page, expected) in [
            ("<div>m13-j7</div><div><br></div><div>Hi</div>", "m13-j7\n\nHi\n"),
            ("<p>a\n b</p><p>c", "a b\n\nc\n"),
            ("a<br/>b<BR>c", "a\nb\nc\n"),
            ("<pre>\na  b\n c</pre>d", "\na  b\n c\nd\n"),
            ("x<blockquote>q<br><div>r</div></blockquote>y", "x\n> q\n> r\ny\n"),
            ("<ul><li>a<li>b</ul>c", "a\nb\n\nc\n"),
            (
                "<table><tr><td>a</td><td>b</td></tr><tr><td>c</table>",
                "a b\nc\n",
            ),
            ("<b>a</b><i>b</i> c", "ab c\n"),
        ] {
            assert_eq!(to_lines(page, 100).text, expected, "{page}");
        }
    }

    #[test]
    fn invisible_elements_are_not_read() {
        let page = "<!DOCTYPE html><html><head><title>t</title><style>p > a {}</style></head>\
            <body x='a>b'><!-- <p>no --><![if x]><script>if (a<b) no()</script>yes</body></html>";
        assert_eq!(to_lines(page, 100).text, "yes\n");
    }

    #[test]
    fn character_references_are_characters_and_others_stay() {
        assert_eq!(
            to_lines(
                "a&lt;b&amp;c&nbsp;d&#8212;e&#x2d;f&#151;g &nix; & h<3 &#99999999999;",
                100
            )
            .text,
            "a<b&c\u{a0}d—e-f—g &nix; & h<3 &#99999999999;\n"
        );
    }

    #[test]
    fn a_page_is_cut_at_the_limit_of_lines_and_the_cut_is_reported() {
        let page = "<hr>".repeat(100);
        let lines = to_lines(&page, 10);
        assert_eq!((lines.text.lines().count(), lines.is_cut), (10, true));
        assert!(!to_lines(&page, 100).is_cut);
    }

    #[test]
    fn a_page_of_open_tags_is_read_in_one_pass() {
        let started = std::time::Instant::now();
        for piece in [
            "<div>",
            "<blockquote>",
            "<a b='",
            "<!--",
            "<style>",
            "</",
            "&",
            "<font color=1><p>x",
        ] {
            let page = piece.repeat(1_000_000 / piece.len());
            assert!(to_lines(&page, 10_000).text.len() <= 4 * page.len(), "{piece}");
        }
        // Generous for an unoptimised build on a busy machine; quadratic time would take minutes.
        assert!(started.elapsed().as_secs() < 20);
    }
}
