//! A move, its standard algebraic notation, and the reading of what a player wrote.

use std::fmt;

use crate::Refusal;
use crate::kit::reading::shown;
use crate::kit::square::{Cell, Grid};

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// Has no letter in turns.
    Pawn,
    /// N.
    Knight,
    /// B.
    Bishop,
    /// R.
    Rook,
    /// Q.
    Queen,
    /// K.
    King,
}

impl Piece {
    /// All kinds, the cheapest first.
    pub const ALL: [Self; 6] = [
        Self::Pawn,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
        Self::King,
    ];

    /// Its capital letter.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'P',
            Self::Knight => 'N',
            Self::Bishop => 'B',
            Self::Rook => 'R',
            Self::Queen => 'Q',
            Self::King => 'K',
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pawn => "pawn",
            Self::Knight => "knight",
            Self::Bishop => "bishop",
            Self::Rook => "rook",
            Self::Queen => "queen",
            Self::King => "king",
        }
    }

    fn of(letter: char) -> Option<Self> {
        let pieces = Self::ALL.into_iter().skip(1);
        pieces
            .clone()
            .find(|piece| piece.letter() == letter.to_ascii_uppercase())
    }
}

/// A move on the board. Castling is the king's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What moves.
    pub piece: Piece,
    /// Where it stands before.
    pub from: Cell,
    /// Where it stands after.
    pub to: Cell,
    /// What a pawn becomes.
    pub promotion: Option<Piece>,
    /// Whether an enemy piece is taken.
    pub captures: bool,
    /// Whether it castles, on the short side or not.
    pub castles: Option<bool>,
}

impl Step {
    /// The squares, and what a pawn becomes: `e7-e8-q`. `None` for castling, whose squares may be those of another move.
    pub(super) fn by_squares(&self) -> Option<String> {
        let (from, to) = (self.from, self.to);
        match (self.castles, self.promotion) {
            (Some(_), _) => None,
            (None, None) => Some(format!("{from}-{to}")),
            (None, Some(piece)) => Some(format!("{from}-{to}-{}", piece.letter().to_ascii_lowercase())),
        }
    }
}

/// A legal turn, in standard algebraic notation without the signs of check and mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct San {
    /// The move.
    pub step: Step,
    /// Whether the column it comes from is written.
    by_column: bool,
    /// Whether the row is.
    by_row: bool,
}

impl San {
    /// The notation of a move among all that are legal.
    #[must_use]
    pub fn among(step: Step, all: &[Step]) -> Self {
        let mut san = Self {
            step,
            by_column: step.piece == Piece::Pawn && step.captures,
            by_row: false,
        };
        if matches!(step.piece, Piece::Pawn | Piece::King) {
            return san;
        }
        let rival =
            |other: &&Step| other.piece == step.piece && other.to == step.to && other.from != step.from;
        let rivals = || all.iter().filter(rival);
        if rivals().next().is_some() {
            let shares_column = rivals().any(|other| other.from.column() == step.from.column());
            let shares_row = rivals().any(|other| other.from.row() == step.from.row());
            san.by_column = !shares_column || shares_row;
            san.by_row = shares_column;
        }
        san
    }
}

impl fmt::Display for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = &self.step;
        match step.castles {
            Some(true) => return f.write_str("O-O"),
            Some(false) => return f.write_str("O-O-O"),
            None => {}
        }
        if step.piece != Piece::Pawn {
            write!(f, "{}", step.piece.letter())?;
        }
        if self.by_column {
            write!(f, "{}", char::from(b'a' + step.from.column()))?;
        }
        if self.by_row {
            write!(f, "{}", step.from.row() + 1)?;
        }
        if step.captures {
            f.write_str("x")?;
        }
        write!(f, "{}", step.to)?;
        match step.promotion {
            Some(piece) => write!(f, "={}", piece.letter()),
            None => Ok(()),
        }
    }
}

/// What a player wrote: what is left open is not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    piece: Option<Piece>,
    column: Option<u8>,
    row: Option<u8>,
    to: Option<Cell>,
    promotion: Option<Piece>,
    castles: Option<bool>,
}

/// The longest text of a turn in bytes.
const MAX_TEXT: usize = 30;

