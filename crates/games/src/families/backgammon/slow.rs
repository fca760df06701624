//! A slow model of the plays, for the tests: one board that both sides share, every order of the dice, and every checker.

use std::collections::BTreeSet;

use super::board::Position;
use super::plays::Roll;
use crate::Seat;

/// White goes from 24 to 1 and has positive numbers, Black goes from 1 to 24 and has negative ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slow {
    points: Vec<i32>,
    bar: [i32; 2],
    off: [i32; 2],
}

impl Slow {
    pub(crate) fn of(position: &Position) -> Self {
        let mut points = vec![0; 25];
        for (place, count) in points.iter_mut().enumerate().skip(1) {
            let own = |seat, point: usize| i32::from(position.count(seat, u8::try_from(point).unwrap()));
            *count = own(Seat::First, place) - own(Seat::Second, 25 - place);
        }
        let both = |point| Seat::BOTH.map(|seat| i32::from(position.count(seat, point)));
        Self {
            points,
            bar: both(25),
            off: both(0),
        }
    }

    fn sign(side: usize) -> i32 {
        [1, -1][side]
    }

    fn is_home(&self, side: usize) -> bool {
        let outside = |place: &usize| if side == 0 { *place > 6 } else { *place < 19 };
        let is_own = |place: &usize| self.points[*place] * Self::sign(side) > 0;
        self.bar[side] == 0 && !(1..=24).any(|place| outside(&place) && is_own(&place))
    }

    /// The boards after one checker has used this die.
    fn steps(&self, side: usize, die: i32) -> Vec<Self> {
        let sign = Self::sign(side);
        let start = if side == 0 { 25 } else { 0 };
        let mut after = Vec::new();
        for from in 0..=25_i32 {
            let mut next = self.clone();
            if from == start {
                if self.bar[side] == 0 {
                    continue;
                }
                next.bar[side] -= 1;
            } else {
                let place = usize::try_from(from).unwrap();
                if self.bar[side] > 0 || !(1..=24).contains(&from) || self.points[place] * sign <= 0 {
                    continue;
                }
                next.points[place] -= sign;
            }
            let to = from - sign * die;
            if (1..=24).contains(&to) {
                let place = usize::try_from(to).unwrap();
                match self.points[place] * sign {
                    ..=-2 => continue,
                    -1 => {
                        next.points[place] = sign;
                        next.bar[1 - side] += 1;
                    }
                    _ => next.points[place] += sign,
                }
            } else {
                let is_exact = to == 0 || to == 25;
                let behind = |place: &usize| match side {
                    0 => i32::try_from(*place).unwrap() > from,
                    _ => i32::try_from(*place).unwrap() < from,
                };
                let is_last = !(1..=24).any(|place| behind(&place) && self.points[place] * sign > 0);
                if !self.is_home(side) || !(is_exact || is_last) {
                    continue;
                }
                next.off[side] += 1;
            }
            after.push(next);
        }
        after
    }

    /// Every board that can be reached with these dice in this order, with the dice that were used.
    fn reach(&self, side: usize, dice: &[i32], used: &[i32], all: &mut BTreeSet<(Vec<i32>, Self)>) {
        if !all.insert((used.to_vec(), self.clone())) && !used.is_empty() {
            return;
        }
        if let [die, rest @ ..] = dice {
            for next in self.steps(side, *die) {
                let used: Vec<i32> = used.iter().copied().chain([*die]).collect();
                next.reach(side, rest, &used, all);
            }
        }
    }

    /// The boards after all legal plays; none if no checker can move.
    pub(crate) fn plays(&self, seat: Seat, roll: Roll) -> BTreeSet<Self> {
        let [high, low] = roll.dice().map(i32::from);
        let orders = match high == low {
            true => vec![vec![high; 4]],
            false => vec![vec![high, low], vec![low, high]],
        };
        let mut all = BTreeSet::new();
        for order in orders {
            self.reach(seat.index(), &order, &[], &mut all);
        }
        let most = all.iter().map(|(used, _)| used.len()).max().unwrap();
        all.retain(|(used, _)| used.len() == most);
        if most == 1 && all.iter().any(|(used, _)| *used == [high]) {
            all.retain(|(used, _)| *used == [high]);
        }
        if most == 0 {
            return BTreeSet::new();
        }
        all.into_iter().map(|(_, board)| board).collect()
    }

    /// Does what a text says, whatever the dice are.
    pub(crate) fn after_text(&self, seat: Seat, text: &str) -> Self {
        let (side, sign) = (seat.index(), Self::sign(seat.index()));
        let mut next = self.clone();
        for part in text.split(' ') {
            let (way, times) = part.split_once('(').unwrap_or((part, "1)"));
            let times: i32 = times.trim_end_matches(')').parse().unwrap();
            let ends: Vec<&str> = way.split('/').collect();
            let place = |word: &str| {
                let own: usize = word.trim_end_matches('*').parse().unwrap();
                if side == 0 { own } else { 25 - own }
            };
            match ends[0] {
                "bar" => next.bar[side] -= times,
                from => next.points[place(from)] -= sign * times,
            }
            for hit in ends.iter().filter(|end| end.ends_with('*')) {
                assert_eq!(next.points[place(hit)], -sign, "{text} hits nothing");
                next.points[place(hit)] = 0;
                next.bar[1 - side] += 1;
            }
            match ends[ends.len() - 1] {
                "off" => next.off[side] += times,
                to => next.points[place(to)] += sign * times,
            }
        }
        next
    }
}
