//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[Pictured {
    rules: &["You also win when you give check"],
    options: &[],
    turns: "e4 e5 Bc4 Nc6 Bxf7 Kxf7 Qh5 Kf6 Qg6",
    shows: "White has given check with Bxf7, with Qh5 and with Qg6. White has won.",
}];
