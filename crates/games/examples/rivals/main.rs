//! Opponents that share nothing with our computer players but the rules, to measure them.
//!
//! - `rivals GAME [--games N] [--ratio R] [--seed S] [--from K]`: our hard against the rival, in pairs of games that begin with
//!   the same two random turns, with the colours exchanged. The rival gets R times the processor time of our last turn.
//!   Each game depends on the seed and its number only, so `--from K` goes on with game K.
//! - `rivals check GAME [--games N] [--seed S]`: compares the legal turns in random games.

mod amazons;
mod board;
mod breakthrough;
mod clock;
mod contest;
mod gomoku;
mod hex;
mod loa;
mod reversi;
mod rival;
mod search;

use std::io::{Error, Result};

use contest::Terms;

const USAGE: &str = "rivals [check] GAME [--games N] [--ratio R] [--seed S] [--from K]";

fn main() -> Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let is_check = words.first().is_some_and(|word| word == "check");
    if is_check {
        words.remove(0);
    }
    let [game, options @ ..] = words.as_slice() else {
        return Err(Error::other(USAGE));
    };
    let game = pbmserv_games::find(game).ok_or_else(|| Error::other(USAGE))?;
    let mut terms = Terms {
        games: 4,
        ratio: 1.0,
        seed: 1,
        from: 1,
    };
    for pair in options.chunks(2) {
        let [name, value] = pair else {
            return Err(Error::other(USAGE));
        };
        let number = || value.parse().map_err(Error::other);
        match name.as_str() {
            "--games" => terms.games = number()?,
            "--ratio" => terms.ratio = value.parse().map_err(Error::other)?,
            "--seed" => terms.seed = number()?,
            "--from" => terms.from = number()?,
            _ => return Err(Error::other(USAGE)),
        }
    }
    match is_check {
        true => contest::check(game, &terms),
        false => contest::run(game, &terms),
    }
}
