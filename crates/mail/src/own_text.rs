//! Finds the sender's own text: drops quotations, their attributions, and the signature.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::html::RULE;
use super::phrases::{ANNOUNCED, BLOCK_LABELS, ORIGINAL_MESSAGE, QUOTING, SENT_FROM, TELEPHONES, WROTE};

/// The most lines that are kept.
pub(super) const LINES_MAX: usize = 2_000;
/// The most bytes that are kept.
pub(super) const BYTES_MAX: usize = 64 * 1024;
/// The longest line that is taken for one written by a mail program, in bytes.
const PROGRAM_LINE_MAX: usize = 400;
/// The longest label of a header block, in bytes, with marks for bold text.
const LABEL_MAX: usize = 60;
/// The most lines of an attribution; programs wrap it.
const ATTRIBUTION_LINES_MAX: usize = 3;

/// The longest line of a telephone in an unknown language, in characters and in words.
const TELEPHONE_LINE_MAX: usize = 60;
const TELEPHONE_WORDS_MAX: usize = 6;

/// The most lines of an attribution with which a text ends.
const LAST_ATTRIBUTION_LINES_MAX: usize = 4;

/// The sender's text, and whether a limit cut it.
pub(super) struct OwnText {
    pub(super) lines: Vec<String>,
    pub(super) is_cut: bool,
    /// Whether the sender wrote nothing: all lines are marked as quoted, announce such lines, or are a signature. A
    /// message that is repeated without marks may have an answer below it, and is not blank.
    pub(super) is_blank: bool,
}

/// The sender's own text.
///
/// Drops quoted lines with the attribution above them, wherever they are. Stops where a mail program repeats a message
/// without quotation marks, or where a signature begins. Drops empty lines at both ends, and all but one of several in
/// a row.
pub(super) fn own_text(lines: &[String]) -> OwnText {
    let signed = signed_text(lines);
    let mut lines = signed.as_deref().unwrap_or(lines);
    let mut end = end_of(lines);
    // Some telephones put their line above the quotation, and the owner writes below it: at that point there is no text
    // yet.
    while lines.get(end).is_some_and(|line| is_sent_from(&lower(line))) && is_nothing_said(&lines[..end]) {
        lines = &lines[end + 1..];
        end = end_of(lines);
    }
    let (lines, rest) = lines.split_at(end);
    let is_dropped = dropped(lines);

    let mut own = OwnText {
        lines: Vec::new(),
        is_cut: false,
        is_blank: is_blank_end(rest),
    };
    let mut bytes = 0;
    let mut is_gap = false;
    for (line, is_dropped) in lines.iter().zip(is_dropped) {
        if is_dropped || line.is_empty() {
            is_gap = true;
            continue;
        }
        if std::mem::take(&mut is_gap) && !own.lines.is_empty() {
            own.lines.push(String::new());
        }
        own.is_blank = false;
        bytes += line.len() + 1;
        if own.lines.len() >= LINES_MAX || bytes > BYTES_MAX {
            own.is_cut = true;
            break;
        }
        own.lines.push(line.clone());
    }
    own
}

/// Whether the lines after the sender's text are a signature and nothing but quoted lines below it.
fn is_blank_end(rest: &[String]) -> bool {
    let Some(first) = rest.first() else {
        return true;
    };
    let signature = if is_sent_from(&lower(first)) {
        1
    } else if first == "--" {
        rest.iter().position(|line| is_quoted(line)).unwrap_or(rest.len())
    } else {
        return false;
    };
    is_nothing_said(&rest[signature..])
}

/// The text in an OpenPGP signed message, without armour and dash escapes (RFC 9580, section 7); `None` if the text
/// does not begin with one.
fn signed_text(lines: &[String]) -> Option<Vec<String>> {
    let begin = lines.iter().position(|line| !line.is_empty())?;
    if lines[begin] != "-----BEGIN PGP SIGNED MESSAGE-----" {
        return None;
    }
    let header = lines[begin..].iter().take_while(|line| !line.is_empty()).count();
    let unescaped = |line: &String| line.strip_prefix("- ").unwrap_or(line).to_owned();
    Some(lines[begin + header..].iter().map(unescaped).collect())
}

/// The line at which the sender's text ends.
fn end_of(lines: &[String]) -> usize {
    (0..lines.len())
        .find(|&at| ends_before(lines, at))
        .unwrap_or(lines.len())
}

