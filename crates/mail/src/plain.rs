//! Normalises typed characters: replaces the blanks, dashes and quotes of word processors and telephones.

/// Whether a character is invisible and meaningless: zero width, or a change of writing direction.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fff9}'..='\u{fffb}')
}

/// One line of text: any blank becomes a space, invisible characters are removed, and so are trailing blanks.
#[must_use]
pub fn visible(line: &str) -> String {
    if line.bytes().all(|c| matches!(c, b' '..=b'~')) {
        return line.trim_end().to_owned();
    }
    let mut seen = String::with_capacity(line.len());
    for c in line.chars() {
        if c.is_whitespace() {
            seen.push(' ');
        } else if !c.is_control() && !is_invisible(c) {
            seen.push(c);
        }
    }
    seen.truncate(seen.trim_end().len());
    seen
}

/// Whether nothing of a text can be seen, as of one that holds only a byte order mark.
pub(super) fn is_blank(text: &str) -> bool {
    let is_unseen = |c: char| matches!(c, '\u{34f}' | '\u{180e}' | '\u{2800}' | '\u{3164}') || is_ignored(c);
    text.chars().all(|c| c.is_whitespace() || is_unseen(c))
}

/// One line as the command parser needs it: typographic dashes, arrows and quotes become `-`, `->`, `"` and `'`, other
/// blanks a space, and full-width letters and digits ASCII.
///
/// A long dash at the beginning of a word becomes `--`, which telephones replace by one. Printable ASCII is not
/// changed. For commands only; a comment keeps its characters.
///
/// ```
/// # use pbmserv_mail::plain;
/// assert_eq!(plain("pow2 challenge a b —unrated –exact"), "pow2 challenge a b --unrated -exact");
/// assert_eq!(plain("m13—j7"), "m13-j7");
/// ```
#[must_use]
pub fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars().filter(|&c| !is_ignored(c)).peekable();
    while let Some(c) = chars.next() {
        let begins_word = plain.is_empty() || plain.ends_with(' ');
        let before_letter = chars.peek().is_some_and(|c| c.is_alphabetic());
        match c {
            c if c.is_whitespace() => plain.push(' '),
            '—' | '―' if begins_word && before_letter => plain.push_str("--"),
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => plain.push('-'),
            '→' | '⟶' | '➔' | '➙' | '➛' | '➜' | '➝' | '➞' | '➡' | '⇒' => {
                plain.push_str("->");
            }
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '＂' => plain.push('"'),
            '‘' | '’' | '‚' | '‛' | '′' | '＇' => plain.push('\''),
            // The full-width forms of East Asian keyboards.
            '\u{ff01}'..='\u{ff5e}' => plain.push(narrow(c)),
            c => plain.push(c),
        }
    }
    plain
}

/// The ASCII character of a full-width form (Unicode, block FF00).
fn narrow(wide: char) -> char {
    const SHIFT: u32 = 0xff01 - 0x21;
    char::from_u32(u32::from(wide).saturating_sub(SHIFT)).unwrap_or(wide)
}

/// Characters that a command never contains: invisible ones, joiners, direction marks, controls.
fn is_ignored(c: char) -> bool {
    is_invisible(c)
        || matches!(c, '\u{200c}'..='\u{200f}' | '\u{fe0e}' | '\u{fe0f}')
        || (c.is_control() && !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dashes_are_hyphens_and_a_leading_long_one_is_two() {
        for (written, read) in [
            ("m13‐j7", "m13-j7"),
            ("m13 – j7", "m13 - j7"),
            ("a −3", "a -3"),
            ("—unrated", "--unrated"),
            ("x —y=1", "x --y=1"),
            ("a—b", "a-b"),
            ("— b", "- b"),
            ("—3", "-3"),
            ("m13→j7", "m13->j7"),
            ("m13 ⇒ j7", "m13 -> j7"),
            ("“so’s”", "\"so's\""),
            ("ａ１－ｅ１：ｄ２", "a1-e1:d2"),
            ("ｐｏｗ２　～ー", "pow2 ~ー"),
        ] {
            assert_eq!(plain(written), read);
        }
    }

    #[test]
    fn all_blanks_become_spaces_and_invisible_characters_are_removed() {
        assert_eq!(
            plain("a\u{a0}b\tc\u{3000}d\u{feff}e\u{200b}f\u{200d}g\0"),
            "a b c defg"
        );
        assert_eq!(visible("\u{feff}a\u{a0}b \u{202e}c\u{7} \u{2003}"), "a b c");
    }

    proptest! {
        #[test]
        fn ascii_is_left_as_it_is(line in "[ -~]{0,80}") {
            prop_assert_eq!(plain(&line), line);
        }

        #[test]
        fn what_is_plain_stays(line in "\\PC{0,40}") {
            let once = plain(&line);
            prop_assert_eq!(plain(&once), once);
        }
    }
}
