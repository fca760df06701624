//! For the tests of the games: random games played by the rules and by a slow model side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IteratorRandom;

use super::{Evaluate, Game, Options, Outcome, Rules, Seat};

/// A second implementation of the rules of a game, as plain as possible, that shares no code with the first.
pub(super) trait Model {
    /// All legal turns; none at the end.
    fn turns(&self) -> BTreeSet<String>;
    /// Plays one of them.
    fn play(&mut self, turn: &str);
    /// The letters on the board.
    fn letters(&self) -> BTreeMap<String, char>;
    /// The player to move while the game runs.
    fn mover(&self) -> Seat;
    /// The result.
    fn outcome(&self) -> Option<Outcome>;
}

/// The options of these words.
pub(super) fn options<R: Rules>(words: &str) -> Options {
    Options::parse(&R::FACTS, words.split_whitespace()).unwrap()
}

/// The start position with these options, after these turns.
pub(super) fn after<R: Rules>(words: &str, turns: &str) -> R {
    let mut position = R::start(&options::<R>(words)).unwrap();
    for turn in turns.split_whitespace() {
        let turn = position
            .read(turn)
            .unwrap_or_else(|refusal| panic!("{turn}: {refusal}"));
        position.play(&turn);
    }
    position
}

/// The counts of turn sequences of length 1, 2, ... from the start.
pub(super) fn perft<R: Evaluate>(words: &str, counts: &[u64]) {
    let game = Game::of::<R>();
    let start = game.start(&options::<R>(words)).unwrap();
    for (depth, count) in (1..).zip(counts) {
        assert_eq!(start.perft(depth), *count, "{} {words} {depth}", R::FACTS.name);
    }
}

/// Plays random games with both and compares every board, every set of legal turns and every result. Returns how often
/// each result was reached: First won, Second won, drawn.
pub(super) fn lockstep<R: Rules, M: Model>(words: &str, games: u64, start: impl Fn() -> M) -> [usize; 3] {
    let mut results = [0; 3];
    for seed in 0..games {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut position, mut model) = (R::start(&options::<R>(words)).unwrap(), start());
        loop {
            let cells: BTreeMap<_, _> = position.cells().into_iter().collect();
            assert_eq!(cells, model.letters(), "seed {seed}");
            assert_eq!(position.outcome(), model.outcome(), "seed {seed} {cells:?}");
            let mut turns = BTreeSet::new();
            let _ = position.turns(&mut |turn| {
                assert!(position.read(&turn.to_string()).as_ref() == Ok(turn), "{turn}");
                assert!(turns.insert(turn.to_string()), "{turn} is listed twice");
                ControlFlow::Continue(())
            });
            assert_eq!(turns, model.turns(), "seed {seed} {cells:?}");
            assert_eq!(turns.len() as u64, position.count());
            let Some(turn) = turns.iter().choose(&mut rng) else {
                break;
            };
            assert_eq!(position.to_move(), Some(model.mover()));
            let any = position.random_turn(&mut rng).unwrap();
            assert!(turns.contains(&any.to_string()), "{any}");
            position.play(&position.read(turn).unwrap());
            model.play(turn);
        }
        assert_eq!(position.to_move(), None);
        results[match position.outcome().unwrap() {
            Outcome::Won(seat) => seat.index(),
            Outcome::Drawn => 2,
        }] += 1;
    }
    results
}

/// The name of the square in this column and row, both from 0.
pub(super) fn name((column, row): (i32, i32)) -> String {
    format!("{}{}", (b'a' + column as u8) as char, row + 1)
}

/// The column and row of a name.
pub(super) fn square(name: &str) -> (i32, i32) {
    let column = i32::from(name.as_bytes()[0] - b'a');
    (column, name[1..].parse::<i32>().unwrap() - 1)
}
