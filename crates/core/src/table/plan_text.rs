//! Reads a plan as people write it.
//!
//! `if e5 then d5 else if f5 then f4`, `if any then c3`, `else c3`; `then` and a semicolon go on after an answer, and so does a
//! line that is indented below it. An `else` belongs to the last `if`, and a new line or sentence begins where its indentation says.

use std::ops::Range;

use super::plan::{MAX_IN_A_ROW, MAX_PLANNED, MAX_TURN, NoPlan, Plan, PlannedTurn, dice_of};

/// A word of a plan that is part of no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    If,
    Then,
    Else,
    Semicolon,
}

/// The words of a plan, as they are written in the languages of our players.
const IF: [&str; 8] = [
    "if",
    "wenn",
    "falls",
    "si",
    "se",
    "als",
    "je\u{15b}li",
    "\u{435}\u{441}\u{43b}\u{438}",
];
const THEN: [&str; 8] = [
    "then",
    "dann",
    "alors",
    "entonces",
    "allora",
    "ent\u{e3}o",
    "dan",
    "\u{442}\u{43e}\u{433}\u{434}\u{430}",
];
const ELSE: [&str; 7] = [
    "else",
    "otherwise",
    "sonst",
    "sinon",
    "altrimenti",
    "anders",
    "\u{438}\u{43d}\u{430}\u{447}\u{435}",
];

/// Words in place of a turn that stand for any.
const ANY: [&str; 8] = [
    "any",
    "anything",
    "whatever",
    "else",
    "egal",
    "alles",
    "cualquiera",
    "qualsiasi",
];

/// Words around a turn: "if he plays e5 then I play d5".
const AROUND: [&str; 31] = [
    "he", "she", "they", "it", "you", "i", "i'll", "we", "plays", "play", "moves", "move", "goes", "go",
    "answers", "answer", "with", "is", "to", "er", "sie", "ich", "spielt", "spiele", "il", "elle", "je",
    "joue", "juega", "juego", "and",
];

/// Marks of a list, which may stand before a line.
const BULLETS: [char; 4] = ['-', '*', '+', '\u{2022}'];

impl Plan {
    /// Reads the answers of a plan that counts from this number of turns.
    ///
    /// # Errors
    /// It is not written as a plan, or is longer than plans may be.
    pub fn read(text: &str, since: usize) -> Result<Self, NoPlan> {
        let mut answers: Vec<PlannedTurn> = Vec::new();
        // The indentation of each line above that is not finished, and the depth at which it begins.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut from = 0;
        for line in text.split('\n') {
            let at = from;
            from += line.len() + 1;
            if line.trim().is_empty() {
                continue;
            }
            let indent = indentation(line);
            while open.len() > 1 && open.last().is_some_and(|(other, _)| *other > indent) {
                open.pop();
            }
            let depth = match open.last() {
                None => 0,
                Some((other, _)) if *other < indent => answers.last().map_or(0, |last| last.depth + 1),
                Some((_, depth)) => *depth,
            };
            if open.last().is_none_or(|(other, _)| *other < indent) {
                open.push((indent, depth));
            }
            read_line(line, at, depth, &mut answers)?;
        }
        let whole = 0..text.len();
        let no = |sentence: String| NoPlan {
            sentence,
            at: whole.clone(),
        };
        if answers.is_empty() {
            return Err(no("A plan is written like this: if e5 then d5.".to_owned()));
        }
        if answers.len() > MAX_PLANNED {
            return Err(no(format!("A plan has at most {MAX_PLANNED} answers.")));
        }
        if answers.iter().any(|answer| answer.depth >= MAX_IN_A_ROW) {
            return Err(no(format!(
                "A plan looks at most {MAX_IN_A_ROW} of your turns ahead."
            )));
        }
        if let Some(twice) = twice(&answers) {
            let what = twice.when.as_deref().unwrap_or("any");
            return Err(no(format!("{what} has two answers at the same place.")));
        }
        Ok(Self { since, answers })
    }
}

/// How much a line looks like an answer of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    /// Prose: "if you like, then we can pause".
    Words,
    /// Some of it has the look of a turn, and some of it has not.
    Partly,
    /// All that stands between its words is a turn, or any.
    Wholly,
}

