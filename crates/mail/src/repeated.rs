//! Finds what repeats a letter of ours in a message: quotations that no mark and no known phrase announces.
//!
//! A mail program may quote in any language, with any mark, or none. But each word of our letters is known, so a passage of
//! them is recognised by its words alone: wrapped otherwise, behind any mark, from the text or from the HTML of the letter.
//!
//! Only a passage counts: two successive lines of ours, or one with more than thirty characters of ours. The turn or the
//! commands with which a message begins are its writer's, though our letter may have them as examples.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::OwnAddresses;
use super::own_text::{ends_in_colon, has_time_or_year};

/// A line with more characters of ours is a passage by itself.
const PASSAGE_CHARS: usize = 30;

/// The most lines of an attribution or of a header block above a passage.
const ABOVE_LINES_MAX: usize = 8;

/// The most blank lines between these and the passage.
const GAP_LINES_MAX: usize = 3;

/// The most lines of facts between what announces a letter and the first words of its template.
const FACTS_ABOVE_MAX: usize = 16;

/// The longest label of a header line, in characters.
const LABEL_MAX_CHARS: usize = 30;

/// What our letters say: each three words that follow one another.
#[derive(Clone, Debug)]
pub struct LetterWords {
    sequences: HashSet<u64>,
    is_typed: fn(&str) -> bool,
}

/// How much of a line is ours.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    words: usize,
    chars: usize,
    our_words: usize,
    our_chars: usize,
}

impl Share {
    const fn is_ours(self) -> bool {
        self.words > 0 && self.our_words == self.words
    }

    const fn is_passage(self) -> bool {
        self.our_chars > PASSAGE_CHARS && 2 * self.our_chars > self.chars
    }
}

impl LetterWords {
    /// No letter is known. `is_typed` says whether a line is a turn or a command.
    #[must_use]
    pub fn new(is_typed: fn(&str) -> bool) -> Self {
        Self {
            sequences: HashSet::new(),
            is_typed,
        }
    }

    /// Adds the words of a letter or of a template.
    pub fn learn(&mut self, text: &str) {
        let words: Vec<u64> = text.lines().flat_map(words).map(|(word, _)| word).collect();
        self.sequences.extend(words.windows(3).map(sequence));
    }

    /// Adds the words of the HTML of a letter, as its readers see them.
    pub fn learn_html(&mut self, page: &str) {
        self.learn(&super::html::to_lines(page, usize::MAX).text);
    }

    /// The lines of a message without those that repeat these letters, of which all words are known; `None` if there are none.
    ///
    /// Takes time in proportion to the length of the message.
    pub(super) fn without_letters(&self, lines: &[String], own: &OwnAddresses) -> Option<Vec<String>> {
        let is_cut = self.repeated(lines, own);
        is_cut.contains(&true).then(|| kept(lines, &is_cut))
    }

    /// The same if only the words of the templates are known: the facts of the letter stand between them.
    pub(super) fn without_forms(&self, lines: &[String], own: &OwnAddresses) -> Option<Vec<String>> {
        let mut is_cut = self.repeated(lines, own);
        let first = is_cut.iter().position(|is_cut| *is_cut)?;
        let last = is_cut.iter().rposition(|is_cut| *is_cut)?;
        is_cut[first..=last].fill(true);
        Some(kept(lines, &is_cut))
    }

    /// For each line, whether it repeats our letters.
    fn repeated(&self, lines: &[String], own: &OwnAddresses) -> Vec<bool> {
        let shares = self.shares(lines);
        let typed = lines
            .iter()
            .take_while(|line| line.is_empty() || (self.is_typed)(line));
        let typed = typed.count();
        let mut is_cut = vec![false; lines.len()];
        let mut before: Option<usize> = None;
        for (at, share) in shares.iter().enumerate().skip(typed) {
            if share.words == 0 {
                continue;
            }
            is_cut[at] |= share.is_passage();
            if let Some(before) = before.filter(|before| share.is_ours() && shares[*before].is_ours()) {
                (is_cut[before], is_cut[at]) = (true, true);
            }
            before = Some(at);
        }
        cut_around(lines, &shares, typed, own, &mut is_cut);
        if let Some(first) = is_cut.iter().position(|is_cut| *is_cut) {
            is_cut[announced_above(lines, first, typed, own)..first].fill(true);
        }
        is_cut
    }

    fn shares(&self, lines: &[String]) -> Vec<Share> {
        let mut shares = vec![Share::default(); lines.len()];
        let mut found: Vec<(usize, u64, usize)> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            found.extend(words(line).map(|(word, chars)| (at, word, chars)));
        }
        let hashes: Vec<u64> = found.iter().map(|(_, word, _)| *word).collect();
        let mut is_ours = vec![false; found.len()];
        for (first, three) in hashes.windows(3).enumerate() {
            if self.sequences.contains(&sequence(three)) {
                is_ours[first..first + 3].fill(true);
            }
        }
        for ((at, _, chars), is_ours) in found.into_iter().zip(is_ours) {
            let share = &mut shares[at];
            // With the blank behind it.
            (share.words, share.chars) = (share.words + 1, share.chars + chars + 1);
            if is_ours {
                (share.our_words, share.our_chars) = (share.our_words + 1, share.our_chars + chars + 1);
            }
        }
        shares
    }
}

