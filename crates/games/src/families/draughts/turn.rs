//! A turn, and sets of squares.

use std::fmt;
use std::marker::PhantomData;

use super::rules::DraughtsRules;

/// A capture takes each enemy piece once, and there are at most twenty.
const MAX_PATH: usize = 22;

/// A legal turn: the squares where the piece stands one after the other, and the pieces that it captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn<G> {
    path: [u8; MAX_PATH],
    length: u8,
    pub(super) captured: u64,
    game: PhantomData<G>,
}

impl<G: DraughtsRules> Turn<G> {
    pub(super) const fn from(square: u8) -> Self {
        let mut path = [0; MAX_PATH];
        path[0] = square;
        Self {
            path,
            length: 1,
            captured: 0,
            game: PhantomData,
        }
    }

    /// The same, gone on to this square over these captured pieces.
    pub(super) const fn then(mut self, square: u8, captured: u64) -> Self {
        if (self.length as usize) < MAX_PATH {
            self.path[self.length as usize] = square;
            self.length += 1;
        }
        self.captured |= captured;
        self
    }

    /// Where the piece stands one after the other.
    pub(super) fn path(&self) -> &[u8] {
        &self.path[..usize::from(self.length)]
    }

    /// The first and the last square.
    pub(super) const fn ends(&self) -> (u8, u8) {
        (self.path[0], self.path[self.length as usize - 1])
    }
}

impl<G: DraughtsRules> fmt::Display for Turn<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.captured == 0 { "-" } else { "x" };
        let names: Vec<_> = self.path().iter().map(|square| G::BOARD.name(*square)).collect();
        f.write_str(&names.join(sign))
    }
}

/// The squares of a set.
pub(super) fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(square)
    })
}
