
/// Whether a character is invisible and meaningless: zero width, or a change of writing direction.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fff9}'..='\u{fffb}')
}

/// One line of text: any blank becomes a space, invisible characters are removed, and so are trailing blanks.
pub(super) fn visible(line: &str) -> String {
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

/// One line as the command parser needs it: typographic dashes and quotes become `-`, `"` and `'`, other blanks a
/// space, and full-width letters and digits ASCII.
///
/// A long dash at the beginning of a word becomes `--`, which telephones replace by one. Printable ASCII is not
/// changed. For commands only; a comment keeps its characters.
///
/// ```
/// # use pbmserv::mail::plain;
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

