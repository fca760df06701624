//! A slow model of draughts, for the tests: pieces by column and row, and every way of every capture to its end.

use std::collections::{BTreeMap, BTreeSet};

use crate::lockstep::Model;
use crate::{Outcome, Seat};

/// A column, and a row from the bottom.
type Place = (i32, i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Man(usize),
    King(usize),
}

impl Piece {
    const fn seat(self) -> usize {
        match self {
            Self::Man(seat) | Self::King(seat) => seat,
        }
    }
}

/// The rules of a game.
#[derive(Clone, Copy)]
pub(crate) struct Slow {
    pub(crate) size: i32,
    pub(crate) is_numbered: bool,
    pub(crate) letters: [&'static str; 2],
    /// 1 if the first side's men go up, -1 if they go down.
    pub(crate) first_goes: i32,
    /// Directions of a side that goes up.
    pub(crate) man_moves: &'static [Place],
    pub(crate) man_captures: &'static [Place],
    pub(crate) king_moves: &'static [Place],
    pub(crate) king_captures: &'static [Place],
    pub(crate) flies: bool,
    pub(crate) most: bool,
    pub(crate) lines: bool,
    /// How many turns without capture or man draw the game.
    pub(crate) idle: usize,
    /// After how many turns an ending is drawn.
    pub(crate) ending: fn([(usize, usize); 2]) -> Option<usize>,
}

pub(crate) const DIAGONALS: &[Place] = &[(1, 1), (1, -1), (-1, -1), (-1, 1)];

type Pieces = BTreeMap<Place, Piece>;

/// A capture: its landings and what it took.
type Way = (Vec<Place>, Vec<Place>);

pub(crate) struct Game {
    rules: Slow,
    pieces: Pieces,
    mover: usize,
    /// All positions so far.
    seen: Vec<(Pieces, usize)>,
    idle: usize,
    /// The limits of the endings on the board, one for each turn.
    limits: Vec<Option<usize>>,
}

impl Game {
    /// The men of the first side at its start; the others are opposite.
    pub(crate) fn new(rules: Slow, at_bottom: impl IntoIterator<Item = Place>) -> Self {
        let bottom = usize::from(rules.first_goes < 0);
        let mut pieces = Pieces::new();
        for (column, row) in at_bottom {
            pieces.insert((column, row), Piece::Man(bottom));
            let opposite = (rules.size - 1 - column, rules.size - 1 - row);
            pieces.insert(opposite, Piece::Man(1 - bottom));
        }
        Self {
            rules,
            seen: vec![(pieces.clone(), 0)],
            pieces,
            mover: 0,
            idle: 0,
            limits: vec![None],
        }
    }

    fn name(&self, (column, row): Place) -> String {
        let from_top = self.rules.size - 1 - row;
        match self.rules.is_numbered {
            true => (from_top * self.rules.size / 2 + column / 2 + 1).to_string(),
            false => crate::lockstep::name((column, row)),
        }
    }

    fn place(&self, name: &str) -> Place {
        let size = self.rules.size;
        let all = (0..size).flat_map(|row| (0..size).map(move |column| (column, row)));
        let mut used = all.filter(|(column, row)| !self.rules.is_numbered || (column + row) % 2 == 0);
        used.find(|place| self.name(*place) == name).unwrap()
    }

    fn is_free(&self, (column, row): Place) -> bool {
        let on_board = |n| (0..self.rules.size).contains(&n);
        on_board(column) && on_board(row) && !self.pieces.contains_key(&(column, row))
    }

    fn up(&self) -> i32 {
        if self.mover == 0 {
            self.rules.first_goes
        } else {
            -self.rules.first_goes
        }
    }

    /// Every capture of a piece that was taken up, to its end, in the order of directions.
    fn captures(&self, piece: Piece, way: &Way, all: &mut Vec<Way>) {
        let (path, taken) = way;
        let at = path[path.len() - 1];
        let is_king = matches!(piece, Piece::King(_));
        let directions = if is_king {
            self.rules.king_captures
        } else {
            self.rules.man_captures
        };
        let mut is_end = true;
        for (right, up) in directions {
            let (right, up) = (right * self.up(), up * self.up());
            let on = |n: i32| (at.0 + n * right, at.1 + n * up);
            let reach = if is_king && self.rules.flies {
                self.rules.size
            } else {
                1
            };
            let Some(n) = (1..=reach).find(|n| !self.is_free(on(*n))) else {
                continue;
            };
            let over = on(n);
            let is_enemy = self
                .pieces
                .get(&over)
                .is_some_and(|piece| piece.seat() != self.mover);
            if !is_enemy || taken.contains(&over) {
                continue;
            }
            for to in (n + 1..=n + reach).map(on).take_while(|to| self.is_free(*to)) {
                is_end = false;
                let path = path.iter().copied().chain([to]).collect();
                let taken = taken.iter().copied().chain([over]).collect();
                self.captures(piece, &(path, taken), all);
            }
        }
        if is_end && !taken.is_empty() {
            all.push(way.clone());
        }
    }

