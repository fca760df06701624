//! Laws of the players for every game and level.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::contest::{self, Player, Seeds};
use super::sight::Sight;
use super::*;
use crate::{GAMES, Game, Match, Options, Outcome, Seat, WON};

static NEVER: AtomicBool = AtomicBool::new(false);

fn start(game: &Game, words: &[&str]) -> Box<dyn Match> {
    let options = Options::parse(game.facts, words.iter().copied()).unwrap();
    game.start(&options).unwrap()
}

/// All positions of a random game that is not over.
pub(super) fn positions(game: &Game, words: &[&str], seed: u64) -> Vec<Box<dyn Match>> {
    let (mut position, mut rng) = (start(game, words), ChaCha8Rng::seed_from_u64(seed));
    let mut all = Vec::new();
    while let Some(turn) = position.random_turn(&mut rng) {
        all.push(position.fork());
        position.play(&turn).unwrap();
    }
    all
}

#[test]
fn every_level_finds_a_legal_turn_in_every_game_and_the_same_one_again() {
    for game in GAMES {
        for level in [Level::Easy, Level::Medium] {
            let mut position = start(game, &[]);
            for _ in 0..if level == Level::Easy { 3 } else { 1 } {
                let thought = think(position.as_ref(), level, 7, &NEVER).unwrap();
                assert_eq!(
                    think(position.as_ref(), level, 7, &NEVER).as_ref(),
                    Some(&thought)
                );
                assert!((-1000..=1000).contains(&thought.value));
                assert_eq!(position.play(&thought.turn).as_deref(), Ok(thought.turn.as_str()));
            }
        }
    }
}

#[test]
fn what_is_said_to_be_won_or_lost_is_proven_otherwise_too() {
    let game = crate::find("Amazons").unwrap();
    let (mut won, mut lost) = (0, 0);
    for seed in 0..4 {
        let positions = positions(game, &["-size=6"], seed);
        for position in positions.iter().rev().skip(3).take(6) {
            let value = think(position.as_ref(), Level::Hard, seed, &NEVER).unwrap().value;
            if value.abs() < 1000 {
                continue;
            }
            let (winning, judged) = proof::winning_turn(position.walk().as_mut(), 3_000_000, &NEVER);
            if judged < 3_000_000 {
                assert_eq!(
                    value == 1000,
                    winning.is_some(),
                    "{}",
                    position.draw(crate::Display::Small)
                );
                *if value == 1000 { &mut won } else { &mut lost } += 1;
            }
        }
    }
    assert!(won > 2 && lost > 2, "{won} won, {lost} lost");
}

#[test]
fn a_thought_that_is_stopped_gives_nothing() {
    for game in GAMES {
        let position = start(game, &[]);
        assert_eq!(
            think(position.as_ref(), Level::Hard, 1, &AtomicBool::new(true)),
            None
        );
    }
}

#[test]
fn a_game_that_is_over_gives_nothing() {
    for game in GAMES {
        let mut position = positions(game, &[], 3).pop().unwrap();
        let last = position.random_turn(&mut ChaCha8Rng::seed_from_u64(0)).unwrap();
        position.play(&last).unwrap();
        if position.to_move().is_none() {
            assert_eq!(think(position.as_ref(), Level::Hard, 1, &NEVER), None);
        }
    }
}

#[test]
fn medium_and_hard_win_where_one_turn_wins() {
    let mut won = 0;
    // With dice a position after random turns has the turns of all rolls: dice_tests.rs.
    for game in GAMES.iter().filter(|game| !game.facts.has_dice) {
        for seed in 0..6 {
            for position in positions(game, &[], seed).into_iter().rev().take(3) {
                let mut walk = position.walk();
                if walk.list(usize::MAX).values.first() != Some(&WON) {
                    continue;
                }
                won += 1;
                for level in [Level::Medium, Level::Hard] {
                    let thought = think(position.as_ref(), level, seed, &NEVER).unwrap();
                    let (mover, mut after) = (position.to_move().unwrap(), position.fork());
                    after.play(&thought.turn).unwrap();
                    assert_eq!(after.outcome(), Some(Outcome::Won(mover)), "{}", game.facts.name);
                    assert_eq!(thought.value, 1000);
                }
            }
        }
    }
    assert!(won >= 6, "{won}");
}