impl Written {
    /// Reads algebraic notation, `e2-e4`, `e7e8q`, `O-O` or `0-0`, with signs for check, mate and comment. If the first letter may be
    /// that of a piece or of a column, a capital is a piece; `swapped` reads it the other way.
    pub(super) fn read(text: &str, grid: Grid, swapped: bool) -> Option<Self> {
        if text.len() > MAX_TEXT {
            return None;
        }
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let text = text.trim_end_matches(['+', '#', '!']);
        let text = text.strip_suffix("e.p.").unwrap_or(text);
        // The hyphens may be missing: a page has one word for a step.
        let castling = text.replace(['0', 'o'], "O").replace('-', "");
        if castling == "OO" || castling == "OOO" {
            return Some(Self {
                castles: Some(castling == "OO"),
                ..Self::default()
            });
        }
        let mut rest: Vec<char> = text
            .chars()
            .filter(|c| !"-x:=()>".contains(*c) && *c != 'X')
            .collect();
        let mut written = Self::default();
        if let [.., row, last] = *rest.as_slice()
            && row.is_ascii_digit()
            && last.is_ascii_alphabetic()
        {
            written.promotion = Some(Piece::of(last)?);
            rest.pop();
        }
        let (row, column) = (rest.pop()?, rest.pop()?);
        let to = format!("{column}{row}");
        written.to = Some(grid.find(&to).ok()?);
        if let Some(first) = rest.first().copied() {
            let is_column =
                first.is_ascii_alphabetic() && grid.find(&format!("{first}1")).is_ok() && rest.len() < 3;
            let as_piece = match is_column && Piece::of(first).is_some() {
                true => first.is_ascii_uppercase() != swapped,
                false => !is_column,
            };
            if as_piece {
                let is_pawn = first.eq_ignore_ascii_case(&'p');
                written.piece = Some(if is_pawn { Piece::Pawn } else { Piece::of(first)? });
                rest.remove(0);
            }
        }
        for c in rest {
            match c.to_digit(10) {
                Some(row) if written.row.is_none() => {
                    let row = (row as u8).checked_sub(1)?;
                    written.row = Some(row).filter(|row| *row < grid.size());
                    written.row?;
                }
                None if written.column.is_none() => {
                    written.column = Some(grid.find(&format!("{c}1")).ok()?.column());
                }
                _ => return None,
            }
        }
        Some(written)
    }

    /// Whether this move is meant. Without a piece's letter a column and a row name any piece, and less a pawn.
    pub(super) fn fits(&self, step: &Step) -> bool {
        if self.castles.is_some() || self.to.is_none() {
            return self.castles == step.castles;
        }
        let names_cell = self.column.is_some() && self.row.is_some();
        let is_piece = match self.piece {
            Some(piece) => piece == step.piece,
            None => names_cell || step.piece == Piece::Pawn,
        };
        is_piece
            && (step.castles.is_none() || names_cell)
            && self.to == Some(step.to)
            && self.column.is_none_or(|column| column == step.from.column())
            && self.row.is_none_or(|row| row == step.from.row())
            && self.promotion == step.promotion
    }

    /// The same with another promotion.
    pub(super) fn promoting(mut self, piece: Option<Piece>) -> Self {
        self.promotion = piece;
        self
    }

    /// The cell that it leads to, and the cell where it begins if that is written.
    pub(super) fn ends(&self) -> (Option<Cell>, Option<Cell>) {
        let from = self
            .column
            .zip(self.row)
            .map(|(column, row)| Cell::at(column, row));
        (from, self.to)
    }

    /// Whether a promotion is written.
    pub(super) const fn promotes(&self) -> bool {
        self.promotion.is_some()
    }
}

/// The refusal of a text that is no turn: of what follows the first word if that is one, else of the first word.
pub(super) fn unreadable(text: &str, grid: Grid, example: &str) -> Refusal {
    let mut words = text.split_whitespace();
    let at = |word: &str| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        start..start + word.len()
    };
    let Some(first) = words.next() else {
        let reason = format!("There is no turn here. A turn is written like {example} or e2-e4.");
        return Refusal::unreadable(reason);
    };
    match words.next() {
        Some(second) if Written::read(first, grid, false).is_some() => {
            let reason = format!(
                "A turn is written like {example}, and nothing follows it, not \"{}\".",
                shown(second)
            );
            Refusal::unreadable(reason).at(at(second))
        }
        _ => {
            let reason = format!(
                "\"{}\" is no turn: a turn is written like {example} or e2-e4.",
                shown(first)
            );
            Refusal::unreadable(reason).at(at(first))
        }
    }
}
