//! Reads matches of backgammon.

use super::super::{Error, Lines, Record, shown, wrong};
use super::RIGHT;
use super::counts::{cube, score};
use crate::families::backgammon::Loss;
use crate::{By, Ending, GAMES, Game, Match, Options, Outcome, Refusal, Seat};

/// Whether the first line that says something, after comments, is the length of a match.
pub(in crate::record) fn is_meant(text: &str) -> bool {
    let is_comment = |line: &&str| line.is_empty() || line.starts_with(';');
    let mut lines = text.lines().map(str::trim).skip_while(is_comment);
    lines.next().is_some_and(|line| length(line).is_some())
}

/// The 5 of `5 point match`.
fn length(line: &str) -> Option<&str> {
    match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        [length, "point" | "points", "match"] if length.bytes().all(|c| c.is_ascii_digit()) => Some(length),
        _ => None,
    }
}

/// Reads the match, and checks its turns.
pub(in crate::record) fn read(text: &str) -> Result<Record, Error> {
    let mut tags = Vec::new();
    let mut lines = (1..).zip(text.lines().map(str::trim_end));
    for (line, text) in lines.by_ref() {
        if let Some(comment) = text.trim_start().strip_prefix(';') {
            tags.extend(tag(comment));
        } else if let Some(length) = length(text.trim()) {
            let mut reading = Reading::start(line, length, &tags)?;
            for (line, text) in lines {
                reading.line(line, text)?;
            }
            return Ok(reading.end());
        }
    }
    Err(Error::NoGame)
}

/// A tag within a comment, such as `[Variation "NackGammon"]`.
fn tag(comment: &str) -> Option<(&str, &str)> {
    let inner = comment.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.split_once('"')?;
    Some((name.trim(), value.trim_end().trim_end_matches('"')))
}

/// The game of this variation, written with other signs than ours.
fn game(line: usize, variation: Option<&str>) -> Result<&'static Game, Error> {
    let plain = |text: &str| -> String {
        let signs = text.chars().filter(char::is_ascii_alphanumeric);
        signs.map(|c| c.to_ascii_lowercase()).collect()
    };
    let variation = variation.unwrap_or("Backgammon");
    let is_it = |game: &&Game| game.mat.is_some_and(|own| plain(own) == plain(variation));
    GAMES.iter().find(is_it).ok_or_else(|| {
        wrong(
            line,
            format!("No game here is the variation {}.", shown(variation)),
        )
    })
}

