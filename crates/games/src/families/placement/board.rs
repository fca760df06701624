//! The boards on which stones are put.

use crate::Display;
use crate::kit::hexagons::{Form, Hexagons};
use crate::kit::picture::{self, Layout};
use crate::kit::square::{BitBoard, Cell, Grid};

/// A board of crossings or of hexagons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Board {
    /// The crossings of the lines of a square board.
    Crossings(Grid),
    /// Cells with six sides.
    Hexagons(Hexagons),
}

impl Board {
    /// The grid around the board.
    #[must_use]
    pub const fn grid(self) -> Grid {
        match self {
            Self::Crossings(grid) => grid,
            Self::Hexagons(board) => board.grid(),
        }
    }

    /// The number of cells on a side.
    #[must_use]
    pub const fn side(self) -> u8 {
        match self {
            Self::Crossings(grid) => grid.size(),
            Self::Hexagons(board) => board.side(),
        }
    }

    /// All cells.
    #[must_use]
    pub fn cells<const STRIDE: usize, const WORDS: usize>(self) -> BitBoard<STRIDE, WORDS> {
        match self {
            Self::Crossings(grid) => BitBoard::square(grid.size()),
            Self::Hexagons(board) => board.cells(),
        }
    }

    /// The form of a board of hexagons.
    #[must_use]
    pub const fn form(self) -> Form {
        match self {
            Self::Crossings(_) => Form::Rhombus,
            Self::Hexagons(board) => board.form(),
        }
    }

    /// The neighbours of these cells, with diagonals on a board of crossings.
    #[must_use]
    pub fn around<const STRIDE: usize, const WORDS: usize>(
        self,
        cells: BitBoard<STRIDE, WORDS>,
    ) -> BitBoard<STRIDE, WORDS> {
        match self {
            Self::Crossings(_) => cells.around(),
            Self::Hexagons(board) => board.around(cells),
        }
    }

    /// The board as text; `letter` gives a stone.
    pub fn draw(self, display: Display, letter: impl Fn(Cell) -> Option<char>) -> String {
        match self {
            Self::Crossings(grid) => grid.draw_crossings(display, letter),
            Self::Hexagons(board) => board.draw(display, letter),
        }
    }

    /// The empty board for a picture.
    #[must_use]
    pub fn layout(self) -> Layout {
        match self {
            Self::Crossings(grid) => picture::crossings(grid),
            Self::Hexagons(board) => picture::hexagons(board),
        }
    }
}
