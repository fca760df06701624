//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[Pictured {
    rules: &["You also win at once when your king"],
    options: &[],
    turns: "e4 e5 Ke2 d5 Ke3 dxe4 Kxe4",
    shows: "White's king has arrived on e4. White has won.",
}];
