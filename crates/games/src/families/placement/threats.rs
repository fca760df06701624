//! Wins by threats alone at five in a row: fours, which have one answer, and open threes, which have a few (L. V. Allis and others,
//! "Go-Moku Solved by New Search Techniques", 1993). All answers are looked at, so what is found is proven.

use std::collections::HashSet;

use super::fives::{Fives, Place, cell};
use super::{StoneGame, Stones, rows};
use crate::kit::square::{Bits, Cell};

/// No longer row of threats is looked for.
const LONGEST: u32 = 14;

/// How many positions are looked at for a win by threats; for one of the other side, if it were to move; and for one after each turn.
const TO_WIN: u64 = 3000;
const TO_BE_WARNED: u64 = 2000;
const TO_HOLD: u64 = 400;

/// How many turns a search looks at, and of its first position.
const LOOKED_AT: usize = 16;
const FIRST_LOOKED_AT: usize = 40;

/// Where the mover begins to win by threats, as far as was looked. Only of games without a rule against long rows.
pub fn winning<G: StoneGame>(at: &Stones<G>) -> Option<Cell> {
    let board = Fives::new(at.board.side(), at.stones);
    Threats::new(board, TO_WIN).winning(at.mover.index()).map(cell)
}

/// The crossings worth a stone of the mover: against an open three those that stop it and those that make a four; of the first position only
/// those after which the other side does not win by threats, if there are any.
pub fn likely<G: StoneGame>(at: &Stones<G>, is_first: bool) -> Option<Bits> {
    let [own, other] = rows::of_both(at).map(|rows| !rows.fives.is_empty());
    if own || other || at.stones[0].is_empty() {
        return None;
    }
    let mut board = Fives::new(at.board.side(), at.stones);
    let side = at.mover.index();
    let (own, other) = (board.shapes(side), board.shapes(side ^ 1));
    if let Some(win) = own.wins.first() {
        return Some(Bits::of(cell(*win)));
    }
    let mut places = board.likely(side);
    places.truncate(if is_first { FIRST_LOOKED_AT } else { LOOKED_AT });
    if !other.wins.is_empty() {
        let stops = board.stops(side, &other.wins);
        if !stops.is_empty() {
            places = own.fours.iter().map(|(_, at)| *at).chain(stops).collect();
        }
    }
    if is_first {
        let mut threats = Threats::new(board, TO_BE_WARNED);
        if threats.winning(side ^ 1).is_some() {
            let safe: Vec<Place> = places
                .iter()
                .copied()
                .filter(|at| threats.is_safe(side, *at))
                .collect();
            if !safe.is_empty() {
                places = safe;
            }
        }
    }
    let cells: Bits = places.into_iter().map(cell).collect();
    Some(cells & at.open())
}

/// A search for threats.
struct Threats {
    board: Fives,
    /// How many more positions may be looked at.
    left: u64,
    /// Positions that this number of threats did not win.
    failed: HashSet<(u64, u32)>,
}

impl Threats {
    /// A search that may look at this number of positions.
    fn new(board: Fives, most: u64) -> Self {
        Self {
            board,
            left: most,
            failed: HashSet::new(),
        }
    }

    /// Where this side, which is to move, begins to win by threats.
    fn winning(&mut self, side: usize) -> Option<Place> {
        (0..=LONGEST).find_map(|longest| self.attack(side, longest))
    }

    /// Whether the other side does not win by threats after this stone, as far as is looked.
    fn is_safe(&mut self, side: usize, at: Place) -> bool {
        self.left = TO_HOLD;
        self.board.change(at, side);
        let is_lost = self.winning(side ^ 1).is_some();
        self.board.change(at, side);
        !is_lost
    }

