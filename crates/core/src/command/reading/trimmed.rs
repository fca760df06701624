//! Finds the turn in a line that has something around it: `1. m13-j7`, `Move: m13-j7!`, `m13-j7 Good luck`.
//!
//! What may stand around a turn is a short list: signs, a number, a label or a salutation before it, and after it signs, a new
//! sentence, or words that nobody writes to say that the turn is not meant. A turn within any other words is only
//! mentioned.

use std::ops::Range;

use pbmserv_games::{Kind, Match};

use crate::command::reading::hidden;
use crate::command::reading::phrases::{after_label, hedges, is_emoticon, is_salutation, is_wish};
use crate::command::reading::word::split;

/// A longer line is not tried as a turn.
const MAX_TURN_BYTES: usize = 1000;

/// The most words of a line that are looked at.
const WORDS_MAX: usize = 40;

/// The most words of a turn that is mentioned in prose: `m13 - j7`.
const MENTION_WORDS_MAX: usize = 3;

/// The most things around a turn, one within another: `"1. Move: m13-j7"`.
const LAYERS_MAX: usize = 4;

/// Signs that may open what a turn stands in.
const OPENING: [char; 10] = ['"', '\'', '(', '[', '{', '*', '_', '`', '<', '\u{2022}'];

/// Signs that may end a turn, or close what it stands in. No comma and no colon: the turn may go on after these.
const CLOSING: [char; 10] = ['.', '!', '"', '\'', ')', ']', '}', '*', '_', '`'];

/// A turn in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundTurn {
    /// As written.
    pub text: String,
    /// Its bytes in the line.
    pub at: Range<usize>,
    /// The turn as the game writes it, if it can be played now.
    pub legal: Option<String>,
    /// The words after it.
    pub rest: String,
}

/// Reads a whole text as a turn, perhaps with `#n` after it: the turn as the game writes it, or `None` inside if it is
/// not legal or ambiguous. `None`: it is not written as a turn.
pub(super) fn read_turn(text: &str, game: &dyn Match) -> Option<Option<String>> {
    let (turn, number) = text.split_once('#').unwrap_or((text, ""));
    let is_number = number.trim().bytes().all(|c| c.is_ascii_digit());
    if turn.trim().is_empty() || text.len() > MAX_TURN_BYTES || !is_number || game.to_move().is_none() {
        return None;
    }
    match game.fork().play_all(turn.trim()) {
        Ok(played) => Some(Some(played.join(","))),
        Err(refusal) if refusal.kind == Kind::Unreadable => None,
        Err(refusal) if refusal.kind == Kind::Ambiguous => Some(Some(turn.trim().to_owned())),
        Err(_) => Some(None),
    }
}

/// Whether a line is meant as a turn: it can be read as one, or it has only short words and a digit, as turns have.
/// Then its refusal is more useful than a comment with a misspelt turn.
pub(super) fn is_turn(text: &str, game: &dyn Match) -> bool {
    if text.is_empty() || text.len() > MAX_TURN_BYTES {
        return false;
    }
    let turn = text.split('#').next().unwrap_or_default().trim();
    match game.fork().play_all(turn) {
        Ok(_) => true,
        Err(refusal) => {
            let has_look = turn
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || " ,:@>-".contains(c))
                && turn
                    .split([' ', ',', ':', '-', '>', '@'])
                    .all(hidden::is_shaped_as_a_turn)
                && turn.contains(|c: char| c.is_ascii_digit());
            // After the end every word is refused for that reason.
            let is_refused_as_a_turn = game.to_move().is_some() && refusal.kind != Kind::Unreadable;
            has_look || (is_refused_as_a_turn && !turn.contains(' '))
        }
    }
}

/// The turn that a line is, apart from what may stand around a turn.
pub(super) fn trimmed_turn(line: &str, game: &dyn Match) -> Option<FoundTurn> {
    if line.len() > MAX_TURN_BYTES {
        return None;
    }
    let mut text = line.trim();
    for _ in 0..=LAYERS_MAX {
        if let Some(found) = turn_at_start(line, text, game) {
            return Some(found);
        }
        text = without_layer(text)?;
    }
    None
}

/// A line without the signs around it: `"Show."` is `Show`.
pub(super) fn without_signs(line: &str) -> &str {
    let inner = line.trim().trim_start_matches(OPENING);
    let inner = inner.trim_end_matches(CLOSING);
    // Dots show that a sentence is not at its end.
    if line.contains("..") { "" } else { inner.trim() }
}