    /// The legal turns: paths and what they take.
    fn legal(&mut self) -> Vec<Way> {
        let own: Vec<_> = self
            .pieces
            .clone()
            .into_iter()
            .filter(|(_, piece)| piece.seat() == self.mover)
            .collect();
        let mut all = Vec::new();
        for (from, piece) in &own {
            self.pieces.remove(from);
            self.captures(*piece, &(vec![*from], Vec::new()), &mut all);
            self.pieces.insert(*from, *piece);
        }
        if self.rules.most {
            let most = all.iter().map(|(_, taken)| taken.len()).max().unwrap_or(0);
            all.retain(|(_, taken)| taken.len() == most);
        }
        // Of several ways with the same ends and the same pieces the first is the turn.
        let mut known = BTreeSet::new();
        all.retain(|(path, taken)| {
            let taken: BTreeSet<_> = taken.iter().copied().collect();
            known.insert((path[0], path[path.len() - 1], taken))
        });
        if !all.is_empty() {
            return all;
        }
        for (from, piece) in own {
            let is_king = matches!(piece, Piece::King(_));
            let directions = if is_king {
                self.rules.king_moves
            } else {
                self.rules.man_moves
            };
            for (right, up) in directions {
                let on = |n: i32| (from.0 + n * right * self.up(), from.1 + n * up * self.up());
                let first = match self.rules.lines && !is_king {
                    true => (1..).find(|n| self.pieces.get(&on(*n)) != Some(&piece)).unwrap(),
                    false => 1,
                };
                let last = if is_king && self.rules.flies {
                    self.rules.size
                } else {
                    first
                };
                let to = (first..=last).map(on).take_while(|to| self.is_free(*to));
                all.extend(to.map(|to| (vec![from, to], Vec::new())));
            }
        }
        all
    }

    fn text(&self, (path, taken): &Way) -> String {
        let names: Vec<_> = path.iter().map(|place| self.name(*place)).collect();
        names.join(if taken.is_empty() { "-" } else { "x" })
    }

    fn copy(&self) -> Self {
        Self {
            rules: self.rules,
            pieces: self.pieces.clone(),
            mover: self.mover,
            seen: Vec::new(),
            idle: 0,
            limits: Vec::new(),
        }
    }

    fn limit(&self) -> Option<usize> {
        let count = |of: Piece| self.pieces.values().filter(|piece| **piece == of).count();
        (self.rules.ending)([0, 1].map(|seat| (count(Piece::Man(seat)), count(Piece::King(seat)))))
    }
}

impl Model for Game {
    fn turns(&self) -> BTreeSet<String> {
        if self.outcome().is_some() {
            return BTreeSet::new();
        }
        let legal = self.copy().legal();
        legal.iter().map(|way| self.text(way)).collect()
    }

    fn play(&mut self, turn: &str) {
        let legal = self.copy().legal();
        let (path, taken) = legal.into_iter().find(|way| self.text(way) == turn).unwrap();
        let piece = self.pieces.remove(&self.place(&self.name(path[0]))).unwrap();
        let to = path[path.len() - 1];
        let last = if self.up() > 0 { self.rules.size - 1 } else { 0 };
        let after = if to.1 == last {
            Piece::King(self.mover)
        } else {
            piece
        };
        self.pieces.insert(to, after);
        taken.iter().for_each(|place| {
            self.pieces.remove(place);
        });
        let is_idle = taken.is_empty() && matches!(piece, Piece::King(_));
        self.idle = if is_idle { self.idle + 1 } else { 0 };
        self.mover = 1 - self.mover;
        self.seen.push((self.pieces.clone(), self.mover));
        self.limits.push(self.limit());
    }

    fn letters(&self) -> BTreeMap<String, char> {
        let letter = |piece: &Piece| {
            let place = usize::from(matches!(piece, Piece::King(_)));
            char::from(self.rules.letters[piece.seat()].as_bytes()[place])
        };
        self.pieces
            .iter()
            .map(|(at, piece)| (self.name(*at), letter(piece)))
            .collect()
    }

    fn mover(&self) -> Seat {
        Seat::BOTH[self.mover]
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.copy().legal().is_empty() {
            return Some(Outcome::Won(self.mover().other()));
        }
        let now = self.seen.last()?;
        let times = self.seen.iter().filter(|position| *position == now).count();
        let limit = self.limits.last().copied().flatten();
        let same = self
            .limits
            .iter()
            .rev()
            .take_while(|other| **other == limit)
            .count();
        let is_ending = limit.is_some_and(|limit| same > limit);
        (times >= 3 || self.idle >= self.rules.idle || is_ending).then_some(Outcome::Drawn)
    }
}
