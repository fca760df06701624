//! What is said of races without a search is tried out.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::*;
use crate::{Evaluate, Rules};

fn random_positions(size: &str, seed: u64) -> Vec<Breakthrough> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let options = Options::parse(&FACTS, [size]).unwrap();
    let mut position = Breakthrough::start(&options).unwrap();
    let mut all = Vec::new();
    while let Some(turn) = position.random_turn(&mut rng) {
        all.push(position);
        position.play(&turn);
    }
    all
}

fn after_each_turn(position: &Breakthrough) -> Vec<Breakthrough> {
    let mut all = Vec::new();
    let _ = position.turns(&mut |turn| {
        let mut after = *position;
        after.play(turn);
        all.push(after);
        ControlFlow::Continue(())
    });
    all
}

/// Whether the player to move wins, by trying every turn.
fn wins(position: &Breakthrough, known: &mut HashMap<u64, bool>) -> bool {
    if position.outcome.is_some() {
        return false;
    }
    if let Some(wins) = known.get(&position.key()) {
        return *wins;
    }
    let won = after_each_turn(position)
        .iter()
        .any(|after| after.outcome.is_some() || !wins(after, known));
    known.insert(position.key(), won);
    won
}

#[test]
fn a_race_that_is_said_to_be_won_or_lost_is() {
    let (mut won, mut lost, mut known) = (0, 0, HashMap::new());
    for seed in 0..300 {
        for position in random_positions("-size=5", seed).iter().rev().take(5) {
            let Some(turns) = position.foregone() else {
                continue;
            };
            assert_eq!(turns > 0, wins(position, &mut known), "{position:?}");
            *if turns > 0 { &mut won } else { &mut lost } += 1;
        }
    }
    assert!(won > 20 && lost > 20, "{won} won, {lost} lost");
}

#[test]
fn after_a_turn_that_does_not_hold_the_other_side_wins_at_once() {
    let mut left_out = 0;
    for seed in 0..100 {
        for position in random_positions("-size=6", seed) {
            let mut holding = Vec::new();
            let _ = position.turns_that_hold(&mut |turn| {
                holding.push(*turn);
                ControlFlow::Continue(())
            });
            let _ = position.turns(&mut |turn| {
                let mut after = position;
                after.play(turn);
                if !holding.contains(turn) {
                    left_out += 1;
                    assert!(after_each_turn(&after).iter().any(|end| end.outcome.is_some()));
                }
                ControlFlow::Continue(())
            });
        }
    }
    assert!(left_out > 100, "{left_out}");
}
