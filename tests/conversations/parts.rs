//! A letter as parts, so that two of them can be compared apart from the names of their players, their board and their game.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pbmserv_games::{Display, Facts, GAMES, Options, Seat};

/// What a board is known by.
pub(crate) const BOARD: &str = "board";
/// What the command is known by that was not done.
pub(crate) const COMMAND: &str = "command";
/// What is known by it stands above a board: what each player has left.
pub(crate) const CAPTION: &str = "caption";
/// The first words of those texts.
static CAPTIONS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let texts = GAMES.iter().flat_map(|game| caption(game.facts));
    texts.map(|text| headed(&text)).collect()
});
/// The words of a part by which it is known.
const HEAD: usize = 3;

/// A letter as it arrives, and who reads it.
#[derive(Clone)]
pub(crate) struct StoryLetter {
    /// The name in `templates/`; empty for a letter without HTML.
    pub(crate) kind: String,
    pub(crate) to: String,
    pub(crate) sender_name: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    /// The name of a file and its text.
    pub(crate) attachment: Option<(String, String)>,
}

/// The players of a story: who reads at which address.
#[derive(Clone, Default)]
pub(crate) struct Cast {
    pub(crate) names: BTreeSet<String>,
    pub(crate) readers: BTreeMap<String, String>,
}

/// What stands above the board at the start of this game.
pub(crate) fn caption(facts: &Facts) -> Vec<String> {
    let game = GAMES.iter().find(|game| game.facts.name == facts.name).unwrap();
    let drawing = game.start(&Options::none(facts)).unwrap().draw(Display::Small);
    let mut parts: Vec<_> = paragraphs(&drawing)
        .map(|lines| sentences(&lines.join(" ")))
        .collect();
    parts.pop();
    parts.concat()
}

/// The first words of a text, without numbers.
fn headed(text: &str) -> String {
    let text = map_words(text, |word| {
        word.contains(|c: char| c.is_ascii_digit())
            .then(|| "_".to_owned())
    });
    text.split_whitespace().take(HEAD).collect::<Vec<_>>().join(" ")
}

/// What a part is known by: its first words without names and numbers, and which of those in its letter it is.
pub(crate) type Head = (String, usize);

/// A paragraph, or a paragraph of an attached file.
pub(crate) struct Part {
    pub(crate) head: Head,
    /// A board, or text in columns.
    pub(crate) is_drawn: bool,
    /// The lines as they are written; a sentence that was only wrapped is one.
    pub(crate) lines: Vec<String>,
    /// The lines with what the letter is about in place of the names.
    pub(crate) plain: Vec<String>,
}

impl StoryLetter {
    /// What letters of the same making have in common: the kind, and sender and subject without names and numbers.
    pub(crate) fn making(&self, cast: &Cast) -> String {
        let subject = self.subject.strip_prefix("Re: ").unwrap_or(&self.subject);
        // What was not done follows, as the player wrote it.
        let subject = subject.split_once(": ").filter(|(first, _)| *first == "Not done");
        let subject = subject.map_or(self.subject.trim_start_matches("Re: "), |(first, _)| first);
        let mask = |text: &str| map_words(text, |word| cast.is_open(word).then(|| "_".to_owned()));
        format!("{} | {} | {}", self.kind, mask(&self.sender_name), mask(subject))
    }

    /// Where the parts of letters are remembered for the reader: the address, and the subject without `Re:`.
    pub(crate) fn thread(&self) -> (String, String) {
        (
            self.to.clone(),
            self.subject.trim_start_matches("Re: ").to_owned(),
        )
    }

