//! How many rolls a side needs to bear off all its checkers once they are home, if it plays for the fewest on average.

use std::sync::OnceLock;

use super::board::{BAR, MAX_CHECKERS, Position};
use super::plays::Roll;
use crate::Seat;

/// Positions of up to 15 checkers on six points.
const POSITIONS: usize = 54_264;

/// No position needs more rolls: 15 checkers on 6 need 30 of the least that is no double.
const MAX_ROLLS: usize = 32;

/// What stands for certainty in the table.
const CERTAIN: f32 = 65_535.0;

/// The checkers on points 1 to 6.
pub type Home = [u8; 6];

/// A table of all positions.
#[derive(Debug)]
pub struct BearOff {
    means: Vec<f32>,
    /// Where the chances of a position begin. One more stands at the end.
    starts: Vec<u32>,
    /// The first number of rolls that can be enough.
    firsts: Vec<u8>,
    chances: Vec<u16>,
}

/// The ways to choose `count` of `all`, for up to 6 of up to 21.
fn choose(all: usize, count: usize) -> usize {
    (0..count).fold(1, |product, n| product * (all - n) / (n + 1))
}

/// The place of a position in the order of its points from 6 to 1. A checker that moves makes it smaller.
fn place(home: &Home) -> Option<usize> {
    let mut left = usize::from(MAX_CHECKERS);
    let mut place = 0;
    for (below, count) in home.iter().enumerate().rev() {
        let point = below + 1;
        let after = left.checked_sub(usize::from(*count))?;
        place += choose(left + point, point) - choose(after + point, point);
        left = after;
    }
    Some(place)
}

/// The next position in that order; `None` after the last.
fn next(mut home: Home) -> Option<Home> {
    let is_full = home.iter().sum::<u8>() == MAX_CHECKERS;
    if !is_full {
        home[0] += 1;
        return Some(home);
    }
    let lowest = home.iter().position(|count| *count > 0)?;
    home[lowest] = 0;
    *home.get_mut(lowest + 1)? += 1;
    Some(home)
}

/// The positions after one checker has used this die.
fn steps(home: &Home, die: usize) -> impl Iterator<Item = Home> {
    let last = home.iter().rposition(|count| *count > 0).unwrap_or(0);
    let can_move = move |at: &usize| home[*at] > 0 && (*at + 1 >= die || *at == last);
    (0..6).filter(can_move).map(move |at| {
        let mut after = *home;
        after[at] -= 1;
        if let Some(to) = at.checked_sub(die) {
            after[to] += 1;
        }
        after
    })
}

impl BearOff {
    /// The table, which is made when it is first needed.
    pub fn table() -> &'static Self {
        static TABLE: OnceLock<BearOff> = OnceLock::new();
        TABLE.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut table = Self {
            means: vec![0.0],
            starts: vec![0, 1],
            firsts: vec![0],
            chances: vec![u16::MAX],
        };
        let mut exact = Vec::with_capacity(POSITIONS);
        exact.push([0.0_f32; MAX_ROLLS]);
        exact[0][0] = 1.0;
        // The best position after a die was used once to four times.
        let mut best = Vec::with_capacity(POSITIONS);
        best.push([[0_usize; 7]; 4]);
        let mut home = Home::default();
        while let Some(following) = next(home) {
            home = following;
            let after: [Vec<usize>; 7] = std::array::from_fn(|die| match die {
                0 => Vec::new(),
                _ => steps(&home, die).filter_map(|step| place(&step)).collect(),
            });
            let means = &table.means;
            let least = |ends: &mut dyn Iterator<Item = usize>| {
                let order = |one: &usize, other: &usize| means[*one].total_cmp(&means[*other]);
                ends.min_by(order).unwrap_or(0)
            };
            let mut own = [[0; 7]; 4];
            for die in 1..=6 {
                own[0][die] = least(&mut after[die].iter().copied());
                for times in 1..4 {
                    own[times][die] = least(&mut after[die].iter().map(|step| best[*step][times - 1][die]));
                }
            }
            let mut chances = [0.0; MAX_ROLLS];
            for roll in Roll::all() {
                let [high, low] = roll.dice().map(usize::from);
                let (end, weight) = match roll.is_double() {
                    true => (own[3][high], 1.0 / 36.0),
                    false => {
                        let first = after[high].iter().map(|step| best[*step][0][low]);
                        let second = after[low].iter().map(|step| best[*step][0][high]);
                        (least(&mut first.chain(second)), 2.0 / 36.0)
                    }
                };
                for (chance, later) in chances.iter_mut().skip(1).zip(exact[end]) {
                    *chance += weight * later;
                }
            }
            best.push(own);
            table.add(&chances);
            exact.push(chances);
        }
        table
    }

    fn add(&mut self, chances: &[f32; MAX_ROLLS]) {
        let numbers = (0_u8..).map(f32::from);
        let mean = chances.iter().zip(numbers).map(|(chance, rolls)| chance * rolls);
        self.means.push(mean.sum());
        let rounded = chances.map(to_table);
        let first = rounded.iter().position(|chance| *chance > 0).unwrap_or(0);
        let last = rounded.iter().rposition(|chance| *chance > 0).unwrap_or(0);
        self.firsts.push(u8::try_from(first).unwrap_or(0));
        self.chances.extend(rounded.get(first..=last).unwrap_or_default());
        self.starts
            .push(u32::try_from(self.chances.len()).unwrap_or(u32::MAX));
    }

    /// The rolls that are needed on average. `None`: more than 15 checkers.
    #[must_use]
    pub fn mean(&self, home: &Home) -> Option<f32> {
        self.means.get(place(home)?).copied()
    }

    /// The chances of each number of rolls that can be enough, beginning with the least, with 65535 for certainty.
    #[must_use]
    pub fn distribution(&self, home: &Home) -> Option<(u8, &[u16])> {
        let place = place(home)?;
        let [from, to] = [place, place + 1].map(|place| self.starts.get(place));
        let chances = self
            .chances
            .get(usize::try_from(*from?).ok()?..usize::try_from(*to?).ok()?)?;
        Some((*self.firsts.get(place)?, chances))
    }

    /// The chance, from 0 to 1, that the first side to roll is done before the other.
    #[must_use]
    pub fn chance(&self, roller: &Home, other: &Home) -> Option<f32> {
        let [own, against] = [self.distribution(roller)?, self.distribution(other)?];
        let rolls = |(first, chances): (u8, &[u16])| {
            let mut all = [0.0; MAX_ROLLS + 1];
            let sum: f32 = chances.iter().map(|chance| f32::from(*chance)).sum();
            for (place, chance) in all.iter_mut().skip(usize::from(first)).zip(chances) {
                *place = f32::from(*chance) / sum;
            }
            all
        };
        let (own, against) = (rolls(own), rolls(against));
        let mut left = 1.0;
        // The other side is late if it needs as many rolls or more.
        let chances = own.iter().zip(against).map(|(chance, done)| {
            let chance = chance * left;
            left -= done;
            chance
        });
        Some(chances.sum())
    }
}

fn to_table(chance: f32) -> u16 {
    let scaled = (chance * CERTAIN).round().clamp(0.0, CERTAIN);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is a whole number from 0 to 65535"
    )]
    let rounded = scaled as u16;
    rounded
}

/// The checkers at home; `None` if one is still outside.
#[must_use]
pub fn home(position: &Position, seat: Seat) -> Option<Home> {
    let is_home = (7..=BAR).all(|point| position.count(seat, point) == 0);
    is_home.then(|| [1, 2, 3, 4, 5, 6].map(|point| position.count(seat, point)))
}
