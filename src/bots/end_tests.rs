//! Ends of games: what can be won within three turns is won.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::tests::positions;
use super::*;
use crate::games::{GAMES, Game, Seat, WON, Walk};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Tries turns one by one, as many as are left.
struct Tries(u32);

impl Tries {
    /// Whether this side wins within so many turns, both players' counted, whatever the other does. `None` if that takes too much.
    fn win_within(&mut self, walk: &mut dyn Walk, side: Seat, turns: u32) -> Option<bool> {
        let Some(mover) = walk.to_move() else {
            return Some(walk.end(side) == Some(WON));
        };
        let listed = walk.list(self.0 as usize);
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
            self.0 = self.0.checked_sub(1)?;
            walk.play(turn);
            let win = self.win_within(walk, side, turns - 1);
            walk.back();
            if win? == is_own {
                return Some(is_own);
            }
        }
        Some(!is_own)
    }
}

/// Whether a thought sees the win and keeps it: whatever the other player does, this side's next turn can win.
fn keeps_the_win(position: &dyn Match, side: Seat, thought: &Thought) -> bool {
    let mut after = position.fork();
    after.play(&thought.turn).unwrap();
    thought.value == 1000 && Tries(u32::MAX).win_within(after.walk().as_mut(), side, 2) == Some(true)
}

/// Looks at ends of the random games of these seeds until so many are won within three turns, but not within one. Positions that take
/// more tries are left out.
fn finds_wins(game: &Game, words: &[&str], most: u32, tries: u32, seeds: impl Iterator<Item = u64>) {
    let (mut won, mut missed) = (0, 0);
    for seed in seeds {
        if won >= most {
            break;
        }
        for position in positions(game, words, seed).into_iter().rev().take(6) {
            let side = position.to_move().unwrap();
            let mut walk = position.walk();
            let mut wins = |turns| Tries(tries).win_within(walk.as_mut(), side, turns);
            if wins(1) != Some(false) || wins(3) != Some(true) {
                continue;
            }
            won += 1;
            let thought = think(position.as_ref(), Level::Hard, seed, &NEVER).unwrap();
            if !keeps_the_win(position.as_ref(), side, &thought) {
                missed += 1;
                println!("{}, seed {seed}: {thought:?}", game.facts.name);
            }
        }
    }
    println!("{} {words:?}: {won} positions, {missed} missed", game.facts.name);
    assert_eq!(missed, 0, "{}", game.facts.name);
}

#[test]
fn hard_wins_what_is_won_within_three_turns() {
    for game in GAMES {
        finds_wins(game, small(game), 1, 300, 0..20);
    }
}

/// A thousand positions of each game, or of the one that `ENDS_GAME` names, or as many as `ENDS_MINUTES` (60) find.
#[test]
#[ignore = "takes an hour in a release build for a game whose random games have few wins"]
fn hard_wins_a_thousand_positions_that_are_won_within_three_turns() {
    let minutes = std::env::var("ENDS_MINUTES").map_or(60, |minutes| minutes.parse().unwrap());
    let wanted = std::env::var("ENDS_GAME").ok();
    let is_wanted = |game: &&Game| wanted.as_ref().is_none_or(|name| name == game.facts.name);
    for game in GAMES.iter().filter(is_wanted) {
        for words in [&[], small(game)]
            .iter()
            .take(1 + usize::from(!small(game).is_empty()))
        {
            let end = Instant::now() + Duration::from_secs(60 * minutes);
            finds_wins(
                game,
                words,
                1000,
                20_000,
                (0..).take_while(|_| Instant::now() < end),
            );
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
