//! How fast the games are: turns counted, and whole games of random turns.
//!
//! `cargo bench --bench games`; the line to watch is `perft`, in turns a second on one core.

#![expect(
    clippy::expect_used,
    reason = "a benchmark that cannot begin has nothing to say"
)]

use divan::Bencher;
use divan::counter::ItemsCount;
use pbmserv::games::{self, Match, Options};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

fn main() {
    divan::main();
}

fn start(game: &str, words: &str) -> Box<dyn Match> {
    let game = games::find(game).expect("a game that is served");
    let options = Options::parse(game.facts, words.split_whitespace()).expect("options of the game");
    game.start(&options).expect("options that go together")
}

#[divan::bench(args = ["", "-noborder", "-fast", "-middle"], sample_count = 5)]
fn perft_4_of_pow2(bencher: Bencher<'_, '_>, options: &str) {
    let position = start("Pow2", options);
    let turns = position.perft(4);
    bencher
        .counter(ItemsCount::new(turns))
        .bench_local(|| position.perft(4));
}

#[divan::bench(sample_count = 3)]
fn perft_4_of_forms_size_8(bencher: Bencher<'_, '_>) {
    let position = start("Forms", "-size=8");
    let turns = position.perft(4);
    bencher
        .counter(ItemsCount::new(turns))
        .bench_local(|| position.perft(4));
}

#[divan::bench(sample_count = 5)]
fn perft_3_of_shape_chess(bencher: Bencher<'_, '_>) {
    let position = start("ShapeChess", "");
    let turns = position.perft(3);
    bencher
        .counter(ItemsCount::new(turns))
        .bench_local(|| position.perft(3));
}

#[divan::bench(args = games::GAMES.iter().map(|game| game.facts.name))]
fn random_game(bencher: Bencher<'_, '_>, game: &str) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // The items are games, so that the table has a column of games a second.
    bencher.counter(ItemsCount::new(1_u32)).bench_local(|| {
        let mut position = start(game, "");
        let mut turns = 0;
        while let Some(turn) = position.random_turn(&mut rng) {
            position.play(&turn).expect("a legal turn");
            turns += 1;
        }
        turns
    });
}
