//! Reads the text of a record.

use std::str::FromStr;

use super::tagged::{self, Given};
use super::{Error, LONGEST, Lines, Record, mat, sgf, wrong};
use crate::{Ending, GAMES, Options};

/// The most tags of a record.
const MAX_TAGS: usize = 100;

impl Record {
    /// Reads a record from a file: text in UTF-8, or SGF in the charset that it names, without one in ISO-8859-1.
    ///
    /// # Errors
    /// As [`Record::from_str`], or the bytes are no such text.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        // A limit may have cut a character in two.
        if bytes.len() > LONGEST {
            return Err(Error::TooLong);
        }
        sgf::decoded(bytes).ok_or(Error::NotText)?.parse()
    }
}

impl FromStr for Record {
    type Err = Error;

    /// Reads a record without checking its turns; or a file in SGF, PGN, PDN or .mat, whose turns are checked.
    ///
    /// # Errors
    /// The text is not a record; the error names the line.
    fn from_str(text: &str) -> Result<Self, Error> {
        if text.len() > LONGEST {
            return Err(Error::TooLong);
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(at) = sgf::start(text) {
            return sgf::read(text, at);
        }
        if mat::is_meant(text) {
            return mat::read(text);
        }
        let mut scanner = Scanner {
            rest: text,
            line: 1,
            is_at_start_of_line: true,
        };
        let mut tags = Tags(Vec::new());
        while scanner.next_sign()? == Some('[') {
            tags.add(scanner.tag()?)?;
        }
        if tagged::is_meant(&tags.given()) {
            let mut words = Vec::new();
            while scanner.next_sign()?.is_some() {
                let line = scanner.line;
                let word = scanner.word();
                // Black's turn after a comment has its number with three points.
                words.push((line, unnumbered(word).trim_start_matches('.')));
            }
            return tagged::read(
                &tags.given(),
                words.into_iter().filter(|(_, word)| !word.is_empty()),
            );
        }
        let (mut turns, mut lines) = (Vec::new(), Vec::new());
        while let Some(c) = scanner.next_sign()? {
            let line = scanner.line;
            if c != '[' {
                let turn = unnumbered(scanner.word());
                if !turn.is_empty() {
                    turns.push(turn.to_owned());
                    lines.push(line);
                }
            } else if turns.is_empty() {
                let tag = scanner.tag()?;
                tags.add(tag)?;
            } else {
                return Err(wrong(
                    line,
                    "Tags stand before the first turn; a file is the record of one game.",
                ));
            }
        }
        Ok(Self {
            turns,
            lines: Lines(lines),
            ..tags.record()?
        })
    }
}

/// The word without a leading number such as `12.`.
fn unnumbered(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < word.len() && rest.starts_with('.') {
        rest.trim_start_matches('.')
    } else {
        word
    }
}

#[derive(Debug)]
struct Tag {
    line: usize,
    name: String,
    value: String,
}

struct Scanner<'a> {
    rest: &'a str,
    line: usize,
    is_at_start_of_line: bool,
}

impl<'a> Scanner<'a> {
    /// Skips this many bytes, counts their lines, and returns them.
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (skipped, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.line += skipped.bytes().filter(|b| *b == b'\n').count();
        if !skipped.is_empty() {
            self.is_at_start_of_line = skipped.ends_with('\n');
        }
        self.rest = rest;
        skipped
    }

    fn skip_blanks(&mut self) {
        self.skip(self.rest.len() - self.rest.trim_start().len());
    }

