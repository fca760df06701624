//! Positions in which hard gave a game away.

use std::sync::atomic::AtomicBool;

use super::{Level, think};
use crate::{Options, find};

/// Fails if hard makes one of the turns that lose, whatever its chance.
fn avoids(name: &str, turns: &str, losing: &[&str]) {
    let game = find(name).unwrap();
    let mut position = game.start(&Options::none(game.facts)).unwrap();
    for turn in turns.split_whitespace() {
        position.play(turn).unwrap();
    }
    for seed in 1..=6 {
        let thought = think(position.as_ref(), Level::Hard, seed, &AtomicBool::new(false)).unwrap();
        assert!(
            !losing.contains(&thought.turn.as_str()),
            "seed {seed}: {thought:?}"
        );
    }
}

/// After g4-h5, h1-g2 or f1-g2 Black breaks through on the side of columns g and h, for example by g5-h4 and f4-g3.
#[test]
fn a_race_that_is_lost_is_seen_ten_turns_ahead() {
    avoids(
        "Breakthrough",
        "f2-f3 a7-a6 f3-g4 a6-a5 d2-d3 a8-a7 g2-f3 a7-b6 e2-e3 b6-b5 a2-b3 b5-b4 c2-c3 b7-a6 f3-f4 e7-f6 d3-e4 f7-e6 e3-d4 d8-e7 h2-h3 \
         a6-b5 c3-b4 a5-b4 h3-h4 g7-g6 f4-g5 h8-g7 g5-f6 e7-f6 d1-c2 e6-e5 d4-e5 f6-e5 c2-c3 b4-c3 b2-c3 e8-e7 h4-g5 e7-f6 g5-f6 g7-f6 \
         g1-f2 e5-f4 c3-b4 g6-g5",
        &["f1-g2", "h1-g2", "g4-h5"],
    );
}
