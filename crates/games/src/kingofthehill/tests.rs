//! The king in the middle.

use super::*;
use crate::Rules as _;
use crate::lockstep::{self, after};

#[test]
fn turns_are_counted_as_in_chess() {
    lockstep::perft::<KingOfTheHill>("", &[20, 400, 8902]);
}

#[test]
fn a_king_in_the_middle_wins_and_is_told() {
    let position = after::<KingOfTheHill>("", "e4 e5 Ke2 d5 Ke3 dxe4");
    let turn = position.read("Kxe4").unwrap();
    assert_eq!(
        position.effects(&[turn]),
        ["captured a pawn", "brought the king to the middle"]
    );
    let mut won = position;
    won.play(&turn);
    assert_eq!((won.outcome(), won.count()), (Some(Outcome::Won(Seat::First)), 0));
    // An attacked square is as forbidden as in chess.
    let guarded = after::<KingOfTheHill>("", "e4 c5 Ke2 a6 Ke3 a5");
    assert!(guarded.read("Kd4").is_err());
    assert!(guarded.read("Kf4").is_ok());
}
