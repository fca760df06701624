//! An independent judge: stones in a map by half-column and row, rings and lines by arithmetic. It finds every legal
//! turn by trying all cells, pivots and far ends, and has no bits, tables or directions.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Ringworm;
use crate::{Rules, Seat};

type Place = (i32, i32);

const COLUMNS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFG";
const AROUND: [Place; 6] = [(2, 0), (-2, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Slow {
    pub(super) stones: BTreeMap<Place, char>,
    own: char,
    drops: usize,
}

fn exists((column, row): Place) -> bool {
    (1..=17).contains(&row) && (column + row) % 2 == 1 && (column - 16).abs() + (row - 9).abs() <= 16
}

fn places() -> Vec<Place> {
    let rows = (1..=17).flat_map(|row| (0..33).map(move |column| (column, row)));
    rows.filter(|place| exists(*place)).collect()
}

fn name((column, row): Place) -> String {
    format!("{}{row}", COLUMNS.chars().nth(column as usize).unwrap())
}

fn place(name: &str) -> Option<Place> {
    let column = COLUMNS.chars().position(|c| name.starts_with(c))? as i32;
    let row = name.get(1..)?;
    let place = (column, row.parse().ok()?);
    (exists(place) && !row.starts_with(['0', '+'])).then_some(place)
}

/// The five cells after the pivot, if the far end fits.
fn line(pivot: Place, far: Place) -> Option<Vec<Place>> {
    let (right, down) = (far.0 - pivot.0, far.1 - pivot.1);
    let step = (right / 5, down / 5);
    let straight = AROUND.contains(&step) && (step.0 * 5, step.1 * 5) == (right, down);
    let at = |n: i32| (pivot.0 + n * step.0, pivot.1 + n * step.1);
    straight.then(|| (1..=5).map(at).collect())
}

impl Slow {
    pub(super) fn of(game: &Ringworm) -> Self {
        let cells = game.cells();
        let stones: BTreeMap<_, _> = cells
            .iter()
            .map(|(name, stone)| (place(name).unwrap(), *stone))
            .collect();
        Self {
            own: if game.mover == Seat::First { 'x' } else { 'o' },
            drops: game.allowance.min(217 - stones.len()),
            stones,
        }
    }

    fn ring(middle: Place) -> Option<Vec<Place>> {
        let ring: Vec<_> = AROUND.iter().map(|(x, y)| (middle.0 + x, middle.1 + y)).collect();
        (exists(middle) && ring.iter().all(|place| exists(*place))).then_some(ring)
    }

    fn rings(&self) -> BTreeSet<Place> {
        let own = |place: &Place| self.stones.get(place) == Some(&self.own);
        let whole = |middle: &Place| Self::ring(*middle).is_some_and(|ring| ring.iter().all(own));
        places().into_iter().filter(whole).collect()
    }

    fn made_since(&self, before: &Self) -> BTreeSet<Place> {
        self.rings().difference(&before.rings()).copied().collect()
    }

    fn burst(&self, middle: Place, pivot: Place, line: &[Place]) -> Self {
        let mut after = self.clone();
        for place in Self::ring(middle).unwrap() {
            if place != pivot {
                after.stones.remove(&place);
            }
        }
        for place in line {
            after.stones.insert(*place, self.own);
        }
        after
    }

    /// The bursts of one of these rings: each text with the position after it.
    fn bursts(&self, made: &BTreeSet<Place>) -> Vec<(String, Self)> {
        let mut found = Vec::new();
        for middle in made {
            for pivot in Self::ring(*middle).unwrap() {
                let with_pivot = |other: &&Place| Self::ring(**other).unwrap().contains(&pivot);
                let shared = made.iter().filter(with_pivot).count() > 1;
                for far in places() {
                    let Some(line) = line(pivot, far) else { continue };
                    let mut text = format!("{}-{}", name(pivot), name(far));
                    if shared {
                        text.push_str(&format!("@{}", name(*middle)));
                    }
                    found.push((text, self.burst(*middle, pivot, &line)));
                }
            }
        }
        found
    }

    /// The stones after a turn in canonical text, or `None` if it is not legal.
    pub(super) fn verdict(&self, text: &str) -> Option<BTreeMap<Place, char>> {
        if text == "pass" {
            return Some(self.stones.clone());
        }
        let (mut now, mut made, mut dropped, mut burst) = (self.clone(), BTreeSet::new(), 0, false);
        for step in text.split(',') {
            let before = now.clone();
            if step.contains('-') {
                let (_, after) = now.bursts(&made).into_iter().find(|(text, _)| text == step)?;
                now = after;
                burst = true;
            } else {
                let place = place(step).filter(|place| !now.stones.contains_key(place))?;
                if burst || !made.is_empty() || dropped == self.drops {
                    return None;
                }
                now.stones.insert(place, self.own);
                dropped += 1;
            }
            made = now.made_since(&before);
        }
        (made.is_empty() && (burst || dropped == self.drops)).then_some(now.stones)
    }

    /// The texts of all legal turns. For nearly full boards only.
    pub(super) fn turns(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::from(["pass".to_owned()]);
        let mut todo = vec![(String::new(), self.clone(), BTreeSet::new(), 0)];
        while let Some((text, now, made, dropped)) = todo.pop() {
            let mut add = |step: String, after: Self, dropped: usize, burst: bool| {
                let text = if text.is_empty() {
                    step
                } else {
                    format!("{text},{step}")
                };
                let made = after.made_since(&now);
                if made.is_empty() && (burst || dropped == self.drops) {
                    found.insert(text);
                } else {
                    todo.push((text, after, made, dropped));
                }
            };
            if made.is_empty() {
                for place in places() {
                    if !now.stones.contains_key(&place) {
                        let mut after = now.clone();
                        after.stones.insert(place, self.own);
                        add(name(place), after, dropped + 1, false);
                    }
                }
            }
            for (step, after) in now.bursts(&made) {
                add(step, after, dropped, true);
            }
        }
        found
    }
}
