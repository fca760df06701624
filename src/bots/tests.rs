//! Laws of the players for every game and level.

use std::sync::atomic::AtomicBool;

use super::*;
use crate::games::{GAMES, Options};

#[test]
fn every_level_finds_a_legal_turn_in_every_game_and_the_same_one_again() {
    let stop = AtomicBool::new(false);
    for game in GAMES {
        for level in [Level::Easy, Level::Medium] {
            let mut position = game.start(&Options::none(game.facts)).unwrap();
            for _ in 0..2 {
                let thought = think(position.as_ref(), level, 7, &stop).unwrap();
                assert_eq!(think(position.as_ref(), level, 7, &stop).as_ref(), Some(&thought));
                assert!((-1000..=1000).contains(&thought.value));
                assert_eq!(position.play(&thought.turn).as_deref(), Ok(thought.turn.as_str()));
            }
        }
    }
}

#[test]
fn a_thought_that_is_stopped_gives_nothing() {
    for game in GAMES {
        let position = game.start(&Options::none(game.facts)).unwrap();
        assert_eq!(
            think(position.as_ref(), Level::Hard, 1, &AtomicBool::new(true)),
            None
        );
    }
}
