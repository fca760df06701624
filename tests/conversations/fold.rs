//! Letters as a story shows them: what its reader has seen before is folded.
//!
//! A letter consists of paragraphs. The first letter of a kind (a file of `templates/`) is shown whole. In every
//! later letter each paragraph begins with a mark, and known text is folded:
//!
//! - *Text* is known if the same words were shown before, apart from userids, addresses and words with a digit. It has
//!   the mark `~`. Shown are its first three words, the words that can differ, and those that distinguish it from other
//!   known texts; `...` stands for the rest. In a text of several lines it also stands for words that can differ but are
//!   the same as the last time. Folded paragraphs follow one another on a line, separated by `|`. A name or a number in
//!   a text of one line, or in the first of a letter, keeps it from being shortened.
//! - A *drawing* (a board, a table, a list of turns, a record) is known by its first line. Shown are the lines that
//!   differ from the last one: `: 7 lines` stands for seven unchanged lines, `:` for all the rest, and the first
//!   line with `...` for an identical drawing.
//!
//! New text is shown unchanged, after a `-`. A story assumes that its reader has read `first-day.txt`, except for
//! its boards and the lists of up to three lines.
//!
//! Two different letters never look the same, except for the line breaks of a known text. So a change of any word
//! of any letter is visible: there, or where the word was first shown. For a known text this holds because of the
//! first word in which two forms differ: both show it, and before it both show the same places.

use std::collections::{BTreeMap, BTreeSet};

use crate::stage::SERVER;

/// The number of words that begin a folded text.
const HEAD: usize = 3;
/// The fewest words that `...` stands for.
const GAP: usize = 4;
/// The fewest lines of a drawing that `:` stands for.
const RUN: usize = 3;
/// The column at which a line of folded paragraphs ends.
const WIDTH: usize = 100;

/// The lines of a text, each with its indentation and its words; words that can differ are empty.
type Form = Vec<(usize, Vec<String>)>;

/// What the reader of a story has seen.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    /// The letters that were shown whole: kind, and subject and text.
    pub(crate) whole: BTreeMap<String, String>,
    /// The drawings that were shown whole, ever.
    pub(crate) drawn: BTreeSet<String>,
    names: BTreeSet<String>,
    /// The last text of each form; none if it was read in another story.
    texts: BTreeMap<Form, Option<Vec<String>>>,
    /// The last drawing of each first line.
    drawings: BTreeMap<String, Vec<String>>,
}

/// The shown form of a letter.
pub(crate) struct Letter<'a> {
    pub(crate) subject: &'a str,
    pub(crate) text: &'a str,
    /// The name of a file and its text.
    pub(crate) attachment: Option<&'a (String, String)>,
}

/// A paragraph as it is shown.
enum Shown {
    Lines(Vec<String>),
    Folded(String),
}

impl Shown {
    fn whole(lines: &[&str]) -> Self {
        Self::Lines(owned(lines))
    }
}

impl Seen {
    /// What the reader of another story knows of it.
    pub(crate) fn elsewhere(&self) -> Self {
        Self {
            whole: self.whole.clone(),
            texts: self.texts.keys().map(|form| (form.clone(), None)).collect(),
            drawings: (self.drawings.clone().into_iter())
                .filter(|(_, lines)| lines.len() > RUN && !is_board(lines))
                .collect(),
            ..Self::default()
        }
    }

    /// A player has this userid.
    pub(crate) fn meet(&mut self, userid: &str) {
        self.names.insert(userid.to_lowercase());
    }

    /// Shows a letter of this kind; an empty kind means none.
    pub(crate) fn show(&mut self, kind: &str, letter: &Letter<'_>) -> String {
        let Letter {
            subject,
            text,
            attachment,
        } = letter;
        let is_new = !kind.is_empty() && !self.whole.contains_key(kind);
        let mut parts: Vec<_> = paragraphs(text).map(|lines| (is_drawn(&lines), lines)).collect();
        let name = attachment.map(|(name, _)| format!("[attached: {name}]"));
        if let Some((name, (_, file))) = name.as_deref().zip(*attachment) {
            parts.push((false, vec![name]));
            parts.extend(paragraphs(file).map(|lines| (true, lines)));
        }
        if is_new {
            self.whole.insert(kind.to_owned(), format!("{subject}\n{text}"));
        }
        let mut shown = Vec::new();
        for (nth, (is_drawn, lines)) in parts.iter().enumerate() {
            let part = match is_new {
                true => Shown::whole(lines),
                false if *is_drawn => self.drawing(lines),
                false => self.text(lines, nth == 0),
            };
            let is_whole = matches!(&part, Shown::Lines(all) if all == lines);
            self.learn(lines, *is_drawn, is_whole);
            shown.push(part);
        }
        if is_new { whole(&shown) } else { marked(shown) }
    }

