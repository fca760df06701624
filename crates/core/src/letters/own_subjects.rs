//! Our subjects, as they come back.
//!
//! Which letter a mail answers is known by its token, or by `In-Reply-To`. Some programs take away both, and all of them keep
//! the subject: it is to be no command then, nor a turn if there is a token. Its words are those of the built-in template. A template
//! that takes its subject as a fact has no words: most of these subjects are the command that asked for the letter, and the
//! others begin with a [`SubjectMark`].
//!
//! Known limit: the words of an operator's template are not known again.

use std::sync::LazyLock;

use super::{Headline, LetterKind, SubjectMark};

/// Whether a subject, without what mail programs add, is one of ours and no command.
#[must_use]
pub fn is_own_subject(subject: &str) -> bool {
    SubjectMark::begins(subject)
        || Headline::is_subject(subject)
        || PATTERNS.iter().any(|pattern| pattern.fits(subject))
}

/// Whether a subject is exactly the one of a board's mails, which is the beginning of a command too: `Pow2 Board 101 alice`.
#[must_use]
pub fn is_board_subject(subject: &str) -> bool {
    let words: Vec<_> = subject.split_whitespace().collect();
    matches!(words.as_slice(), [game, board, number] | [game, board, number, _]
        if pbmserv_games::find(game).is_some()
            && board.eq_ignore_ascii_case("board")
            && number.bytes().all(|c| c.is_ascii_digit()))
}

/// The subjects of a template: its words in order, with a fact before, between and after them.
struct Pattern(Vec<&'static str>);

/// Those of all templates. The subject of the letter with the link is the command that asks for it.
static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let letters = LetterKind::ALL
        .iter()
        .filter(|kind| **kind != LetterKind::PageLink);
    let subjects = letters.filter_map(|kind| kind.template().lines().next()?.strip_prefix("Subject:"));
    let choices = subjects.flat_map(|subject| subject.trim().split("{% else %}"));
    choices.map(Pattern::of).filter(Pattern::has_words).collect()
});

impl Pattern {
    /// Of one choice of a subject.
    fn of(source: &'static str) -> Self {
        let source = match source.split_once("%}") {
            Some((_, rest)) if source.starts_with("{%") => rest,
            _ => source,
        };
        let source = source.split("{%").next().unwrap_or_default();
        let mut words = Vec::new();
        for (nth, part) in source.split("{{").enumerate() {
            words.push(match part.split_once("}}") {
                Some((_, after)) if nth > 0 => after,
                _ => part,
            });
        }
        Self(words)
    }

    fn has_words(&self) -> bool {
        self.0.iter().any(|words| !words.is_empty())
    }

    /// Whether a subject begins with the same words; if a fact stands first, which could be any word, whether it has all.
    fn fits(&self, subject: &str) -> bool {
        match self.0.as_slice() {
            ["", others @ ..] => Self::fit(others, subject),
            [first, ..] => subject.starts_with(first),
            [] => false,
        }
    }

    /// Whether a text is a fact, these words, a fact, these words and so on. A fact is a word or nothing.
    fn fit(words: &[&str], text: &str) -> bool {
        let is_fact = |fact: &str| !fact.contains(char::is_whitespace);
        match words {
            [] => text.is_empty(),
            [""] => is_fact(text),
            [last] => text.strip_suffix(last).is_some_and(is_fact),
            [next, others @ ..] => text
                .split_once(next)
                .is_some_and(|(fact, rest)| is_fact(fact) && Self::fit(others, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Letters, samples};
    use super::*;
    use pbmserv_mail::Address;

    #[test]
    fn a_subject_whose_words_are_in_its_template_is_known_again() {
        let letters = Letters::load(None, &Address::parse("pbmserv@localhost").unwrap()).unwrap();
        for sample in samples() {
            let subject = letters.subject(&sample).unwrap();
            let is_command = matches!(
                sample.kind,
                LetterKind::Board
                    | LetterKind::Done
                    | LetterKind::Listing
                    | LetterKind::PageLink
                    | LetterKind::Tried
            );
            assert_eq!(is_own_subject(&subject), !is_command, "{subject}");
        }
    }

    #[test]
    fn what_is_not_in_the_sample_is_known_too() {
        for own in [
            "1 command, 1 error",
            "12 commands, 0 errors",
            "bob gets no mail",
            "Mail to bob fails",
            "Not done",
            "Not done: Pow2 mvoe 101",
            "Asked: Pow2 challenge bob alice",
            "Your vacation was not set",
            "Vacation of bob",
            "Is bob to be erased?",
            "Your turn: Pow2 101 against bob",
        ] {
            assert!(is_own_subject(own), "{own}");
        }
        for command in [
            "",
            "page alice",
            "Pow2 Board 101 alice",
            "vacation bob oak4jay 2030-01-01",
            "Vacation of bob until May",
            "1 command",
            "my two commands, an error",
            "nobody here gets no mail",
            "message bob oak4jay",
            "help",
            "Asked",
        ] {
            assert!(!is_own_subject(command), "{command}");
        }
    }
}
