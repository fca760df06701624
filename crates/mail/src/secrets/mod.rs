//! Masks secrets in words that somebody else may read: reply tokens and the keys in private links.
//!
//! Anyone who has one can act as its owner. Their form is known, whatever program has quoted, wrapped or encoded them: a number in
//! base32, a hyphen, and a tag of 128 bits in base32. So nothing is told apart by the words of a mail program.
//!
//! Known limits: a token that a program has encrypted, compressed or shortened is not seen; a word of 26 letters behind a
//! hyphen that could be a tag is masked.

mod spelling;

use std::ops::Range;

use data_encoding::Specification;
use spelling::{Meant, WRITINGS, as_meant, line_break};

use super::{Address, OwnAddresses};

/// Stands in the place of a secret.
pub const MASK: &str = "******";

/// The characters of a tag: 128 bits in base32.
const TAG_CHARS: usize = 26;

/// The most characters before the hyphen: a letter for the purpose, and a number of 64 bits.
const NUMBER_MAX_CHARS: usize = 14;

/// The places of pages that a key opens: `/k/TOKEN/`, `/j/TOKEN`, which joins, and `/u/TOKEN`, which unsubscribes.
const PLACES: [[char; 2]; 3] = [['k', '/'], ['j', '/'], ['u', '/']];

/// The longest path behind a key that is looked at.
const PATH_MAX_BYTES: usize = 200;

/// The shortest run of base64 that may hold a token.
const BASE64_MIN_CHARS: usize = 40;

/// What is cut out of a text, and what stands there then.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    at: Range<usize>,
    instead: &'static str,
}

/// A text without secrets. `own` are the addresses of this server.
///
/// Of `pbmserv+TOKEN@host` and of a private link remains what everybody may know: the address, the public link. Everything
/// else stays as it is. Takes linear time.
#[must_use]
pub fn without_secrets(text: &str, own: &OwnAddresses) -> String {
    let mut cuts = in_base64(text, own);
    cuts.extend(written_out(text, own));
    cuts.sort_by_key(|cut| (cut.at.start, std::cmp::Reverse(cut.at.end)));
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for cut in cuts {
        if let Some(kept) = text.get(copied..cut.at.start) {
            out.push_str(kept);
            out.push_str(cut.instead);
        }
        copied = copied.max(cut.at.end);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

/// The tokens of a text that are written in its characters.
fn written_out(text: &str, own: &OwnAddresses) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for meant in WRITINGS.iter().flat_map(|writing| as_meant(text, *writing)) {
        for server in own.all() {
            in_addresses(server, &meant, &mut cuts);
        }
        in_links(text, &meant, &mut cuts);
        alone(&meant, &mut cuts);
    }
    cuts
}

/// The details of one of our addresses, `pbmserv+TOKEN@host`.
fn in_addresses(server: &Address, meant: &[Meant], cuts: &mut Vec<Cut>) {
    let begin: Vec<char> = format!("{}+", server.local()).to_lowercase().chars().collect();
    let end: Vec<char> = format!("@{}", server.domain()).to_lowercase().chars().collect();
    let mut at = 0;
    while at < meant.len() {
        if !starts(meant, at, &begin) {
            at += 1;
            continue;
        }
        at += begin.len();
        let detail = meant.get(at..).unwrap_or_default();
        let is_detail = |meant: &&Meant| meant.c.is_ascii_alphanumeric() || meant.c == '-';
        let after = at + detail.iter().take_while(is_detail).count();
        // Without the rest of the address only what has the form of a token is one.
        let removed = match meant.get(after) {
            Some(next) if starts(meant, after, &end) => Some(next.start),
            _ => token_end(detail),
        };
        if let (Some(removed), Some(plus)) = (removed, meant.get(at - 1)) {
            cuts.push(Cut {
                at: plus.start..removed,
                instead: "",
            });
        }
        // Another address can begin in the detail, but its `+` stands behind it.
    }
}

/// The keys of private links. What remains is the public link.
fn in_links(text: &str, meant: &[Meant], cuts: &mut Vec<Cut>) {
    for (at, slash) in meant.iter().enumerate().filter(|(_, meant)| meant.c == '/') {
        if !PLACES.iter().any(|place| starts(meant, at + 1, place)) {
            continue;
        }
        let key = meant.get(at + 3..).unwrap_or_default();
        let Some(end) = token_end(key).or_else(|| end_without_hyphen(key)) else {
            continue;
        };
        cuts.push(Cut {
            at: slash.start..end,
            instead: "",
        });
        // The page on which the reader plays is for nobody else.
        let rest = text.get(end..).unwrap_or_default();
        let is_path = |c: &u8| c.is_ascii_alphanumeric() || *c == b'/';
        let path = rest.bytes().take(PATH_MAX_BYTES).take_while(is_path).count();
        if let Some(public) = rest[..path].strip_suffix("/turn") {
            cuts.push(Cut {
                at: end + public.len()..end + path,
                instead: "",
            });
        }
    }
}

/// Where a key ends whose hyphen is lost.
fn end_without_hyphen(key: &[Meant]) -> Option<usize> {
    let segment = key.iter().take(NUMBER_MAX_CHARS + TAG_CHARS + 1);
    let segment: Vec<_> = segment
        .take_while(|meant| meant.c.is_ascii_alphanumeric())
        .collect();
    let is_key = segment.len() > TAG_CHARS
        && segment.len() <= NUMBER_MAX_CHARS + TAG_CHARS
        && segment.iter().all(|meant| is_base32(meant));
    segment.last().filter(|_| is_key).map(|last| last.end)
}

fn is_base32(meant: &Meant) -> bool {
    matches!(meant.c, 'a'..='z' | '2'..='7')
}

/// Tokens with nothing around that says what they are.
fn alone(meant: &[Meant], cuts: &mut Vec<Cut>) {
    // Whether something stands between two characters that was left out, or one of them is part of no word.
    let is_parted = |one: Option<&Meant>, next: Option<&Meant>| match (one, next) {
        (Some(one), Some(next)) => {
            one.end != next.start || !one.c.is_alphanumeric() || !next.c.is_alphanumeric()
        }
        _ => true,
    };
    for (hyphen, _) in meant.iter().enumerate().filter(|(_, meant)| meant.c == '-') {
        let before = &meant[..hyphen];
        let number = before
            .iter()
            .rev()
            .take(NUMBER_MAX_CHARS)
            .take_while(|meant| is_base32(meant))
            .count();
        let start = (1..=number).map(|length| hyphen - length).find(|&start| {
            is_parted(
                start.checked_sub(1).and_then(|at| meant.get(at)),
                meant.get(start),
            )
        });
        let end = hyphen + TAG_CHARS;
        let tag = meant.get(hyphen + 1..=end).unwrap_or_default();
        // The last character of a tag has three bits and two zeros.
        let is_tag = tag.iter().all(is_base32)
            && tag.last().is_some_and(|last| "aeimquy4".contains(last.c))
            && is_parted(meant.get(end), meant.get(end + 1));
        if let (true, Some(start), Some(last)) = (is_tag, start, tag.last()) {
            cuts.push(Cut {
                at: meant[start].start..last.end,
                instead: MASK,
            });
        }
    }
}

fn starts(meant: &[Meant], at: usize, with: &[char]) -> bool {
    let rest = meant.get(at..at + with.len()).unwrap_or_default();
    rest.iter().map(|meant| &meant.c).eq(with)
}

/// Where the token at the beginning ends in the text: a number, a hyphen and a tag in base32. A blank may stand in it, which is
/// what remains of a line break in flowed text (RFC 3676).
fn token_end(detail: &[Meant]) -> Option<usize> {
    let longest = NUMBER_MAX_CHARS + 1 + TAG_CHARS;
    let mut chars = detail.iter().take(2 * longest).filter(|meant| meant.c != ' ');
    let hyphen = chars
        .by_ref()
        .take(NUMBER_MAX_CHARS + 1)
        .position(|meant| meant.c == '-');
    hyphen.filter(|number| *number > 0)?;
    let last = chars
        .take(TAG_CHARS)
        .take_while(|meant| is_base32(meant))
        .enumerate()
        .last();
    last.filter(|(index, _)| index + 1 == TAG_CHARS)
        .map(|(_, meant)| meant.end)
}

/// The runs of base64 in which there is a token. What encodes it is not known, so the whole run is masked.
fn in_base64(text: &str, own: &OwnAddresses) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        // One line first: the next one may begin with a word.
        let mut end = at;
        for is_one_line in [true, false] {
            let run = base64_run(text, at, is_one_line);
            end = run.1;
            if run.0.len() >= BASE64_MIN_CHARS && has_token(&run.0, own) {
                cuts.push(Cut {
                    at: at..end,
                    instead: MASK,
                });
                break;
            }
        }
        at = end.max(at + text[at..].chars().next().map_or(1, char::len_utf8));
    }
    cuts
}