/// How much a line looks like an answer of a plan; `is_turn` says what has the look of a turn.
pub(crate) fn likeness(line: &str, is_turn: impl Fn(&str) -> bool) -> Likeness {
    let text = line.trim_start().trim_start_matches(BULLETS).trim_start();
    let words = keys(text);
    let begins = matches!(words.first(), Some((Key::If | Key::Else, at)) if at.start == 0);
    let goes_on = words.iter().any(|(key, _)| *key == Key::Then);
    let is_else = matches!(words.first(), Some((Key::Else, _)));
    let pieces = pieces(text, &words).filter(|piece| !piece.is_empty() && !is_any(piece));
    let (turns, others): (Vec<_>, Vec<_>) = pieces.partition(|piece| is_turn(without_words(piece)));
    match (
        begins && (goes_on || is_else) && !turns.is_empty(),
        others.is_empty(),
    ) {
        (false, _) => Likeness::Words,
        (true, false) => Likeness::Partly,
        (true, true) => Likeness::Wholly,
    }
}

/// The bytes of a text before its first `if`, without the sign that ends them; `None`: it has none, or begins with it.
pub(crate) fn before_plan(text: &str) -> Option<Range<usize>> {
    let (_, at) = keys(text).into_iter().find(|(key, _)| *key == Key::If)?;
    let before = text[..at.start].trim_end_matches([' ', ';', ',', '.', '\n']);
    (!before.trim().is_empty()).then_some(0..before.len())
}

/// The words of a plan in a text, with their bytes.
fn keys(text: &str) -> Vec<(Key, Range<usize>)> {
    let mut found = Vec::new();
    let mut start = 0;
    let ends = text
        .char_indices()
        .filter(|(_, c)| c.is_whitespace() || *c == ';');
    for (end, sign) in ends.chain([(text.len(), ' ')]) {
        let word = text[start..end].trim_end_matches([',', ':']).to_lowercase();
        let keys = [(Key::If, &IF[..]), (Key::Then, &THEN), (Key::Else, &ELSE)];
        let key = keys.into_iter().find(|(_, words)| words.contains(&word.as_str()));
        found.extend(key.map(|(key, _)| (key, start..end)));
        if sign == ';' {
            found.push((Key::Semicolon, end..end + 1));
        }
        start = end + sign.len_utf8();
    }
    // "if anything else then": not the other branch.
    let is_if = |at: usize| found.get(at).is_some_and(|(key, _)| *key == Key::If);
    let mut kept = Vec::new();
    for (at, (key, place)) in found.iter().enumerate() {
        let is_any = *key == Key::Else
            && at > 0
            && is_if(at - 1)
            && found.get(at + 1).is_some_and(|(key, _)| *key == Key::Then);
        if is_any {
            continue;
        }
        kept.push((*key, place.clone()));
        // "if e5, d5", "if e5: d5", "if he plays e5 I play d5".
        let next = found.get(at + 1);
        if *key == Key::If && next.is_none_or(|(next, _)| *next != Key::Then) {
            let piece = &text[place.end..next.map_or(text.len(), |(_, next)| next.start)];
            let lower = piece.to_ascii_lowercase();
            let signs = [", ", ": ", " i ", " i'll "];
            let found = signs.iter().filter_map(|sign| lower.find(sign)).min();
            kept.extend(found.map(|found| (Key::Then, place.end + found..place.end + found + 1)));
        }
    }
    kept
}

/// What stands between the words of a plan.
fn pieces<'a>(text: &'a str, words: &'a [(Key, Range<usize>)]) -> impl Iterator<Item = &'a str> {
    words.iter().enumerate().map(|(at, (_, place))| {
        let end = words.get(at + 1).map_or(text.len(), |(_, next)| next.start);
        text[place.end..end].trim()
    })
}

