//! The colours. The picture has its own background, so that it works on light and dark pages. Sides and marks differ in
//! brightness and shape, never in hue alone.

use super::Tone;

/// The background around the board.
pub(super) const GROUND: &str = "#f3ecdd";
/// A cell.
pub(super) const CELL: &str = "#e6d8ba";
/// A shaded cell.
pub(super) const SHADE: &str = "#dfcfab";
/// Lines, and the edges of cells.
pub(super) const LINE: &str = "#8f7f5f";
/// Areas that are not part of the board.
pub(super) const VOID: &str = "#ddceac";
/// Text beside the board.
pub(super) const INK: &str = "#4a4231";
/// Names on the board.
pub(super) const FAINT_INK: &str = "#6e6349";
/// The marks of the last turn: vermilion, whose brightness differs from both sides for colour-blind readers.
pub(super) const MARK: &str = "#d55e00";

impl Tone {
    /// The inside of a piece.
    pub(super) const fn fill(self) -> &'static str {
        match self {
            Self::Light => "#fffef9",
            Self::Dark => "#2b343d",
            Self::Neutral => "#8a5a3b",
        }
    }

    /// The edge of a piece.
    pub(super) const fn edge(self) -> &'static str {
        match self {
            Self::Light => "#20262b",
            Self::Dark => "#14191d",
            Self::Neutral => "#5d3a24",
        }
    }

    /// The sign on a piece.
    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Light => "#20262b",
            Self::Dark | Self::Neutral => "#fffef9",
        }
    }
}
