//! The play that a text means.

use std::ops::Range;

use super::board::Position;
use super::plays::{Hop, Play, Roll, hop, name, plays};
use super::written::{Written, written};
use crate::{Refusal, Seat};

/// More suggestions help nobody.
pub(super) const MAX_CHOICES: usize = 12;

/// The legal play that the text means. Order and asterisks do not matter, nor where a checker pauses.
///
/// # Errors
/// The text is no play, a rule forbids it, or it could be several.
pub fn read(position: &Position, seat: Seat, roll: Roll, text: &str) -> Result<Play, Refusal> {
    let written = written(text, roll)?;
    let legal = plays(position, seat, roll);
    if legal.is_empty() {
        let reason = format!("No checker can move with {roll}: pass.");
        return Err(Refusal::illegal(reason).or(vec!["pass".to_owned()]));
    }
    let asked = Asked {
        position,
        seat,
        roll,
        legal: &legal,
        written: &written,
    };
    asked.play()
}

pub(super) struct Asked<'a> {
    pub(super) position: &'a Position,
    pub(super) seat: Seat,
    pub(super) roll: Roll,
    pub(super) legal: &'a [Play],
    pub(super) written: &'a [Written],
}

/// Moved as written so far: the position, the hops, and the dice that are left.
pub(super) type Moved = (Position, Vec<Hop>, Vec<u8>);

impl Asked<'_> {
    fn play(&self) -> Result<Play, Refusal> {
        let begun = (*self.position, Vec::new(), self.roll.numbers());
        let mut ways: Vec<&[u8]> = self.written.iter().map(|way| way.points.as_slice()).collect();
        let mut at: Vec<u8> = ways.iter().filter_map(|way| way.first().copied()).collect();
        let mut ends = Vec::new();
        self.go(&begun, &mut ways, &mut at, &mut ends);
        if ends.is_empty() {
            return Err(self.fault());
        }
        let is_end = |play: &&Play| ends.iter().any(|(result, ..)| result == play.result());
        let meant: Vec<&Play> = self.legal.iter().filter(is_end).collect();
        if meant.is_empty() {
            return Err(self.unfinished(&ends));
        }
        let starred = || self.written.iter().flat_map(|way| &way.hits);
        let has_all = |play: &&Play| starred().all(|star| play.hits().any(|hit| hit == *star));
        let marked: Vec<&Play> = meant.iter().copied().filter(has_all).collect();
        // Of several ways one is meant that hits where the text says so, and nowhere else.
        let has_no_more = |play: &&Play| play.hits().all(|hit| starred().any(|star| *star == hit));
        let mut exact = marked.iter().copied().filter(has_no_more);
        match (marked.as_slice(), exact.next(), exact.next()) {
            ([play], ..) => Ok(**play),
            (_, Some(play), None) => Ok(*play),
            ([], ..) => Err(self.no_hit(&meant)),
            _ => {
                let reason = "The checker could go over different points, and would hit on them.";
                Err(Refusal::ambiguous(reason, texts(marked)))
            }
        }
    }

    /// Moves the written checkers on, each from where it is now to the end of its way, by all dice that lead there.
    fn go(&self, moved: &Moved, ways: &mut [&[u8]], at: &mut [u8], ends: &mut Vec<Moved>) {
        // A checker never helps one behind it, so the last can always go first.
        let unfinished = (0..at.len()).filter(|way| ways[*way].len() > 1);
        let Some(last) = unfinished.max_by_key(|way| at[*way]) else {
            ends.push(moved.clone());
            return;
        };
        let (from, way) = (at[last], ways[last]);
        let (position, hops, dice) = moved;
        for (place, die) in dice.iter().enumerate() {
            if dice.iter().take(place).any(|before| before == die) {
                continue;
            }
            let Some((result, hop)) = hop(position, self.seat, from, *die) else {
                continue;
            };
            if hop.to < way[1] {
                continue;
            }
            let (mut hops, mut dice) = (hops.clone(), dice.clone());
            hops.push(hop);
            dice.remove(place);
            at[last] = hop.to;
            ways[last] = if hop.to == way[1] { &way[1..] } else { way };
            self.go(&(result, hops, dice), ways, at, ends);
            (at[last], ways[last]) = (from, way);
        }
    }

    fn no_hit(&self, meant: &[&Play]) -> Refusal {
        let is_wrong = |star: &&u8| !meant.iter().any(|play| play.hits().any(|hit| hit == **star));
        let wrong = |way: &&Written| way.hits.iter().any(|star| is_wrong(&star));
        let way = self.written.iter().find(wrong);
        let point = way.and_then(|way| way.hits.iter().find(is_wrong));
        let reason = match point {
            Some(point) => format!("There is nothing to hit on {}.", name(*point)),
            None => "No way of the checkers hits on all these points.".to_owned(),
        };
        let refusal = Refusal::illegal(reason).or(texts(meant.iter().copied()));
        match way {
            Some(way) => refusal.at(way.at.clone()),
            None => refusal,
        }
    }

    /// The refusal of a text that is legal so far, but plays too little or the wrong die.
    fn unfinished(&self, ends: &[Moved]) -> Refusal {
        let [high, low] = self.roll.dice();
        let needed = self.legal.first().map_or(0, |play| play.hops().len());
        let used = ends.iter().map(|(_, hops, _)| hops.len()).max().unwrap_or(0);
        let reason = match needed {
            1 if used == 1 => format!("Only one die can be played, and it must be the higher, the {high}."),
            _ if self.roll.is_double() => {
                let times = ["", "once", "twice", "three times", "four times"];
                let times = times.get(needed).copied().unwrap_or_default();
                format!("You must play the {high} {times}.")
            }
            _ => format!("You must use both dice, the {high} and the {low}."),
        };
        let goes_on = |play: &&Play| {
            ends.iter().any(|(_, begun, _)| {
                let mut rest = play.hops().to_vec();
                begun.iter().all(|hop| {
                    let place = rest.iter().position(|other| other == hop);
                    place.map(|place| rest.remove(place)).is_some()
                })
            })
        };
        let mut choices = texts(self.legal.iter().filter(goes_on));
        if choices.is_empty() {
            choices = texts(self.legal);
        }
        Refusal::illegal(reason).at(self.whole()).or(choices)
    }

    pub(super) fn whole(&self) -> Range<usize> {
        let starts = self.written.iter().map(|way| way.at.start).min();
        let ends = self.written.iter().map(|way| way.at.end).max();
        starts.unwrap_or(0)..ends.unwrap_or(0)
    }
}

pub(super) fn texts<'a>(plays: impl IntoIterator<Item = &'a Play>) -> Vec<String> {
    let plays = plays.into_iter().take(MAX_CHOICES);
    plays.map(ToString::to_string).collect()
}
