//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[Pictured {
    rules: &["All pieces stand on the first"],
    options: &[],
    turns: "",
    shows: "The start: Black's king is on a2, White's on h2.",
}];
