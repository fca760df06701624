//! Random games, compared with a slow engine that shares no code with the fast one.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IteratorRandom;

use super::model::{Model, place};
use super::*;

fn same(board: &ShapeChess, model: &Model) {
    let letters: BTreeSet<_> = board
        .cells()
        .into_iter()
        .map(|(name, letter)| (place(&name), letter))
        .collect();
    let stones = model
        .stones
        .iter()
        .map(|(place, owner)| (*place, ['x', 'o'][*owner]));
    assert_eq!(letters, stones.collect());
    assert_eq!(board.points, model.points);
    assert_eq!(board.outcome(), model.outcome);
    if model.outcome.is_none() {
        assert_eq!(board.to_move(), Some(Seat::BOTH[model.mover]));
    }
}

fn same_turns(board: &ShapeChess, model: &Model) -> BTreeSet<String> {
    let mut listed = 0;
    let mut turns = BTreeSet::new();
    let _ = board.turns(&mut |turn| {
        listed += 1;
        turns.insert(turn.to_string());
        assert_eq!(board.read(&turn.to_string()).as_ref(), Ok(turn));
        ControlFlow::Continue(())
    });
    assert_eq!(turns, model.turns());
    assert_eq!((listed, turns.len() as u64), (board.count(), board.count()));
    turns
}

/// Plays turns in the lower left corner only, where shapes meet soon. Every second turn is the one that scores most at
/// once.
fn crowded_game(seed: u64, side: i32) -> ShapeChess {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut board = start(&["-target=9"]);
    let mut model = Model::new(12, 9);
    for number in 0..60 {
        let turns = match number % 15 {
            0 => same_turns(&board, &model),
            _ => model.turns(),
        };
        let near = |turn: &String| turn.split('-').map(place).all(|(x, y)| x < side && y < side);
        let score = |turn: &String| {
            let mut after = board;
            play(&mut after, turn);
            after.points
        };
        let turns = turns.into_iter().filter(near);
        let turn = match rng.random_range(0..4) {
            0 => turns.choose(&mut rng),
            1 => turns.filter(|turn| turn.len() == 2).choose(&mut rng),
            _ => turns.max_by_key(score),
        };
        let Some(turn) = turn else { break };
        play(&mut board, &turn);
        model.play(&turn);
        same(&board, &model);
    }
    board
}

#[test]
fn both_engines_agree_on_crowded_games() {
    let games = (0..16).map(|seed| crowded_game(seed, 4 + (seed % 3) as i32));
    let points: Vec<_> = games.flat_map(|board| board.points).collect();
    assert!(
        points.iter().filter(|points| **points > 1).count() > 10,
        "{points:?}"
    );
}

#[test]
fn both_engines_agree_on_whole_random_games_and_they_end() {
    for (seed, size, target) in [(1, 12, 4), (2, 18, 9), (3, 15, 5)] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut board = start(&[&format!("-size={size}"), &format!("-target={target}")]);
        let mut model = Model::new(size, target);
        let mut turns = 0;
        while let Some(turn) = board.random_turn(&mut rng) {
            if turns % 50 == 0 {
                assert!(same_turns(&board, &model).contains(&turn.to_string()));
            }
            board.play(&turn);
            model.play(&turn.to_string());
            same(&board, &model);
            turns += 1;
        }
        assert!(turns <= FACTS.longest_random_game, "{turns}");
        assert!(board.outcome().is_some());
    }
}

#[test]
fn chance_gives_every_legal_turn() {
    let board = position(&["x.o", "...", "o.x"]);
    let mut legal = BTreeSet::new();
    let _ = board.turns(&mut |turn| {
        legal.insert(turn.to_string());
        ControlFlow::Continue(())
    });
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let drawn: BTreeSet<_> = (0..20_000)
        .map(|_| board.random_turn(&mut rng).unwrap().to_string())
        .collect();
    assert_eq!(drawn, legal);
}
