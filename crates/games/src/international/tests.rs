//! Counts of turns as published, a slow model, and the rules about the most captures and the draws.

use super::International;
use crate::Rules as _;
use crate::families::draughts::slow;
use crate::lockstep::{self, after};

/// As counted by Aart Bik, <https://www.aartbik.com/>, and others.
const COUNTS: [u64; 7] = [9, 81, 658, 4265, 27117, 167_140, 1_049_442];

#[test]
fn turns_are_counted_as_elsewhere() {
    lockstep::perft::<International>("", &COUNTS[..6]);
}

#[test]
#[ignore = "slow without optimisation"]
fn turns_are_counted_as_elsewhere_seven_deep() {
    lockstep::perft::<International>("", &COUNTS);
}

fn model() -> slow::Game {
    let rules = slow::Slow {
        size: 10,
        is_numbered: true,
        letters: ["oO", "xX"],
        first_goes: 1,
        man_moves: &[(1, 1), (-1, 1)],
        man_captures: slow::DIAGONALS,
        king_moves: slow::DIAGONALS,
        king_captures: slow::DIAGONALS,
        flies: true,
        most: true,
        lines: false,
        idle: 50,
        ending: |sides| {
            let mut sides = sides;
            sides.sort_by_key(|(men, kings)| men + kings);
            match sides {
                [(0, 1), (0, 1 | 2) | (1, 1)] => Some(10),
                [(0, 1), (0, 3) | (1, 2) | (2, 1)] => Some(32),
                _ => None,
            }
        },
    };
    let cells = (0..4).flat_map(|row| (0..10).map(move |column| (column, row)));
    slow::Game::new(rules, cells.filter(|(column, row)| (column + row) % 2 == 0))
}

#[test]
fn random_games_agree_with_a_slow_model() {
    let results = lockstep::lockstep::<International, _>("", 25, model);
    assert!(results[2] < 25, "{results:?}");
}

#[test]
#[ignore = "takes long"]
fn many_random_games_agree_with_a_slow_model() {
    let results = lockstep::lockstep::<International, _>("", 2000, model);
    assert!(results.iter().all(|count| *count > 0), "{results:?}");
}

#[test]
fn the_most_must_be_captured_and_fewer_are_refused() {
    let most = after::<International>("", "32-27 20-25 38-32 19-23 27-22");
    let refusal = most.read("17x28").unwrap_err();
    assert!(refusal.reason.contains("capture"), "{refusal}");
    assert_eq!(most.read("18x29").unwrap().to_string(), "18x27x38x29");
}
