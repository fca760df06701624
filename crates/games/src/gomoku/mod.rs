//! Gomoku, an old Japanese game: five stones in a row.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::placement::{self, Board, NO_SWAP, StoneGame, Stones, rows, rows_and_columns, threats};
use super::sgf::{Points, Sgf, Swapped};
use super::{Facts, Mistakes, OptionFact, Options, Outcome, Worked};
use crate::kit::square::{Bits, Cell, Grid};
use crate::kit::words::number;

const FACTS: Facts = Facts {
    name: "Gomoku",
    aliases: &["FiveInARow"],
    title: "Gomoku",
    options: &[
        OptionFact::flag("exact", "six and more in a row do not win"),
        rows_and_columns(9, 19, 15),
        NO_SWAP,
    ],
    summary: "Put stones on the board; five in a row win.",
    rules: include_str!("rules.txt"),
    notation: "The crossing of the stone: h8. The second player can write swap in the place of the first own turn.",
    worked: Worked {
        options: &["-size=9"],
        before: &[],
        turns: [
            (
                "e5",
                "The middle is a strong place for the first stone. Perhaps it is too strong:",
            ),
            (
                "swap",
                "White takes the place with a stone of its own, and Black goes on. A first stone nearer to the edge \
                 would not have been worth it.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["h8", "i9", "h7", "h9"],
    source: "free Gomoku as in the rules of the Renju International Federation's history of the game, with the swap of the first stone",
    knows_draws: true,
    ..placement::FACTS
};

/// How many fours in a row the estimate looks through.
const MAX_FOURS: u32 = 12;

/// A position of Gomoku.
pub type Gomoku = Stones<Five>;

/// The rule of Gomoku.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Five {
    is_exact: bool,
}

impl Five {
    const fn wins(self, row: u8) -> bool {
        row == rows::ROW || (row > rows::ROW && !self.is_exact)
    }
}

impl StoneGame for Five {
    const FACTS: Facts = FACTS;

    const SGF: Option<Sgf> = Some(Sgf {
        number: 4,
        points: Points::Letters,
        first_row_is_top: false,
        swap: Swapped::SamePoint,
        source: "FF[4] has no page for Gomoku: points as in Go, which programs for Gomoku write",
    });

    const EFFORT: u64 = 120;

    const MISTAKES: Mistakes = rows::MISTAKES;

    fn board(options: &Options) -> Board {
        // The option allows no number above 19.
        Board::Crossings(Grid::new(options.number(&FACTS, "size") as u8))
    }

    fn start(options: &Options, _: Board) -> Self {
        Self {
            is_exact: options.has("exact"),
        }
    }

    fn follow(at: &mut Gomoku, cell: Cell) -> Option<Outcome> {
        let rows = rows::lengths(at.own(), cell, at.board.side()).into_iter();
        let wins = rows.into_iter().any(|row| at.game.wins(row));
        wins.then_some(Outcome::Won(at.mover))
    }

    fn effects(before: &Gomoku, after: &Gomoku, cell: Cell) -> Vec<String> {
        let stones = after.stones[before.mover.index()];
        let rows = rows::lengths(stones, cell, after.board.side()).into_iter();
        let longest = rows.filter(|row| after.game.wins(*row)).max();
        let row = longest.filter(|_| after.winner().is_some());
        row.map(|row| format!("got {} in a row", number(usize::from(row))))
            .into_iter()
            .collect()
    }

    fn value(at: &Gomoku) -> i32 {
        let [own, other] = rows::of_both(at);
        let stones = [at.own(), at.stones[at.mover.other().index()]];
        let mut left = MAX_FOURS;
        if own.fives.is_empty() && rows::wins_by_fours(at.cells, stones, [&own, &other], &mut left) {
            return rows::BY_FOURS;
        }
        own.value(&other)
    }

    fn likely(at: &Gomoku, is_first: bool) -> Option<Bits> {
        (!at.game.is_exact).then(|| threats::likely(at, is_first))?
    }

    fn win_by_threats(at: &Gomoku) -> Option<Cell> {
        (!at.game.is_exact).then(|| threats::winning(at))?
    }

    /// A row of six does not always win, so a four may be stopped otherwise.
    fn worth_a_look(at: &Gomoku) -> (Bits, bool) {
        rows::worth_a_look(at, !at.game.is_exact)
    }
}