/// Whether the player to move wins, found by trying every turn.
fn is_won(position: &dyn Match, known: &mut HashMap<u64, bool>) -> bool {
    let Some(mover) = position.to_move() else {
        return false;
    };
    let key = position.walk().key();
    if let Some(won) = known.get(&key) {
        return *won;
    }
    let won = position
        .turns(1000)
        .iter()
        .any(|turn| keeps_the_win(position, turn, mover, known));
    known.insert(key, won);
    won
}

fn keeps_the_win(position: &dyn Match, turn: &str, mover: Seat, known: &mut HashMap<u64, bool>) -> bool {
    let mut after = position.fork();
    after.play(turn).unwrap();
    match after.outcome() {
        Some(outcome) => outcome == Outcome::Won(mover),
        None => !is_won(after.as_ref(), known),
    }
}

#[test]
fn hard_loses_no_small_position_of_forms_that_is_won() {
    let forms = crate::find("Forms").unwrap();
    let mut won = 0;
    for (seed, words) in (0..24).zip([&["-size=4"][..], &["-size=4", "-standard"]].into_iter().cycle()) {
        let mut known = HashMap::new();
        for position in positions(forms, words, seed) {
            if position.cells().len() > 9 || !is_won(position.as_ref(), &mut known) {
                continue;
            }
            won += 1;
            let thought = think(position.as_ref(), Level::Hard, seed, &NEVER).unwrap();
            let mover = position.to_move().unwrap();
            assert!(
                keeps_the_win(position.as_ref(), &thought.turn, mover, &mut known),
                "{thought:?}"
            );
        }
    }
    assert!(won >= 20, "{won}");
}

#[test]
fn the_costs_of_a_game_are_those_of_its_mistakes() {
    let forms = crate::find("Forms").unwrap();
    let options = Options::parse(forms.facts, ["-size=4"]).unwrap();
    let (mut position, mut rng) = (forms.start(&options).unwrap(), ChaCha8Rng::seed_from_u64(4));
    let (mut turns, mut mistakes) = (Vec::new(), Vec::new());
    let mut known = HashMap::new();
    while let Some(turn) = position.random_turn(&mut rng) {
        if position.cells().len() <= 9 {
            let mover = position.to_move().unwrap();
            mistakes.push(
                is_won(position.as_ref(), &mut known)
                    && !keeps_the_win(position.as_ref(), &turn, mover, &mut known),
            );
        }
        position.play(&turn).unwrap();
        turns.push(turn);
    }
    let costs = costs(forms, &options, &turns, &NEVER);
    assert_eq!(costs.len(), turns.len());
    for ((cost, turn), number) in costs.iter().zip(&turns).zip(1..) {
        assert_eq!((&cost.played, cost.number), (turn, number));
        assert!((0..=2000).contains(&cost.lost));
    }
    let last = &costs[costs.len() - mistakes.len()..];
    for (cost, is_mistake) in last.iter().zip(mistakes) {
        assert_eq!(cost.lost == 2000, is_mistake, "{cost:?}");
    }
}

#[test]
fn the_dice_are_neither_good_nor_bad_on_the_average() {
    let backgammon = crate::find("Backgammon").unwrap();
    let mut position = start(backgammon, &["-points=3"]);
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut looked, mut turns) = (0, Vec::new());
    while looked < 12 {
        if let Some(due) = position.due_roll().filter(|due| !due.must_differ) {
            let of = |dice| dice::luck(position.walk().as_mut(), dice);
            let (mut sum, mut count) = (0, 0);
            for (dice, times) in due.possible() {
                sum += of(dice) * i32::try_from(times).unwrap();
                count += i32::try_from(times).unwrap();
            }
            assert_eq!(count, 36);
            assert!(sum.abs() <= 36, "{sum} of {turns:?}");
            looked += 1;
        }
        let Some(turn) = position.random_turn(&mut rng) else {
            break;
        };
        turns.push(position.play(&turn).unwrap());
    }
    assert_eq!(looked, 12);
    let costs = quick_costs(
        backgammon,
        &Options::parse(backgammon.facts, ["-points=3"]).unwrap(),
        &turns,
        &NEVER,
    );
    assert_eq!(costs.len(), turns.len());
    for cost in &costs {
        assert!(cost.luck == 0 || cost.played.contains(':'), "{cost:?}");
    }
    assert!(costs.iter().any(|cost| cost.luck > 0) && costs.iter().any(|cost| cost.luck < 0));
}

