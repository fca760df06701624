//! The score of a match, and its cube.

use crate::Match;

/// The points of both players. A match of one point has no score while it runs.
pub(super) fn score(position: &dyn Match) -> [u32; 2] {
    let info = position.info();
    let sides = info
        .iter()
        .find(|(name, _)| *name == "score")
        .map(|(_, sides)| sides);
    match sides.map(Vec::as_slice) {
        Some([(_, one), (_, other)]) => [*one, *other],
        _ => [0; 2],
    }
}

/// What the cube shows; 1 in the middle.
pub(super) fn cube(position: &dyn Match) -> u32 {
    let info = position.info();
    let sides = info
        .iter()
        .find(|(name, _)| *name == "cube")
        .map(|(_, sides)| sides);
    sides
        .and_then(|sides| sides.first())
        .map_or(1, |(_, value)| *value)
}