/// Reads one line, which begins at this depth; `from` is where it stands in the text.
fn read_line(line: &str, from: usize, base: usize, answers: &mut Vec<PlannedTurn>) -> Result<(), NoPlan> {
    let words = keys(line);
    let no = |sentence: &str, at: Range<usize>| NoPlan {
        sentence: sentence.to_owned(),
        at: from + at.start..from + at.end,
    };
    let head = words.first().map_or(line.len(), |(_, at)| at.start);
    let before = line[..head].trim_start_matches([' ', '\t', '\u{a0}']);
    if !before.trim_matches(BULLETS).trim().is_empty() {
        let start = head - before.len();
        return Err(no(
            "A line of a plan begins with if.",
            start..start + before.trim_end().len(),
        ));
    }
    let (mut depth, mut has_answer, mut when, mut is_other) = (base, false, None, false);
    for (at, (key, place)) in words.iter().enumerate() {
        let end = words.get(at + 1).map_or(line.len(), |(_, next)| next.start);
        let piece = line[place.end..end].trim();
        let is_sentence = piece.ends_with('.');
        let piece = without_words(piece);
        let here = place.start..end;
        match key {
            _ if when.is_some() && *key != Key::Then => {
                return Err(no("The word then is missing after if.", here));
            }
            Key::If => {
                if has_answer && !is_other {
                    depth += 1;
                }
                if piece.is_empty() {
                    return Err(no("After if stands what the other player plays, or any.", here));
                }
                when = Some(turn(piece, here, &no)?);
                continue;
            }
            Key::Else if piece.is_empty() => {
                is_other = true;
                continue;
            }
            Key::Semicolon if piece.is_empty() => continue,
            Key::Then if when.is_none() && !has_answer => {
                return Err(no("Before then stands if and a turn.", here));
            }
            Key::Then | Key::Semicolon | Key::Else if piece.is_empty() => {
                return Err(no("A turn of yours is missing.", here));
            }
            Key::Then | Key::Semicolon if when.is_none() && has_answer => depth += 1,
            Key::Semicolon => return Err(no("A line of a plan begins with if.", here)),
            Key::Then | Key::Else => {}
        }
        answers.push(PlannedTurn {
            depth,
            when: when.take().flatten(),
            reply: turn(piece, here.clone(), &no)?.ok_or_else(|| no("A turn of yours is missing.", here))?,
        });
        // A list with the same deep beginning must not grow without end.
        if answers.len() > MAX_PLANNED {
            return Ok(());
        }
        (has_answer, is_other) = (true, false);
        if is_sentence {
            (depth, has_answer) = (base, false);
        }
    }
    match (when, is_other) {
        (Some(_), _) => Err(no("The word then is missing after if.", head..line.len())),
        (None, true) => Err(no("A turn of yours is missing.", head..line.len())),
        (None, false) => Ok(()),
    }
}

/// A turn without the words around it; `None`: any.
fn turn(
    piece: &str,
    at: Range<usize>,
    no: &impl Fn(&str, Range<usize>) -> NoPlan,
) -> Result<Option<String>, NoPlan> {
    if is_any(piece) {
        return Ok(None);
    }
    if piece.len() > MAX_TURN {
        return Err(no("A turn of a plan is too long.", at));
    }
    Ok(Some(piece.split_whitespace().collect::<Vec<_>>().join(" ")))
}

fn is_any(piece: &str) -> bool {
    let piece = without_words(piece);
    let mut words = piece.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| ANY.iter().any(|any| any.eq_ignore_ascii_case(word)))
}

/// A turn without the words around it and the signs after it.
fn without_words(piece: &str) -> &str {
    let mut rest = piece.trim();
    while let Some((word, after)) = rest.split_once(' ')
        && AROUND.iter().any(|around| around.eq_ignore_ascii_case(word))
    {
        rest = after.trim_start();
    }
    rest = rest.trim_end_matches(['.', ',', ' ', '!']);
    while let Some((before, word)) = rest.rsplit_once(' ')
        && AROUND.iter().any(|around| around.eq_ignore_ascii_case(word))
    {
        rest = before.trim_end();
    }
    rest
}

/// How far a line is indented, with the mark of a list.
fn indentation(line: &str) -> usize {
    let blanks = |c: &char| matches!(c, ' ' | '\t' | '\u{a0}');
    let wide = |c: char| if c == '\t' { 8 } else { 1 };
    line.chars().take_while(blanks).map(wide).sum()
}

/// The first answer whose turn has another answer at the same place.
fn twice(answers: &[PlannedTurn]) -> Option<&PlannedTurn> {
    answers.iter().enumerate().find_map(|(at, answer)| {
        let mut above = answers[..at]
            .iter()
            .rev()
            .take_while(|other| other.depth >= answer.depth);
        let is_same = |other: &&PlannedTurn| {
            other.depth == answer.depth
                && match (&other.when, &answer.when) {
                    (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
                    (None, None) => true,
                    _ => false,
                }
                && dice_of(&other.reply) == dice_of(&answer.reply)
        };
        above.find(is_same).map(|_| answer)
    })
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
