//! Bridges: pegs that are linked by knight's moves, and join two borders. Alex Randolph's game of 1962, as on paper.

mod drawn;
mod links;
mod pictured;
#[cfg(test)]
mod tests;

use self::links::Links;
use super::families::placement::joining::value;
use super::families::placement::{self, Board, NO_SWAP, StoneGame, Stones, rows_and_columns};
use super::sgf::{Points, Sgf, Swapped};
use super::{Display, Facts, Options, Outcome, Seat, Worked};
use crate::kit::picture::Layout;
use crate::kit::square::{Cell, Grid, WideBits};

const FACTS: Facts = Facts {
    name: "Bridges",
    aliases: &["twixt"],
    title: "Bridges",
    sides: ["First", "Second"],
    roles: Some(["dark (x): join top and bottom", "light (o): join left and right"]),
    options: &[rows_and_columns(8, 24, 24), NO_SWAP],
    designer: "Alex Randolph",
    summary: "Link pegs by knight's moves and join your two borders.",
    rules: include_str!("rules.txt"),
    notation: "The hole of the peg: k12. The second player can write swap in the place of the first own turn.",
    worked: Worked {
        options: &["-size=8", "-noswap"],
        before: &["d4", "e5"],
        turns: [
            (
                "e6",
                "The peg is a knight's move from d4, so the two are linked at once.",
            ),
            (
                "d7",
                "It is a knight's move from e5, but the link between d4 and e6 is in the way: it is not linked.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["k12", "l14", "m13", "j10"],
    source: "the rules as played on paper and at Little Golem: links are made at once and never removed",
    knows_draws: true,
    // One turn for each hole, and the swap.
    longest_random_game: 574,
    ..placement::FACTS
};

/// A position of Bridges. A board of 24 rows needs wide sets.
pub type Bridges = Stones<Linked, 25, 10>;

/// The rule of Bridges: the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linked(Links);

/// The holes of a side's two border rows: the bottom and the top, or the left and the right.
fn border(board: Board, side: Seat) -> WideBits {
    let last = board.side() - 1;
    let height = |cell: &Cell| [cell.row(), cell.column()][side.index()];
    let cells: WideBits = board.cells();
    let is_border = |cell: &Cell| height(cell) == 0 || height(cell) == last;
    cells.iter().filter(is_border).collect()
}

/// How many pegs this side needs at least to join its borders; `None` if it cannot any more.
fn pegs_missing(at: &Bridges, side: Seat) -> Option<u8> {
    let free = at.empty() - border(at.board, side.other());
    let sets = [at.stones[side.index()], free, border(at.board, side)];
    links::pegs_missing(&at.game.0, sets, side, at.board.side())
}

impl StoneGame<25, 10> for Linked {
    const FACTS: Facts = FACTS;

    const SGF: Option<Sgf> = Some(Sgf {
        number: 21,
        points: Points::Letters,
        first_row_is_top: false,
        swap: Swapped::Word("swap"),
        source: "GM[21] of FF[4], and Little Golem's files: points as in Go",
    });

    const PIECE: [&'static str; 2] = ["peg", "hole"];

    const EFFORT: u64 = 2500;

    fn board(options: &Options) -> Board {
        // The option allows no number above 24.
        Board::Crossings(Grid::new(options.number(&FACTS, "size") as u8))
    }

    /// The corners are no holes.
    fn cells(board: Board) -> WideBits {
        let last = board.side() - 1;
        let corners = [(0, 0), (0, last), (last, 0), (last, last)];
        board.cells()
            - corners
                .into_iter()
                .map(|(column, row)| Cell::at(column, row))
                .collect()
    }

    fn start(_: &Options, _: Board) -> Self {
        Self(Links::NONE)
    }

    fn cleared(self) -> Self {
        Self(Links::NONE)
    }

    /// The mirror image in the diagonal from a1, which exchanges the borders.
    fn mirrored(cell: Cell) -> Cell {
        Cell::at(cell.row(), cell.column())
    }

    fn open(at: &Bridges) -> WideBits {
        at.empty() - border(at.board, at.mover.other())
    }

    fn forbidden(at: &Bridges, cell: Cell) -> String {
        let other = FACTS.sides[at.mover.other().index()];
        format!("No peg of yours can be put on {cell}: it is on a border row of {other}.")
    }

    fn follow(at: &mut Bridges, cell: Cell) -> Option<Outcome> {
        let (own, size) = (at.own(), at.board.side());
        at.game.0.make(cell, own, size);
        let chain = at.game.0.chain(cell, size);
        let ends = border(at.board, at.mover) & chain;
        let height = |cell: &Cell| [cell.row(), cell.column()][at.mover.index()];
        let mut ends = ends.iter().map(|cell| height(&cell) == 0);
        let first = ends.next();
        if first.is_some_and(|first| ends.any(|end| end != first)) {
            return Some(Outcome::Won(at.mover));
        }
        // Nobody is shut out by a few pegs.
        let may_be_shut = at.stones.iter().all(|pegs| pegs.count() >= u32::from(size) / 3);
        let is_drawn = may_be_shut && Seat::BOTH.iter().all(|side| pegs_missing(at, *side).is_none());
        is_drawn.then_some(Outcome::Drawn)
    }

    fn settle(at: &mut Bridges) {
        if at.outcome.is_none() && Self::open(at).is_empty() {
            at.outcome = Some(Outcome::Drawn);
        }
    }

    fn effects(before: &Bridges, after: &Bridges, cell: Cell) -> Vec<String> {
        let size = after.board.side();
        let made = after.game.0.all(size).len() - before.game.0.all(size).len();
        let mut effects = match made {
            0 => Vec::new(),
            1 => vec!["made one link".to_owned()],
            many => vec![format!("made {} links", crate::kit::words::number(many))],
        };
        let cut = |at: &Bridges| at.game.0.missing(at.stones[before.mover.index()], size);
        let cut = cut(after)
            .iter()
            .filter(|(a, b)| *a == cell || *b == cell)
            .count();
        if cut > 0 {
            effects.push("left a gap where a link is in the way".to_owned());
        }
        effects.extend(match (after.outcome, before.mover) {
            (Some(Outcome::Won(_)), Seat::First) => Some("joined bottom and top".to_owned()),
            (Some(Outcome::Won(_)), Seat::Second) => Some("joined left and right".to_owned()),
            (Some(Outcome::Drawn), _) if !after.empty().is_empty() => {
                Some("left nobody a way to win".to_owned())
            }
            _ => None,
        });
        effects
    }

    fn status(_: &Bridges) -> Option<String> {
        Some("x joins bottom and top, o left and right".to_owned())
    }

    fn draw(at: &Bridges, display: Display) -> String {
        Self::text(at, display)
    }

    fn layout(at: &Bridges) -> Layout {
        Self::picture(at)
    }

    fn value(at: &Bridges) -> i32 {
        let missing = |side| (i32::from(pegs_missing(at, side).unwrap_or(30)), 0);
        value(missing(at.mover), missing(at.mover.other()))
    }

    /// The holes near a peg; at first those of the middle.
    fn worth_a_look(at: &Bridges) -> (WideBits, bool) {
        let (open, half) = (at.open(), at.board.side() / 2);
        let taken = at.stones[0] | at.stones[1];
        let seeds = if taken.is_empty() {
            WideBits::of(Cell::at(half, half))
        } else {
            taken
        };
        let near = seeds.around().around().around() & open;
        match near.is_empty() {
            true => (open, true),
            false => (near, near == open),
        }
    }
}
