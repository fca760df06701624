//! Amazons, by Walter Zamkauskas, 1988: move like a queen, shoot an arrow, and be the last who can.

mod estimate;
mod pictured;
mod reading;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::{
    Display, Facts, Info, Numbers, OptionFact, Options, Outcome, Range, Refusal, Rules, Seat, Worked,
};
use crate::kit::picture::{self, Layout};
use crate::kit::square::{Cell, Grid, SmallBits};
use crate::kit::words::list;

const FACTS: Facts = Facts {
    name: "Amazons",
    aliases: &[],
    title: "The Game of the Amazons",
    sides: ["White", "Black"],
    roles: None,
    score: None,
    letters: ["o", "x"],
    neutral: "#",
    options: &[OptionFact {
        name: "size",
        range: Some(Range {
            min: 6,
            max: 10,
            step: 2,
            default: 10,
            numbers: Numbers::Whole,
        }),
        help: "the number of rows and of columns",
    }],
    designer: "Walter Zamkauskas",
    summary: "Move like a queen and shoot an arrow that blocks a cell; the last player who can move wins.",
    rules: include_str!("rules.txt"),
    notation: "The cell of the amazon, the cell that it moves to, and the cell of its arrow: d1-d7/g7. You can leave the \
               first cell out if only one of your amazons can make the turn: d8/e9.",
    worked: Worked {
        options: &["-size=6"],
        before: &[],
        turns: [
            (
                "b1-a1/b2",
                "The amazon went to a corner, where one arrow can close it in: b1 is the only empty cell next to it.",
            ),
            (
                "f5-e4/b1",
                "The arrow flew over d3 and c2. The amazon on a1 is shut in until the one on a2 moves.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["d1-d7/g7", "d10-d8/f8", "g1-g6/e8"],
    source: "Walter Zamkauskas, El Juego de las Amazonas, El Acertijo 4, 1992",
    revision: 1,
    knows_draws: false,
    knows_pass: false,
    knows_swap: false,
    has_dice: false,
    // Each turn leaves an arrow, and the largest board has 92 empty cells.
    longest_random_game: 92,
};

/// The columns and rows of four amazons.
type Places = [(u8, u8); 4];

/// The amazons of each side, by size of the board.
const STARTS: [(u8, [&Places; 2]); 3] = [
    (
        6,
        [
            &[(1, 0), (4, 0), (0, 1), (5, 1)],
            &[(0, 4), (5, 4), (1, 5), (4, 5)],
        ],
    ),
    (
        8,
        [
            &[(2, 0), (5, 0), (0, 2), (7, 2)],
            &[(0, 5), (7, 5), (2, 7), (5, 7)],
        ],
    ),
    (
        10,
        [
            &[(3, 0), (6, 0), (0, 3), (9, 3)],
            &[(0, 6), (9, 6), (3, 9), (6, 9)],
        ],
    ),
];

/// A legal turn; its text is `d1-d7/g7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    from: Cell,
    to: Cell,
    arrow: Cell,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}/{}", self.from, self.to, self.arrow)
    }
}

/// A position of Amazons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amazons {
    grid: Grid,
    /// White's, then Black's.
    amazons: [SmallBits; 2],
    arrows: SmallBits,
    mover: Seat,
}

impl Amazons {
    const fn own(&self) -> SmallBits {
        self.amazons[self.mover.index()]
    }

    fn free(&self) -> SmallBits {
        SmallBits::square(self.grid.size()) - self.amazons[0] - self.amazons[1] - self.arrows
    }

    /// Whether one of these amazons can move. Its arrow can then stop at least where it came from.
    fn can_move(&self, amazons: SmallBits) -> bool {
        !(amazons.around() & self.free()).is_empty()
    }

    /// The cells for the arrow of the amazon that went there.
    fn arrows(&self, from: Cell, to: Cell) -> SmallBits {
        SmallBits::queen(to, self.free() | SmallBits::of(from))
    }

    /// The moves of the mover's amazons, each with the cells for its arrow.
    fn moves(&self) -> impl Iterator<Item = (Cell, Cell, SmallBits)> {
        self.own().into_iter().flat_map(move |from| {
            let targets = SmallBits::queen(from, self.free());
            targets
                .into_iter()
                .map(move |to| (from, to, self.arrows(from, to)))
        })
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        let pieces = [self.amazons[0], self.amazons[1], self.arrows];
        let place = pieces.iter().position(|pieces| pieces.has(cell))?;
        ['o', 'x', '#'].get(place).copied()
    }
}

impl Rules for Amazons {
    const FACTS: Facts = FACTS;

    type Turn = Turn;

    fn start(options: &Options) -> Result<Self, Refusal> {
        let size = options.number(&FACTS, "size");
        let start = STARTS.iter().find(|(of, _)| u32::from(*of) == size);
        // The option allows only the sizes of the table.
        let (size, amazons) = *start.unwrap_or(&STARTS[2]);
        let cells = |places: &[(u8, u8); 4]| {
            places
                .iter()
                .map(|(column, row)| Cell::at(*column, *row))
                .collect()
        };
        Ok(Self {
            grid: Grid::new(size),
            amazons: amazons.map(cells),
            arrows: SmallBits::EMPTY,
            mover: Seat::First,
        })
    }

    fn to_move(&self) -> Option<Seat> {
        self.can_move(self.own()).then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Turn, Refusal> {
        self.read_turn(text)
    }

    fn play(&mut self, turn: &Turn) {
        self.amazons[self.mover.index()] ^= SmallBits::of(turn.from) | SmallBits::of(turn.to);
        self.arrows |= SmallBits::of(turn.arrow);
        self.mover = self.mover.other();
    }

    fn effects(&self, turns: &[Turn]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = *self;
        for turn in turns {
            let stuck = |position: &Self| {
                let all = position.amazons[0] | position.amazons[1];
                let stuck = all
                    .iter()
                    .filter(|amazon| !position.can_move(SmallBits::of(*amazon)));
                stuck.collect::<SmallBits>()
            };
            let earlier = stuck(&position);
            position.play(turn);
            let enclosed = stuck(&position) - earlier;
            if !enclosed.is_empty() {
                effects.push(format!("enclosed {}", list(enclosed)));
            }
            if position.to_move().is_none() {
                effects.push(format!("left {} no move", FACTS.sides[position.mover.index()]));
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        (!self.can_move(self.own())).then(|| Outcome::Won(self.mover.other()))
    }

    fn turns(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        self.moves().try_for_each(|(from, to, arrows)| {
            arrows
                .iter()
                .try_for_each(|arrow| each(&Turn { from, to, arrow }))
        })
    }

    fn count(&self) -> u64 {
        self.moves().map(|(_, _, arrows)| u64::from(arrows.count())).sum()
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn> {
        let count = self.count();
        let mut place = (count > 0).then(|| rng.random_range(0..count))?;
        self.moves().find_map(|(from, to, arrows)| {
            let here = u64::from(arrows.count());
            if place >= here {
                place -= here;
                return None;
            }
            let arrow = arrows.iter().nth(place as usize)?;
            Some(Turn { from, to, arrow })
        })
    }

    fn draw(&self, display: Display) -> String {
        self.grid.draw(display, |cell| self.letter(cell).unwrap_or('.'))
    }

    fn cells(&self) -> Vec<(String, char)> {
        self.grid.occupied(|cell| self.letter(cell))
    }

    fn layout(&self) -> Layout {
        picture::square(self.grid)
    }

    fn info(&self) -> Info {
        Info::new()
    }
}
