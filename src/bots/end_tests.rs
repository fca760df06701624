//! Ends of games: what can be won within three turns is won.

use std::sync::atomic::AtomicBool;

use super::tests::positions;
use super::*;
use crate::games::{GAMES, Game, Seat, WON, Walk};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Positions with more turns take too long to be tried one by one.
const MOST_TURNS: usize = 60;

/// Whether this side wins within so many turns, both players' counted, whatever the other does. `None` if a position has more than
/// `most` turns, which are too many to try.
fn wins_within(walk: &mut dyn Walk, side: Seat, turns: u32, most: usize) -> Option<bool> {
    let Some(mover) = walk.to_move() else {
        return Some(walk.end(side) == Some(WON));
    };
    let listed = walk.list(most);
    let is_own = mover == side;
    if is_own && listed.values.first() == Some(&WON) {
        return Some(turns > 0);
    }
    if !listed.is_whole {
        return None;
    }
    if turns <= 1 {
        return Some(false);
    }
    for turn in 0..listed.values.len() {
        walk.play(turn);
        let wins = wins_within(walk, side, turns - 1, most);
        walk.back();
        if wins? == is_own {
            return Some(is_own);
        }
    }
    Some(!is_own)
}

/// Looks at ends of random games until so many are won within three turns, but not within one.
fn finds_wins(game: &Game, words: &[&str], most: usize) {
    let mut won = 0;
    for seed in 0..20 * most as u64 {
        for position in positions(game, words, seed).into_iter().rev().take(6) {
            let side = position.to_move().unwrap();
            let mut walk = position.walk();
            if wins_within(walk.as_mut(), side, 1, MOST_TURNS) != Some(false)
                || wins_within(walk.as_mut(), side, 3, MOST_TURNS) != Some(true)
            {
                continue;
            }
            won += 1;
            let thought = think(position.as_ref(), Level::Hard, seed, &NEVER).unwrap();
            let mut after = position.fork();
            after.play(&thought.turn).unwrap();
            assert_eq!(
                thought.value, 1000,
                "{}, seed {seed}: {thought:?}",
                game.facts.name
            );
            assert_eq!(
                wins_within(after.walk().as_mut(), side, 2, usize::MAX),
                Some(true),
                "{}, seed {seed}: {thought:?}",
                game.facts.name
            );
        }
        if won >= most {
            break;
        }
    }
    println!("{} {words:?}: {won} positions", game.facts.name);
}

#[test]
fn hard_wins_what_is_won_within_three_turns() {
    for game in GAMES {
        finds_wins(game, small(game), 1);
    }
}

/// A thousand positions of each game, or of the one that `ENDS_GAME` names, or what its random games have.
#[test]
#[ignore = "takes many minutes in a release build"]
fn hard_wins_a_thousand_positions_that_are_won_within_three_turns() {
    let wanted = std::env::var("ENDS_GAME").ok();
    let is_wanted = |game: &&Game| wanted.as_ref().is_none_or(|name| name == game.facts.name);
    for game in GAMES.iter().filter(is_wanted) {
        finds_wins(game, &[], 1000);
        if !small(game).is_empty() {
            finds_wins(game, small(game), 1000);
        }
    }
}

/// A small board, where a game has one.
fn small(game: &Game) -> &'static [&'static str] {
    match game.facts.name {
        "Forms" => &["-size=6"],
        "Hex" => &["-size=5"],
        _ => &[],
    }
}
