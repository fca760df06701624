//! What `try` is asked for: a line of turns, the same under a name, or a line that was kept.

use crate::command::Word;
use crate::command::reading::hidden;
use crate::command::reading::places::is_like_a_turn;
use crate::command::reading::turn_text::{split_turns, words_of};

/// The longest name of a line.
const MAX_NAME: usize = 20;

/// What the words after `try` ask for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TryRequest {
    /// The lines that are kept.
    List,
    /// The line of this name.
    Kept(Word),
    /// That it is dropped.
    Off(Word),
    Line(TryLine),
}

/// A line to be walked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TryLine {
    /// Under which name it is kept.
    pub(crate) name: Option<Word>,
    /// After how many turns of the board it begins; `None`: after all of them.
    pub(crate) after: Option<usize>,
    /// May be empty.
    pub(crate) turns: Word,
}

impl TryRequest {
    pub(crate) fn of(text: &Word) -> Self {
        let (first, rest) = first_word(text);
        let is = |word: &Word, wanted: &str| word.text.eq_ignore_ascii_case(wanted);
        if first.text.is_empty() {
            return Self::List;
        }
        if is(&first, "as") {
            let (name, rest) = first_word(&rest);
            let (after, turns) = beginning(rest);
            let name = Some(name);
            return Self::Line(TryLine { name, after, turns });
        }
        if is_name(&first.text) && rest.text.is_empty() {
            return Self::Kept(first);
        }
        if is_name(&first.text) && is(&rest, "off") {
            return Self::Off(first);
        }
        let (after, turns) = beginning(text.clone());
        let name = None;
        Self::Line(TryLine { name, after, turns })
    }

    /// Whether it is meant in an answer to a letter: prose may begin with the same word ("try again").
    pub(crate) fn is_meant(&self, is_turn: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::List | Self::Kept(_) | Self::Off(_) => true,
            Self::Line(TryLine { turns, after, .. }) if turns.text.is_empty() => after.is_some(),
            Self::Line(TryLine { turns, .. }) => {
                let mut pieces = split_turns(turns).into_iter().flat_map(|piece| words_of(&piece));
                is_turn(&turns.text) || pieces.all(|piece| is_like_a_turn(&piece.text))
            }
        }
    }
}

/// Whether a word can be the name of a line: with a digit or a hyphen, as prose has few, and too long for a turn.
pub(crate) fn is_name(word: &str) -> bool {
    word.len() <= MAX_NAME
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && word.contains(|c: char| c.is_ascii_digit() || c == '-')
        && !hidden::is_shaped_as_a_turn(word)
}

/// Takes `at 14` off the beginning.
fn beginning(text: Word) -> (Option<usize>, Word) {
    let (at, rest) = first_word(&text);
    let (number, turns) = first_word(&rest);
    match number.text.parse() {
        Ok(number) if at.text.eq_ignore_ascii_case("at") => (Some(number), turns),
        _ => (None, text),
    }
}

/// The first word, and what follows it.
pub(crate) fn first_word(text: &Word) -> (Word, Word) {
    let length = text.text.find(' ').unwrap_or(text.text.len());
    let rest = text.text[length..].trim_start();
    let begin = text.at.start + text.text.len() - rest.len();
    let first = Word {
        text: text.text[..length].to_owned(),
        at: text.at.start..text.at.start + length,
    };
    let rest = Word {
        text: rest.to_owned(),
        at: begin..begin + rest.len(),
    };
    (first, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> TryRequest {
        TryRequest::of(&Word {
            text: text.to_owned(),
            at: 4..4 + text.len(),
        })
    }

    #[test]
    fn what_is_asked_for_is_known_by_its_words() {
        let line = |name: Option<&str>, after, turns: &str| {
            let name = name.map(str::to_owned);
            (name, after, turns.to_owned())
        };
        for (text, wanted) in [
            ("d4 e5", line(None, None, "d4 e5")),
            ("at 14 d4 e5", line(None, Some(14), "d4 e5")),
            ("At 0", line(None, Some(0), "")),
            ("as plan-b d4", line(Some("plan-b"), None, "d4")),
            (
                "as Plan2 at 3 d4 then e5",
                line(Some("Plan2"), Some(3), "d4 then e5"),
            ),
            ("at a", line(None, None, "at a")),
            ("as", line(Some(""), None, "")),
            ("plan-b e5", line(None, None, "plan-b e5")),
        ] {
            let TryRequest::Line(found) = asked(text) else {
                panic!("{text}");
            };
            assert_eq!(
                (found.name.map(|word| word.text), found.after, found.turns.text),
                wanted,
                "{text}"
            );
        }
        assert_eq!(asked(""), TryRequest::List);
        assert!(matches!(asked("plan-b"), TryRequest::Kept(name) if name.at == (4..10)));
        assert!(matches!(asked("plan-b off"), TryRequest::Off(name) if name.text == "plan-b"));
    }

    #[test]
    fn prose_is_no_line() {
        for text in [
            "",
            "d4 e5",
            "d4 then e5",
            "at 3",
            "at 3 d4",
            "as attack d4",
            "plan-b",
            "z99 d4",
        ] {
            assert!(asked(text).is_meant(|_| false), "{text}");
        }
        for text in [
            "again",
            "as you like",
            "at home",
            "d4 or something",
            "harder next time",
            "at 8 tonight",
        ] {
            assert!(!asked(text).is_meant(|_| false), "{text}");
        }
    }
}
