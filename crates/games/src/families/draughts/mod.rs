//! Draughts: men step forward, capture by jumping, and become kings on the last row. Capturing is a duty.
//!
//! Games differ in the board, the ways of men and kings, whether kings fly, and whether the most must be captured.

mod board;
mod captures;
mod estimate;
mod reading;
mod rules;
#[cfg(test)]
pub(crate) mod slow;
mod turn;

use std::marker::PhantomData;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use crate::kit::history::History;
use crate::kit::picture::Layout;
use crate::kit::words;
use crate::tagged::Tagged;
use crate::{Continuations, Display, Facts, Info, Options, Outcome, Refusal, Rules, Seat};

pub use board::Board;
pub use rules::{DraughtsRules, Ways};
pub use turn::Turn;
use turn::squares;

/// The ways of diagonals.
pub const DIAGONALS: Ways = &[1, 3, 5, 7];

/// A position of a game of draughts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draughts<G> {
    men: [u64; 2],
    kings: [u64; 2],
    mover: Seat,
    outcome: Option<Outcome>,
    /// The turns since the last capture or move of a man.
    idle: u16,
    /// The limit of the present ending, and the turns since it was reached.
    ending: (Option<u16>, u16),
    /// The kings since the last capture or move of a man, each time with the player to move.
    history: History<([u64; 2], Seat)>,
    game: PhantomData<G>,
}

impl<G: DraughtsRules> Draughts<G> {
    const fn of(&self, seat: Seat) -> u64 {
        self.men[seat.index()] | self.kings[seat.index()]
    }

    const fn occupied(&self) -> u64 {
        self.of(Seat::First) | self.of(Seat::Second)
    }

    /// A way of the mover as one of the board.
    const fn turned(&self, way: u8) -> u8 {
        if Self::is_at_top(self.mover) {
            (way + 4) % 8
        } else {
            way
        }
    }

    const fn is_at_top(seat: Seat) -> bool {
        matches!(seat, Seat::First) == G::FIRST_IS_AT_TOP
    }

    fn letter(&self, square: u8) -> Option<char> {
        let is_in = |set: u64| set >> square & 1 != 0;
        Seat::BOTH.into_iter().find_map(|seat| {
            let mut letters = G::FACTS.letters[seat.index()].chars();
            let (man, king) = (letters.next()?, letters.next()?);
            match (is_in(self.men[seat.index()]), is_in(self.kings[seat.index()])) {
                (true, _) => Some(man),
                (_, true) => Some(king),
                _ => None,
            }
        })
    }

    const fn side(seat: Seat) -> &'static str {
        G::FACTS.sides[seat.index()]
    }
}

impl<G: DraughtsRules> Rules for Draughts<G> {
    const FACTS: Facts = G::FACTS;

    const TAGGED: Option<Tagged> = G::TAGGED;

    type Turn = Turn<G>;

    fn start(_: &Options) -> Result<Self, Refusal> {
        let top = G::men_at_top();
        let last = G::BOARD.count() - 1;
        let bottom = squares(top).fold(0, |bottom, square| bottom | 1 << (last - square));
        Ok(Self {
            men: if G::FIRST_IS_AT_TOP {
                [top, bottom]
            } else {
                [bottom, top]
            },
            kings: [0; 2],
            mover: Seat::First,
            outcome: None,
            idle: 0,
            ending: (None, 0),
            history: History::new(([0; 2], Seat::First)),
            game: PhantomData,
        })
    }

