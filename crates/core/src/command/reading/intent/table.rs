//! The table of phrases, `phrases.txt`: what people write, by meaning and language.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The table. A line that fits none of its rules is left out; a test holds that there is none.
pub(crate) static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::read(include_str!("phrases.txt")));

/// The language of phrases that people of all languages write.
pub(super) const ANY: &str = "any";

/// What a phrase means: its section in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Said {
    Confirm,
    Yes,
    Agree,
    Mine,
    No,
    Decline,
    NotMine,
    Courtesy,
    Please,
    Greeting,
    NoName,
    Negation,
    Automatic,
    Resign,
    Draw,
    Undo,
    Pause,
    Help,
    Stop,
    Data,
    Join,
    League,
    Ladder,
    Play,
    Against,
    Computer,
    Anyone,
    Again,
    First,
    Second,
    Filler,
}

/// Each section with its name in the table.
const SECTIONS: [(&str, Said); 31] = [
    ("confirm", Said::Confirm),
    ("yes", Said::Yes),
    ("agree", Said::Agree),
    ("mine", Said::Mine),
    ("no", Said::No),
    ("decline", Said::Decline),
    ("not mine", Said::NotMine),
    ("courtesy", Said::Courtesy),
    ("please", Said::Please),
    ("greeting", Said::Greeting),
    ("no name", Said::NoName),
    ("negation", Said::Negation),
    ("automatic", Said::Automatic),
    ("resign", Said::Resign),
    ("draw", Said::Draw),
    ("undo", Said::Undo),
    ("pause", Said::Pause),
    ("help", Said::Help),
    ("stop", Said::Stop),
    ("data", Said::Data),
    ("join", Said::Join),
    ("league", Said::League),
    ("ladder", Said::Ladder),
    ("play", Said::Play),
    ("against", Said::Against),
    ("computer", Said::Computer),
    ("anyone", Said::Anyone),
    ("again", Said::Again),
    ("first", Said::First),
    ("second", Said::Second),
    ("filler", Said::Filler),
];

/// A phrase, with what it means in one language.
#[derive(Debug)]
pub(crate) struct Phrase {
    /// Its words.
    pub(super) words: Vec<&'static str>,
    pub(crate) said: Said,
    pub(super) language: &'static str,
}

impl Phrase {
    /// Whether these words begin with it.
    fn begins<W: AsRef<str>>(&self, words: &[W]) -> bool {
        let is_same = |(own, word): (&&str, &W)| *own == word.as_ref();
        words.len() >= self.words.len() && self.words.iter().zip(words).all(is_same)
    }
}

/// All phrases, by their first word.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    by_first: HashMap<&'static str, Vec<Phrase>>,
    /// The beginnings of words in automatic answers.
    automatic: Vec<&'static str>,
}

impl Phrases {
    fn read(table: &'static str) -> Self {
        let mut phrases = Self::default();
        let mut section = None;
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = SECTIONS
                    .iter()
                    .find(|(own, _)| *own == name)
                    .map(|(_, said)| *said);
            } else if let (Some(said), Some((language, row))) = (section, line.split_once(": ")) {
                for phrase in row.split(", ") {
                    phrases.add(phrase, said, language);
                }
            }
        }
        phrases
    }

    fn add(&mut self, phrase: &'static str, said: Said, language: &'static str) {
        if said == Said::Automatic {
            self.automatic.push(phrase);
            return;
        }
        let words: Vec<_> = phrase.split(' ').collect();
        if let Some(first) = words.first().copied() {
            self.by_first.entry(first).or_default().push(Phrase {
                words,
                said,
                language,
            });
        }
    }

    /// The longest phrases of these meanings that these words begin with, all of one length.
    pub(crate) fn longest<W: AsRef<str>>(&self, wanted: &[Said], words: &[W]) -> Vec<&Phrase> {
        let first = words.first().and_then(|word| self.by_first.get(word.as_ref()));
        let mut found: Vec<&Phrase> = Vec::new();
        for phrase in first.into_iter().flatten() {
            let is_it = wanted.contains(&phrase.said) && phrase.begins(words);
            let length = found.first().map_or(0, |one| one.words.len());
            if is_it && phrase.words.len() >= length {
                found.retain(|one| one.words.len() == phrase.words.len());
                found.push(phrase);
            }
        }
        found
    }

    /// The number of words of the longest phrase of these meanings that these words begin with.
    pub(crate) fn length<W: AsRef<str>>(&self, wanted: &[Said], words: &[W]) -> usize {
        let found = self.longest(wanted, words);
        found.first().map_or(0, |phrase| phrase.words.len())
    }

    /// Whether a word alone is a phrase of this meaning.
    pub(crate) fn has(&self, said: Said, word: &str) -> bool {
        let all = self.by_first.get(word).into_iter().flatten();
        all.into_iter()
            .any(|phrase| phrase.said == said && phrase.words.len() == 1)
    }

    /// Whether a word stands in any phrase.
    #[cfg(test)]
    pub(crate) fn has_part(&self, word: &str) -> bool {
        let mut all = self.by_first.values().flatten();
        all.any(|phrase| phrase.words.contains(&word))
    }

    /// Whether a word is of those that stand in automatic answers.
    pub(crate) fn is_automatic(&self, word: &str) -> bool {
        self.automatic.iter().any(|begin| word.starts_with(begin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The languages that the table promises.
    const LANGUAGES: [&str; 9] = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru"];

    #[test]
    fn each_line_of_the_table_is_read() {
        let mut section = None;
        for (number, line) in include_str!("phrases.txt").lines().enumerate() {
            let place = format!("phrases.txt:{}: {line}", number + 1);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with('[') {
                let known = SECTIONS.iter().find(|(name, _)| line == format!("[{name}]"));
                section = Some(known.expect(&place).1);
                continue;
            }
            let said = section.expect(&place);
            let (language, row) = line.split_once(": ").expect(&place);
            assert!(language == ANY || language.len() == 2, "{place}");
            for phrase in row.split(", ") {
                let is_plain =
                    phrase.to_lowercase() == phrase && phrase.trim() == phrase && !phrase.contains("  ");
                assert!(
                    is_plain && !phrase.is_empty() && !phrase.contains(','),
                    "{place}: {phrase}"
                );
                let words: Vec<_> = phrase.split(' ').collect();
                let is_known = said == Said::Automatic || PHRASES.length(&[said], &words) == words.len();
                assert!(is_known, "{place}: {phrase}");
            }
        }
    }

    #[test]
    fn nine_languages_have_the_words_that_players_need() {
        for said in [
            Said::Yes,
            Said::Agree,
            Said::No,
            Said::Decline,
            Said::Courtesy,
            Said::Please,
            Said::Resign,
            Said::Draw,
            Said::Undo,
            Said::Pause,
            Said::Help,
            Said::Stop,
            Said::Data,
            Said::Join,
            Said::Play,
            Said::Against,
            Said::Computer,
            Said::Anyone,
            Said::Again,
            Said::Filler,
        ] {
            for language in LANGUAGES {
                let mut all = PHRASES.by_first.values().flatten();
                let has = all.any(|phrase| phrase.said == said && phrase.language == language);
                assert!(has, "{said:?} in {language}");
            }
        }
    }
}