/// What the search that goes best first finds in any game, whether players use it there or not.
fn best_first(position: &dyn Match, nodes: u64) -> String {
    let sight = Sight::new(&Means::of_advice(), 1);
    let found = best_first::search(position.walk(), sight, nodes, &NEVER);
    found.unwrap().line.swap_remove(0)
}

#[test]
fn best_first_finds_a_legal_turn_in_every_game_and_wins_where_one_turn_wins() {
    let mut won = 0;
    for game in GAMES {
        let first = start(game, &[]);
        let turn = best_first(first.as_ref(), 2000);
        assert_eq!(
            first.fork().play(&turn).as_ref(),
            Ok(&turn),
            "{}",
            game.facts.name
        );
        for position in positions(game, &[], 1).into_iter().rev().take(3) {
            if position.walk().list(usize::MAX).values.first() != Some(&WON) {
                continue;
            }
            won += 1;
            let (mover, mut after) = (position.to_move().unwrap(), position.fork());
            let turn = best_first(position.as_ref(), 2000);
            after.play(&turn).unwrap();
            assert_eq!(after.outcome(), Some(Outcome::Won(mover)), "{}", game.facts.name);
        }
    }
    assert!(won >= 3, "{won}");
}

#[test]
fn best_first_keeps_what_it_has_seen_to_its_end() {
    let forms = crate::find("Forms").unwrap();
    let mut won = 0;
    for seed in 0..40 {
        let mut known = HashMap::new();
        for position in positions(forms, &["-size=4"], seed) {
            if position.cells().len() > 5 || !is_won(position.as_ref(), &mut known) {
                continue;
            }
            won += 1;
            let turn = best_first(position.as_ref(), 50_000);
            let mover = position.to_move().unwrap();
            assert!(
                keeps_the_win(position.as_ref(), &turn, mover, &mut known),
                "{turn}"
            );
        }
    }
    assert!(won >= 8, "{won}");
}

#[test]
fn a_contest_is_the_same_again_and_uct_is_a_player() {
    let forms = crate::find("Forms").unwrap();
    let seeds = Seeds { opening: 1, game: 2 };
    let play = || {
        let mut turns = Vec::new();
        let outcome = contest::play(
            start(forms, &["-size=6"]),
            [Player::Bot(Level::Easy), Player::Uct(50)],
            seeds,
            &NEVER,
            &mut |_, turn| turns.push(turn.to_owned()),
        );
        (outcome, turns)
    };
    let first = play();
    assert!(matches!(first.0, Ok(Outcome::Won(_))) && !first.1.is_empty());
    assert_eq!(play(), first);
}

#[test]
fn players_are_written_as_they_are_read() {
    for word in ["bot-easy", "bot-medium", "bot-hard", "random", "uct:100"] {
        assert_eq!(word.parse::<Player>().unwrap().to_string(), word);
    }
    assert_eq!("hard".parse(), Ok(Player::Bot(Level::Hard)));
    for word in [
        "",
        "expert",
        "uct",
        "uct:",
        "uct:x",
        "random:1",
        "bot-",
        "bot-expert",
    ] {
        assert!(word.parse::<Player>().is_err(), "{word}");
    }
}

#[test]
fn the_dice_of_a_contest_are_thrown_and_both_games_of_a_pair_have_the_same() {
    let backgammon = crate::find("Backgammon").unwrap();
    let dice = |opening: u64, players: [Level; 2]| {
        let mut all = Vec::new();
        let seeds = Seeds { opening, game: 5 };
        contest::play(
            start(backgammon, &[]),
            players.map(Player::Bot),
            seeds,
            &NEVER,
            &mut |_, turn| all.extend(turn.split_once(':').map(|(dice, _)| dice.to_owned())),
        )
        .unwrap();
        all
    };
    let one = dice(1, [Level::Easy, Level::Medium]);
    let exchanged = dice(1, [Level::Medium, Level::Easy]);
    assert_eq!(one[..10], exchanged[..10]);
    assert_ne!(one[..10], dice(2, [Level::Easy, Level::Medium])[..10]);
    // No player has the dice that it would like best.
    let different: HashSet<_> = one.iter().collect();
    assert!(different.len() > 8, "{one:?}");
}
