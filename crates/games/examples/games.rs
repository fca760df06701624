//! Prints random games for `tests/lockstep/run.py`, which plays them in OpenSpiel: `games GAME SEED COUNT [-option ...]`.
//!
//! Each position is a line with all legal turns, followed by a line with the turn that is played. The last line of a game
//! is `end` and the result.

use std::io::{BufWriter, Write as _};

use pbmserv_games::{Options, Outcome, Seat};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom as _;

/// More than any position has.
const ALL: usize = 100_000;

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wrong = || std::io::Error::other("games GAME SEED COUNT [-option ...]");
    let [game, seed, count, options @ ..] = words.as_slice() else {
        return Err(wrong());
    };
    let game = pbmserv_games::find(game).ok_or_else(wrong)?;
    let (seed, count): (u64, u64) = match (seed.parse(), count.parse()) {
        (Ok(seed), Ok(count)) => (seed, count),
        _ => return Err(wrong()),
    };
    let options =
        Options::parse(game.facts, options.iter().map(String::as_str)).map_err(std::io::Error::other)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for seed in seed..seed + count {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = game.start(&options).map_err(std::io::Error::other)?;
        loop {
            let turns = position.turns(ALL);
            let Some(turn) = turns.choose(&mut rng) else {
                break;
            };
            writeln!(out, "{}\n{turn}", turns.join(" "))?;
            position.play(turn).map_err(std::io::Error::other)?;
        }
        let result = match position.outcome() {
            Some(Outcome::Won(Seat::First)) => "first",
            Some(Outcome::Won(Seat::Second)) => "second",
            Some(Outcome::Drawn) | None => "drawn",
        };
        writeln!(out, "end {result}")?;
    }
    out.flush()
}