fn is_nothing_said(lines: &[String]) -> bool {
    lines
        .iter()
        .zip(dropped(lines))
        .all(|(line, is_dropped)| is_dropped || line.is_empty())
}

/// For each line, whether it is quoted or announces a quotation.
fn dropped(lines: &[String]) -> Vec<bool> {
    let mut is_dropped: Vec<bool> = lines.iter().map(|line| is_quoted(line)).collect();
    for at in 1..lines.len() {
        if is_quoted(&lines[at]) && !is_quoted(&lines[at - 1]) {
            for above in attribution_above(lines, at) {
                is_dropped[above] = true;
            }
        }
    }
    is_dropped
}

/// Whether a mail program marked this line as quoted.
fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// The lines of the attribution directly above the quotation that begins at `at`; empty if there is none.
///
/// Its last line ends with a colon, in every language, or contains known words. The line above belongs to it only if it
/// has something that an attribution needs and the lines below lack: a known beginning, an address, or a date. So a
/// move directly above is kept.
fn attribution_above(lines: &[String], at: usize) -> std::ops::Range<usize> {
    let Some(last) = (at.saturating_sub(3)..at)
        .rev()
        .find(|&above| !lines[above].is_empty())
    else {
        return at..at;
    };
    if is_quoted(&lines[last]) || !(ends_in_colon(&lines[last]) || is_colonless(&lines[last])) {
        return at..at;
    }
    let mut first = last;
    let mut traits = Traits::of(&lines[first]);
    while !traits.has_beginning && last - first + 1 < ATTRIBUTION_LINES_MAX && first > 0 {
        let above = &lines[first - 1];
        if above.is_empty() || is_quoted(above) {
            break;
        }
        let more = Traits::of(above);
        let next_too = || {
            first > 1 && last - first + 2 < ATTRIBUTION_LINES_MAX && {
                let next = Traits::of(&lines[first - 2]);
                next.has_beginning && next.has_date && !is_quoted(&lines[first - 2])
            }
        };
        let belongs = (more.has_beginning && more.has_date)
            || (more.has_address && !traits.has_address)
            || (more.has_date && !traits.has_date)
            || next_too();
        if !belongs {
            break;
        }
        traits.has_beginning |= more.has_beginning;
        traits.has_address |= more.has_address;
        traits.has_date |= more.has_date;
        first -= 1;
    }
    first..last + 1
}

/// Whether a line is an attribution without a colon, as some programs write it: one of the known forms, with a time or
/// a year.
fn is_colonless(line: &str) -> bool {
    let low = lower(line);
    has_time_or_year(line)
        && (QUOTING.iter().any(|begin| low.starts_with(begin))
            || closers(&low).any(|closer| low.contains(closer)))
}

/// The final words that belong to the beginning of this line.
fn closers(low: &str) -> impl Iterator<Item = &'static str> {
    let begins_with_sender = low.contains('<') && low.contains('@');
    WROTE
        .iter()
        .filter(move |(begins, _)| begins_with_sender || begins.iter().any(|begin| low.starts_with(begin)))
        .flat_map(|(_, wrote)| wrote.iter().copied())
}

/// The signs that a line is part of an attribution.
struct Traits {
    has_beginning: bool,
    has_address: bool,
    has_date: bool,
}

impl Traits {
    fn of(line: &str) -> Self {
        let lower = lower(line);
        let has_beginning = WROTE
            .iter()
            .any(|(begins, _)| begins.iter().any(|begin| lower.starts_with(begin)));
        Self {
            has_beginning,
            has_address: line.contains('@'),
            has_date: has_time_or_year(line),
        }
    }
}

/// Whether a line contains a time (`10:21`) or a year (`2026`); no move does.
pub(super) fn has_time_or_year(line: &str) -> bool {
    let is_boundary = |c: Option<&u8>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..].iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 {
            at += 1;
            continue;
        }
        let starts = is_boundary(at.checked_sub(1).and_then(|before| bytes.get(before)));
        let after = &bytes[at + digits..];
        let number = &bytes[at..at + digits];
        let is_year = digits == 4
            && (number.starts_with(b"19") || number.starts_with(b"20"))
            && after.first().is_none_or(|c| !c.is_ascii_alphanumeric());
        let is_time = digits <= 2
            && after.first().is_some_and(|&c| c == b':')
            && after
                .get(1..3)
                .is_some_and(|minutes| minutes.iter().all(u8::is_ascii_digit))
            && is_boundary(after.get(3));
        if starts && (is_year || is_time) {
            return true;
        }
        at += digits;
    }
    false
}