    fn text(&self, lines: &[&str], is_first: bool) -> Shown {
        let form = self.form(lines);
        let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
        let fixed = flat(&form);
        let can_differ = |nth: usize| fixed[nth].is_empty();
        let is_marked = words.iter().any(|word| ["...", "|"].contains(word));
        let is_open = (0..words.len()).any(can_differ);
        let last = self
            .texts
            .get(&form)
            .filter(|_| !(is_first && is_open || is_marked));
        let Some((last, telling)) = last.zip(self.telling(&form, &fixed)) else {
            return Shown::whole(lines);
        };
        let is_same = lines.len() > 1 && last.as_ref().is_some_and(|last| *last == words);
        let is_short = lines.len() == 1 && is_open;
        let is_shown =
            |nth: &usize| is_short || *nth < HEAD || telling.contains(nth) || !is_same && can_differ(*nth);
        let mut folded = Vec::new();
        let mut nth = 0;
        while nth < words.len() {
            let hidden = (nth..words.len()).take_while(|nth| !is_shown(nth)).count();
            if hidden >= GAP || hidden > 0 && is_same {
                folded.push("...");
            } else {
                folded.extend(&words[nth..nth + hidden]);
            }
            nth += hidden;
            folded.extend(words.get(nth));
            nth += 1;
        }
        Shown::Folded(folded.join(" "))
    }

    /// The positions whose words distinguish this form from all others; none if only its indentation does.
    fn telling(&self, form: &Form, words: &[&String]) -> Option<BTreeSet<usize>> {
        let mut places = BTreeSet::new();
        for other in self.texts.keys().filter(|other| *other != form) {
            let other = flat(other);
            let common = words.iter().zip(&other).take_while(|(a, b)| a == b).count();
            if common == words.len() && common == other.len() {
                return None;
            }
            if common >= HEAD {
                places.extend([common - 1, common]);
            }
        }
        Some(places)
    }

    fn drawing(&self, lines: &[&str]) -> Shown {
        let Some(last) = self.drawings.get(lines[0]) else {
            return Shown::whole(lines);
        };
        let header = lines[0].trim();
        let alike = self.drawings.keys().filter(|first| first.trim() == header);
        if last == lines && alike.count() == 1 {
            // No line break at the blanks of a drawing.
            return Shown::Folded(format!("{header} ...").replace(' ', "\u{a0}"));
        }
        let is_same = |nth: &usize| last.get(*nth).is_some_and(|line| line == lines[*nth]);
        let mut shown = vec![lines[0].to_owned()];
        let mut nth = 1;
        while nth < lines.len() {
            let same = (nth..lines.len()).take_while(is_same).count();
            if same >= RUN && nth + same == lines.len() && lines.len() == last.len() {
                shown.push(":".into());
            } else if same >= RUN {
                shown.push(format!(": {same} lines"));
            } else {
                shown.extend(owned(&lines[nth..nth + same]));
            }
            nth += same;
            if let Some(line) = lines.get(nth) {
                shown.push((*line).to_owned());
                nth += 1;
            }
        }
        Shown::Lines(shown)
    }

    fn learn(&mut self, lines: &[&str], is_drawn: bool, is_whole: bool) {
        if is_drawn {
            if is_whole {
                self.drawn.insert(lines.join("\n"));
            }
            self.drawings.insert(lines[0].to_owned(), owned(lines));
        } else {
            let words: Vec<_> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
            self.texts.insert(self.form(lines), Some(owned(&words)));
        }
    }

    fn form(&self, lines: &[&str]) -> Form {
        let is_prose = !lines.iter().any(|line| line.starts_with([' ', '>']));
        let mut form = Form::new();
        for line in lines {
            let words = line.split_whitespace().map(|word| self.masked(word));
            match form.last_mut() {
                Some((_, last)) if is_prose => last.extend(words),
                _ => form.push((line.len() - line.trim_start().len(), words.collect())),
            }
        }
        form
    }