/// The characters of base64 that begin here, in one of its alphabets, without line breaks; and where they end.
fn base64_run(text: &str, from: usize, is_one_line: bool) -> (Vec<u8>, usize) {
    let bytes = text.as_bytes();
    let mut chars = Vec::new();
    let (mut at, mut end) = (from, from);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'-' => chars.push(b'+'),
            b'_' => chars.push(b'/'),
            b'+' | b'/' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => chars.push(*byte),
            _ if chars.is_empty() || is_one_line => break,
            _ => match line_break(&text[at..]) {
                Some(length) => {
                    at += length;
                    continue;
                }
                None => break,
            },
        }
        at += 1;
        end = at;
    }
    (chars, end)
}

/// Whether these characters of base64 encode a text with a token. Others may stand before those that encode it.
fn has_token(chars: &[u8], own: &OwnAddresses) -> bool {
    let mut lenient = Specification::new();
    lenient
        .symbols
        .push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    lenient.check_trailing_bits = false;
    let Ok(encoding) = lenient.encoding() else {
        return false;
    };
    (0..4).any(|skipped| {
        let whole = chars.get(skipped..).unwrap_or_default();
        // One character too many encodes no byte.
        let whole = &whole[..whole.len() - usize::from(whole.len() % 4 == 1)];
        let Ok(bytes) = encoding.decode(whole) else {
            return false;
        };
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || (b'2'..=b'7').contains(byte);
        let mut runs = bytes.split(|byte| !is_letter(byte));
        // Most of what is no text ends here.
        runs.any(|run| run.len() >= TAG_CHARS / 2) && {
            let text = String::from_utf8_lossy(&bytes);
            !written_out(&text, own).is_empty()
        }
    })
}

#[cfg(test)]
mod tests;