/// The turns that a line mentions and that can be played now, with their bytes in the line.
pub(super) fn mentioned_turns(line: &str, game: &dyn Match) -> Vec<(String, Range<usize>)> {
    let words = split(line);
    let words = words.get(..words.len().min(WORDS_MAX)).unwrap_or_default();
    let mut found = Vec::new();
    let mut next = 0;
    while next < words.len() {
        let longest = (1..=MENTION_WORDS_MAX).rev().find_map(|count| {
            let last = words.get(next + count - 1)?;
            let from = words[next].at.start;
            let (at, turn) = legal_within(line, from..last.at.end, game)?;
            Some((count, at, turn))
        });
        match longest {
            Some((count, at, turn)) => {
                found.push((turn, at));
                next += count;
            }
            None => next += 1,
        }
    }
    found
}

/// The turn in this part of a line, without any signs around it, if it can be played now.
fn legal_within(line: &str, part: Range<usize>, game: &dyn Match) -> Option<(Range<usize>, String)> {
    let whole = line.get(part.clone())?;
    let is_around = |c: char| !c.is_alphanumeric();
    let inner = whole.trim_matches(is_around);
    let legal = read_turn(inner, game)??;
    let start = part.start + whole.find(inner)?;
    Some((start..start + inner.len(), legal))
}

/// The text within the outermost thing that may stand before a turn.
fn without_layer(text: &str) -> Option<&str> {
    let opened = text
        .trim_start_matches(OPENING)
        .trim_start_matches("- ")
        .trim_start();
    if opened.len() < text.len() {
        return Some(opened);
    }
    if let Some(after) = after_label(text).or_else(|| after_number(text)) {
        return Some(after);
    }
    let end = text.find([',', '!', '.'])? + 1;
    let (greeting, after) = text.split_at(end);
    is_salutation(greeting).then(|| after.trim_start())
}

/// The text after `1.`, `1...` or `1)`.
fn after_number(text: &str) -> Option<&str> {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - after.len();
    let unsigned = after
        .strip_prefix(')')
        .unwrap_or_else(|| after.trim_start_matches('.'));
    let is_number = (1..=3).contains(&digits) && unsigned.len() < after.len();
    is_number.then(|| unsigned.trim_start())
}

/// The turn at the start of this part of the line, if only that stands after it which may: the longest text that is
/// written as a turn.
fn turn_at_start(line: &str, text: &str, game: &dyn Match) -> Option<FoundTurn> {
    // The text is the end of the line.
    let start = line.trim_end().len() - text.len();
    let words = split(text);
    let ends = words.iter().take(WORDS_MAX).rev().flat_map(|word| {
        let whole = &text[..word.at.end];
        let bare = whole.trim_end_matches(CLOSING).trim_end_matches([',', ';', ':']);
        // An asterisk may be of the turn: `16/8*.` hits.
        let hitting = whole.trim_end_matches(|sign| sign != '*' && CLOSING.contains(&sign));
        let mut ends = vec![whole.len(), hitting.len(), bare.len()];
        ends.dedup();
        ends
    });
    for end in ends {
        let (turn, rest) = text.split_at(end);
        if let Some(legal) = read_turn(turn, game) {
            return words_after(rest).map(|rest| FoundTurn {
                text: turn.trim().to_owned(),
                at: start..start + end,
                legal,
                rest,
            });
        }
    }
    None
}

/// The words after a turn, without the signs between; `None` if they make it doubtful that the turn is meant.
fn words_after(rest: &str) -> Option<String> {
    let words = rest.trim_start_matches(CLOSING);
    let signs = &rest[..rest.len() - words.len()];
    let is_sentence_end = signs.contains(['.', '!']) && !signs.contains("..") && words.starts_with(' ');
    let trimmed = words.trim();
    if (trimmed.is_empty() || is_emoticon(trimmed)) && !signs.contains("..") {
        return Some(trimmed.to_owned());
    }
    if is_sentence_end && !hedges(trimmed) && trimmed.starts_with(char::is_alphanumeric) {
        return Some(trimmed.to_owned());
    }
    let unseparated = words.trim_start_matches([',', ';', '-', '(', ' ']);
    is_wish(unseparated).then(|| unseparated.to_owned())
}