    pub(crate) fn parts(&self, cast: &Cast) -> Vec<Part> {
        let mut parts: Vec<_> = paragraphs(&self.text)
            .map(|lines| (is_drawn(&lines), lines))
            .collect();
        let name = self
            .attachment
            .as_ref()
            .map(|(name, _)| format!("[attached: {name}]"));
        if let Some((name, (_, file))) = name.as_deref().zip(self.attachment.as_ref()) {
            parts.push((false, vec![name]));
            parts.extend(paragraphs(file).map(|lines| (true, lines)));
        }
        let about = self.about(cast);
        let mut example = None;
        let mut made: Vec<Part> = Vec::new();
        let mut met: BTreeMap<String, usize> = BTreeMap::new();
        for (is_drawn, lines) in parts {
            let before = made.last();
            let is_after =
                |ends: &[&str]| before.is_some_and(|part| ends.iter().any(|end| part.ends_with(end)));
            let lines = match is_drawn || lines.iter().any(|line| line.starts_with([' ', '>'])) {
                true => owned(&lines),
                false => sentences(&lines.join(" ")),
            };
            let plain = |line: &String| match self.command().as_ref() == Some(line) {
                true => "COMMAND".to_owned(),
                false => map_words(&self.without_drawn_letters(line), |word| {
                    match example.as_deref() == Some(word) {
                        true => Some("TURN".to_owned()),
                        false => about.get(word).cloned(),
                    }
                }),
            };
            let is_literal = is_drawn || CAPTIONS.contains(&headed(&lines[0]));
            let plain: Vec<_> = if is_literal {
                lines.clone()
            } else {
                lines.iter().map(plain).collect()
            };
            let head = map_words(&lines[0], |word| cast.is_open(word).then(|| "_".to_owned()));
            let head = head.split_whitespace().take(HEAD).collect::<Vec<_>>().join(" ");
            let head = if is_drawn && is_board(&lines) {
                BOARD.to_owned()
            } else if is_drawn && lines[0].trim_start().starts_with("No.  ") {
                "turns".to_owned()
            } else if is_after(&["writes:", "words:"]) {
                "words".to_owned()
            } else if made.len() == 1
                && lines[0].starts_with(' ')
                && (self.kind == "notdone" || self.command().is_some())
            {
                COMMAND.to_owned()
            } else if is_after(&["For example"]) {
                example = Some(lines[0].trim().to_owned());
                "example".to_owned()
            } else if CAPTIONS.contains(&head) {
                CAPTION.to_owned()
            } else {
                head
            };
            match made
                .last_mut()
                .filter(|part| head == CAPTION && part.head.0 == CAPTION)
            {
                Some(part) => {
                    part.lines.extend(lines);
                    part.plain.extend(plain);
                }
                None => {
                    let nth = met.entry(head.clone()).and_modify(|nth| *nth += 1).or_default();
                    made.push(Part {
                        head: (head, *nth),
                        is_drawn,
                        lines,
                        plain,
                    });
                }
            }
        }
        made
    }

    /// The command that was not done, as the letter repeats it.
    pub(crate) fn command(&self) -> Option<String> {
        let command = self.subject.strip_prefix("Not done: ")?;
        Some(format!("  {command}"))
    }

