//! Ends of games: what can be won within three turns is won.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::tests::positions;
use super::*;
use crate::{GAMES, Game, SearchPosition, Seat, WON};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Four times what hard has to prove a win.
const MAX_EFFORT: u64 = 10_800_000;

/// Tries or judges turns one by one, as many as are left.
struct Tries(u32);

impl Tries {
    /// Whether this side wins within so many turns, both players' counted, whatever the other does. `None` if that takes too much.
    fn win_within(&mut self, walk: &mut dyn SearchPosition, side: Seat, turns: u32) -> Option<bool> {
        let Some(mover) = walk.to_move() else {
            return Some(walk.end(side) == Some(WON));
        };
        let is_own = mover == side;
        match turns {
            0 => return Some(false),
            1 if !is_own => return Some(false),
            1 => {
                let tried = walk.try_to_win(u64::from(self.0));
                self.0 = self.0.saturating_sub(tried.tries as u32);
                return tried.is_whole.then_some(tried.winning.is_some());
            }
            _ => {}
        }
        let count = if is_own {
            let listed = walk.list(usize::MAX);
            self.0 = self.0.checked_sub(listed.judged as u32)?;
            if listed.values.first() == Some(&WON) {
                return Some(true);
            }
            listed.is_whole.then_some(listed.values.len())?
        } else {
            // They count, whether they are worth a search or not.
            let answers = walk.list_unjudged()?;
            self.0 = self.0.checked_sub(answers as u32)?;
            answers
        };
        for turn in 0..count {
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

/// All positions of a game that begins with as many random turns, and is then played by bot-easy on both sides.
fn easy_positions(game: &Game, random: usize, seed: u64) -> Vec<Box<dyn Match>> {
    let mut all = positions(game, &[], seed);
    all.truncate(random + 1);
    let mut position = all.pop().unwrap();
    while let Some(thought) = think(position.as_ref(), Level::Easy, seed + all.len() as u64, &NEVER) {
        all.push(position.fork());
        position.play(&thought.turn).unwrap();
    }
    all
}

/// A game whose end is looked at.
fn played(game: &Game, words: &[&str], seed: u64) -> Vec<Box<dyn Match>> {
    match game.facts.name {
        // Of a hundred random games 89 are drawn.
        "ShapeChess" => easy_positions(game, 10, seed),
        _ => positions(game, words, seed),
    }
}

/// Whether the player to move wins within three turns, but not within one. The search for it is hard's, with this number
/// of judgements; another test shows that it sees a win just where trying all turns finds one.
fn is_won_within_three(walk: &mut dyn SearchPosition, judgements: u64) -> bool {
    let tried = walk.try_to_win(judgements * short_wins::TRIES_OF_A_JUDGEMENT);
    tried.is_whole
        && tried.winning.is_none()
        && short_wins::winning_turn(walk, judgements, &NEVER).0.is_some()
}

/// Looks at ends of the games of these seeds until so many are won within three turns, but not within one. Positions that take more
/// judgements are left out.
fn finds_wins(
    game: &Game,
    words: &[&str],
    most: u32,
    judgements: impl Fn(&dyn SearchPosition) -> u64,
    seeds: impl Iterator<Item = u64>,
) {
    let (mut won, mut missed) = (0, 0);
    for seed in seeds {
        if won >= most {
            break;
        }
        for position in played(game, words, seed).into_iter().rev().take(6) {
            let side = position.to_move().unwrap();
            let mut walk = position.walk();
            let judgements = judgements(walk.as_ref());
            if !is_won_within_three(walk.as_mut(), judgements) {
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
    // With dice nothing is won by force before they are rolled.
    for game in GAMES.iter().filter(|game| !game.facts.has_dice) {
        finds_wins(game, small(game), 1, |_| 200, 0..20);
    }
}

#[test]
fn a_short_win_is_seen_just_where_trying_all_turns_finds_one() {
    let mut seen = [0, 0];
    for (game, seed) in GAMES.iter().flat_map(|game| (0..6).map(move |seed| (game, seed))) {
        for position in positions(game, small(game), seed).into_iter().rev().take(4) {
            let (side, mut walk) = (position.to_move().unwrap(), position.walk());
            let Some(is_won) = Tries(2_000).win_within(walk.as_mut(), side, 3) else {
                continue;
            };
            let (turn, _) = short_wins::winning_turn(walk.as_mut(), 2_000, &NEVER);
            assert_eq!(turn.is_some(), is_won, "{}, seed {seed}", game.facts.name);
            seen[usize::from(is_won)] += 1;
            if let Some(turn) = turn {
                walk.play(turn);
                let keeps = Tries(u32::MAX).win_within(walk.as_mut(), side, 2);
                assert_eq!(keeps, Some(true), "{}, seed {seed}", game.facts.name);
            }
        }
    }
    assert!(seen.iter().all(|count| *count >= 30), "{seen:?}");
}

/// A thousand positions of each game, or of the one that `ENDS_GAME` names, or as many as `ENDS_MINUTES` (60) find.
#[test]
#[ignore = "takes an hour in a release build for a game whose random games have few wins"]
fn hard_wins_a_thousand_positions_that_are_won_within_three_turns() {
    let minutes = std::env::var("ENDS_MINUTES").map_or(60, |minutes| minutes.parse().unwrap());
    let wanted = std::env::var("ENDS_GAME").ok();
    let is_wanted =
        |game: &&Game| !game.facts.has_dice && wanted.as_ref().is_none_or(|name| name == game.facts.name);
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
                |walk| MAX_EFFORT / walk.effort(),
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
