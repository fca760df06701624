//! Counts of turns from a published source, checks, and the race.

use super::*;
use crate::Rules as _;
use crate::lockstep::{self, after};

#[test]
fn turns_are_counted_as_elsewhere() {
    lockstep::perft::<RacingKings>("", &[21, 421, 11264]);
}

fn ends(fen: &str, turn: &str) -> Option<Outcome> {
    let mut position = Chess::from_board(Race, fen.parse().unwrap());
    position.play(&position.read(turn).unwrap());
    position.outcome()
}

#[test]
fn black_has_one_more_turn_to_arrive() {
    assert_eq!(ends("8/1k5K/8/8/8/8/8/8 w - - 0 1", "Kh8"), None);
    assert_eq!(ends("7K/1k6/8/8/8/8/8/8 b - - 0 1", "Kb8"), Some(Outcome::Drawn));
    assert_eq!(
        ends("7K/1k6/8/8/8/8/8/8 b - - 0 1", "Kb6"),
        Some(Outcome::Won(Seat::First))
    );
    assert_eq!(
        ends("8/7K/1k6/8/8/8/8/8 w - - 0 1", "Kh8"),
        Some(Outcome::Won(Seat::First))
    );
    assert_eq!(
        ends("8/1k6/7K/8/8/8/8/8 b - - 0 1", "Kb8"),
        Some(Outcome::Won(Seat::Second))
    );
}

#[test]
fn a_check_is_refused() {
    let start = after::<RacingKings>("", "");
    let refusal = start.read("Nc3").unwrap_err();
    assert!(refusal.reason.contains("would give check"), "{}", refusal.reason);
}
