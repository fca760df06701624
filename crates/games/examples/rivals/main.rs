//! Opponents that share nothing with our computer players but the rules, to measure them.
//!
//! - `rivals GAME [--games N] [--ratio R] [--seed S] [--from K]`: our hard against the rival, in pairs of games that begin with
//!   the same two random turns, with the colours exchanged. The rival gets R times the processor time of our last turn.
//!   Each game depends on the seed and its number only, so `--from K` goes on with game K.
//! - `rivals check GAME [--games N] [--seed S]`: compares the legal turns in random games.
//! - `rivals judge GAME TURN ... [--ratio R] [--from K]`: what both would play instead of each turn of a game from turn K on, of
//!   which 0 is the first, and what they think; the rival gets R seconds.

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

const USAGE: &str = "rivals [check | judge] GAME [TURN ...] [--games N] [--ratio R] [--seed S] [--from K]";

fn main() -> Result<()> {
    let wrong = || Error::other(USAGE);
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let verb = words
        .first()
        .filter(|word| ["check", "judge"].contains(&word.as_str()))
        .cloned();
    if verb.is_some() {
        words.remove(0);
    }
    let [game, rest @ ..] = words.as_slice() else {
        return Err(wrong());
    };
    let game = pbmserv_games::find(game).ok_or_else(wrong)?;
    let first_option = rest.iter().position(|word| word.starts_with("--"));
    let (turns, options) = rest.split_at(first_option.unwrap_or(rest.len()));
    let mut terms = Terms {
        games: 4,
        ratio: 1.0,
        seed: 1,
        from: 1,
    };
    for pair in options.chunks(2) {
        let [name, value] = pair else {
            return Err(wrong());
        };
        let number = || value.parse().map_err(Error::other);
        match name.as_str() {
            "--games" => terms.games = number()?,
            "--ratio" => terms.ratio = value.parse().map_err(Error::other)?,
            "--seed" => terms.seed = number()?,
            "--from" => terms.from = number()?,
            _ => return Err(wrong()),
        }
    }
    match verb.as_deref() {
        Some("check") => contest::check(game, &terms),
        Some(_) => contest::judge(game, turns, &terms),
        None if turns.is_empty() => contest::run(game, &terms),
        None => Err(wrong()),
    }
}
