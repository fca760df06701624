//! Reads an answer to a question that wants yes or no.
//!
//! The reader errs on the careful side. A yes is a first line of which every word belongs to a known way to say yes or to
//! a courtesy, in a paragraph without a negation, a question or a word of automatic answers. Anything else is neither yes
//! nor no, and its writer is asked again.

use crate::command::reading::intent::table::{PHRASES, Said};
use pbmserv_mail::plain;

/// What a mail says to a question that wants yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YesNo {
    /// Yes, with a word for confirming. A mail that answers nothing may say so too.
    Confirm,
    /// Yes, in other words.
    Yes,
    No,
    /// Nothing that is plainly one of them.
    Neither,
}

/// The most lines of a paragraph that are looked at.
const MAX_LINES: usize = 6;
/// A longer line is prose, in bytes.
const MAX_LINE: usize = 200;
/// The most words of a greeting that ends in a comma, and of one that has a line for itself.
const MAX_GREETING: [usize; 2] = [6, 4];

/// Yes, with a word for confirming; yes and no to the question about an address; words around these.
const CONFIRM: &[Said] = &[Said::Confirm];
const YES: &[Said] = &[Said::Yes, Said::Mine];
const NO: &[Said] = &[Said::No, Said::NotMine];
const COURTESY: &[Said] = &[Said::Courtesy];
const PLEASE: &[Said] = &[Said::Please];

/// Characters that stand for a word.
const SIGNS: [(char, &str); 6] = [
    ('👍', " yes "),
    ('✅', " yes "),
    ('✔', " yes "),
    ('☑', " yes "),
    ('👎', " no "),
    ('❌', " no "),
];

impl YesNo {
    /// What the first paragraph of a text says; if it says nothing and doubts nothing, what the subject says.
    #[must_use]
    pub fn of(subject: &str, text: &str) -> Self {
        let paragraph = Paragraph::first_of(text);
        match paragraph.said() {
            Self::Neither if !paragraph.is_doubtful() => Paragraph::first_of(subject).said(),
            said => said,
        }
    }

    /// Whether it is a yes.
    #[must_use]
    pub const fn is_yes(self) -> bool {
        matches!(self, Self::Confirm | Self::Yes)
    }
}

/// The greeting and the first paragraph below it.
struct Paragraph {
    /// All lines, in plain characters and lower case.
    lines: Vec<String>,
    /// The line that answers, without a greeting.
    answer: String,
}

impl Paragraph {
    fn first_of(text: &str) -> Self {
        let mut paragraph = Self {
            lines: Vec::new(),
            answer: String::new(),
        };
        for line in text.lines() {
            let line = plain(line).trim().to_lowercase();
            let is_answered = !paragraph.answer.is_empty();
            // A line like the last one announces the words of somebody else.
            let is_over = line.is_empty() || line.ends_with([':', '：']) || line.contains('@');
            if paragraph.lines.len() == MAX_LINES || (is_answered && is_over) {
                break;
            }
            if line.is_empty() {
                continue;
            }
            if !is_answered {
                paragraph.answer = after_greeting(&line).to_owned();
            }
            paragraph.lines.push(line);
        }
        paragraph
    }

    fn said(&self) -> YesNo {
        if self.answer.len() > MAX_LINE {
            return YesNo::Neither;
        }
        let yes = Meaning::of(&self.answer).filter(|meaning| !meaning.has_no && !self.is_doubtful());
        match yes {
            Some(Meaning {
                has_confirm: true, ..
            }) => YesNo::Confirm,
            Some(Meaning { has_yes: true, .. }) => YesNo::Yes,
            _ if self.says_no() => YesNo::No,
            _ => YesNo::Neither,
        }
    }