    /// The game of the board that it is about.
    pub(crate) fn game(&self) -> Option<&'static Facts> {
        let mut words = words(self.subject.trim_start_matches("Re: "));
        let name = match (words.next(), words.next()) {
            (Some("Help"), name) | (name, Some("Board")) => name,
            _ => None,
        };
        GAMES
            .iter()
            .map(|game| game.facts)
            .find(|facts| Some(facts.name) == name)
    }

    /// A line in which a side is named without the letters of its pieces.
    fn without_drawn_letters(&self, line: &str) -> String {
        let facts = self.game().filter(|facts| facts.roles.is_none());
        let seats = facts
            .iter()
            .flat_map(|facts| Seat::BOTH.map(|seat| (facts, seat)));
        seats.fold(line.to_owned(), |line, (facts, seat)| {
            line.replace(&facts.role_in_drawings(seat), facts.role(seat))
        })
    }

    /// The names that stand for the reader, the other player, the game, its sides and the board.
    fn about(&self, cast: &Cast) -> BTreeMap<String, String> {
        let mut about = BTreeMap::new();
        let subject: Vec<_> = words(self.subject.trim_start_matches("Re: ")).collect();
        let named = subject
            .last()
            .filter(|word| cast.names.contains(**word))
            .map(|word| (*word).to_owned());
        let reader = cast.readers.get(&self.to).cloned().or(named);
        let others = words(&self.sender_name).chain(subject.iter().copied());
        let other = others
            .filter(|word| cast.names.contains(*word))
            .find(|word| reader.as_deref() != Some(word));
        about.extend(other.map(|other| (other.to_owned(), "OTHER".to_owned())));
        about.extend(reader.map(|reader| (reader, "READER".to_owned())));
        if let [_, "Board", number, ..] = subject.as_slice() {
            about.insert((*number).to_owned(), "BOARD".into());
        }
        if let Some(facts) = self.game() {
            about.insert(facts.name.to_owned(), "GAME".into());
            about.extend(
                facts
                    .sides
                    .iter()
                    .zip(["FIRST", "SECOND"])
                    .map(|(side, to)| ((*side).to_owned(), to.into())),
            );
        }
        about
    }
}

impl Cast {
    /// Whether another word could be in its place.
    fn is_open(&self, word: &str) -> bool {
        self.names.contains(word)
            || word.contains(|c: char| c.is_ascii_digit())
            || [
                "bot-easy",
                "bot-medium",
                "bot-hard",
                "READER",
                "OTHER",
                "GAME",
                "BOARD",
            ]
            .contains(&word)
            || GAMES.iter().any(|game| game.facts.name == word)
    }
}

impl Part {
    fn ends_with(&self, end: &str) -> bool {
        self.lines.last().is_some_and(|line| line.ends_with(end))
    }

    /// Whether it says nothing of the state of a game: a text without numbers.
    pub(crate) fn is_standing(&self) -> bool {
        !self.is_drawn
            && !self
                .plain
                .iter()
                .any(|line| line.contains(|c: char| c.is_ascii_digit()))
    }

    /// The lines as they are printed: of a text they are one.
    pub(crate) fn printed(&self, lines: Vec<String>) -> Vec<String> {
        let is_prose = !self.is_drawn && !self.lines.iter().any(|line| line.starts_with([' ', '>']));
        if is_prose { vec![lines.join(" ")] } else { lines }
    }
}

fn sentences(text: &str) -> Vec<String> {
    text.split_inclusive(". ")
        .map(|sentence| sentence.trim_end().to_owned())
        .collect()
}

/// The text with some of its words replaced. A turn, an address and a number with its point are words too.
fn map_words(text: &str, replaced: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if end == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(end);
        let core = word.trim_matches(|c: char| !c.is_alphanumeric());
        let new = match replaced(core)
            .map(|new| word.replacen(core, &new, 1))
            .or_else(|| replaced(word))
        {
            Some(new) => new,
            None => by_pieces(word, &replaced),
        };
        out.push_str(&new);
        rest = after;
    }
    out
}

/// An address or a possessive: each piece is a word of its own.
fn by_pieces(word: &str, replaced: impl Fn(&str) -> Option<String>) -> String {
    let pieces = word.split_inclusive(['@', '\'', '.']);
    let piece = |piece: &str| {
        let core = piece.trim_matches(|c: char| !c.is_alphanumeric());
        replaced(core).map_or(piece.to_owned(), |new| piece.replacen(core, &new, 1))
    };
    pieces.map(piece).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_in = |c: char| c.is_alphanumeric() || "-_@.".contains(c);
    text.split(move |c| !is_in(c)).filter(|word| !word.is_empty())
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
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

fn is_drawn(lines: &[&str]) -> bool {
    is_board(lines) || lines.iter().any(|line| line.trim_start().contains("  "))
}
