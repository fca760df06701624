//! A text as its characters are meant, however a program has written them.

/// A character as it is meant, in lower case, and where it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meant {
    pub c: char,
    pub start: usize,
    pub end: usize,
}

/// What else than percent-encoding a text may be written in. Each can hide a token from a reader of the others, since `=2d` or
/// `-2d` may also stand at the beginning of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    Plain,
    /// `=2D` is a hyphen (RFC 2045, section 6.7), `&#45;` too.
    Quoted,
    /// `-2D` is a hyphen and `_` a slash: one link protector writes addresses so.
    Protected,
}

pub(super) const WRITINGS: [Writing; 3] = [Writing::Plain, Writing::Quoted, Writing::Protected];

/// How often what is decoded is decoded again. A percent sign that is itself encoded takes no round of its own.
const MAX_ROUNDS: usize = 4;

/// The text without line breaks and invisible characters, with encoded and look-alike characters decoded: once, twice and so on.
///
/// Each round counts, since the next can read more than was written: behind the hyphen of `-2D22`, `-22` is a tag's beginning
/// and no quotation mark.
pub(super) fn as_meant(text: &str, writing: Writing) -> Vec<Vec<Meant>> {
    let mut round = unbroken(text);
    let mut rounds = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let next = decoded(&round, writing);
        let is_last = next.len() == round.len();
        rounds.push(std::mem::replace(&mut round, next));
        if is_last {
            break;
        }
    }
    rounds.push(round);
    for meant in &mut rounds {
        meant.retain(|meant| !is_invisible(meant.c));
    }
    rounds
}

/// The characters without line breaks; several blanks are one.
fn unbroken(text: &str) -> Vec<Meant> {
    let mut meant = Vec::with_capacity(text.len());
    let mut start = 0;
    while let Some(rest) = text.get(start..)
        && let Some(c) = rest.chars().next()
    {
        if let Some(length) = line_break(rest) {
            start += length;
            continue;
        }
        // All blanks at once: each would look for a line break behind all others.
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let (c, length) = match blanks {
            0 => (likeness(c), c.len_utf8()),
            blanks => (' ', blanks),
        };
        meant.push(Meant {
            c,
            start,
            end: start + length,
        });
        start += length;
    }
    meant
}

/// The length of a line break with all that may stand around it in a quoted address: blanks, the `=` of quoted-printable
/// before it, quotation marks behind it.
pub(super) fn line_break(rest: &str) -> Option<usize> {
    let blanks = [' ', '\t'];
    let before = rest.trim_start_matches(blanks);
    let end = before
        .strip_prefix('=')
        .unwrap_or(before)
        .trim_start_matches(blanks);
    let after = end.trim_start_matches(['\r', '\n', ' ', '\t', '>', '|', ':']);
    end.starts_with(['\r', '\n']).then_some(rest.len() - after.len())
}

/// The ASCII character in lower case that a character looks like.
fn likeness(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{2795}' | '\u{fe62}' => '+',
        '\u{2044}' | '\u{2215}' => '/',
        // The full-width forms of East Asian keyboards.
        '\u{ff01}'..='\u{ff5e}' => {
            let narrow = char::from_u32(u32::from(c) - 0xff01 + 0x21);
            narrow.unwrap_or(c).to_ascii_lowercase()
        }
        c => c.to_ascii_lowercase(),
    }
}

/// Whether a character is invisible, so that a program or a reader may leave it out.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// The text with encoded characters decoded once; a percent sign may be encoded any number of times.
fn decoded(meant: &[Meant], writing: Writing) -> Vec<Meant> {
    let mut out = Vec::with_capacity(meant.len());
    let mut at = 0;
    while let Some(here) = meant.get(at) {
        let found = match (here.c, writing) {
            ('%', _) => several(meant, at, percent),
            ('=', Writing::Quoted) => several(meant, at, |meant, at| hex(meant, at, '=')),
            ('&', Writing::Quoted) => reference(meant, at),
            // What needs no encoding is written as it is, so `-32` is no `2`.
            ('-', Writing::Protected) => {
                several(meant, at, |meant, at| hex(meant, at, '-')).filter(|(c, _)| !c.is_alphanumeric())
            }
            ('_', Writing::Protected) => Some(('/', 1)),
            _ => None,
        };
        let (c, length) = found.unwrap_or((here.c, 1));
        out.push(Meant {
            c: likeness(c),
            start: here.start,
            end: meant.get(at + length - 1).map_or(here.end, |last| last.end),
        });
        at += length;
    }
    out
}

/// The character of one or more encoded bytes (UTF-8), and how many characters they take.
fn several(
    meant: &[Meant],
    at: usize,
    byte: impl Fn(&[Meant], usize) -> Option<(u8, usize)>,
) -> Option<(char, usize)> {
    let (first, mut length) = byte(meant, at)?;
    let more = match first {
        b' '..=b'~' => return Some((char::from(first), length)),
        0xc2..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf4 => 3,
        _ => return None,
    };
    let mut bytes = vec![first];
    for _ in 0..more {
        let (next, taken) = byte(meant, at + length)?;
        bytes.push(next);
        length += taken;
    }
    let c = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    Some((c, length))
}

/// The byte behind `%2B`, `%252B` and so on.
fn percent(meant: &[Meant], at: usize) -> Option<(u8, usize)> {
    if meant.get(at)?.c != '%' {
        return None;
    }
    let is = |at: usize, c: char| meant.get(at).is_some_and(|meant| meant.c == c);
    let mut inner = at + 1;
    while is(inner, '2') && is(inner + 1, '5') && digits(meant, inner + 2).is_some() {
        inner += 2;
    }
    Some((digits(meant, inner)?, inner + 2 - at))
}

/// The byte behind a mark and two hexadecimal digits.
fn hex(meant: &[Meant], at: usize, mark: char) -> Option<(u8, usize)> {
    (meant.get(at)?.c == mark).then_some((digits(meant, at + 1)?, 3))
}

fn digits(meant: &[Meant], at: usize) -> Option<u8> {
    let high = meant.get(at)?.c.to_digit(16)?;
    let low = meant.get(at + 1)?.c.to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

/// The character of `&#45;` or `&#x2d;`.
fn reference(meant: &[Meant], at: usize) -> Option<(char, usize)> {
    const LONGEST: usize = 10;
    let name: String = meant
        .get(at + 1..)?
        .iter()
        .take(LONGEST)
        .map(|meant| meant.c)
        .collect();
    let (number, _) = name.strip_prefix('#')?.split_once(';')?;
    let value = match number.strip_prefix('x') {
        Some(number) => u32::from_str_radix(number, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some((char::from_u32(value)?, number.len() + 3))
}