    /// Whether the answer is a no, or begins with one and a comma or a stop, and nothing below or behind it says yes.
    fn says_no(&self) -> bool {
        let is_no = |text: &str| {
            !has_question(text)
                && Meaning::of(text).is_some_and(|meaning| meaning.has_no && !meaning.is_yes())
        };
        let (clause, behind) = match self
            .answer
            .split_once([',', '.', '!', ';', '，', '。', '！', '、'])
        {
            Some((clause, behind)) if !is_no(&self.answer) => (clause, behind),
            _ => (self.answer.as_str(), ""),
        };
        let below = self
            .lines
            .iter()
            .skip_while(|line| !line.ends_with(&self.answer))
            .skip(1);
        let mut around = below.map(String::as_str).chain([behind]);
        is_no(clause) && !around.any(has_yes)
    }

    /// Whether a line asks, denies, or belongs to an automatic answer.
    fn is_doubtful(&self) -> bool {
        self.lines.iter().any(|line| {
            line.len() > MAX_LINE || has_question(line) || words(line).any(|word| is_doubt(&word))
        })
    }
}

/// Whether a phrase for yes stands anywhere in a line.
fn has_yes(line: &str) -> bool {
    let words: Vec<String> = words(line).collect();
    (0..words.len()).any(|at| PHRASES.length(CONFIRM, &words[at..]) + PHRASES.length(YES, &words[at..]) > 0)
}

fn has_question(text: &str) -> bool {
    text.contains(['?', '？', '¿'])
}

fn is_doubt(word: &str) -> bool {
    word.ends_with("n't") || PHRASES.has(Said::Negation, word) || PHRASES.is_automatic(word)
}

/// The line without its greeting; empty if it is nothing else.
fn after_greeting(line: &str) -> &str {
    let mut found = words(line);
    let Some(greeting) = found.next().filter(|word| PHRASES.has(Said::Greeting, word)) else {
        return line;
    };
    let after = line.find(&greeting).map_or(line.len(), |at| at + greeting.len());
    let rest = &line[after..];
    if Meaning::of(rest).is_some() {
        return rest;
    }
    let (named, said) = rest.split_once([',', '!']).unwrap_or((rest, ""));
    let is_short = |most: usize| words(named).count() < most;
    let has_name = !words(named).any(|word| is_doubt(&word) || PHRASES.has(Said::NoName, &word));
    let most = MAX_GREETING[usize::from(!rest.contains([',', '!']))];
    if has_name && is_short(most) { said } else { line }
}

/// What a text means that consists of known phrases.
#[derive(Clone, Copy, Default)]
struct Meaning {
    has_confirm: bool,
    has_yes: bool,
    has_no: bool,
}

impl Meaning {
    /// The meaning; `None` if a word belongs to no known phrase, or there is none.
    fn of(text: &str) -> Option<Self> {
        let words: Vec<String> = words(text).collect();
        let mut meaning = Self::default();
        let mut at = 0;
        while at < words.len() {
            let rest = &words[at..];
            let lists = [CONFIRM, YES, NO, COURTESY, PLEASE].map(|list| PHRASES.length(list, rest));
            let most = lists.into_iter().max().filter(|most| *most > 0)?;
            let [confirm, yes, no, courtesy, _] = lists.map(|found| found == most);
            // "Please confirm" asks us for something.
            if at == 0 && !(confirm || yes || no || courtesy) {
                return None;
            }
            meaning.has_confirm |= confirm;
            meaning.has_yes |= yes;
            meaning.has_no |= no;
            at += most;
        }
        (at > 0).then_some(meaning)
    }

    const fn is_yes(self) -> bool {
        self.has_confirm || self.has_yes
    }
}

/// The words of a line, with the signs that stand for one. An apostrophe belongs to its word.
fn words(line: &str) -> impl Iterator<Item = String> {
    let mut line = line.to_owned();
    for (sign, word) in SIGNS {
        if line.contains(sign) {
            line = line.replace(sign, word);
        }
    }
    let is_between = |c: char| !c.is_alphanumeric() && c != '\'';
    let found = line
        .split(is_between)
        .map(|word| word.trim_matches('\'').to_owned());
    let found: Vec<String> = found.filter(|word| !word.is_empty()).collect();
    found.into_iter()
}

#[cfg(test)]
#[path = "yes_no_tests.rs"]
mod tests;
