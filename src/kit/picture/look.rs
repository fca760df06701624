//! The colours: calm, with a layout of their own, so that they serve on a light page and on a dark one. Sides
//! and marks differ in brightness and in shape, never in hue alone.

use super::Tone;

/// Around the board.
pub(super) const GROUND: &str = "#f3ecdd";
/// The cells.
pub(super) const CELL: &str = "#e6d8ba";
/// The cells between, by which the eye finds its way.
pub(super) const SHADE: &str = "#dfcfab";
/// Lines and the edges of cells.
pub(super) const LINE: &str = "#8f7f5f";
/// What is no part of the board.
pub(super) const VOID: &str = "#ddceac";
/// Letters beside the board.
pub(super) const INK: &str = "#4a4231";
/// Names on the board.
pub(super) const FAINT_INK: &str = "#6e6349";
/// What the last turn touched: vermilion, which the colour-blind tell from both sides by its brightness.
pub(super) const MARK: &str = "#d55e00";

impl Tone {
    /// The inside of a piece.
    pub(super) const fn fill(self) -> &'static str {
        match self {
            Self::Light => "#fffef9",
            Self::Dark => "#2b343d",
        }
    }

    /// Its edge.
    pub(super) const fn edge(self) -> &'static str {
        match self {
            Self::Light => "#20262b",
            Self::Dark => "#14191d",
        }
    }

    /// What is drawn on it.
    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Light => "#20262b",
            Self::Dark => "#fffef9",
        }
    }
}