    /// The word; empty if another could be there.
    fn masked(&self, word: &str) -> String {
        let core = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_name = self.names.contains(&core.to_lowercase());
        let is_address = core.contains('@') && core != SERVER;
        let can_differ = is_name || is_address || core.contains(|c: char| c.is_ascii_digit());
        if can_differ {
            String::new()
        } else {
            word.to_owned()
        }
    }
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn flat(form: &Form) -> Vec<&String> {
    form.iter().flat_map(|(_, words)| words).collect()
}

fn paragraphs(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let parts: Vec<_> = lines
        .split(|line| line.is_empty())
        .filter(|lines| !lines.is_empty())
        .map(<[&str]>::to_vec)
        .collect();
    parts.into_iter()
}

/// The letters of the columns stand above and below it; below a slanted board they are further to the right.
fn is_board<S: AsRef<str>>(lines: &[S]) -> bool {
    match lines {
        [first, _, .., last] => first.as_ref().trim_start() == last.as_ref().trim_start(),
        _ => false,
    }
}

/// A board, or text in columns.
fn is_drawn(lines: &[&str]) -> bool {
    is_board(lines) || lines.iter().any(|line| line.trim_start().contains("  "))
}

fn whole(shown: &[Shown]) -> String {
    let lines = shown.iter().map(|shown| match shown {
        Shown::Lines(lines) => lines.iter().map(|line| format!("    {line}\n")).collect(),
        Shown::Folded(text) => format!("    {text}\n"),
    });
    format!("\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn marked(shown: Vec<Shown>) -> String {
    let mut out = String::new();
    let mut shown = shown.into_iter().peekable();
    while let Some(part) = shown.next() {
        match part {
            Shown::Lines(lines) => {
                out.push_str("  - ");
                out.push_str(&lines.join("\n    "));
            }
            Shown::Folded(mut text) => {
                while let Some(Shown::Folded(next)) = shown.next_if(|next| matches!(next, Shown::Folded(_))) {
                    text.push_str(" | ");
                    text.push_str(&next);
                }
                out.push_str("  ~ ");
                out.push_str(&wrapped(&text));
            }
        }
        out.push('\n');
    }
    out
}

fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        if column > 0 && column + 1 + word.chars().count() > WIDTH - 4 {
            out.push_str("\n    ");
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.chars().count();
    }
    out.replace('\u{a0}', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTER: &str = "\
bob played m13-j7 on Pow2 Board 101.

   a b c
 1 X * O 1
 2 * * * 2
 3 O * X 3
 4 * X * 4
 5 * * * 5
   a b c

It is your turn, alice (Light).

You can answer this mail, alone on the first line, with queue and a turn
(played when it is yours), chat and some words, resign (gives the game
up). Words go to bob.

You can answer this mail, alone on the first line, with queue and a turn
(played when it is yours), chat and some words, resign (declines, and
the board is removed). Words go to bob.

Or write a mail with a subject such as

  Pow2 move 101 alice PASSWORD m1-e1
      your password stands for PASSWORD

Nothing was changed.
";

    fn letter(text: &str) -> Letter<'_> {
        Letter {
            subject: "Pow2 Board 101",
            text,
            attachment: None,
        }
    }

    fn seen(letters: &[&str]) -> Seen {
        let mut seen = Seen::default();
        seen.meet("alice");
        seen.meet("bob");
        for text in letters {
            seen.show("board", &letter(text));
        }
        seen
    }

    /// The letter with each of its words, in turn, replaced by this one.
    fn changed(word: &str) -> impl Iterator<Item = String> {
        let starts = LETTER
            .match_indices(|c: char| !c.is_whitespace())
            .map(|(at, _)| at);
        let first = starts.filter(|at| LETTER[..*at].chars().next_back().is_none_or(char::is_whitespace));
        first.map(move |at| {
            let rest = &LETTER[at..];
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            format!("{}{word}{}", &LETTER[..at], &rest[end..])
        })
    }

    #[test]
    fn every_word_of_a_folded_letter_counts() {
        let before = [
            seen(&[LETTER]),
            seen(&[LETTER]).elsewhere(),
            seen(&[LETTER, LETTER]),
        ];
        for seen in before {
            let shown = seen.clone().show("board", &letter(LETTER));
            assert!(shown.contains("..."), "{shown}");
            for word in ["alice", "bob", "bob.", "102", "m1-e1", "and", "Light", "..."] {
                for other in changed(word).filter(|other| other != LETTER) {
                    let different = seen.clone().show("board", &letter(&other));
                    assert_ne!(different, shown, "{other}");
                }
            }
        }
    }

    #[test]
    fn no_paragraph_of_a_folded_letter_is_lost_or_stands_for_another() {
        let seen = seen(&[LETTER, LETTER]);
        let shown = seen.clone().show("board", &letter(LETTER));
        let paragraphs: Vec<&str> = LETTER.trim_end().split("\n\n").collect();
        for (a, one) in paragraphs.iter().enumerate() {
            for (b, another) in paragraphs.iter().enumerate() {
                let mut other = paragraphs.clone();
                other[a] = another;
                if a == b {
                    other.remove(a);
                }
                let different = seen.clone().show("board", &letter(&other.join("\n\n")));
                assert_ne!(different, shown, "{another} for {one}");
            }
        }
    }

    #[test]
    fn a_letter_seen_before_is_short() {
        let mut seen = seen(&[LETTER]);
        let moved = LETTER.replace("4 * X *", "4 * * X").replace("m13-j7", "m13-m5");
        let shown = "  - bob played m13-m5 on Pow2 Board 101.\n  -    a b c\n    : 3 lines\n     4 * * X 4\n     \
                     5 * * * 5\n       a b c\n  ~ It is your turn, alice (Light). | You can answer ... resign (gives \
                     ... | You can answer ...\n    resign (declines, ... | Or write a ... | Pow2 move 101 ... | \
                     Nothing was changed.\n";
        assert_eq!(seen.show("board", &letter(&moved)), shown);
        let last = seen.show("board", &letter(&moved));
        assert!(
            last.contains("| a b c ...") || last.contains("~ a b c ..."),
            "{last}"
        );
    }
}
