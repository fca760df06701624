//! The legal plays of a roll.

use std::collections::HashSet;
use std::fmt;

use super::board::{BAR, OFF, Position};
use crate::Seat;

/// Two dice, the higher first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Roll {
    high: u8,
    low: u8,
}

impl Roll {
    /// `None` unless both dice are 1 to 6.
    #[must_use]
    pub fn new([one, other]: [u8; 2]) -> Option<Self> {
        let is_die = |die| (1..=6).contains(&die);
        (is_die(one) && is_die(other)).then(|| Self {
            high: one.max(other),
            low: one.min(other),
        })
    }

    /// The 21 rolls.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=6).flat_map(|high| (1..=high).map(move |low| Self { high, low }))
    }

    /// The higher and the lower die.
    #[must_use]
    pub const fn dice(self) -> [u8; 2] {
        [self.high, self.low]
    }

    /// Whether the dice are equal, and so played four times.
    #[must_use]
    pub const fn is_double(self) -> bool {
        self.high == self.low
    }

    /// What can be played: two numbers, or one four times.
    #[must_use]
    pub fn numbers(self) -> Vec<u8> {
        match self.is_double() {
            true => vec![self.high; 4],
            false => vec![self.high, self.low],
        }
    }
}

impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.high, self.low)
    }
}

/// One checker moved by one die.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hop {
    /// The point where it was.
    pub from: u8,
    /// The point where it goes.
    pub to: u8,
    /// Whether it hits a checker there.
    pub hits: bool,
}

/// All that is played with a roll. Plays with the same result are the same.
#[derive(Clone, Copy, Debug)]
pub struct Play {
    result: Position,
    hops: [Hop; 4],
    count: usize,
}

impl PartialEq for Play {
    fn eq(&self, other: &Self) -> bool {
        self.result == other.result
    }
}

impl Eq for Play {}

impl Play {
    const fn none(position: Position) -> Self {
        let hop = Hop {
            from: 0,
            to: 0,
            hits: false,
        };
        Self {
            result: position,
            hops: [hop; 4],
            count: 0,
        }
    }

    /// The position after it.
    #[must_use]
    pub const fn result(&self) -> &Position {
        &self.result
    }

    /// One way to play it, in the order of play.
    #[must_use]
    pub fn hops(&self) -> &[Hop] {
        self.hops.get(..self.count).unwrap_or_default()
    }

    /// The points where it hits, in the mover's count.
    pub fn hits(&self) -> impl Iterator<Item = u8> {
        self.hops().iter().filter(|hop| hop.hits).map(|hop| hop.to)
    }

    fn with(mut self, result: Position, hop: Hop) -> Self {
        if let Some(place) = self.hops.get_mut(self.count) {
            *place = hop;
            self.count += 1;
        }
        self.result = result;
        self
    }

    /// The ways of single checkers, joined as far as they go. A point where a checker is hit stays in the way.
    fn ways(&self) -> Vec<Vec<u8>> {
        let hit: Vec<u8> = self.hits().collect();
        let mut hops = self.hops().to_vec();
        hops.sort_unstable_by(|one, other| other.cmp(one));
        let mut ways = Vec::new();
        while !hops.is_empty() {
            let first = hops.remove(0);
            let (mut way, mut at) = (vec![first.from], first.to);
            while let Some(next) = hops.iter().position(|hop| hop.from == at) {
                if hit.contains(&at) {
                    way.push(at);
                }
                at = hops.remove(next).to;
            }
            way.push(at);
            ways.push(way);
        }
        ways
    }
}

/// `24`, `bar` or `off`.
#[must_use]
pub fn name(point: u8) -> String {
    match point {
        OFF => "off".to_owned(),
        BAR => "bar".to_owned(),
        _ => point.to_string(),
    }
}

impl fmt::Display for Play {
    /// Such as `bar/21*`, `8/4(2)` or `13/7*/3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut unsaid: Vec<u8> = self.hits().collect();
        let ways = self.ways();
        let mut groups: Vec<(&[u8], usize)> = Vec::new();
        for way in &ways {
            match groups.iter_mut().find(|(known, _)| known == way) {
                Some((_, times)) => *times += 1,
                None => groups.push((way, 1)),
            }
        }
        for (place, (way, times)) in groups.into_iter().enumerate() {
            if place > 0 {
                f.write_str(" ")?;
            }
            for (place, point) in way.iter().enumerate() {
                if place > 0 {
                    f.write_str("/")?;
                }
                f.write_str(&name(*point))?;
                let said = unsaid.iter().position(|hit| hit == point);
                if let (Some(said), 1..) = (said, place) {
                    unsaid.remove(said);
                    f.write_str("*")?;
                }
            }
            if times > 1 {
                write!(f, "({times})")?;
            }
        }
        Ok(())
    }
}

/// Moves the checker on this point by this die, if the rules allow it as a part of a play.
pub(super) fn hop(position: &Position, seat: Seat, from: u8, die: u8) -> Option<(Position, Hop)> {
    let is_held = position.count(seat, BAR) > 0 && from != BAR;
    if from == OFF || position.count(seat, from) == 0 || is_held {
        return None;
    }
    let to = from.saturating_sub(die);
    let is_open = match to {
        OFF => {
            let last = position.last(seat);
            last <= 6 && (from == die || from == last)
        }
        _ => position.against(seat, to) < 2,
    };
    is_open.then(|| {
        let mut result = *position;
        let hits = result.shift(seat, from, to);
        (result, Hop { from, to, hits })
    })
}

/// Every distinct play: all that use as many dice as can be used, and the higher if only one of two can. None if no checker
/// can move.
#[must_use]
pub fn plays(position: &Position, seat: Seat, roll: Roll) -> Vec<Play> {
    let [high, low] = roll.dice();
    let (mut found, none) = (Vec::new(), Play::none(*position));
    if roll.is_double() {
        // A checker never helps one behind it, so the last may always go first.
        extend(&none, seat, &[high; 4], true, &mut found);
    } else {
        extend(&none, seat, &[high, low], false, &mut found);
        extend(&none, seat, &[low, high], false, &mut found);
    }
    let most = found.iter().map(|(play, _)| play.count).max().unwrap_or(0);
    found.retain(|(play, _)| play.count == most);
    if most == 1 && found.iter().any(|(_, first)| *first == high) {
        found.retain(|(_, first)| *first == high);
    }
    let mut known = HashSet::new();
    let plays = found.into_iter().map(|(play, _)| play);
    plays.filter(|play| known.insert(play.result)).collect()
}

/// The plays that go on with these dice in this order, each with its first die.
fn extend(begun: &Play, seat: Seat, dice: &[u8], is_sorted: bool, found: &mut Vec<(Play, u8)>) {
    let Some((die, rest)) = dice.split_first() else {
        return;
    };
    let top = match begun.hops().last() {
        Some(before) if is_sorted => before.from,
        _ => BAR,
    };
    for from in (1..=top).rev() {
        let Some((result, hop)) = hop(&begun.result, seat, from, *die) else {
            continue;
        };
        let play = begun.with(result, hop);
        let before = found.len();
        extend(&play, seat, rest, is_sorted, found);
        if found.len() == before {
            found.push((play, *die));
        } else if let (0, Some(new)) = (begun.count, found.get_mut(before..)) {
            new.iter_mut().for_each(|(_, first)| *first = *die);
        }
    }
}
