//! Writes matches of backgammon.

use std::fmt::Write as _;

use super::super::Record;
use super::counts::{cube, score};
use super::{NAMED, RIGHT};
use crate::{Match, Outcome, Seat};

/// Where it is said that the first player has won a game, and that the second has.
const WINS: [usize; 2] = [6, RIGHT + 1];

/// A game of the match: what both do in turn, from the player who begins.
struct Written {
    score: [u32; 2],
    begins: Option<Seat>,
    cells: Vec<String>,
    wins: Option<(Seat, u32)>,
    /// Whether the last cell has the dice of a player who has offered the game instead of playing them.
    is_offered: bool,
}

impl Record {
    /// The record as a match of GNU Backgammon (.mat); `None` if the game is not written so, or its turns cannot be played.
    #[must_use]
    pub fn mat(&self) -> Option<String> {
        let variation = self.game.mat?;
        let replayed = self.replay().ok()?;
        let points = self.options.number(self.game.facts, "points");
        let names = [&self.first, &self.second].map(|name| plain(name.as_deref().unwrap_or("?")));
        let mut text = String::new();
        for (player, name) in (1..).zip(&names) {
            let _ = writeln!(text, "; [Player {player} \"{name}\"]");
        }
        if let Some(date) = &self.date {
            let _ = writeln!(text, "; [EventDate \"{}\"]", plain(&date.replace('-', ".")));
        }
        let _ = writeln!(text, "; [Variation \"{variation}\"]\n\n {points} point match");
        let mut games = self.games(&replayed.turns)?;
        if let (Some(last), Some(Outcome::Won(winner))) =
            (games.last_mut(), replayed.ending.map(|ending| ending.outcome))
            && last.wins.is_none()
        {
            last.wins = Some((winner, points.saturating_sub(last.score[winner.index()])));
        }
        for (number, game) in (1..).zip(&games) {
            game.write(&mut text, number, &names);
        }
        Some(text)
    }

    /// The games that these turns are of. The last may be one that is not begun.
    fn games(&self, turns: &[String]) -> Option<Vec<Written>> {
        let mut position = self.game.start(&self.options).ok()?;
        let mut games = vec![Written::new(position.as_ref())];
        let mut turns = turns.iter().peekable();
        while let Some(turn) = turns.next() {
            position.roll_as_written(turn);
            let mover = position.to_move()?;
            let before = score(position.as_ref());
            let written = by_die(position.as_ref(), turn);
            position.play(turn).ok()?;
            let after = score(position.as_ref());
            let game = games.last_mut()?;
            game.add(mover, position.as_ref(), &written);
            if before != after || position.outcome().is_some() {
                let winner = match position.outcome() {
                    Some(Outcome::Won(winner)) => winner,
                    _ if before[0] != after[0] => Seat::First,
                    _ => Seat::Second,
                };
                let points = after[winner.index()].saturating_sub(before[winner.index()]);
                game.wins = Some((winner, points.max(1)));
                if turns.peek().is_some() || self.roll.is_some() {
                    games.push(Written::new(position.as_ref()));
                }
            }
        }
        if let Some(dice) = self.roll {
            position.roll(dice);
            let mover = position.to_move()?;
            games.last_mut()?.dice(mover, dice, "");
        }
        Some(games)
    }
}

impl Written {
    fn new(position: &dyn Match) -> Self {
        Self {
            score: score(position),
            begins: None,
            cells: Vec::new(),
            wins: None,
            is_offered: false,
        }
    }

    /// Adds a turn, after which this is the position. That both let the dice roll is not written, nor an offer of the game that is
    /// refused.
    fn add(&mut self, mover: Seat, after: &dyn Match, turn: &str) {
        let cube = |turn: &str| match turn {
            "take" => Some(" Takes".to_owned()),
            "drop" => Some(" Drops".to_owned()),
            "double" => Some(format!(" Doubles => {}", 2 * cube(after))),
            _ => None,
        };
        // Dice without a play are a forced play to GNU Backgammon, so those of a game that is given up are not written.
        let was_offered = std::mem::take(&mut self.is_offered);
        if was_offered {
            self.cells.pop();
        }
        if let Some((dice, play)) = turn.split_once(':') {
            self.is_offered = play.starts_with("concede");
            let digits: Vec<u8> = dice.bytes().map(|digit| digit - b'0').collect();
            if let [one, other] = digits.as_slice() {
                self.dice(mover, [*one, *other], play);
            }
        } else if let Some(cell) = cube(turn) {
            self.cells.push(cell);
        }
    }

    fn dice(&mut self, mover: Seat, [one, other]: [u8; 2], play: &str) {
        self.begins.get_or_insert(mover);
        let (high, low) = (one.max(other), one.min(other));
        let play = match play.contains('/') {
            true => steps(play),
            false => String::new(),
        };
        self.cells.push(format!("{high}{low}: {play}"));
    }

