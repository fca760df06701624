//! Counts of turns, which a slow model confirms, and lines of men.

use super::Dameo;
use crate::Rules as _;
use crate::families::draughts::slow;
use crate::lockstep::{self, after};

fn model() -> slow::Game {
    let rules = slow::Slow {
        size: 8,
        is_numbered: false,
        letters: ["oO", "xX"],
        first_goes: 1,
        man_moves: &[(0, 1), (1, 1), (-1, 1)],
        man_captures: &[(0, 1), (1, 0), (0, -1), (-1, 0)],
        king_moves: &[
            (0, 1),
            (1, 1),
            (1, 0),
            (1, -1),
            (0, -1),
            (-1, -1),
            (-1, 0),
            (-1, 1),
        ],
        king_captures: &[(0, 1), (1, 0), (0, -1), (-1, 0)],
        flies: true,
        most: true,
        lines: true,
        idle: usize::MAX,
        ending: |_| None,
    };
    let cells = (0..3).flat_map(|row| (row..8 - row).map(move |column| (column, row)));
    slow::Game::new(rules, cells)
}

#[test]
fn random_games_agree_with_a_slow_model() {
    let results = lockstep::lockstep::<Dameo, _>("", 25, model);
    assert!(results[0] > 0 && results[1] > 0, "{results:?}");
}

#[test]
#[ignore = "takes long"]
fn many_random_games_agree_with_a_slow_model() {
    let results = lockstep::lockstep::<Dameo, _>("", 2000, model);
    assert!(results[0] > 0 && results[1] > 0, "{results:?}");
}

#[test]
fn turns_are_counted() {
    lockstep::perft::<Dameo>("", &[52, 2704, 135_930]);
}

#[test]
fn a_line_is_named_by_its_last_man_and_the_most_is_a_duty() {
    let start = after::<Dameo>("", "f3-g4");
    assert_eq!(start.read("d8-g5").unwrap().to_string(), "d8-g5");
    assert!(start.read("d8-f5").is_err());
    let most = after::<Dameo>("", "c3-d4 d6-d5");
    // The start and the end are enough, but not the start and a cell between.
    assert_eq!(most.read("d4xb6").unwrap().to_string(), "d4xd6xb6");
    assert_eq!(
        most.read("d4xd6").unwrap_err().reason,
        "A capture goes on as long as the piece can capture, and from d6 it can."
    );
    assert_eq!(
        most.read("c2-c3").unwrap_err().reason,
        "You must capture if you can, and this is no legal capture."
    );
}