/// The lines that are not cut; one blank line stands for what is.
fn kept(lines: &[String], is_cut: &[bool]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for (line, is_cut) in lines.iter().zip(is_cut) {
        let line = if *is_cut { "" } else { line };
        if !line.is_empty() || kept.last().is_some_and(|last| !last.is_empty()) {
            kept.push(line.to_owned());
        }
    }
    if kept.last().is_some_and(String::is_empty) {
        kept.pop();
    }
    kept
}

/// Where the lines that announce a letter begin, if some line above its first words names our address; otherwise those words.
/// Facts of the letter that are not known may stand between.
fn announced_above(lines: &[String], first: usize, typed: usize, own: &OwnAddresses) -> usize {
    let names_us = |line: &String| own.all().any(|own| line.contains(own.as_str()));
    let mut above = typed.max(first.saturating_sub(FACTS_ABOVE_MAX))..first;
    let Some(at) = above.rfind(|at| names_us(&lines[*at]) && is_announcing(&lines[*at])) else {
        return first;
    };
    at - lines[typed..at]
        .iter()
        .rev()
        .take_while(|line| is_announcing(line))
        .count()
}

/// Cuts what belongs to the passages: lines without words between and below them, and what announces them.
fn cut_around(lines: &[String], shares: &[Share], typed: usize, own: &OwnAddresses, is_cut: &mut [bool]) {
    let mut at = typed;
    while let Some(passage) = (at..lines.len()).find(|at| is_cut[*at]) {
        for above in announcement(lines, passage, typed, own) {
            is_cut[above] = true;
        }
        let mut end = passage;
        // Up to the next line with words that are not ours.
        at = passage + 1;
        while at < lines.len() && (is_cut[at] || shares[at].words == 0) {
            end = at;
            at += 1;
        }
        is_cut[passage..=end].fill(true);
    }
}

/// The lines above a passage that announce it: an attribution, or a header block, in any language. They name an address, and a
/// time or a label.
fn announcement(
    lines: &[String],
    passage: usize,
    typed: usize,
    own: &OwnAddresses,
) -> std::ops::Range<usize> {
    let gap = lines[typed..passage].iter().rev().take(GAP_LINES_MAX);
    let end = passage - gap.take_while(|line| line.is_empty()).count();
    let block = lines[typed..end].iter().rev().take(ABOVE_LINES_MAX);
    let length = block.take_while(|line| is_announcing(line)).count();
    let block = &lines[end - length..end];
    let names_us = |line: &String| line.contains('@') || own.all().any(|own| line.contains(own.local()));
    let is_more = block.len() > 1
        || block
            .iter()
            .any(|line| has_time_or_year(line) || ends_in_colon(line));
    match block.iter().any(names_us) && is_more {
        true => end - length..end,
        false => end..end,
    }
}

/// Whether a line may belong to an attribution or a header block.
fn is_announcing(line: &str) -> bool {
    let is_label = || {
        let label = line
            .split_once([':', '：'])
            .map(|(label, _)| label.chars().count());
        label.is_some_and(|chars| (1..=LABEL_MAX_CHARS).contains(&chars))
    };
    let is_row = || {
        let dashes = |c: char| !c.is_alphanumeric() && c != ' ';
        line.starts_with(dashes) && line.ends_with(dashes)
    };
    !line.is_empty()
        && (line.contains('@') || has_time_or_year(line) || ends_in_colon(line) || is_label() || is_row())
}

/// The words of a line, as numbers, with their lengths in characters. Links are none: each program writes them otherwise.
fn words(line: &str) -> impl Iterator<Item = (u64, usize)> {
    line.split_whitespace()
        .map(without_link)
        .flat_map(|part| part.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut hasher = DefaultHasher::new();
            let mut chars = 0;
            for c in word.chars().flat_map(char::to_lowercase) {
                c.hash(&mut hasher);
                chars += 1;
            }
            (hasher.finish(), chars)
        })
}

/// What stands before a link.
fn without_link(part: &str) -> &str {
    let scheme = ["://", "mailto:"]
        .iter()
        .filter_map(|scheme| part.find(scheme))
        .min();
    let Some(scheme) = scheme else {
        return part;
    };
    let before = part.get(..scheme).unwrap_or_default();
    before.trim_end_matches(|c: char| c.is_ascii_alphanumeric())
}

fn sequence(words: &[u64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
