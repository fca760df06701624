//! A second engine, written directly from the rules without regard to speed: stones in a map, every shape examined
//! after every action, every line of the plane tried as an axis.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Outcome, Seat};

/// Column and row, from 0 at the bottom left.
pub(in crate::shapechess) type Place = (i32, i32);

/// The cells of the `X` in rows written from the top, `X../XX.`; the bottom left is (0, 0).
pub(in crate::shapechess) fn picture(rows: &str) -> Vec<Place> {
    let mut places = Vec::new();
    for (y, row) in rows.split('/').rev().enumerate() {
        places.extend(row.match_indices('X').map(|(x, _)| (x as i32, y as i32)));
    }
    places
}

/// Whether some line in the plane, in any direction, reflects the cells onto themselves.
pub(in crate::shapechess) fn is_symmetric(places: &[Place]) -> bool {
    let Some(((x, y), (last_x, last_y))) = places.first().copied().zip(places.last().copied()) else {
        return true;
    };
    let on_one_line = places
        .iter()
        .all(|p| (last_x - x) * (p.1 - y) == (last_y - y) * (p.0 - x));
    // A line that moves no cell contains all of them; any other lies halfway between a cell and its image.
    on_one_line
        || places.iter().any(|a| {
            places
                .iter()
                .any(|b| a != b && halfway_line_serves(places, *a, *b))
        })
}

/// The line halfway between a and b takes p to p - v ((2p - a - b) v) / (v v), where v = b - a.
fn halfway_line_serves(places: &[Place], a: Place, b: Place) -> bool {
    let v = (b.0 - a.0, b.1 - a.1);
    let square = v.0 * v.0 + v.1 * v.1;
    places.iter().all(|p| {
        let along = (2 * p.0 - a.0 - b.0) * v.0 + (2 * p.1 - a.1 - b.1) * v.1;
        let (x, y) = (along * v.0, along * v.1);
        x % square == 0 && y % square == 0 && places.contains(&(p.0 - x / square, p.1 - y / square))
    })
}

#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) size: i32,
    pub(super) target: u32,
    /// The owner of the stone on each cell: 0 is Black.
    pub(super) stones: BTreeMap<Place, usize>,
    pub(super) points: [u32; 2],
    pub(super) mover: usize,
    pub(super) outcome: Option<Outcome>,
}

impl Model {
    pub(super) fn new(size: i32, target: u32) -> Self {
        Self {
            size,
            target,
            stones: BTreeMap::new(),
            points: [0; 2],
            mover: 0,
            outcome: None,
        }
    }

    fn places(&self) -> Vec<Place> {
        (0..self.size)
            .flat_map(|x| (0..self.size).map(move |y| (x, y)))
            .collect()
    }

    /// All legal actions.
    pub(super) fn turns(&self) -> BTreeSet<String> {
        let mut turns = BTreeSet::new();
        if self.outcome.is_some() {
            return turns;
        }
        for to in self.places() {
            if self.stones.contains_key(&to) {
                continue;
            }
            turns.insert(name(to));
            for (from, owner) in &self.stones {
                let near = (from.0 - to.0).abs() < 2 && (from.1 - to.1).abs() < 2;
                if *owner == self.mover || near {
                    turns.insert(format!("{}-{}", name(*from), name(to)));
                }
            }
        }
        turns
    }

    /// Plays one of [`turns`](Self::turns).
    pub(super) fn play(&mut self, turn: &str) {
        match turn.split_once('-') {
            None => {
                self.stones.insert(place(turn), self.mover);
            }
            Some((from, to)) => {
                let owner = self.stones.remove(&place(from)).unwrap();
                self.stones.insert(place(to), owner);
                if owner != self.mover {
                    self.stones.insert(place(from), self.mover);
                }
            }
        }
        let mut scored = false;
        for shape in self.shapes(self.mover) {
            if shape.len() >= 6 && is_symmetric(&shape) {
                scored = true;
                self.points[self.mover] += shape.len() as u32 - 5;
                shape.iter().for_each(|place| {
                    self.stones.remove(place);
                });
            }
        }
        if self.points[self.mover] >= self.target {
            self.outcome = Some(Outcome::Won(Seat::BOTH[self.mover]));
        } else if self.stones.len() as i32 == self.size * self.size {
            self.outcome = Some(Outcome::Drawn);
        }
        if !scored {
            self.mover = 1 - self.mover;
        }
    }

    fn shapes(&self, side: usize) -> Vec<Vec<Place>> {
        let mut left: BTreeSet<_> = self
            .stones
            .iter()
            .filter(|(_, owner)| **owner == side)
            .map(|(p, _)| *p)
            .collect();
        let mut shapes = Vec::new();
        while let Some(first) = left.pop_first() {
            let mut shape = vec![first];
            let mut next = 0;
            while let Some((x, y)) = shape.get(next).copied() {
                let near = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x + dx, y + dy)));
                shape.extend(near.filter(|place| left.remove(place)));
                next += 1;
            }
            shapes.push(shape);
        }
        shapes
    }
}

fn name((x, y): Place) -> String {
    format!("{}{}", (b'a' + x as u8) as char, y + 1)
}

pub(super) fn place(name: &str) -> Place {
    (
        i32::from(name.as_bytes()[0] - b'a'),
        name[1..].parse::<i32>().unwrap() - 1,
    )
}
