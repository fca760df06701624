//! The list of the legal turns.

use super::board::NONE;
use super::turn::{Turn, squares};
use super::{Draughts, DraughtsRules};

/// A piece that captures: where it stands now, and what it has captured. Captured pieces leave the board only at the end.
pub(super) type Stop = (u8, u64);

/// A capture that is looked for.
pub(super) struct Capture<'a, G: DraughtsRules> {
    position: &'a Draughts<G>,
    is_king: bool,
    /// The occupied squares without the one that the piece has left.
    occupied: u64,
}

impl<'a, G: DraughtsRules> Capture<'a, G> {
    pub(super) fn of(position: &'a Draughts<G>, from: u8) -> Self {
        Self {
            position,
            is_king: position.kings[position.mover.index()] >> from & 1 != 0,
            occupied: position.occupied() & !(1 << from),
        }
    }

    /// Passes each next stop until `each` says that it is enough, and returns whether it did.
    #[inline]
    pub(super) fn jumps(&self, (at, captured): Stop, mut each: impl FnMut(Stop) -> bool) -> bool {
        let enemy = self.position.of(self.position.mover.other());
        let ways = if self.is_king {
            G::KING_CAPTURES
        } else {
            G::MAN_CAPTURES
        };
        let flies = self.is_king && G::KINGS_FLY;
        for way in ways {
            let way = self.position.turned(*way);
            let mut over = G::BOARD.next(at, way);
            while flies && over != NONE && self.occupied >> over & 1 == 0 {
                over = G::BOARD.next(over, way);
            }
            if over == NONE || (enemy & !captured) >> over & 1 == 0 {
                continue;
            }
            let mut to = G::BOARD.next(over, way);
            while to != NONE && self.occupied >> to & 1 == 0 {
                if each((to, captured | 1 << over)) {
                    return true;
                }
                if !flies {
                    break;
                }
                to = G::BOARD.next(to, way);
            }
        }
        false
    }

    /// Adds the captures that begin so. Two ways to the same end with the same captured pieces are one turn.
    fn finish(&self, begun: Turn<G>, seen: &mut Vec<Stop>, found: &mut Vec<Turn<G>>) {
        let mut is_end = true;
        self.jumps((begun.ends().1, begun.captured), |(to, captured)| {
            is_end = false;
            if !seen.contains(&(to, captured)) {
                seen.push((to, captured));
                self.finish(begun.then(to, captured), seen, found);
            }
            false
        });
        if is_end && begun.captured != 0 {
            found.push(begun);
        }
    }

    /// All stops that are reached from these by one jump, or by one or more.
    pub(super) fn after(&self, stops: &[Stop], only_one: bool) -> Vec<Stop> {
        let (mut reached, mut next): (Vec<Stop>, _) = (Vec::new(), stops.to_vec());
        while let Some(stop) = next.pop() {
            self.jumps(stop, |to| {
                if !reached.contains(&to) {
                    reached.push(to);
                    if !only_one {
                        next.push(to);
                    }
                }
                false
            });
        }
        reached
    }
}

impl<G: DraughtsRules> Draughts<G> {
    /// Whether the mover can capture.
    pub(super) fn can_capture(&self) -> bool {
        squares(self.of(self.mover)).any(|from| Capture::of(self, from).jumps((from, 0), |_| true))
    }

    /// The legal captures; none if there is nothing to capture.
    pub(super) fn captures(&self) -> Vec<Turn<G>> {
        let (mut found, mut seen) = (Vec::new(), Vec::new());
        for from in squares(self.of(self.mover)) {
            seen.clear();
            Capture::of(self, from).finish(Turn::from(from), &mut seen, &mut found);
        }
        if G::MOST_IS_DUTY && found.len() > 1 {
            let count = |turn: &Turn<G>| turn.captured.count_ones();
            let most = found.iter().map(count).max().unwrap_or_default();
            found.retain(|turn| count(turn) == most);
        }
        found
    }

    /// Passes each move without a capture until `each` says that it is enough, and returns whether it did.
    #[inline]
    pub(super) fn moves(&self, mut each: impl FnMut(Turn<G>) -> bool) -> bool {
        let occupied = self.occupied();
        let (men, kings) = (self.men[self.mover.index()], self.kings[self.mover.index()]);
        for from in squares(men | kings) {
            let is_king = kings >> from & 1 != 0;
            let ways = if is_king { G::KING_MOVES } else { G::MAN_MOVES };
            for way in ways {
                let way = self.turned(*way);
                let mut to = G::BOARD.next(from, way);
                while !is_king && G::LINES_MOVE && to != NONE && men >> to & 1 != 0 {
                    to = G::BOARD.next(to, way);
                }
                while to != NONE && occupied >> to & 1 == 0 {
                    if each(Turn::from(from).then(to, 0)) {
                        return true;
                    }
                    if !is_king || !G::KINGS_FLY {
                        break;
                    }
                    to = G::BOARD.next(to, way);
                }
            }
        }
        false
    }

    /// Whether the mover has a legal turn.
    pub(super) fn can_go(&self) -> bool {
        self.moves(|_| true) || self.can_capture()
    }

    /// All legal turns.
    pub(super) fn all(&self) -> Vec<Turn<G>> {
        let mut all = self.captures();
        if all.is_empty() {
            self.moves(|turn| {
                all.push(turn);
                false
            });
        }
        all
    }
}
