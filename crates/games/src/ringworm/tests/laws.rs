//! Properties of every position, tested on random games.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::super::Ringworm;
use super::slow::Slow;
use super::start;
use crate::kit::hex::{Cell, Cells};
use crate::{Options, Rules};

/// The position after this many random turns without passing, or the last one before the end.
fn random_position(seed: u64, turns: usize) -> Ringworm {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = start();
    for _ in 0..turns {
        let mut next = game;
        if let Some(turn) = game.random_turn(&mut rng) {
            next.play(&turn);
        }
        if next.to_move().is_some() {
            game = next;
        }
    }
    game
}

/// A position with few empty cells and random stones, mostly of the player to move.
fn nearly_full(seed: u64, empty: usize) -> Ringworm {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = start();
    game.allowance = 4;
    for cell in Cell::ALL {
        game.stones[usize::from(rng.random_ratio(1, 3))].insert(cell);
    }
    for _ in 0..empty {
        let cell = Cell::ALL[rng.random_range(0..217)];
        game.stones
            .iter_mut()
            .for_each(|stones| *stones -= Cells::of(cell));
    }
    game
}

fn first_turns(game: &Ringworm, limit: usize) -> Vec<super::super::Turn> {
    let mut turns = Vec::new();
    let _ = game.turns(&mut |turn| {
        turns.push(turn.clone());
        if turns.len() == limit {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    turns
}

#[test]
fn perft_knows_the_first_turns() {
    let game = crate::find("Ringworm").unwrap();
    let position = game.start(&Options::none(game.facts)).unwrap();
    assert_eq!(position.perft(1), 218);
    assert_eq!(position.turns(1000).len(), 218);
    // After each of 217 drops three of 216 cells in any order, or a pass; after a pass, three of 217.
    assert_eq!(
        position.perft(2),
        217 * (216 * 215 * 214 + 1) + 217 * 216 * 215 + 1
    );
}

#[test]
fn the_first_thousands_of_listed_turns_are_read_back_and_judged_alike() {
    for (seed, turns) in [(1, 1), (2, 30), (3, 50), (4, 60), (5, 80), (6, 100)] {
        let game = random_position(seed, turns);
        let listed = first_turns(&game, 3000);
        let texts: BTreeSet<_> = listed.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), listed.len(), "each once");
        let slow = Slow::of(&game);
        for (place, turn) in listed.iter().enumerate() {
            let text = turn.to_string();
            assert_eq!(game.read(&text).as_ref(), Ok(turn));
            if place % 10 == 0 {
                let mut after = game;
                after.play(turn);
                assert_eq!(slow.verdict(&text), Some(Slow::of(&after).stones), "{text}");
            }
        }
    }
}

/// Random stones around some cell, most of them x's, who is to move. On fuller boards one burst leads to another so
/// often that the turns could not be listed.
fn cluster(seed: u64, drops: usize) -> Ringworm {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = start();
    game.allowance = drops;
    let middle = Cell::ALL[rng.random_range(0..217)];
    let near: Cells = middle.neighbours().flat_map(Cell::neighbours).collect();
    for cell in near.iter().flat_map(Cell::neighbours).collect::<Cells>() {
        match rng.random_range(0..20) {
            0..11 => game.stones[0].insert(cell),
            11..15 => game.stones[1].insert(cell),
            _ => {}
        }
    }
    game
}

#[test]
fn where_stones_are_close_the_list_is_that_of_the_slow_judge() {
    let (mut bursts, mut chains, mut shared) = (0, 0, 0);
    for seed in 0..10 {
        let game = cluster(seed, 1);
        let listed: BTreeSet<_> = first_turns(&game, usize::MAX)
            .iter()
            .map(ToString::to_string)
            .collect();
        bursts += listed.iter().filter(|text| text.contains('-')).count();
        chains += listed.iter().filter(|text| text.matches('-').count() > 1).count();
        shared += listed.iter().filter(|text| text.contains('@')).count();
        assert_eq!(game.count(), listed.len() as u64);
        assert_eq!(listed, Slow::of(&game).turns(), "{seed}");
    }
    assert!(
        bursts > 100 && chains > 10 && shared > 10,
        "{bursts} {chains} {shared}"
    );
}

#[test]
fn turns_without_rings_are_counted_at_once() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..60 {
        let mut game = random_position(seed, seed as usize);
        game.allowance = 2;
        let stones = game.stones();
        let makes = |first: Cell| {
            let mut after = stones;
            !after.drop(first).is_empty()
                || stones.empty().iter().any(|second| {
                    let mut after = after;
                    second != first && !after.drop(second).is_empty()
                })
        };
        let can_make = stones.empty().iter().any(makes);
        assert_eq!(stones.can_make_ring(2), can_make, "{seed}");
        if can_make {
            with += 1;
        } else {
            without += 1;
            assert_eq!(game.count(), first_turns(&game, usize::MAX).len() as u64);
        }
    }
    assert!(with > 5 && without > 5, "{with} {without}");
}

