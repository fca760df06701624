//! Records in SGF, the Smart Game Format FF[4], for games that have a custom there: see [`Sgf`].

mod charset;
mod read;
mod tree;

use std::fmt::Write as _;

pub(super) use charset::decoded;
pub(super) use read::{read, start};

use super::Record;
use crate::sgf::{GO_OPTIONS, Points, Sgf, Swapped};
use crate::{By, Ending, Outcome, Seat};
use read::size;

/// A line of moves begins after this many of them.
const MOVES_IN_A_LINE: usize = 8;

/// The property of a move by this seat: First is Black, who begins.
const fn colour(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "B",
        Seat::Second => "W",
    }
}

impl Record {
    /// The record as an SGF file; `None` if the game has no custom there, or its turns cannot be played.
    #[must_use]
    pub fn sgf(&self) -> Option<String> {
        let custom = self.game.sgf.as_ref()?;
        let replayed = self.replay().ok()?;
        let facts = self.game.facts;
        let size = size(self);
        let mut text = format!(
            "(;FF[4]CA[UTF-8]AP[pbmserv:{}]GM[{}]SZ[{size}]\n",
            env!("CARGO_PKG_VERSION"),
            custom.number
        );
        let name = match &self.board {
            Some(board) => format!("{} Board {board}", facts.name),
            None => facts.name.to_owned(),
        };
        let rules: Vec<_> = self
            .options
            .words()
            .into_iter()
            .filter(|word| !has_property(word))
            .collect();
        let result = match replayed.ending {
            Some(ending) => Some(result(ending, margin(self, &replayed.position.info(), size))),
            None => None,
        };
        let properties = [
            ("GN", Some(name)),
            ("PB", self.first.clone()),
            ("PW", self.second.clone()),
            ("DT", self.date.clone()),
            ("RU", (!rules.is_empty()).then(|| rules.join(" "))),
            ("RE", result),
        ];
        for (property, value) in properties {
            if let Some(value) = value {
                let _ = write!(text, "{property}[{}]", escaped(&value));
            }
        }
        text.push_str(&go_properties(self, custom, size)?);
        text.push('\n');
        let first = replayed.turns.first().cloned().unwrap_or_default();
        // With a handicap Second begins.
        let begins = self.game.start(&self.options).ok()?.to_move()?.index();
        let mut column = 0;
        for (place, turn) in replayed.turns.iter().enumerate() {
            // Seats alternate in the games that have a custom: a pass and a swap are turns.
            let seat = Seat::BOTH[(begins + place) % 2];
            let _ = write!(
                text,
                ";{}[{}]",
                colour(seat),
                written(custom, turn, &first, size)?
            );
            let said = self.comments.0.iter().filter(|(number, _)| *number == place + 1);
            // A node has one comment.
            let said: Vec<_> = said.map(|(_, comment)| escaped(comment)).collect();
            if !said.is_empty() {
                let _ = write!(text, "C[{}]", said.join("\n"));
            }
            column += 1;
            if column == MOVES_IN_A_LINE {
                text.push('\n');
                column = 0;
            }
        }
        if column > 0 {
            text.push('\n');
        }
        text.push_str(")\n");
        Some(text)
    }
}

/// Whether this is an option that SZ, KM or HA says.
fn has_property(word: &str) -> bool {
    let (name, _) = word.split_once('=').unwrap_or((word, ""));
    name == "-size" || GO_OPTIONS.iter().any(|(_, option)| name == *option)
}

/// The properties of Go that this board has, and the stones of a handicap.
fn go_properties(record: &Record, custom: &Sgf, size: u32) -> Option<String> {
    let start = record.game.start(&record.options).ok()?;
    let facts = record.game.facts;
    let mut text = String::new();
    for (property, option) in GO_OPTIONS {
        let name = option.trim_start_matches('-');
        let fact = facts.options.iter().find(|fact| fact.name == name);
        let Some(range) = fact.and_then(|fact| fact.range) else {
            continue;
        };
        // A komi is said in any case, since programs differ in what they take for usual.
        if property == "KM" || record.options.has(name) {
            let number = range.written(record.options.number(facts, name));
            let _ = write!(text, "{property}[{number}]");
        }
        if property == "HA" && record.options.has(name) {
            text.push_str("AB");
            for (point, _) in start.cells() {
                let _ = write!(text, "[{}]", custom.written(&point, size)?);
            }
        }
    }
    Some(text)
}

fn written(custom: &Sgf, turn: &str, first: &str, size: u32) -> Option<String> {
    match (turn, custom.swap) {
        ("pass", _) if custom.points == Points::LettersWithI => Some(String::new()),
        ("pass", _) => Some(PASS.to_owned()),
        ("swap", Swapped::Word(word)) => Some(word.to_owned()),
        ("swap", Swapped::SamePoint) => custom.written(first, size),
        _ => custom.written(turn, size),
    }
}

/// A pass, as programs for Othello write it.
const PASS: &str = "PA";

/// By how much the game was won, where counts decide. Empty cells count for the winner, as Edax and the World Othello
/// Federation have it.
fn margin(record: &Record, info: &crate::Info, size: u32) -> Option<String> {
    let facts = record.game.facts;
    let komi = facts.options.iter().find(|option| option.name == "komi");
    if let Some(range) = komi.and_then(|komi| komi.range) {
        let (_, areas) = info.iter().find(|(name, _)| *name == "area")?;
        let halves = |seat: Seat| areas.get(seat.index()).map(|(_, area)| 2 * area);
        let white = halves(Seat::Second)? + record.options.number(facts, "komi");
        return Some(range.written(halves(Seat::First)?.abs_diff(white)));
    }
    let (_, counts) = info.iter().find(|(name, _)| Some(*name) == facts.score)?;
    match counts.as_slice() {
        [(_, first), (_, second)] => {
            let margin = (size * size).checked_sub(2 * first.min(second))?;
            Some(margin.to_string())
        }
        _ => None,
    }
}

/// RE: `B+R` for a resignation, `B+T` for a game lost on time, `B+F` for one that a director decided, `0` for a draw.
fn result(ending: Ending, margin: Option<String>) -> String {
    let Outcome::Won(winner) = ending.outcome else {
        return "0".to_owned();
    };
    let how = match (ending.by, margin) {
        (By::Rules, Some(margin)) => margin,
        (By::Rules | By::Agreement, _) => String::new(),
        (By::Resignation, _) => "R".to_owned(),
        (By::Forfeit, _) => "T".to_owned(),
        (By::Adjudication, _) => "F".to_owned(),
    };
    format!("{}+{how}", colour(winner))
}

/// A text as the value of a property.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ']' | '\\' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
