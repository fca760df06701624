//! The speed of the games: perft compared with shakmaty's chess, drawing of boards, and whole random games.
//!
//! `cargo bench --bench games`. The first table alternates with shakmaty in one process; the benchmark fails if
//! Pow2 reaches less than half of shakmaty's rate. Both count the last turn of a sequence without playing it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot begin has nothing to say"
)]

use std::time::{Duration, Instant};

use divan::Bencher;
use divan::counter::ItemsCount;
use pbmserv_games::{Display, Match, Options};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Rounds, in each of which every game is measured once.
const ROUNDS: usize = 7;

/// What is counted: the game, its options, the depth. All other games are counted to the first depth with [`ENOUGH`] turns.
const COUNTED: &[(&str, &str, u32)] = &[
    ("Pow2", "", 4),
    ("Pow2", "-noborder", 4),
    ("Pow2", "-fast", 4),
    ("Pow2", "-middle", 4),
    ("Forms", "", 3),
    ("Forms", "-size=8", 3),
    ("ShapeChess", "", 3),
    ("Ringworm", "", 2),
    ("Breakthrough", "", 5),
    ("Reversi", "", 9),
    ("Amazons", "", 2),
    ("LOA", "", 4),
    ("Hex", "", 4),
    ("Gomoku", "", 3),
];

/// How many turns make a rate.
const ENOUGH: u64 = 100_000;

/// The depth to which shakmaty counts: about as many nodes as ours.
const CHESS_DEPTH: u32 = 5;

/// The least share of shakmaty's rate for the first game.
const SHARE: f64 = 0.5;

fn main() {
    let is_enough = beside_chess();
    divan::main();
    if !is_enough {
        println!("Pow2 should have {SHARE} of shakmaty's rate.");
        std::process::exit(1);
    }
}

fn start(game: &str, words: &str) -> Box<dyn Match> {
    let game = pbmserv_games::find(game).unwrap();
    let options = Options::parse(game.facts, words.split_whitespace()).unwrap();
    game.start(&options).unwrap()
}

/// Prints all rates; returns whether Pow2's is high enough.
fn beside_chess() -> bool {
    type Count = Box<dyn Fn() -> u64>;
    let chess: (String, Count) = (
        format!("chess, depth {CHESS_DEPTH} (shakmaty)"),
        Box::new(|| shakmaty::perft(&shakmaty::Chess::default(), CHESS_DEPTH)),
    );
    let others = names().filter(|name| COUNTED.iter().all(|(game, ..)| game != name));
    let others = others.map(|name| {
        let position = start(name, "");
        let depth = (1..5).find(|depth| position.perft(*depth) >= ENOUGH);
        (name, "", depth.unwrap_or(5))
    });
    let ours = COUNTED
        .iter()
        .copied()
        .chain(others)
        .map(|(game, options, depth)| {
            let position = start(game, options);
            let name = format!("{} depth {depth}", [game, options].join(" ").trim_end());
            let count: Count = Box::new(move || position.perft(depth));
            (name, count)
        });
    let counted: Vec<_> = std::iter::once(chess).chain(ours).collect();
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); counted.len()];
    let mut sums = vec![0; counted.len()];
    for _ in 0..ROUNDS {
        for (place, (_, count)) in counted.iter().enumerate() {
            let begun = Instant::now();
            sums[place] = std::hint::black_box(count());
            times[place].push(begun.elapsed());
        }
    }
    let rates: Vec<f64> = times
        .iter_mut()
        .zip(&sums)
        .map(|(times, sum)| {
            times.sort_unstable();
            *sum as f64 / times[ROUNDS / 2].as_secs_f64()
        })
        .collect();
    println!(
        "{:32}  {:>9}  {:>17}  {:>8}",
        "counted", "turns", "millions a second", "of chess"
    );
    for (((name, _), sum), rate) in counted.iter().zip(&sums).zip(&rates) {
        let (millions, share) = (rate / 1e6, rate / rates[0]);
        println!("{name:32}  {sum:>9}  {millions:>17.1}  {share:>8.2}");
    }
    println!();
    rates[1] >= SHARE * rates[0]
}

/// A board in the middle of a game.
fn middle(game: &str) -> Box<dyn Match> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut position = start(game, "");
    for _ in 0..12 {
        if let Some(turn) = position.random_turn(&mut rng) {
            position.play(&turn).unwrap();
        }
    }
    position
}

fn names() -> impl Iterator<Item = &'static str> {
    pbmserv_games::GAMES.iter().map(|game| game.facts.name)
}

#[divan::bench(args = names())]
fn board_as_text(bencher: Bencher<'_, '_>, game: &str) {
    let position = middle(game);
    bencher
        .counter(ItemsCount::new(1_u32))
        .bench_local(|| position.draw(Display::Large));
}

#[divan::bench(args = names())]
fn random_game(bencher: Bencher<'_, '_>, game: &str) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // The items are games, so that the table has a column of games a second.
    bencher.counter(ItemsCount::new(1_u32)).bench_local(|| {
        let mut position = start(game, "");
        let mut turns = 0;
        while let Some(turn) = position.random_turn(&mut rng) {
            position.play(&turn).unwrap();
            turns += 1;
        }
        turns
    });
}
