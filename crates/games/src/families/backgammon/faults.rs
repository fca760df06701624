//! What is wrong with a play that cannot be made.

use super::board::{BAR, OFF, Position};
use super::plays::{hop, name};
use super::turn::{Asked, Moved, texts};
use crate::Refusal;
use crate::kit::words;

impl Asked<'_> {
    /// All ways of one checker to this point, by one die or several.
    fn legs(&self, (position, hops, dice): &Moved, from: u8, to: u8) -> Vec<Moved> {
        let mut ends = Vec::new();
        for (place, die) in dice.iter().enumerate() {
            if dice.iter().take(place).any(|before| before == die) {
                continue;
            }
            let Some((result, hop)) = hop(position, self.seat, from, *die) else {
                continue;
            };
            let (mut hops, mut dice) = (hops.clone(), dice.clone());
            hops.push(hop);
            dice.remove(place);
            let moved = (result, hops, dice);
            if hop.to == to {
                ends.push(moved);
            } else if hop.to > to {
                ends.extend(self.legs(&moved, hop.to, to));
            }
        }
        ends
    }

    /// Why the first way that cannot be gone is none.
    pub(super) fn fault(&self) -> Refusal {
        let entering = self.written.iter().filter(|way| way.points[0] == BAR).count();
        let on_bar = usize::from(self.position.count(self.seat, BAR));
        let mut moved = (*self.position, Vec::new(), self.roll.numbers());
        let ways = self.written.iter();
        let legs = ways.flat_map(|way| way.points.windows(2).map(|leg| (leg[0], leg[1], &way.at)));
        let mut legs: Vec<_> = legs.collect();
        legs.sort_by_key(|(from, to, _)| std::cmp::Reverse((*from, *to)));
        for (place, (from, to, at)) in legs.into_iter().enumerate() {
            if on_bar > entering && place == entering && entering < self.roll.numbers().len() {
                let count = words::count(on_bar, "checker");
                let enters = if on_bar == 1 { "enters" } else { "enter" };
                let reason = format!("You have {count} on the bar, which {enters} first.");
                let refusal = Refusal::illegal(reason).at(at.clone());
                return refusal.or(texts(self.legal));
            }
            match self.legs(&moved, from, to).into_iter().next() {
                Some(next) => moved = next,
                None => return Refusal::illegal(self.reason(&moved, from, to)).at(at.clone()),
            }
        }
        let reason = format!("The checkers cannot go these ways with {}.", self.roll);
        Refusal::illegal(reason).at(self.whole()).or(texts(self.legal))
    }

    fn reason(&self, (position, _, dice): &Moved, from: u8, to: u8) -> String {
        let (roll, way) = (self.roll, format!("{}/{}", name(from), name(to)));
        let all = roll.numbers();
        if from == OFF {
            return "A checker that is off stays off.".to_owned();
        }
        if position.count(self.seat, from) == 0 {
            return match position.against(self.seat, from) {
                0 if from == BAR => "You have no checker on the bar.".to_owned(),
                0 => format!("You have no checker on {}.", name(from)),
                _ => format!("The checker on {} is your opponent's.", name(from)),
            };
        }
        if to >= from {
            return format!("{way} goes the wrong way: your checkers go from 24 towards 1, and off.");
        }
        let last = position.last(self.seat);
        if to == OFF && last > 6 && from <= 6 {
            return format!(
                "You bear off only when all your checkers are on 6 to 1, and one is on {}.",
                name(last)
            );
        }
        let distance = from - to;
        let fits = |dice: &[u8]| {
            sums(dice)
                .iter()
                .any(|sum| *sum == distance || (to == OFF && *sum > distance))
        };
        match (fits(&all), fits(dice)) {
            (false, _) => format!("{way} is {distance}, which is not in the roll {roll}."),
            (true, false) => {
                format!("{way} is {distance}, and the rest of the roll {roll} does not give it.")
            }
            (true, true) => self.obstacle(position, dice, from, to),
        }
    }

    /// Why dice that fit do not bring the checker there.
    fn obstacle(&self, position: &Position, dice: &[u8], from: u8, to: u8) -> String {
        let way = format!("{}/{}", name(from), name(to));
        if to == OFF {
            let behind = position.last(self.seat);
            let fits = |die: &u8| *die > from && behind > from;
            if dice.iter().any(fits) && !dice.contains(&from) {
                return format!(
                    "A die higher than {from} bears off from {behind} first, where you have a checker."
                );
            }
        }
        if to != OFF && position.against(self.seat, to) > 1 {
            let point = name(to);
            return format!("The point {point} is blocked: your opponent has several checkers there.");
        }
        let pauses = dice.iter().map(|die| from.saturating_sub(*die));
        let mut pauses: Vec<u8> = pauses
            .filter(|at| *at > to && position.against(self.seat, *at) > 1)
            .collect();
        pauses.dedup();
        match pauses.is_empty() {
            true => format!("{way} cannot be played with {}.", self.roll),
            false => format!(
                "{way} is blocked on the way, on {}, where your opponent has several checkers.",
                words::list(pauses)
            ),
        }
    }
}

/// What some of the dice give together.
fn sums(dice: &[u8]) -> Vec<u8> {
    let mut sums = vec![0];
    for die in dice {
        let more: Vec<u8> = sums.iter().map(|sum| sum + die).collect();
        sums.extend(more);
    }
    sums.retain(|sum| *sum > 0);
    sums
}