    fn write(&self, text: &mut String, number: usize, names: &[String; 2]) {
        let [first, second] = names;
        let [one, other] = self.score;
        let left = format!(" {first} : {one}");
        let _ = writeln!(text, "\n Game {number}");
        let _ = writeln!(text, "{left:<width$} {second} : {other}", width = RIGHT - 2);
        let skipped = (self.begins == Some(Seat::Second)).then(String::new);
        let mut cells: Vec<String> = skipped.into_iter().chain(self.cells.iter().cloned()).collect();
        let wins = self.wins.map(|(winner, points)| {
            let s = if points == 1 { "" } else { "s" };
            (winner, format!("Wins {points} point{s}"))
        });
        // GNU Backgammon reads this in the row of a first player who has dropped or given up, not below it.
        let is_in_row = cells.len() % 2 == 1;
        let below = match wins {
            Some((Seat::Second, wins)) if is_in_row => {
                cells.push(format!(" {wins}"));
                None
            }
            wins => wins,
        };
        for (number, row) in (1..).zip(cells.chunks(2)) {
            let left = format!("{number:>3}) {}", row[0]);
            let line = match row.get(1) {
                Some(right) => format!("{left:<width$} {right}", width = RIGHT - 1),
                None => left,
            };
            let _ = writeln!(text, "{}", line.trim_end());
        }
        if let Some((winner, wins)) = below {
            let _ = writeln!(text, "{:indent$}{wins}", "", indent = WINS[winner.index()]);
        }
    }
}

/// A play with each way of a checker in steps, and numbers for the bar and off: `13/7*/3(2)` is `13/7* 7/3 13/7* 7/3`.
fn steps(play: &str) -> String {
    let mut steps = Vec::new();
    for way in play.split(',') {
        let (way, times) = match way.split_once('(') {
            Some((way, times)) => (way, times.trim_end_matches(')').parse().unwrap_or(1)),
            None => (way, 1),
        };
        let points: Vec<&str> = way.split('/').collect();
        for time in 0..times {
            for pair in points.windows(2) {
                let from = numbered(pair[0].trim_end_matches('*'));
                // Only the first of several finds a checker to hit.
                let to = if time == 0 {
                    pair[1]
                } else {
                    pair[1].trim_end_matches('*')
                };
                steps.push(format!("{from}/{}", numbered(to)));
            }
        }
    }
    steps.join(" ")
}

/// A turn with a way for each die, as GNU Backgammon needs it: a way by both is one of two, and it does not always find the legal one.
fn by_die(position: &dyn Match, turn: &str) -> String {
    let dice = |dice: &str| match dice.as_bytes() {
        [one, other] => Some([one.max(other) - b'0', one.min(other) - b'0']),
        _ => None,
    };
    let split = turn
        .split_once(':')
        .and_then(|(rolled, play)| Some((dice(rolled)?, rolled, play)));
    let Some((dice, rolled, play)) = split else {
        return turn.to_owned();
    };
    let ways: Vec<&str> = play.split(',').collect();
    let number = |point: &str| numbered(point.trim_end_matches('*')).parse::<u8>().ok();
    if dice[0] == dice[1] {
        let split = ways
            .iter()
            .map(|way| in_steps(way, dice[0]).unwrap_or_else(|| (*way).to_owned()));
        return format!("{rolled}:{}", split.collect::<Vec<_>>().join(","));
    }
    let over = |from: u8, end: &str| {
        let steps = dice
            .iter()
            .filter_map(|die| from.checked_sub(*die).filter(|point| *point > 0));
        let texts = steps.map(|point| format!("{rolled}:{}/{point},{point}/{end}", named(from)));
        texts
            .into_iter()
            .find(|text| position.read(text).as_deref() == Ok(turn))
    };
    let split = match ways.as_slice() {
        [way] => way
            .split_once('/')
            .filter(|(_, end)| !end.contains(['/', '(']) && number(end).is_some()),
        _ => None,
    };
    let split = split.and_then(|(from, end)| Some((number(from)?, number(end)?, end)));
    let needs_both = |(from, end, _): &(u8, u8, &str)| {
        let distance = from.saturating_sub(*end);
        distance > dice[0] || (*end > 0 && !dice.contains(&distance))
    };
    split
        .filter(needs_both)
        .and_then(|(from, _, end)| over(from, end))
        .unwrap_or_else(|| turn.to_owned())
}

/// The way of a checker by equal dice, with each point on it.
fn in_steps(way: &str, die: u8) -> Option<String> {
    let (way, times) = way.split_once('(').unwrap_or((way, ""));
    let points: Vec<&str> = way.split('/').collect();
    let mut text = (*points.first()?).to_owned();
    for pair in points.windows(2) {
        let [from, end] =
            [pair[0], pair[1]].map(|point| numbered(point.trim_end_matches('*')).parse::<u8>().ok());
        let (mut at, end) = (from?, end?);
        while at.saturating_sub(die) > end {
            at -= die;
            let _ = write!(text, "/{at}");
        }
        let _ = write!(text, "/{}", pair[1]);
    }
    if !times.is_empty() {
        let _ = write!(text, "({times}");
    }
    Some(text)
}

fn named(point: u8) -> String {
    match point {
        25 => "bar".to_owned(),
        point => point.to_string(),
    }
}

fn numbered(point: &str) -> &str {
    let named = NAMED.iter().find(|(name, _)| *name == point);
    named.map_or(point, |(_, number)| number)
}

/// A name that ends neither its tag nor its line.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_control() && *c != '"' && *c != ':')
        .collect()
}
