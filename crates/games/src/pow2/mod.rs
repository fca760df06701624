//! The Power of Two, by Arthur Blumberg: get all your sixteen pieces on the board.

mod board;
mod continuations;
mod display;
mod effects;
mod estimate;
mod judge;
mod layout;
mod pictured;
mod placing;
#[cfg(test)]
mod tests;
mod turn;

use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::{
    Continuations, Display, Facts, Info, OptionFact, Options, Outcome, Refusal, Rules, Seat, Worked,
};
use crate::kit::picture::Layout;
use board::{NAMES, Points, bit, board, each};
use placing::{Choices, choices};
pub use turn::Turn;

/// The pieces of each side. A side with all of them on the board wins.
const PIECES: u32 = 16;

const FACTS: Facts = Facts {
    name: "Pow2",
    aliases: &["PowerOfTwo"],
    title: "The Power of Two",
    sides: ["Light", "Dark"],
    roles: None,
    score: None,
    letters: ["Oo", "Xx"],
    neutral: "",
    options: &[
        flag(
            "exact",
            "a move that calls for more pieces than you have left is not legal",
        ),
        flag(
            "noborder",
            "no moves along the four outer edges; for triangles they count as before",
        ),
        flag(
            "fast",
            "four pieces a side at the start: Dark also e5 and e9, Light also i5 and i9",
        ),
        flag(
            "middle",
            "other pieces at the start: Dark g1 and a7, Light m7 and g13; not with -fast",
        ),
    ],
    designer: "Arthur Blumberg",
    summary: "Slide, form triangles, and be the first with all sixteen pieces on the board.",
    rules: include_str!("rules.txt"),
    notation: "The point of the piece and the point that it moves to, with a hyphen between them: m13-j7. The points \
               of new pieces follow a colon, in any order: a13-c11:d10,a13. If there is only one way to place them, \
               you may leave them out.",
    worked: Worked {
        options: &[],
        before: &["m13-m5:l4"],
        turns: [
            (
                "a1-i1:j2",
                "The piece moved next to one other, m1, so one new piece was placed. It forms the triangle i1, m1, j2. \
                 The piece on i1 is aged now, a small letter. The piece on m1 did not age, because it is not Dark's.",
            ),
            (
                "l4-k3:j4,l4",
                "Two pieces are next to k3: j2 and m1. For j2 a piece was placed on j4, and for m1 one on l4, which had \
                 just become empty. The piece on m1 had aged before, so it went back to the supply.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["m13-m5:l4", "a1-e1"],
    source: "Kadon Enterprises, Inc., www.gamepuzzles.com; adapted for pbmserv by Lyman Hurd",
    revision: 1,
    knows_draws: true,
    knows_pass: false,
    knows_swap: false,
    has_dice: false,
    // There is no repetition rule, so a game has no bound. Of 1.2 million random games with all options the longest had
    // 146 turns, and each further 15 turns make a game ten times rarer (90 in 100 have at most 69 turns, 99 in 100 86,
    // 999 in 1000 99). So about one game in 10^27 is longer than this.
    longest_random_game: 500,
};

const fn flag(name: &'static str, help: &'static str) -> OptionFact {
    OptionFact {
        name,
        range: None,
        help,
    }
}

/// A position of The Power of Two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pow2 {
    /// Light's pieces, then Dark's.
    pieces: [Points; 2],
    /// The aged pieces of both sides.
    aged: Points,
    mover: Seat,
    /// The side with all sixteen pieces on the board. A game also ends when the mover has no legal move.
    winner: Option<Seat>,
    exact: bool,
    noborder: bool,
}

impl Pow2 {
    fn set_up(pieces: [&[&str]; 2], options: &Options) -> Self {
        let set = |names: &[&str]| {
            names
                .iter()
                .filter_map(|name| board::find(name))
                .fold(0, |set, p| set | bit(p))
        };
        Self {
            pieces: pieces.map(set),
            aged: 0,
            mover: Seat::First,
            winner: None,
            exact: options.has("exact"),
            noborder: options.has("noborder"),
        }
    }

    const fn occupied(&self) -> Points {
        self.pieces[0] | self.pieces[1]
    }

    /// The number of this side's pieces that are not on the board.
    const fn supply(&self, seat: Seat) -> u32 {
        PIECES.saturating_sub(self.pieces[seat.index()].count_ones())
    }

    const fn is_over(&self) -> bool {
        self.winner.is_some()
    }

    /// Visits every move with its index in the table of choices, including moves without a choice, which are illegal.
    #[inline]
    fn moves(
        &self,
        choices: &Choices,
        mut each_move: impl FnMut(usize, usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.is_over() {
            return ControlFlow::Continue(());
        }
        let (board, occupied) = (board(), self.occupied());
        for from in each(self.pieces[self.mover.index()]) {
            let others = occupied & !bit(from);
            for to in each(board.reach(self.noborder, from, occupied)) {
                each_move(from, to, choices.entry(to, others))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn choices(&self) -> &'static Choices {
        choices(self.exact, self.supply(self.mover))
    }

    /// Turn number `n` in the order of [`turns`](Rules::turns).
    fn nth(&self, mut n: u64) -> Option<Turn> {
        let choices = self.choices();
        let mut found = None;
        let _ = self.moves(choices, |from, to, entry| {
            let count = u64::from(choices.count(entry));
            if n >= count {
                n -= count;
                return ControlFlow::Continue(());
            }
            let placed = choices.sets(entry).get(n as usize);
            found = placed.map(|placed| Turn::new(from, to, *placed));
            ControlFlow::Break(())
        });
        found
    }

    fn letter(&self, point: usize) -> Option<char> {
        let [light, dark] = self.pieces.map(|pieces| pieces & bit(point) != 0);
        match (light, dark, self.aged & bit(point) != 0) {
            (true, _, false) => Some('O'),
            (true, _, true) => Some('o'),
            (_, true, false) => Some('X'),
            (_, true, true) => Some('x'),
            _ => None,
        }
    }
}

impl Rules for Pow2 {
    const FACTS: Facts = FACTS;

    type Turn = Turn;

    fn start(options: &Options) -> Result<Self, Refusal> {
        let pieces: [&[&str]; 2] = match (options.has("fast"), options.has("middle")) {
            (true, true) => {
                return Err(Refusal::illegal(
                    "-fast and -middle are two set-ups: a game has one of them.",
                ));
            }
            (true, false) => [&["m1", "m13", "i5", "i9"], &["a1", "a13", "e5", "e9"]],
            (false, true) => [&["m7", "g13"], &["g1", "a7"]],
            (false, false) => [&["m1", "m13"], &["a1", "a13"]],
        };
        Ok(Self::set_up(pieces, options))
    }

    fn to_move(&self) -> Option<Seat> {
        self.outcome().is_none().then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Turn, Refusal> {
        self.judge(&turn::parse(text)?)
    }

    fn continuations(&self, begun: &str) -> Result<Continuations, Refusal> {
        self.goes_on(begun)
    }

    fn play(&mut self, turn: &Turn) {
        let (from, to) = (bit(usize::from(turn.from)), bit(usize::from(turn.to)));
        let near = board().neighbours(usize::from(turn.to));
        let triangles = self.occupied() & !from & near != 0;
        let own = &mut self.pieces[self.mover.index()];
        *own = *own & !from | to;
        if self.aged & from != 0 {
            self.aged = self.aged & !from | to;
        }
        if triangles {
            let older = *own & (near | to);
            let gone = older & self.aged;
            *own = *own & !gone | turn.placed;
            self.aged = (self.aged | older) & !gone;
        }
        if own.count_ones() >= PIECES {
            self.winner = Some(self.mover);
        }
        self.mover = self.mover.other();
    }

    fn effects(&self, turns: &[Turn]) -> Vec<String> {
        self.in_words(turns)
    }

    fn outcome(&self) -> Option<Outcome> {
        if let Some(winner) = self.winner {
            return Some(Outcome::Won(winner));
        }
        let choices = self.choices();
        let stuck = self
            .moves(choices, |_, _, entry| match choices.count(entry) {
                0 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            })
            .is_continue();
        stuck.then_some(Outcome::Won(self.mover.other()))
    }

    fn turns(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        let choices = self.choices();
        self.moves(choices, |from, to, entry| {
            choices
                .sets(entry)
                .iter()
                .try_for_each(|placed| each(&Turn::new(from, to, *placed)))
        })
    }

    fn count(&self) -> u64 {
        let choices = self.choices();
        let mut count = 0;
        let _ = self.moves(choices, |_, _, entry| {
            count += u64::from(choices.count(entry));
            ControlFlow::Continue(())
        });
        count
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn> {
        let count = self.count();
        (count > 0)
            .then(|| rng.random_range(0..count))
            .and_then(|n| self.nth(n))
    }

    fn draw(&self, display: Display) -> String {
        let remaining = Seat::BOTH.map(|seat| self.supply(seat));
        display::draw(display, remaining, |point| self.letter(point))
    }

    fn cells(&self) -> Vec<(String, char)> {
        let letter = |point: usize| Some((NAMES[point].to_owned(), self.letter(point)?));
        board()
            .in_reading_order(self.occupied())
            .filter_map(letter)
            .collect()
    }

    fn layout(&self) -> Layout {
        layout::layout(self.noborder)
    }

    fn info(&self) -> Info {
        let remaining = |seat: Seat| (FACTS.sides[seat.index()], self.supply(seat));
        vec![("remaining", Seat::BOTH.map(remaining).to_vec())]
    }
}
