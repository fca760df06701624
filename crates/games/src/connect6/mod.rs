//! Connect6, by I-Chen Wu, 2003: six stones in a row, two stones a turn.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::placement::{self, Board, StoneGame, Stones, rows, rows_and_columns};
use super::{Facts, Options, Outcome, Rules as _, Seat, Worked};
use crate::kit::square::{Bits, Cell, Grid};
use crate::kit::words::number;

const FACTS: Facts = Facts {
    name: "Connect6",
    aliases: &["SixInARow"],
    title: "Connect6",
    options: &[rows_and_columns(9, 19, 19)],
    designer: "I-Chen Wu",
    summary: "Two stones a turn; six in a row win.",
    rules: include_str!("rules.txt"),
    notation: "The crossing of each stone: k10. Both stones of a turn can be written at once: k10 l11.",
    worked: Worked {
        options: &["-size=9"],
        before: &["c3", "a9", "b9", "d4", "e5", "a8", "i8", "f6", "g7", "a1"],
        turns: [
            (
                "b2",
                "It is the second stone of White's turn. It stops one end of Black's five, and leaves the other open.",
            ),
            (
                "h8",
                "Six in a row, from c3 on: Black has won, and needs no second stone.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["k10", "j11", "l11", "k12"],
    source: "I-Chen Wu and Dei-Yen Huang, A New Family of k-in-a-row Games, 2005",
    knows_draws: true,
    knows_swap: false,
    ..placement::FACTS
};

/// A position of Connect6.
pub type Connect6 = Stones<Six>;

/// The rule of Connect6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Six;

const ROW: u8 = 6;

/// The worth of six crossings in a row without an enemy stone, by the own stones on them.
const WORTH: [i32; 8] = [0, 1, 4, 10, 25, 30, 0, 0];

impl StoneGame for Six {
    const FACTS: Facts = FACTS;

    const STONES: usize = 2;

    const EFFORT: u64 = 65;

    fn board(options: &Options) -> Board {
        // The option allows no number above 19.
        Board::Crossings(Grid::new(options.number(&FACTS, "size") as u8))
    }

    fn start(_: &Options, _: Board) -> Self {
        Self
    }

    fn follow(at: &mut Connect6, cell: Cell) -> Option<Outcome> {
        let rows = rows::lengths(at.own(), cell, at.board.side());
        rows.iter()
            .any(|row| *row >= ROW)
            .then_some(Outcome::Won(at.mover))
    }

    /// Black begins with one stone, so a turn ends whenever the number of stones is odd.
    fn next(at: &Connect6) -> Seat {
        match (at.stones[0] | at.stones[1]).count() % 2 {
            1 => at.mover.other(),
            _ => at.mover,
        }
    }

    fn effects(before: &Connect6, after: &Connect6, cell: Cell) -> Vec<String> {
        let rows = rows::lengths(after.stones[before.mover.index()], cell, after.board.side());
        let longest = rows.into_iter().filter(|row| *row >= ROW).max();
        let said = longest.map(|row| format!("got {} in a row", number(usize::from(row))));
        said.into_iter().collect()
    }

    fn value(at: &Connect6) -> i32 {
        let left = stones_left(at);
        let [own, other] = [[at.own(), at.enemy()], [at.enemy(), at.own()]]
            .map(|[own, enemy]| rows::open_rows(at.cells, own, enemy, ROW));
        let worth = |rows: &[(u32, Bits)]| -> i32 {
            rows.iter()
                .zip(WORTH)
                .map(|((count, _), worth)| *count as i32 * worth)
                .sum()
        };
        let threats = |rows: &[(u32, Bits); 8]| rows[4].0 + rows[5].0;
        let must_stop = match (threats(&other), left) {
            (0, _) => 0,
            (1 | 2, 2) => -50,
            (3.., 2) => -150,
            _ => -800,
        };
        match (6 - left..6).any(|stones| own[stones].0 > 0) {
            true => 3000,
            false => worth(&own) - worth(&other) + must_stop + 10 * left as i32,
        }
    }

    fn worth_a_look(at: &Connect6) -> (Bits, bool) {
        let (open, left) = (at.open(), stones_left(at));
        let rows = |own, enemy| rows::open_rows(at.cells, own, enemy, ROW);
        let (own, other) = (rows(at.own(), at.enemy()), rows(at.enemy(), at.own()));
        let winning = (6 - left..6).fold(Bits::EMPTY, |all, stones| all | own[stones].1) & open;
        let stopping = (other[4].1 | other[5].1) & open;
        let near = (at.stones[0] | at.stones[1]).around().around() & open;
        let half = at.board.side() / 2;
        match [winning, stopping, near]
            .into_iter()
            .find(|cells| !cells.is_empty())
        {
            Some(cells) => (cells, cells == open),
            None => (Bits::of(Cell::at(half, half)) & open, false),
        }
    }
}

/// How many stones the mover still puts in this turn.
fn stones_left(at: &Connect6) -> usize {
    match ((at.stones[0] | at.stones[1]).count(), at.to_move()) {
        (0, _) => 1,
        (count, _) if count % 2 == 0 => 1,
        _ => 2,
    }
}
