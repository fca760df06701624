//! `make tune GAME=Pow2`: fits the weights of a game's estimate to the results of games that bot-medium plays against itself.
//!
//! An estimate of 100 means that the side wins three games of four ([`Evaluate`](pbmserv_games::Evaluate)). So the weights are those of a
//! logistic regression: of all sums of the counts they are the one that makes the results of the games most likely. Two games of three
//! are fitted; the loss is that of the others, in bits a position: 1 is that of a coin.
//!
//! It prints the weights that there are and those that fit. Whether these play better, `tests/lockstep/builds.py` says.

#![expect(clippy::print_stdout, reason = "a program to be read")]

use std::error::Error;
use std::sync::atomic::AtomicBool;

use pbmserv_games::bots::{Level, think};
use pbmserv_games::breakthrough::Breakthrough;
use pbmserv_games::loa::Loa;
use pbmserv_games::pow2::Pow2;
use pbmserv_games::reversi::Reversi;
use pbmserv_games::{Game, Options, Outcome, Seat, Weighed};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

/// The random turns with which a game begins.
const OPENING: usize = 8;

/// A longer game is left out.
const MAX_TURNS: usize = 400;

/// The logarithm of the odds that an estimate of 1 means.
const UNIT: f64 = 0.010_986_122_886_681_098;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, games, seed] = words.as_slice() else {
        return Err("tune GAME GAMES SEED".into());
    };
    let (games, seed) = (games.parse()?, seed.parse()?);
    match name.as_str() {
        "Pow2" => tune::<Pow2, 3>(games, seed),
        "Reversi" => tune::<Reversi, 8>(games, seed),
        "LOA" => tune::<Loa, 8>(games, seed),
        "Breakthrough" => tune::<Breakthrough, 11>(games, seed),
        _ => Err("only Pow2, Reversi, LOA and Breakthrough have weights that can be fitted".into()),
    }
}

/// The counts of the first player in a position of a game, and the result of that game for that player.
struct Sample<const N: usize> {
    counts: [f64; N],
    result: f64,
    /// All positions of a game together count as one.
    share: f64,
}

fn tune<R: Weighed<N>, const N: usize>(games: usize, seed: u64) -> Result<(), Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut fitted, mut others) = (Vec::new(), Vec::new());
    for number in 0..games {
        let game = play::<R, N>(&mut rng)?;
        match number % 3 {
            0 => others.extend(game),
            _ => fitted.extend(game),
        }
    }
    let present = R::WEIGHTS.map(|(_, weight)| f64::from(weight));
    let found = fit(&fitted, present);
    println!("{} games, {} positions", games, fitted.len() + others.len());
    for (((name, weight), found), at) in R::WEIGHTS.iter().zip(found).zip(0..) {
        let used = fitted.iter().map(|sample| sample.counts[at].abs()).sum::<f64>();
        println!(
            "{name:<24} {weight:>6} {found:>8.1}   {:.2} a position",
            used / fitted.len() as f64
        );
    }
    println!(
        "loss in the other games: {:.4} with these weights, {:.4} with those that fit",
        loss(&others, present),
        loss(&others, found)
    );
    Ok(())
}

/// A game of bot-medium against itself; nothing if it has no end.
fn play<R: Weighed<N>, const N: usize>(rng: &mut impl Rng) -> Result<Vec<Sample<N>>, Box<dyn Error>> {
    let game = Game::of::<R>();
    let options = Options::none(game.facts);
    let mut position = game.start(&options)?;
    let mut rules = R::start(&options)?;
    let mut counts = Vec::new();
    for number in 0..MAX_TURNS {
        let turn = match number < OPENING {
            true => position.random_turn(rng),
            false => think(
                position.as_ref(),
                Level::Medium,
                rng.random(),
                &AtomicBool::new(false),
            )
            .map(|thought| thought.turn),
        };
        let Some(turn) = turn else { break };
        position.play(&turn)?;
        rules.play(&rules.read(&turn)?);
        // The estimate is asked for when the captures have been made.
        let mut walk = position.walk();
        let is_quiet = !walk.knows_captures() || walk.list_captures() == 0;
        if number >= OPENING && is_quiet && rules.outcome().is_none() {
            counts.push(rules.counts(Seat::First).map(f64::from));
        }
    }
    let result = match position.outcome() {
        None => return Ok(Vec::new()),
        Some(Outcome::Drawn) => 0.5,
        Some(Outcome::Won(Seat::First)) => 1.0,
        Some(Outcome::Won(Seat::Second)) => 0.0,
    };
    let share = 1.0 / counts.len().max(1) as f64;
    let sample = |counts| Sample {
        counts,
        result,
        share,
    };
    Ok(counts.into_iter().map(sample).collect())
}

/// How likely the first player wins, by these weights.
fn chance<const N: usize>(sample: &Sample<N>, weights: [f64; N]) -> f64 {
    let sum: f64 = sample
        .counts
        .iter()
        .zip(weights)
        .map(|(count, weight)| count * weight)
        .sum();
    1.0 / (1.0 + (-UNIT * sum).exp())
}

/// The loss in bits.
fn loss<const N: usize>(samples: &[Sample<N>], weights: [f64; N]) -> f64 {
    let all: f64 = samples.iter().map(|sample| sample.share).sum();
    let lost = samples.iter().map(|sample| {
        let chance = chance(sample, weights).clamp(1e-9, 1.0 - 1e-9);
        -sample.share * (sample.result * chance.log2() + (1.0 - sample.result) * (1.0 - chance).log2())
    });
    lost.sum::<f64>() / all
}

/// The weights with the least loss, by Newton's method.
fn fit<const N: usize>(samples: &[Sample<N>], mut weights: [f64; N]) -> [f64; N] {
    for _ in 0..30 {
        // A little is added so that a count that never occurs keeps its weight.
        let mut slope = [0.0; N];
        let mut bend = [[0.0; N]; N];
        for (at, row) in bend.iter_mut().enumerate() {
            row[at] = 1e-9;
        }
        for sample in samples {
            let chance = chance(sample, weights);
            for (a, count) in sample.counts.iter().enumerate() {
                slope[a] += sample.share * UNIT * count * (sample.result - chance);
                for (b, other) in sample.counts.iter().enumerate() {
                    bend[a][b] += sample.share * UNIT * UNIT * count * other * chance * (1.0 - chance);
                }
            }
        }
        for (weight, step) in weights.iter_mut().zip(solved(bend, slope)) {
            *weight += step;
        }
    }
    weights
}

/// Solves linear equations whose matrix is positive.
fn solved<const N: usize>(mut rows: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for at in 0..N {
        let pivot = rows[at];
        for below in at + 1..N {
            let factor = rows[below][at] / pivot[at];
            for (cell, other) in rows[below].iter_mut().zip(pivot) {
                *cell -= factor * other;
            }
            right[below] -= factor * right[at];
        }
    }
    let mut solution = [0.0; N];
    for at in (0..N).rev() {
        let known: f64 = (at + 1..N).map(|other| rows[at][other] * solution[other]).sum();
        solution[at] = (right[at] - known) / rows[at][at];
    }
    solution
}