#[test]
fn random_games_end_and_their_records_give_the_same_board() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut game, mut record) = (start(), Vec::new());
        while let Some(turn) = game.random_turn(&mut rng) {
            record.push(turn.to_string());
            game.play(&turn);
            assert!(record.len() <= Ringworm::FACTS.longest_random_game);
        }
        assert!(game.outcome().is_some());
        let mut again = start();
        for text in &record {
            let turn = again.read(text).unwrap();
            assert_eq!(turn.to_string(), *text);
            again.play(&turn);
        }
        assert_eq!(again, game);
    }
}

/// Changes one step of a turn, which makes it illegal often but not always.
fn change(text: &str, rng: &mut ChaCha8Rng) -> String {
    let cell = |rng: &mut ChaCha8Rng| Cell::ALL[rng.random_range(0..217)].to_string();
    let mut steps: Vec<_> = text.split(',').map(ToOwned::to_owned).collect();
    let at = rng.random_range(0..steps.len());
    match rng.random_range(0..6) {
        0 => steps[at] = cell(rng),
        1 => steps[at] = format!("{}-{}", cell(rng), cell(rng)),
        2 => steps.insert(at, cell(rng)),
        3 => steps.swap(at, 0),
        4 => steps[at] = steps[at].split('@').next().unwrap_or_default().to_owned(),
        _ => drop(steps.remove(at)),
    }
    steps.join(",")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_turns_and_changed_ones_are_judged_alike(seed: u64, turns in 0..120_usize) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for game in [random_position(seed, turns), nearly_full(seed, 4)] {
            let Some(turn) = game.random_turn(&mut rng) else { continue };
            let text = turn.to_string();
            prop_assert_eq!(game.read(&text), Ok(turn));
            let slow = Slow::of(&game);
            for text in [text.clone(), change(&text, &mut rng), change(&text, &mut rng)] {
                let read = game.read(&text).ok().map(|turn| {
                    let mut after = game;
                    after.play(&turn);
                    Slow::of(&after).stones
                });
                prop_assert_eq!(read, slow.verdict(&text), "{}", text);
            }
        }
    }

    #[test]
    fn junk_is_refused(text in "\\PC*", signs in "[a-zA-G0-9,@> -]{0,60}") {
        let game = random_position(7, 40);
        for text in [text, signs] {
            if let Err(refusal) = game.read(&text) {
                prop_assert!(!refusal.reason.is_empty() && refusal.reason.len() < 500);
                if let Some(at) = refusal.at {
                    prop_assert!(text.get(at).is_some());
                }
            }
        }
    }

    #[test]
    fn blanks_and_arrows_are_read(seed: u64) {
        let game = nearly_full(seed, 4);
        let Some(turn) = game.random_turn(&mut ChaCha8Rng::seed_from_u64(seed)) else { return Ok(()) };
        let text = turn.to_string();
        for other in [text.replace('-', " -> ").replace('@', " @ "), text.replace(',', " , "), text.replace(',', " ")] {
            prop_assert_eq!(game.read(&format!(" {other} ")), Ok(turn.clone()));
        }
    }
}

#[test]
fn any_legal_turn_can_come_by_chance_with_its_burst() {
    // One cell is empty, where x makes a ring: x passes, or drops there and bursts the ring in any way.
    let ring: Cells = Cell::find("o5").unwrap().neighbours().collect();
    let missing = ring.iter().take(1).collect();
    let game = Ringworm {
        stones: [ring - missing, Cell::ALL.into_iter().collect::<Cells>() - ring],
        allowance: 4,
        ..start()
    };
    let turns = first_turns(&game, 100);
    assert!((20..=37).contains(&turns.len()), "{}", turns.len());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let by_chance = (0..3000).filter_map(|_| game.random_turn(&mut rng));
    let met: BTreeSet<String> = by_chance.map(|turn| turn.to_string()).collect();
    assert_eq!(met, turns.iter().map(ToString::to_string).collect());
}
