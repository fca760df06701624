//! Splits the text of turns in a line: several turns, their words, and the number after a turn.

use crate::command::{Refused, Undecided, Word};

/// Splits a text into turns at `then` and semicolons.
pub(crate) fn split_turns(rest: &Word) -> Vec<Word> {
    let lower = rest.text.to_ascii_lowercase();
    let (mut words, mut from) = (Vec::new(), 0);
    loop {
        let found = [";", " then "].map(|sign| {
            lower[from..]
                .find(sign)
                .map(|at| (from + at, from + at + sign.len()))
        });
        let next = found.into_iter().flatten().min();
        let piece = &rest.text[from..next.map_or(lower.len(), |(end, _)| end)];
        let start = rest.at.start + from + piece.len() - piece.trim_start().len();
        // "m13-m5, then m1-m7"
        let ends: &[char] = if next.is_some() { &[',', ' '] } else { &[' '] };
        let text = piece.trim().trim_end_matches(ends).to_owned();
        if !text.is_empty() {
            words.push(Word {
                at: start..start + text.len(),
                text,
            });
        }
        match next {
            Some((_, after)) => from = after,
            None => return words,
        }
    }
}

/// Splits a text into words. Spaces around `-`, `,` and `:` are within a word.
pub(crate) fn words_of(text: &Word) -> Vec<Word> {
    let joins = |c: Option<char>| c.is_some_and(|c| matches!(c, '-' | ',' | ':' | '>'));
    let mut words: Vec<Word> = Vec::new();
    let mut from = 0;
    for piece in text.text.split(' ') {
        let at = text.at.start + from..text.at.start + from + piece.len();
        from += piece.len() + 1;
        match words.last_mut() {
            Some(last) if joins(last.text.chars().last()) || joins(piece.chars().next()) => {
                last.text.push_str(piece);
                last.at.end = at.end;
            }
            _ if piece.is_empty() => {}
            _ => words.push(Word {
                text: piece.to_owned(),
                at,
            }),
        }
    }
    words
}

/// Takes `#n` off the end of a turn.
pub(crate) fn split_number(turn: &Word) -> Result<(Word, Option<usize>), Undecided> {
    let Some((text, _)) = turn.text.split_once('#') else {
        return Ok((turn.clone(), None));
    };
    let number = hash_number(turn)?;
    let text = text.trim_end().to_owned();
    Ok((
        Word {
            at: turn.at.start..turn.at.start + text.len(),
            text,
        },
        number,
    ))
}

/// The number in `#n` after a board or a turn.
///
/// # Errors
/// It is not a number, or is 0.
pub(crate) fn hash_number(word: &Word) -> Result<Option<usize>, Undecided> {
    let Some((_, number)) = word.text.split_once('#') else {
        return Ok(None);
    };
    match number.trim().parse() {
        Ok(number) if number > 0 => Ok(Some(number)),
        _ => Err(
            Refused::unreadable("The number of a turn, from 1, must follow the #.")
                .hiding(word)
                .into(),
        ),
    }
}

/// Words in place of turns that drop what is queued or planned.
const OFF: [&str; 3] = ["off", "none", "nothing"];

pub(crate) fn is_off(text: &str) -> bool {
    OFF.iter().any(|off| off.eq_ignore_ascii_case(text.trim()))
}

/// Whether a word stands for a turn and is no verb. It may be written where a verb is.
pub(crate) fn is_for_a_turn(word: &str) -> bool {
    let words = ["propose", "undo", "pause", "resume", "pass", "swap"];
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// A word that is written in place of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfferWord {
    Propose,
    Undo,
    Accept,
    Reject,
    Pause,
    Resume,
}

impl OfferWord {
    /// Reads the word in upper or lower case; `None` for anything else.
    pub(crate) fn read(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "propose" => Some(Self::Propose),
            "undo" => Some(Self::Undo),
            "accept" => Some(Self::Accept),
            "reject" => Some(Self::Reject),
            "pause" => Some(Self::Pause),
            "resume" => Some(Self::Resume),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_told_apart_by_then_or_a_semicolon_and_keep_their_places() {
        let pieces = |text: &str| {
            let rest = Word {
                text: text.to_owned(),
                at: 10..10 + text.len(),
            };
            let words = split_turns(&rest);
            for word in &words {
                assert_eq!(text[word.at.start - 10..word.at.end - 10], word.text, "{text}");
            }
            words.into_iter().map(|word| word.text).collect::<Vec<_>>()
        };
        assert_eq!(pieces("m13-m5"), ["m13-m5"]);
        assert_eq!(pieces("m13-m5, then m1 - m7"), ["m13-m5", "m1 - m7"]);
        assert_eq!(pieces("q9,t8 THEN pass;a1 ; b2;"), ["q9,t8", "pass", "a1", "b2"]);
        assert_eq!(pieces("c3,"), ["c3,"]);
        assert_eq!(pieces("m13-m5 then"), ["m13-m5 then"]);
        assert_eq!(pieces("\u{e4} then \u{e4};\u{e4}"), ["\u{e4}"; 3]);
        assert!(pieces(" ; ;").is_empty());
    }

    #[test]
    fn turns_are_told_apart_by_blanks_however_many() {
        let text = "m13-j7  a1 - e1 :d2";
        let found = words_of(&Word {
            text: text.to_owned(),
            at: 10..10 + text.len(),
        });
        let found: Vec<_> = found.into_iter().map(|word| (word.text, word.at)).collect();
        assert_eq!(
            found,
            [("m13-j7".to_owned(), 10..16), ("a1-e1:d2".to_owned(), 18..29)]
        );
    }
}
