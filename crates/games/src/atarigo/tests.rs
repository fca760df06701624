//! A slow model, the first capture, and who cannot move.

use super::*;
use crate::Rules as _;
use crate::families::liberties::slow::{Rule, Slow};
use crate::lockstep::{self, after, lockstep};

#[test]
fn turns_are_counted() {
    lockstep::perft::<AtariGo>("-size=5", &[25, 25 * 24, 25 * 24 * 23]);
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (words, size, games) in [("-size=5", 5, 60), ("", 9, 10), ("-size=13", 13, 2)] {
        let results = lockstep::<AtariGo, _>(words, games, || Slow::new(size, Rule::AtariGo, &[]));
        assert_eq!(results[2], 0, "there is no draw");
    }
}

#[test]
fn the_first_capture_wins() {
    let mut position = after::<AtariGo>("-size=5", "b3 c3 c4 a1 d3 a2");
    let turn = position.read("c2").unwrap();
    assert_eq!(position.effects(&[turn]), ["captured a white stone"]);
    position.play(&turn);
    assert_eq!(position.outcome(), Some(Outcome::Won(Seat::First)));
    assert_eq!(position.read("e5").unwrap_err().reason, "The game is over.");
}

#[test]
fn nobody_passes_and_nobody_takes_the_own_stones() {
    let reason = |turns: &str, turn: &str| after::<AtariGo>("-size=5", turns).read(turn).unwrap_err().reason;
    assert_eq!(reason("", "pass"), "There is no pass in Atari Go.");
    assert_eq!(
        reason("a2 e5 b1", "a1"),
        "A stone on a1 would have no liberty and take nothing: suicide is not allowed."
    );
}

#[test]
fn who_cannot_move_loses() {
    // Both sides have two eyes or none at all: random games of the smallest board reach such ends.
    use rand::SeedableRng as _;
    let mut met = 0;
    for seed in 0..400 {
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(seed);
        let mut position = after::<AtariGo>("-size=5", "");
        while position.to_move().is_some() {
            // Nothing is taken if it can be avoided.
            let harmless: Bits = position
                .legal()
                .iter()
                .filter(|cell| position.board.taken(position.mover, *cell).is_empty())
                .collect();
            let turn = match harmless.first() {
                Some(_) => loop {
                    let turn = position.random_turn(&mut rng).unwrap();
                    if matches!(turn, crate::families::liberties::Turn::On(point) if harmless.has(point.0)) {
                        break turn;
                    }
                },
                None => position.random_turn(&mut rng).unwrap(),
            };
            let effects = position.effects(&[turn]);
            position.play(&turn);
            if effects.iter().any(|effect| effect.ends_with("no turn")) {
                met += 1;
                assert_eq!(position.outcome(), Some(Outcome::Won(position.mover.other())));
                assert!(position.board.breathing(position.mover).is_empty());
            }
        }
    }
    assert!(met > 0, "no game ended so");
}
