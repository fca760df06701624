//! Positions of games in which hard or its opponent gave the game away.

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
    // A turn takes long without optimisation, and longest at Gomoku.
    let seeds = match name {
        "Gomoku" => 1,
        "LOA" => 3,
        _ => 6,
    };
    for seed in 1..=seeds {
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

/// After b1-a2 Black goes on with c4-b3, and the two pawns there cannot be stopped: all captures leave one.
#[test]
fn two_pawns_that_stand_together_before_the_goal_are_taken_for_what_they_are() {
    avoids(
        "Breakthrough",
        "b2-c3 a7-a6 g2-f3 b7-c6 e2-e3 a6-b5 a2-b3 a8-b7 f3-g4 h7-g6 f2-f3 g6-g5 c3-d4 b5-b4 c2-c3 b4-a3 b3-b4 c6-b5 d4-c5 b5-c4",
        &["b1-a2"],
    );
}

/// c13 makes an open three and a four with the next stone; then nothing stops White.
#[test]
fn the_other_sides_win_by_threats_is_stopped_before_it_begins() {
    avoids(
        "Gomoku",
        "h8 g7 h9 h6 i8 g6 j7 g10 g8 f8 j8 k8 i5 d10 e9 f10 e10 f9 f7 e6 f6 f12 f11 e11 g13 d12",
        &["d11"],
    );
}

/// White has three of four crossings of a diagonal, open at both ends.
#[test]
fn a_three_with_a_gap_is_stopped_before_an_own_one_is_made() {
    avoids(
        "Gomoku",
        "h8 g7 h9 h6 i8 g6 j7 g10 g8 f8 j8 k8 i5 d10 e9 f10 e10 f9 f7 e6 f6 f12 f11 e11 g13 d12 g9 c13 b14 g12 e12 d13 d11 b8 c9 h11 \
         i10 j11 i12 i11 k11 d7 e8 b9",
        &["j9"],
    );
}

/// After e6-e2, which captures, White joins its pieces beginning with c4-g4.
#[test]
fn a_capture_is_left_where_the_other_side_then_joins_its_pieces() {
    avoids(
        "LOA",
        "b1-d3 a3-d3 c1-c3 a2-c4 d8-d5 a5-d5 g8-d5 a7-c7 e8-e6 a4-d4 c8-f5 a6-e2 f1-f4 h2-f2 f8-e7 c7-f4",
        &["e6-e2"],
    );
}