/// What one player does in a row.
enum Cell<'a> {
    /// Rolls these dice and plays so.
    Dice([u8; 2], Vec<&'a str>),
    /// A word of ours: `double`, `take`, `drop`.
    Word(&'static str),
    /// Has won the game, and this many points.
    Wins(u32),
}

/// The match as far as it was read.
struct Reading {
    record: Record,
    position: Box<dyn Match>,
    points: u32,
    /// Whether the game was ended by a turn, and the next was not begun.
    is_over: bool,
    /// Dice without a play although there is one, and why that is no turn: the last dice of a match that goes on, or a mistake.
    unplayed: Option<([u8; 2], Error)>,
}

impl Reading {
    fn start(line: usize, length: &str, tags: &[(&str, &str)]) -> Result<Self, Error> {
        let value = |name: &str| {
            let is_it = |(own, _): &&(&str, &str)| own.eq_ignore_ascii_case(name);
            tags.iter().find(is_it).map(|(_, value)| *value)
        };
        let game = game(line, value("Variation"))?;
        let start = |error: Refusal| wrong(line, error.to_string());
        let options = match length {
            "1" => Options::none(game.facts),
            _ => Options::parse(game.facts, [format!("-points={length}").as_str()]).map_err(start)?,
        };
        let name = |name: &str| value(name).filter(|name| !name.is_empty()).map(str::to_owned);
        let date = value("EventDate").filter(|date| !date.contains('?'));
        let mut reading = Self {
            position: game.start(&options).map_err(Error::Start)?,
            points: options.number(game.facts, "points"),
            record: Record {
                first: name("Player 1"),
                second: name("Player 2"),
                date: date.map(|date| date.replace('.', "-")),
                ..Record::new(game, options)
            },
            is_over: false,
            unplayed: None,
        };
        // Both say that the dice may roll, which these files do not have.
        reading.play(line, "roll")?;
        reading.play(line, "roll")?;
        Ok(reading)
    }

    fn end(self) -> Record {
        let ending = self.position.outcome().map(Ending::by_rules);
        Record {
            ending: self.record.ending.or(ending),
            roll: self.unplayed.map(|(dice, _)| dice),
            ..self.record
        }
    }

    fn line(&mut self, line: usize, text: &str) -> Result<(), Error> {
        let plain = text.trim_start();
        if plain.is_empty() || plain.starts_with(';') {
            return Ok(());
        }
        if self.record.ending.is_some() {
            return Err(wrong(line, "The match is over before this line."));
        }
        if let Some(number) = plain.strip_prefix("Game ")
            && number.trim().bytes().all(|c| c.is_ascii_digit())
        {
            self.is_over = false;
            return Ok(());
        }
        if let Some((number, _)) = plain.split_once(')')
            && number.bytes().all(|c| c.is_ascii_digit())
        {
            let after = text.len() - plain.len() + number.len() + 1;
            return self.row(line, text, after);
        }
        if plain.starts_with("Wins") {
            return self.row(line, text, 0);
        }
        self.score(line, plain)
    }

    /// The names and the score at the start of a game: `ann : 0    ben : 1`.
    fn score(&mut self, line: usize, text: &str) -> Result<(), Error> {
        let mut rest = text;
        let mut sides = Vec::new();
        while let Some((name, after)) = rest.split_once(':') {
            let after = after.trim_start();
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let (score, next) = after.split_at(end);
            sides.push((name.trim(), score.parse::<u32>().ok()));
            rest = next;
        }
        let [(first, Some(one)), (second, Some(other))] = sides.as_slice() else {
            let reason = format!("{} is neither a row of a game nor its score.", shown(text.trim()));
            return Err(wrong(line, reason));
        };
        let known = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        self.record.first = self.record.first.take().or_else(|| known(first));
        self.record.second = self.record.second.take().or_else(|| known(second));
        let ours = score(self.position.as_ref());
        if ours != [*one, *other] {
            let reason = format!(
                "The score is {one} to {other} here, but after the turns before it {} to {}.",
                ours[0], ours[1]
            );
            return Err(wrong(line, reason));
        }
        Ok(())
    }

    /// A row from this byte on: what one or both players do.
    fn row(&mut self, line: usize, text: &str, from: usize) -> Result<(), Error> {
        let mut cells: Vec<(Seat, Cell<'_>)> = Vec::new();
        let mut at = from;
        let row = text.get(from..).unwrap_or_default();
        for part in row.split_inclusive(char::is_whitespace) {
            let (word, column) = (part.trim_end(), at);
            at += part.len();
            if word.is_empty() {
                continue;
            }
            let cell = match (word, dice(word), cells.last_mut()) {
                (_, Some(dice), _) => Cell::Dice(dice, Vec::new()),
                ("Doubles", ..) => Cell::Word("double"),
                ("Takes", ..) => Cell::Word("take"),
                ("Drops", ..) => Cell::Word("drop"),
                ("Wins", ..) => Cell::Wins(0),
                (_, _, Some((_, Cell::Dice(_, plays)))) => {
                    plays.push(word);
                    continue;
                }
                (_, _, Some((_, Cell::Wins(points)))) if *points == 0 => {
                    *points = word.parse().unwrap_or(0);
                    continue;
                }
                // `=> 2` after Doubles, and `and the match`.
                (_, _, Some(_)) => continue,
                (_, _, None) => {
                    let reason = format!("{} is no dice, and no word for the cube.", shown(word));
                    return Err(wrong(line, reason));
                }
            };
            // The left column may be wide, so only the first of two tells its place.
            let seat = match cells.is_empty() && column < RIGHT / 2 {
                true => Seat::First,
                false => Seat::Second,
            };
            cells.push((seat, cell));
        }
        cells
            .into_iter()
            .try_for_each(|(seat, cell)| self.cell(line, seat, cell))
    }

    fn cell(&mut self, line: usize, seat: Seat, cell: Cell<'_>) -> Result<(), Error> {
        if let Cell::Wins(points) = cell {
            return self.wins(line, seat, points);
        }
        if let Some((_, error)) = self.unplayed.take() {
            return Err(error);
        }
        match cell {
            Cell::Word(word) => self.play(line, word),
            Cell::Dice(dice, plays) => self.roll(line, seat, dice, &plays),
            Cell::Wins(_) => Ok(()),
        }
    }

    fn roll(&mut self, line: usize, seat: Seat, [one, other]: [u8; 2], plays: &[&str]) -> Result<(), Error> {
        if self.position.due_roll().is_none() {
            // Not doubling is a turn of ours.
            self.play(line, "roll")?;
        }
        let is_opening = self.position.due_roll().is_some_and(|due| due.must_differ);
        let (high, low) = (one.max(other), one.min(other));
        // Of the first dice, the first is the first player's.
        let dice = match (is_opening, seat) {
            (true, Seat::Second) => [low, high],
            _ => [high, low],
        };
        let is_pass = plays.first().is_none_or(|word| {
            ["cannot", "can't", "pass"]
                .iter()
                .any(|no| word.eq_ignore_ascii_case(no))
        });
        let [one, other] = dice;
        if !is_pass {
            return self.play(line, &format!("{one}{other}:{}", plays.join(",")));
        }
        if let Err(error) = self.play(line, &format!("{one}{other}:pass")) {
            self.unplayed = Some((dice, error));
        }
        Ok(())
    }

    fn wins(&mut self, line: usize, seat: Seat, points: u32) -> Result<(), Error> {
        if self.is_over {
            return Ok(());
        }
        let Err(refusal) = self.concede(line, seat, points) else {
            return Ok(());
        };
        let has_all = score(self.position.as_ref())[seat.index()] + points >= self.points;
        if !has_all {
            return Err(wrong(
                line,
                format!("The game was given up here, which cannot be played: {refusal}"),
            ));
        }
        self.record.ending = Some(Ending {
            outcome: Outcome::Won(seat),
            by: By::Resignation,
        });
        Ok(())
    }

    /// Has the other player offer the game for these points, and this one accept it. The error says why that is no turn.
    fn concede(&mut self, line: usize, winner: Seat, points: u32) -> Result<(), String> {
        let dice = self
            .unplayed
            .as_ref()
            .map(|([one, other], _)| format!("{one}{other}:"));
        let dice = dice.unwrap_or_default();
        let mut at = self.position.fork();
        at.roll_as_written(&dice);
        if at.to_move() != Some(winner.other()) {
            return Err("only the side to move gives a game up.".to_owned());
        }
        let cube = cube(self.position.as_ref());
        if points == cube && at.read("drop").is_ok() {
            return self.play(line, "drop").map_err(|error| error.to_string());
        }
        let offer = Loss::ALL
            .into_iter()
            .find(|loss| u32::from(loss.times()) * cube == points)
            .map(|loss| format!("{dice}{}", loss.turn()))
            .ok_or_else(|| format!("{points} is not one, two or three times the cube at {cube}."))?;
        self.position.read(&offer).map_err(|refusal| refusal.reason)?;
        self.unplayed = None;
        for turn in [offer.as_str(), "accept"] {
            self.play(line, turn).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn play(&mut self, line: usize, turn: &str) -> Result<(), Error> {
        let before = score(self.position.as_ref());
        let played = self.position.play(turn).map_err(|refusal| Error::Turn {
            number: self.record.turns.len() + 1,
            line: Some(line),
            text: shown(turn),
            refusal: Box::new(refusal),
        })?;
        self.record.turns.push(played);
        let Lines(lines) = &mut self.record.lines;
        lines.push(line);
        self.is_over = self.position.outcome().is_some() || score(self.position.as_ref()) != before;
        Ok(())
    }
}

/// The dice of `31:`.
fn dice(word: &str) -> Option<[u8; 2]> {
    match word.as_bytes() {
        [one @ b'1'..=b'6', other @ b'1'..=b'6', b':'] => Some([one - b'0', other - b'0']),
        _ => None,
    }
}
