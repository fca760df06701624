//! Formats plain text: wraps prose, aligns tables, limits lengths.

use unicode_width::UnicodeWidthStr;

use pbmserv_mail::cut;

/// Wraps prose at `width` columns. A paragraph ends at an empty line. Lines that begin with a blank are not wrapped,
/// which keeps examples and boards intact.
#[must_use]
pub fn wrap(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_first = true;
    let mut begin = |out: &mut String, line: &str| {
        if !std::mem::take(&mut is_first) {
            out.push('\n');
        }
        out.push_str(line);
    };
    // The length in characters of the line to which the next word may be added.
    let mut open: Option<usize> = None;
    for line in text.lines() {
        if line.is_empty() || line.starts_with(' ') {
            begin(&mut out, line.trim_end());
            open = None;
            continue;
        }
        for word in line.split_whitespace() {
            let length = word.chars().count();
            let with_word = open.map(|column| column + 1 + length);
            match with_word.filter(|column| *column <= width) {
                Some(_) => {
                    out.push(' ');
                    out.push_str(word);
                    open = with_word;
                }
                None => {
                    begin(&mut out, word);
                    open = Some(length);
                }
            }
        }
    }
    out
}

/// Indents every line, and wraps lines that are then longer than `width`.
pub(super) fn indent(text: &str, by: &str, width: usize) -> String {
    let width = width.saturating_sub(by.len());
    let lines = text.lines().flat_map(|line| {
        let line = line.trim_end();
        let short = line.chars().count() <= width;
        let wrapped = if short {
            line.to_owned()
        } else {
            wrap(line.trim_start(), width)
        };
        wrapped
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .into_iter()
            .chain(line.is_empty().then(String::new))
    });
    lines
        .map(|line| format!("{by}{line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Formats rows as columns two blanks apart. The first row is the heading.
#[must_use]
pub fn columns(rows: &[Vec<String>]) -> String {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    let line = |row: &Vec<String>| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| cell.clone() + &" ".repeat(width.saturating_sub(cell.width())));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The longest text of a mail, in bytes. A longer text is cut, and ends with a note.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Marks a text that was cut.
const LEFT_OUT: &str = "\n[The rest is left out: a mail would be too long with it.]\n";

/// Removes trailing blanks, repeated empty lines, and empty lines at both ends; ends with one line feed; limits the
/// text to `most` bytes.
pub(super) fn tidy(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() {
            empty += 1;
            continue;
        }
        if out.len() + line.len() + LEFT_OUT.len() + 2 > most {
            out.push_str(LEFT_OUT);
            return out;
        }
        if empty > 0 && !out.is_empty() {
            out.push('\n');
        }
        empty = 0;
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Cuts a text that is longer than `most` bytes after a line, and ends it with the note that a letter of that length gets.
pub(super) fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        let head = cut::bytes(text, most);
        let lines = head.rfind('\n').map_or(head.len(), |end| end + 1);
        text.truncate(lines);
        text.push_str(LEFT_OUT);
    }
}

/// Marks a text that was cut because its reader is unknown.
const TOO_LONG_FOR_A_STRANGER: &str =
    "\n[The rest is left out: mail that proves nobody gets a short answer.]\n";

/// The text, or as many of its lines as have no more than `most` bytes by this measure.
#[must_use]
pub fn shortened(text: &str, most: usize, size: impl Fn(&str) -> usize) -> String {
    if size(text) <= most {
        return text.to_owned();
    }
    let mut left = most.saturating_sub(size(TOO_LONG_FOR_A_STRANGER));
    let fits = |line: &&str| {
        let rest = left.checked_sub(size(line));
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    let kept: String = text.split_inclusive('\n').take_while(fits).collect();
    kept.trim_end().to_owned() + "\n" + TOO_LONG_FOR_A_STRANGER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_in_any_script() {
        let rows = [
            ["To", "State"],
            ["例え@x.example", "sent"],
            ["jose\u{301}@x.example", "sent"],
        ];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        assert_eq!(
            columns(&rows),
            "To              State\n例え@x.example  sent\njose\u{301}@x.example  sent"
        );
    }

    #[test]
    fn prose_is_wrapped_and_examples_stand() {
        assert_eq!(
            wrap("one two three\nfour\n\n  as  it is\nfive", 9),
            "one two\nthree\nfour\n\n  as  it is\nfive"
        );
        assert_eq!(wrap("unbreakable-and-long", 5), "unbreakable-and-long");
    }

    #[test]
    fn a_long_line_of_a_comment_is_wrapped_when_set_off() {
        assert_eq!(indent("a\n\nb", "  ", 72), "  a\n\n  b");
        assert!(
            indent(&"word ".repeat(100), "  ", 72)
                .lines()
                .all(|line| line.len() <= 72)
        );
    }

    #[test]
    fn a_text_is_shortened_by_whole_lines() {
        assert_eq!(shortened("one\ntwo\n", 8, str::len), "one\ntwo\n");
        let short = shortened(&"one\n\ntwo\n".repeat(100), 200, str::len);
        assert!(short.len() <= 201 && short.starts_with("one\n\ntwo\n"), "{short}");
        assert!(short.ends_with("a short answer.]\n"), "{short}");
    }

    #[test]
    fn a_text_is_tidied_and_bounded() {
        assert_eq!(tidy("\n\na  \n\n\n\nb\n\n", 100), "a\n\nb\n");
        assert!(tidy(&"line\n".repeat(1000), 100).len() < 200);
        let huge = tidy(&"a board of a line\n\n".repeat(100_000), MAX_TEXT_BYTES);
        assert!(huge.len() <= MAX_TEXT_BYTES && huge.ends_with("long with it.]\n"));
    }
}
