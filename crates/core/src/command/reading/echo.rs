//! Masks passwords in a line before it is shown: in the answer that refuses it, in the record of its mail, in the log.

use std::ops::Range;

use crate::command::reading::hidden;
use crate::command::reading::word::split;
use crate::command::{Commands, Line, Refused, Word};

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Line").field(&self.unjudged()).finish()
    }
}

impl Line {
    /// The line after it was carried out. Each word was understood, so only its passwords are masked.
    #[must_use]
    pub fn masked(&self) -> String {
        self.echo_where(None, |_| true).text
    }

    /// The line before its command is run. Any word may be a password at the wrong position, so only words that
    /// cannot be one are shown.
    #[must_use]
    pub fn unjudged(&self) -> String {
        let has_secret = self.command.has_secret();
        let is_open = |word: &Word| {
            if has_secret {
                hidden::is_number(&word.text)
            } else {
                self.commands.is_plainly_no_password(&word.text)
            }
        };
        self.echo_where(None, is_open).text
    }

    /// The line as its refusal shows it. `is_userid` returns whether a word is the userid of a player.
    #[must_use]
    pub fn echo(&self, refused: &Refused, is_userid: &dyn Fn(&str) -> bool) -> Echo {
        let has_secret = self.command.has_secret();
        let is_open = |word: &Word| {
            if refused.proven.is_some() {
                return true;
            }
            if has_secret && word.at.end > refused.clear_to {
                return self.is_in_its_place(word, is_userid);
            }
            let is_spoken_of = refused.at.as_ref().is_some_and(|at| overlap(at, &word.at));
            (refused.shows_at && is_spoken_of)
                || self.commands.is_plainly_no_password(&word.text)
                || (self.is_in_text(word) && hidden::is_shaped_as_a_turn(&word.text))
                || is_userid(&word.text)
        };
        self.echo_where(refused.at.as_ref(), is_open)
    }

    /// The line with the words for which `is_open` holds, but never its passwords, at whatever position.
    fn echo_where(&self, at: Option<&Range<usize>>, is_open: impl Fn(&Word) -> bool) -> Echo {
        let secrets: Vec<&Word> = self.secrets().map(|(_, word)| word).collect();
        let is_secret = |word: &Word| {
            secrets
                .iter()
                .any(|secret| secret.at.start == word.at.start || hidden::resembles(&word.text, &secret.text))
        };
        let hidden = |word: &Word| {
            // Who knows the web address for notices can write there.
            if word.text.contains("://") {
                return true;
            }
            if self.by_token.is_some() {
                return false;
            }
            let is_parameter = word.at.start > self.verb.at.start;
            is_parameter && (is_secret(word) || !is_open(word))
        };
        Echo::of(&self.text, hidden, at)
    }

    /// Whether a word belongs to the text of turns.
    fn is_in_text(&self, word: &Word) -> bool {
        self.turns
            .as_ref()
            .is_some_and(|rest| word.at.start >= rest.at.start)
    }
}

/// A masked line, and the part of it to point at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Echo {
    /// The line; each masked word is `******`, whatever its length.
    pub text: String,
    /// The part to point at, in characters of `text`.
    pub caret: Option<Range<usize>>,
}

impl Echo {
    pub(crate) fn of(text: &str, hidden: impl Fn(&Word) -> bool, at: Option<&Range<usize>>) -> Self {
        let mut echo = Self::default();
        let mut columns = 0;
        for word in split(text) {
            if !echo.text.is_empty() {
                echo.text.push(' ');
                columns += 1;
            }
            let is_hidden = hidden(&word);
            let width = if is_hidden {
                hidden::MASK.len()
            } else {
                word.text.chars().count()
            };
            if let Some(at) = at.filter(|at| overlap(at, &word.at)) {
                let inside = |byte: usize| {
                    let byte = byte.clamp(word.at.start, word.at.end) - word.at.start;
                    if is_hidden {
                        width
                    } else {
                        word.text.get(..byte).map_or(0, |part| part.chars().count())
                    }
                };
                let from = columns + if is_hidden { 0 } else { inside(at.start) };
                let start = echo.caret.as_ref().map_or(from, |caret| caret.start);
                echo.caret = Some(start..columns + inside(at.end));
            }
            echo.text
                .push_str(if is_hidden { hidden::MASK } else { &word.text });
            columns += width;
        }
        if at.is_some_and(|at| at.start >= text.len()) {
            echo.caret = Some(columns + 1..columns + 2);
        }
        echo
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

impl Commands {
    /// An unrecognised line. After its verb only words are shown that cannot be passwords, as in `I want to join`.
    pub(crate) fn echo_up_to(&self, text: &str, verb: &Word) -> Echo {
        let is_hidden =
            |word: &Word| word.at.start > verb.at.start && !self.is_plainly_no_password(&word.text);
        Echo::of(text, is_hidden, Some(&verb.at))
    }
}