    /// Where this side begins to win by at most these threats before it makes five or two fours.
    fn attack(&mut self, side: usize, longest: u32) -> Option<Place> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let own = self.board.shapes(side);
        if let Some(five) = own.fives.first() {
            return Some(*five);
        }
        let other = self.board.shapes(side ^ 1);
        if other.fives.is_empty()
            && let Some(win) = own.wins.first()
        {
            return Some(*win);
        }
        let must = match other.fives.as_slice() {
            [] => None,
            [five] => Some(*five),
            _ => return None,
        };
        let key = (self.board.key ^ side as u64, longest);
        if longest == 0 || self.failed.contains(&key) {
            return None;
        }
        let is_open = |at: Place| must.is_none_or(|must| must == at);
        let fours = own
            .fours
            .iter()
            .map(|(_, at)| *at)
            .chain(own.wins.iter().copied());
        for at in fours.filter(|at| is_open(*at)) {
            if self.holds(side, at, longest, Self::four) {
                return Some(at);
            }
        }
        for (_, at) in own.threes.iter().filter(|(_, at)| is_open(*at)) {
            if longest > 1 && self.holds(side, *at, longest, Self::three) {
                return Some(*at);
            }
        }
        if self.left > 0 {
            self.failed.insert(key);
        }
        None
    }

    /// Whether a stone there wins, by what the threat that it makes leads to.
    fn holds(
        &mut self,
        side: usize,
        at: Place,
        longest: u32,
        wins: fn(&mut Self, usize, u32) -> bool,
    ) -> bool {
        self.board.change(at, side);
        let holds = wins(self, side, longest);
        self.board.change(at, side);
        holds
    }

    /// Whether a side that has just made a four wins.
    fn four(&mut self, side: usize, longest: u32) -> bool {
        let fives = self.board.shapes(side).fives;
        match fives.as_slice() {
            [] => false,
            [answer] => self.wins_after(side, *answer, longest - 1),
            // The other side has no five, or the four would not have been made.
            _ => self.board.shapes(side ^ 1).fives.is_empty(),
        }
    }

    /// Whether a side that has just made an open three wins.
    fn three(&mut self, side: usize, longest: u32) -> bool {
        let wins = self.board.shapes(side).wins;
        let other = self.board.shapes(side ^ 1);
        if wins.is_empty() || !other.fives.is_empty() {
            return false;
        }
        let fours = other
            .fours
            .iter()
            .map(|(_, at)| *at)
            .chain(other.wins.iter().copied());
        let mut answers = self.board.stops(side ^ 1, &wins);
        answers.extend(fours);
        answers.sort_unstable();
        answers.dedup();
        answers
            .into_iter()
            .all(|answer| self.wins_after(side, answer, longest - 1))
    }

    fn wins_after(&mut self, side: usize, answer: Place, longest: u32) -> bool {
        self.board.change(answer, side ^ 1);
        let wins = self.attack(side, longest).is_some();
        self.board.change(answer, side ^ 1);
        wins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::gomoku::Gomoku;
    use crate::rules::Rules as _;

    fn after(turns: &str) -> Gomoku {
        let options = Options::parse(&Gomoku::FACTS, ["-noswap"]).unwrap();
        let mut position = Gomoku::start(&options).unwrap();
        for turn in turns.split_whitespace() {
            let turn = position.read(turn).unwrap();
            position.play(&turn);
        }
        position
    }

    #[test]
    fn two_open_threes_win_and_one_does_not() {
        // A stone on h8 makes two rows of three.
        assert_eq!(
            winning(&after("h9 a1 h10 o1 i8 a15 j8 o15")),
            Some(Cell::at(7, 7))
        );
        assert_eq!(winning(&after("h9 a1 h10 o1")), None);
    }

    /// Of a win that is said, every answer is tried.
    #[test]
    fn what_is_said_to_win_wins_whatever_is_answered() {
        let mut position = after("h9 a1 h10 o1 i8 a15 j8 o15");
        let mut turns = 0;
        while position.outcome().is_none() {
            let turn = if turns % 2 == 0 {
                winning(&position).expect("the win goes on")
            } else {
                let board = &mut Fives::new(15, position.stones);
                let wins = board.shapes(0);
                let stops = board.stops(1, &[wins.fives, wins.wins].concat());
                stops.first().map_or(Cell::at(0, 14), |at| cell(*at))
            };
            position.put(turn);
            position.mover = position.mover.other();
            turns += 1;
            assert!(turns < 12, "the win takes too long");
        }
        assert_eq!(position.winner(), Some(crate::Seat::First));
    }
}