    /// The first character of the next tag or word, after blanks and comments.
    fn next_sign(&mut self) -> Result<Option<char>, Error> {
        loop {
            self.skip_blanks();
            match self.rest.chars().next() {
                // PGN gives a line that begins with % to other programs.
                Some('%') if self.is_at_start_of_line => {
                    self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
                }
                Some(';') => {
                    self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
                }
                Some('{') => match self.rest.find('}') {
                    Some(end) => {
                        self.skip(end + 1);
                    }
                    None => return Err(wrong(self.line, "The comment that begins with { has no }.")),
                },
                c => return Ok(c),
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let end = |c: char| c.is_whitespace() || matches!(c, ';' | '{');
        self.skip(self.rest.find(end).unwrap_or(self.rest.len()))
    }

    fn take(&mut self, c: char) -> Result<(), Error> {
        if !self.rest.starts_with(c) {
            return Err(wrong(
                self.line,
                format!("A tag is written [Name \"value\"]; here {c} is missing."),
            ));
        }
        self.skip(c.len_utf8());
        Ok(())
    }

    /// Whether the quotation mark here ends the value of a tag: no other on this line is followed by the bracket.
    fn ends_tag(&self, at: usize) -> bool {
        let after = self.rest.get(at + 1..).unwrap_or_default();
        let line = after.lines().next().unwrap_or_default();
        line.trim_start().starts_with(']')
            || !line
                .split('"')
                .skip(1)
                .any(|rest| rest.trim_start().starts_with(']'))
    }

    fn tag(&mut self) -> Result<Tag, Error> {
        let line = self.line;
        self.take('[')?;
        self.skip_blanks();
        let other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let name = self
            .skip(self.rest.find(other).unwrap_or(self.rest.len()))
            .to_owned();
        if name.is_empty() {
            return Err(wrong(
                line,
                "A tag is written [Name \"value\"]; here the name is missing.",
            ));
        }
        self.skip_blanks();
        self.take('"')?;
        let mut value = String::new();
        let mut signs = self.rest.char_indices();
        let end = loop {
            match signs.next() {
                // Programs forget to quote quotation marks.
                Some((at, '"')) if self.ends_tag(at) => break at,
                Some((_, '\\')) => match signs.clone().next() {
                    Some((_, c @ ('"' | '\\'))) => {
                        signs.next();
                        value.push(c);
                    }
                    _ => value.push('\\'),
                },
                Some((_, c)) if !c.is_control() => value.push(c),
                _ => {
                    return Err(wrong(
                        line,
                        format!("The value of the tag {name} does not end on its line."),
                    ));
                }
            }
        };
        self.skip(end);
        self.take('"')?;
        self.skip_blanks();
        self.take(']')?;
        Ok(Tag { line, name, value })
    }
}

/// The tags as read. Their meaning depends on the game, which may be named last.
struct Tags(Vec<Tag>);

impl Tags {
    fn add(&mut self, tag: Tag) -> Result<(), Error> {
        if self
            .0
            .iter()
            .any(|other| other.name.eq_ignore_ascii_case(&tag.name))
        {
            return Err(wrong(tag.line, format!("The tag {} is given twice.", tag.name)));
        }
        if self.0.len() == MAX_TAGS {
            return Err(wrong(tag.line, format!("A record has at most {MAX_TAGS} tags.")));
        }
        self.0.push(tag);
        Ok(())
    }

    fn given(&self) -> Vec<Given<'_>> {
        let given = self.0.iter().map(|tag| Given {
            line: tag.line,
            name: &tag.name,
            value: &tag.value,
        });
        given.collect()
    }

    fn take(&mut self, name: &str) -> Option<Tag> {
        let at = self
            .0
            .iter()
            .position(|tag| tag.name.eq_ignore_ascii_case(name))?;
        Some(self.0.remove(at))
    }

    fn value(&mut self, name: &str) -> Option<String> {
        self.take(name).map(|tag| tag.value)
    }

    fn record(mut self) -> Result<Record, Error> {
        let Tag { line, value, .. } = self.take("Game").ok_or(Error::NoGame)?;
        let Some(game) = crate::find(value.trim()) else {
            let names: Vec<_> = GAMES.iter().map(|game| game.facts.name).collect();
            return Err(wrong(
                line,
                format!("There is no such game; the games are: {}.", names.join(", ")),
            ));
        };
        let mut options = match self.take("Options") {
            Some(tag) => Options::parse(game.facts, tag.value.split_whitespace())
                .map_err(|refusal| wrong(tag.line, refusal.to_string()))?,
            None => Options::none(game.facts),
        };
        if let Some(tag) = self.take("Rules") {
            let newest = game.facts.revision;
            let known = tag
                .value
                .trim()
                .parse()
                .ok()
                .filter(|revision| (1..=newest).contains(revision));
            let revision = known.ok_or_else(|| {
                let reason = format!(
                    "Rules is a revision of the rules of {}, from 1 to {newest}.",
                    game.facts.name
                );
                wrong(tag.line, reason)
            })?;
            options = options.under(revision);
        }
        let ending = match self.take("Result") {
            Some(tag) if tag.value.trim() != "*" => {
                let read = tag.value.parse::<Ending>();
                Some(read.map_err(|error| wrong(tag.line, error.to_string()))?)
            }
            _ => None,
        };
        let roll = match self.take("Roll") {
            Some(tag) => match tag.value.trim().as_bytes() {
                [one @ b'1'..=b'6', other @ b'1'..=b'6'] => Some([one - b'0', other - b'0']),
                _ => return Err(wrong(tag.line, "Roll is two dice, such as 31.")),
            },
            None => None,
        };
        Ok(Record {
            roll,
            board: self.value("Board"),
            first: self.value("First"),
            second: self.value("Second"),
            date: self.value("Date"),
            ending,
            others: self.0.into_iter().map(|tag| (tag.name, tag.value)).collect(),
            ..Record::new(game, options)
        })
    }
}