pub(super) fn ends_in_colon(line: &str) -> bool {
    line.trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

/// The beginning of a line in lower case, up to the longest line of a mail program.
fn lower(line: &str) -> String {
    let line = line.trim().trim_matches('*');
    let mut upto = line.len().min(PROGRAM_LINE_MAX);
    while !line.is_char_boundary(upto) {
        upto -= 1;
    }
    let mut low = line[..upto].to_lowercase();
    // One large mailer writes the `&nbsp;` of its page into its plain text.
    for (written, meant) in [("’", "'"), ("&nbsp;", " ")] {
        if low.contains(written) {
            low = low.replace(written, meant);
        }
    }
    low
}

/// Whether the sender's text ends before this line.
fn ends_before(lines: &[String], at: usize) -> bool {
    is_end(lines, at) || is_of_a_telephone(lines, at)
}

/// Whether this is the line of a telephone in a language of which no phrase is known: a short last paragraph of one line that
/// names the telephone and is no sentence, below other words.
fn is_of_a_telephone(lines: &[String], at: usize) -> bool {
    let line = lines[at].trim();
    let is_one = !line.is_ascii()
        && line.chars().count() <= TELEPHONE_LINE_MAX
        && line.split(' ').count() <= TELEPHONE_WORDS_MAX
        && !line.ends_with(['.', '!', '?', '\u{2026}', '\u{3002}', '\u{ff01}', '\u{ff1f}'])
        && !is_quoted(line);
    if !is_one || at < 2 || !lines[at - 1].is_empty() || lines[..at].iter().all(String::is_empty) {
        return false;
    }
    let low = lower(line);
    if !TELEPHONES.iter().any(|name| low.contains(name)) {
        return false;
    }
    let Some(next) = (at + 1..lines.len()).find(|&next| !lines[next].is_empty()) else {
        return true;
    };
    let quoted = (next..lines.len())
        .take(ATTRIBUTION_LINES_MAX + 2)
        .find(|&below| is_quoted(&lines[below]));
    let is_announcing = |below: usize| below == next || attribution_above(lines, below).contains(&next);
    next > at + 1 && (is_end(lines, next) || quoted.is_some_and(is_announcing))
}

/// Whether a mail program's own words or those of another mail begin here.
fn is_end(lines: &[String], at: usize) -> bool {
    let line = &lines[at];
    if line.is_empty() || is_quoted(line) {
        return false;
    }
    let low = lower(line);
    line == "--"
        || is_row_of_underscores(lines, at)
        || is_original_message(&low)
        || ANNOUNCED.contains(&low.as_str())
        || is_sent_from(&low)
        || is_header_block(lines, at)
        || is_unmarked_attribution(lines, at)
        || is_last_attribution(lines, at)
}

/// Whether this is the line that telephones and web mailers add below the text.
fn is_sent_from(low: &str) -> bool {
    SENT_FROM
        .iter()
        .any(|row| row.iter().any(|begin| low.starts_with(begin)))
}

/// A row of underscores: a long one, or one of any length above a header block.
fn is_row_of_underscores(lines: &[String], at: usize) -> bool {
    let line = &lines[at];
    let is_row = line.len() >= 3 && line.bytes().all(|c| c == b'_');
    let is_above_block = || {
        let next = (at + 1..lines.len()).find(|&next| !lines[next].is_empty());
        next.is_some_and(|next| is_header_block(lines, next))
    };
    line == RULE || (is_row && (line.len() >= 8 || is_above_block()))
}

/// `-----Original Message-----`, with at least two dashes of any kind on both sides.
fn is_original_message(low: &str) -> bool {
    let is_dash = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    if !low.starts_with(is_dash) {
        return false;
    }
    let inner = low.trim_matches(|c| is_dash(c) || c == ' ');
    let dashes = |text: &str| text.chars().filter(|&c| is_dash(c)).count();
    let Some((before, after)) = low.split_once(inner).filter(|_| !inner.is_empty()) else {
        return false;
    };
    dashes(before) >= 2 && dashes(after) >= 2 && ORIGINAL_MESSAGE.iter().any(|row| row.contains(&inner))
}

/// The labels of header blocks with their possible meanings: from, date, subject, to, as 0 to 3.
static LABELS: LazyLock<HashMap<&str, [bool; 4]>> = LazyLock::new(|| {
    let mut labels = HashMap::<&str, [bool; 4]>::new();
    for (kind, words) in BLOCK_LABELS
        .iter()
        .flat_map(|language| language.iter().enumerate())
    {
        for word in *words {
            labels.entry(word).or_default()[kind] = true;
        }
    }
    labels
});

/// The possible meanings of the label that begins a line: from, date, subject, to, as 0 to 3. Languages may share a
/// word.
fn labels(line: &str) -> [bool; 4] {
    let label = line.split_once([':', '：']).map_or("", |(label, _)| label);
    if label.is_empty() || label.len() > LABEL_MAX {
        return [false; 4];
    }
    let label = lower(label);
    let found = LABELS.get(label.trim_matches(['*', ' ']));
    found.copied().unwrap_or_default()
}

/// A `From:`/`Sent:`/`Subject:` block: begins here with one of its labels, and has within six lines a sender, a subject
/// or a date, and three labels in all.
fn is_header_block(lines: &[String], at: usize) -> bool {
    if !labels(&lines[at]).contains(&true) {
        return false;
    }
    let block: Vec<[bool; 4]> = lines[at..]
        .iter()
        .filter(|line| !line.is_empty())
        .take(6)
        .map(|line| labels(line))
        .filter(|found| found.contains(&true))
        .collect();
    let has = |kind: usize| block.iter().any(|found| found[kind]);
    block.len() >= 3 && has(0) && (has(1) || has(2)) && (has(2) || has(3))
}

/// A known `On ... wrote:`, `NAME <ADDRESS> wrote on ...:` or `---- On ... wrote ---` that begins here, followed by
/// text without quotation marks.
fn is_unmarked_attribution(lines: &[String], at: usize) -> bool {
    let low = lower(&lines[at]);
    let is_followed_by_quotation = |last: usize| {
        let next = lines[last + 1..].iter().find(|line| !line.is_empty());
        next.is_some_and(|next| is_quoted(next))
    };
    if low.starts_with("---") && low.ends_with("---") {
        let inner = low.trim_matches(['-', ' ']);
        return has_time_or_year(inner) && closers(inner).any(|closer| inner.ends_with(closer));
    }
    // The quoted text may follow on the same line.
    if let Some(after) = after_address(&low).filter(|after| after.contains(':'))
        && has_time_or_year(&low)
        && closers(&low).any(|closer| is_before_colon(after, closer))
    {
        return !is_followed_by_quotation(at);
    }
    let is_part = |line: &&String| !line.is_empty() && !is_quoted(line);
    let whole = lines[at..].iter().take(ATTRIBUTION_LINES_MAX).take_while(is_part);
    let Some(count) = whole.clone().position(|line| ends_in_colon(line)) else {
        return false;
    };
    let whole: String = whole.take(count + 1).map(|line| lower(line) + " ").collect();
    whole.bytes().any(|c| c.is_ascii_digit())
        && closers(&low).any(|closer| whole.contains(closer))
        && !is_followed_by_quotation(at + count)
}

/// Whether the text ends with an attribution that begins here, whose quotation was deleted: `On Sunday, Bob wrote:`. It
/// needs a colon or a date; anything may be a sender's last words but that.
fn is_last_attribution(lines: &[String], at: usize) -> bool {
    let is_filled = |line: &&String| !line.is_empty();
    if lines[at..]
        .iter()
        .filter(is_filled)
        .nth(LAST_ATTRIBUTION_LINES_MAX)
        .is_some()
    {
        return false;
    }
    let whole: Vec<String> = lines[at..]
        .iter()
        .filter(is_filled)
        .map(|line| lower(line))
        .collect();
    let whole = whole.join(" ");
    let begins = WROTE.iter().flat_map(|(begins, _)| *begins);
    let has_beginning = begins.copied().any(|begin| whole.starts_with(begin));
    let end = whole.trim_end_matches([':', '\u{ff1a}', '*', '_', ' ']);
    let mut closers = closers(&whole);
    has_beginning
        && match ends_in_colon(&whole) {
            true => closers.any(|closer| end.contains(closer)) && !end.contains(':'),
            false => closers.any(|closer| end.ends_with(closer)) && has_time_or_year(&whole),
        }
}

/// The text after an address in angle brackets.
fn after_address(low: &str) -> Option<&str> {
    let (before, after) = low.split_once("> ")?;
    let address = before.rsplit('<').next()?;
    address.contains('@').then_some(after)
}

/// Whether a text begins with this word and a colon.
fn is_before_colon(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| rest.trim_start().starts_with(':'))
}

#[cfg(test)]
mod tests;
