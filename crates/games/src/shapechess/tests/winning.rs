//! The turns that may win, which computer players try.

use std::ops::ControlFlow;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::Evaluate;

/// A position with stones of both sides in a corner of seven by seven cells, where shapes of six and more are likely.
fn crowded_corner(rng: &mut ChaCha8Rng) -> ShapeChess {
    let mut position = start(&[]);
    let density = rng.random_range(10..60);
    for (column, row) in (0..7).flat_map(|row| (0..7).map(move |column| (column, row))) {
        if rng.random_range(0..100) < density {
            let seat = Seat::BOTH[rng.random_range(0..2)];
            position.put(seat, Cell::at(column, row));
        }
    }
    position.points = [rng.random_range(0..4), rng.random_range(0..4)];
    if rng.random() {
        // As if all shapes had been examined, and then a few turns were played.
        position.changed = [Bits::EMPTY; 2];
        for _ in 0..rng.random_range(0..4) {
            if let Some(turn) = position.random_turn(rng) {
                position.play(&turn);
            }
        }
    }
    position
}

fn wins(position: ShapeChess, turn: &Turn) -> bool {
    let mut after = position;
    after.play(turn);
    after.outcome.is_some()
}

#[test]
fn where_a_turn_wins_one_of_those_that_may_win_does() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut won, mut all, mut tried) = (0, 0, 0);
    for _ in 0..400 {
        let position = crowded_corner(&mut rng);
        let mut is_won = false;
        let _ = position.turns(&mut |turn| {
            all += 1;
            is_won |= wins(position, turn);
            ControlFlow::Continue(())
        });
        let mut is_seen = false;
        let _ = position.turns_that_may_win(&mut |turn| {
            tried += 1;
            is_seen |= wins(position, turn);
            ControlFlow::Continue(())
        });
        assert_eq!(is_seen, is_won, "\n{}", position.draw(Display::Small));
        won += u32::from(is_won);
    }
    println!("{won} of 400 are won, {tried} of {all} turns are tried");
    assert!((30..370).contains(&won) && tried < all / 4);
}
