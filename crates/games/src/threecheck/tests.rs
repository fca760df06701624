//! The checks are counted.

use super::*;
use crate::Rules as _;
use crate::lockstep::{self, after};

#[test]
fn turns_are_counted_as_in_chess() {
    lockstep::perft::<ThreeCheck>("", &[20, 400, 8902]);
}

#[test]
fn a_position_with_other_checks_is_another() {
    let again = after::<ThreeCheck>("", "e4 d6 Bb5 Nd7 Bf1 Nb8 Bb5 Nd7 Bf1 Nb8");
    assert_eq!(again.outcome(), None);
}

#[test]
fn the_third_check_wins() {
    let mut position = after::<ThreeCheck>("", "e4 e5 Bc4 Nc6");
    let mut told = Vec::new();
    for turn in ["Bxf7", "Kxf7", "Qh5", "Kf6", "Qg6"] {
        let turn = position.read(turn).unwrap();
        told.push(position.effects(&[turn]).join("; "));
        position.play(&turn);
    }
    let first = "captured a pawn; gave the first check";
    assert_eq!(
        told,
        [
            first,
            "captured a bishop",
            "gave the second check",
            "",
            "gave the third check"
        ]
    );
    assert_eq!(position.info()[0].1, [("White", 3), ("Black", 0)]);
    assert_eq!(position.outcome(), Some(Outcome::Won(Seat::First)));
    assert!(
        position
            .draw(crate::Display::Small)
            .starts_with("checks: White 3 Black 0\n")
    );
}
