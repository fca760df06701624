//! Counts of turns, which a slow model confirms, and lines of men.

use super::Dameo;
use crate::families::draughts::{Draughts, slow};
use crate::lockstep::{self, after};
use crate::{Outcome, Rules as _};

type Position = Draughts<Dameo>;

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
    let results = lockstep::lockstep::<Position, _>("", 25, model);
    assert!(results[0] > 0 && results[1] > 0, "{results:?}");
}

#[test]
#[ignore = "takes long"]
fn many_random_games_agree_with_a_slow_model() {
    let results = lockstep::lockstep::<Position, _>("", 2000, model);
    assert!(results[0] > 0 && results[1] > 0, "{results:?}");
}