    fn to_move(&self) -> Option<Seat> {
        self.outcome.is_none().then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Turn<G>, Refusal> {
        self.read_turn(text)
    }

    fn continuations(&self, begun: &str) -> Result<Continuations, Refusal> {
        self.next_squares(begun)
    }

    fn play(&mut self, turn: &Turn<G>) {
        let (own, other) = (self.mover.index(), self.mover.other());
        let (from, to) = turn.ends();
        let (from, to) = (1_u64 << from, 1_u64 << to);
        let is_man = self.men[own] & from != 0;
        if is_man {
            self.men[own] = self.men[own] & !from | to;
            let crowned = self.men[own] & to & G::BOARD.edge(!Self::is_at_top(self.mover));
            self.men[own] &= !crowned;
            self.kings[own] |= crowned;
        } else {
            self.kings[own] = self.kings[own] & !from | to;
        }
        self.men[other.index()] &= !turn.captured;
        self.kings[other.index()] &= !turn.captured;
        self.mover = other;
        let now = (self.kings, other);
        let is_repeated = if is_man || turn.captured != 0 {
            self.history.restart(now);
            self.idle = 0;
            false
        } else {
            self.idle += 1;
            self.history.add(now) >= 3
        };
        let counts = |sets: [u64; 2]| sets.map(u64::count_ones);
        let limit = G::drawn_after(counts(self.men), counts(self.kings));
        self.ending = match self.ending {
            (old, turns) if old == limit && limit.is_some() => (limit, turns + 1),
            _ => (limit, 0),
        };
        let is_drawn = is_repeated
            || G::MAX_IDLE.is_some_and(|most| self.idle >= most)
            || limit.is_some_and(|most| self.ending.1 >= most);
        self.outcome = match self.can_go() {
            false => Some(Outcome::Won(other.other())),
            true => is_drawn.then_some(Outcome::Drawn),
        };
    }

    fn effects(&self, turns: &[Turn<G>]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = self.clone();
        for turn in turns {
            let mover = position.mover;
            let kings = position.kings[mover.index()].count_ones();
            position.play(turn);
            if turn.captured != 0 {
                let captured = words::count(turn.captured.count_ones() as usize, "piece");
                effects.push(format!("captured {captured}"));
            }
            if position.kings[mover.index()].count_ones() > kings {
                effects.push("crowned a man".to_owned());
            }
            let other = Self::side(position.mover);
            match position.outcome {
                Some(Outcome::Won(_)) if position.of(position.mover) == 0 => {
                    effects.push(format!("left {other} no piece"));
                }
                Some(Outcome::Won(_)) => effects.push(format!("left {other} no move")),
                Some(Outcome::Drawn) if G::MAX_IDLE.is_some_and(|most| position.idle >= most) => {
                    effects.push("ended the game, since no man was moved and nothing captured".to_owned());
                }
                Some(Outcome::Drawn) if position.ending.0.is_some_and(|most| position.ending.1 >= most) => {
                    effects.push("ended the game, since so few pieces may play no longer".to_owned());
                }
                Some(Outcome::Drawn) => effects.push("repeated the position for the second time".to_owned()),
                None => {}
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn turns(&self, each: &mut dyn FnMut(&Turn<G>) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.outcome.is_some() {
            return ControlFlow::Continue(());
        }
        let captures = self.captures();
        if !captures.is_empty() {
            return captures.iter().try_for_each(each);
        }
        match self.moves(|turn| each(&turn).is_break()) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn count(&self) -> u64 {
        let mut count = 0;
        let _ = self.turns(&mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn<G>> {
        let turns = if self.outcome.is_some() {
            Vec::new()
        } else {
            self.all()
        };
        let place = (!turns.is_empty()).then(|| rng.random_range(0..turns.len()))?;
        turns.get(place).copied()
    }

    fn draw(&self, display: Display) -> String {
        let counts = self.info().into_iter().map(|(what, sides)| {
            let sides = sides.iter().map(|(side, count)| format!(" {side} {count}"));
            format!("{what}:{}", sides.collect::<String>())
        });
        let status = counts.collect::<Vec<_>>().join(", ").replacen('p', "P", 1);
        let board = G::BOARD.draw(display, |square| self.letter(square).unwrap_or('.'));
        format!("{status}\n\n{board}")
    }

    fn cells(&self) -> Vec<(String, char)> {
        let letter = |square| Some((G::BOARD.name(square), self.letter(square)?));
        (0..G::BOARD.count()).filter_map(letter).collect()
    }

    fn layout(&self) -> Layout {
        G::BOARD.layout()
    }

    fn info(&self) -> Info {
        let count = |of: &dyn Fn(Seat) -> u64| {
            let counts = Seat::BOTH.map(|seat| (Self::side(seat), of(seat).count_ones()));
            counts.to_vec()
        };
        vec![
            ("pieces", count(&|seat| self.of(seat))),
            ("kings", count(&|seat| self.kings[seat.index()])),
        ]
    }
}
