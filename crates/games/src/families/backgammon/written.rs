//! The ways of checkers in a text, whether or not they can be gone.

use std::ops::Range;

use super::board::{BAR, OFF};
use super::plays::{Roll, name};
use crate::Refusal;
use crate::kit::reading::shown;

/// No play is longer, in bytes.
const MAX_TEXT: usize = 200;

/// The way of a checker as written: `13/8*/5(2)`.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// At least two.
    pub(super) points: Vec<u8>,
    /// The points with an asterisk.
    pub(super) hits: Vec<u8>,
    /// Its bytes in the text.
    pub(super) at: Range<usize>,
}

/// Reads the ways that a text has, at most four.
///
/// # Errors
/// The text has other things, or names another roll.
pub(super) fn written(text: &str, roll: Roll) -> Result<Vec<Written>, Refusal> {
    if text.len() > MAX_TEXT {
        let reason = format!("A play is no longer than {MAX_TEXT} characters.");
        return Err(Refusal::unreadable(reason));
    }
    let mut reader = Reader { text, at: 0 };
    reader.roll(roll)?;
    reader.written()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(is_skipped).len();
    }

    fn take(&mut self, signs: &[char]) -> bool {
        let rest = self.rest().trim_start();
        let is_taken = rest.starts_with(signs);
        if is_taken {
            self.at = self.text.len() - rest.len() + 1;
        }
        is_taken
    }

    fn word(&mut self) -> (&'a str, Range<usize>) {
        self.skip(char::is_whitespace);
        let rest = self.rest();
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let is_part = |c: char| match is_number {
            true => c.is_ascii_digit(),
            false => c.is_ascii_alphabetic(),
        };
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        (rest.get(..end).unwrap_or_default(), self.at..self.at + end)
    }

    fn point(&mut self) -> Result<(u8, Range<usize>), Refusal> {
        let (word, at) = self.word();
        let point = match word.to_ascii_lowercase().as_str() {
            "bar" | "b" => Some(BAR),
            "off" | "o" => Some(OFF),
            digits => digits.parse().ok().filter(|point| *point <= BAR),
        };
        if let Some(point) = point {
            self.at = at.end;
            return Ok((point, at));
        }
        let reason = match word.is_empty() {
            true => "A point is expected here: 24 to 1, bar or off, as in 8/5 6/5.".to_owned(),
            false => format!(
                "There is no point {}: the points are 24 to 1, bar and off.",
                shown(word)
            ),
        };
        let end = self.rest().chars().next().map_or(0, char::len_utf8);
        Err(Refusal::unreadable(reason).at(at.start..at.end.max(at.start + end)))
    }

    /// The dice before the play, as in `31: 8/5 6/5`.
    fn roll(&mut self, roll: Roll) -> Result<(), Refusal> {
        let Some((dice, _)) = self.text.split_once(':') else {
            return Ok(());
        };
        let written: Vec<u8> = dice
            .bytes()
            .filter(u8::is_ascii_digit)
            .map(|c| c - b'0')
            .collect();
        let is_dice = |c: char| c.is_ascii_digit() || c.is_whitespace() || c == '-';
        if !dice.chars().all(is_dice) {
            let reason = format!(
                "{} is no roll: before the colon stand the dice, as in 31: 8/5 6/5.",
                shown(dice)
            );
            return Err(Refusal::unreadable(reason).at(0..dice.len()));
        }
        let written = match written.as_slice() {
            [one, other] => Roll::new([*one, *other]),
            _ => None,
        };
        self.at = dice.len() + 1;
        if written == Some(roll) {
            return Ok(());
        }
        let reason = format!("The roll is {roll}, not {}.", shown(dice));
        Err(Refusal::illegal(reason).at(0..dice.len()))
    }

    fn written(&mut self) -> Result<Vec<Written>, Refusal> {
        let mut all = Vec::new();
        loop {
            self.skip(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
            if self.rest().is_empty() && !all.is_empty() {
                return Ok(all);
            }
            let (first, at) = self.point()?;
            let (mut points, mut hits, mut end) = (vec![first], Vec::new(), at.clone());
            while self.take(&['/', '-']) {
                let (point, at) = self.point()?;
                points.push(point);
                end = at;
                if self.take(&['*']) {
                    hits.push(point);
                    end.end = self.at;
                }
            }
            let times = if self.take(&['(']) { self.times()? } else { 1 };
            if self.take(&['*']) {
                hits.extend(points.last());
            }
            let at = at.start..end.end;
            if points.len() < 2 {
                let from = name(first);
                let reason = format!("Say where the checker on {from} goes, such as 8/5.");
                return Err(Refusal::unreadable(reason).at(at));
            }
            let way = Written {
                points,
                hits,
                at: at.clone(),
            };
            all.extend(vec![way; times]);
            if all.len() > 4 {
                let reason = "A roll moves at most four checkers.";
                return Err(Refusal::illegal(reason).at(at));
            }
        }
    }

    /// The number in brackets, of which the first is read.
    fn times(&mut self) -> Result<usize, Refusal> {
        let (word, at) = self.word();
        let times = word.parse().ok().filter(|times| (1..=4).contains(times));
        self.at = at.end;
        match times {
            // A mail program may take the last bracket for one around the turn.
            Some(times) if self.take(&[')']) || self.rest().is_empty() => Ok(times),
            _ => {
                let reason = "In brackets stands how many checkers go this way, from 1 to 4: 8/4(2).";
                Err(Refusal::unreadable(reason).at(at))
            }
        }
    }
}
