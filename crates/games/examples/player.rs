//! A computer player for `tests/lockstep/contest.py`: `player GAME LEVEL [-option ...]`. Each line that it reads is answered by one:
//!
//! - `new`: a new game begins.
//! - `choose SEED`: the turn that it would play, and the microseconds of processor time that it took.
//! - `any SEED`: a random turn.
//! - a turn: it is played; `on`, or the result `first`, `second` or `drawn`.

use std::io::{BufRead as _, Error, Write as _};
use std::sync::atomic::AtomicBool;

use pbmserv_games::bots::contest::Player;
use pbmserv_games::{Options, Outcome, Seat};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rustix::time::{ClockId, clock_gettime};

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wrong = || Error::other("player GAME LEVEL [-option ...]");
    let [game, level, options @ ..] = words.as_slice() else {
        return Err(wrong());
    };
    let game = pbmserv_games::find(game).ok_or_else(wrong)?;
    if game.facts.has_dice {
        return Err(Error::other(
            "both programs would need the same dice: pbmserv match throws them",
        ));
    }
    let player: Player = level.parse().map_err(Error::other)?;
    let options = Options::parse(game.facts, options.iter().map(String::as_str)).map_err(Error::other)?;
    let start = || game.start(&options).map_err(Error::other);
    let mut position = start()?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let number = |text: &str| text.parse().map_err(Error::other);
        let answer = match line.split_once(' ') {
            None if line == "new" => {
                position = start()?;
                "on".to_owned()
            }
            Some(("choose", seed)) => {
                let before = clock_gettime(ClockId::ProcessCPUTime);
                let turn = player.choose(position.as_ref(), number(seed)?, &AtomicBool::new(false));
                let after = clock_gettime(ClockId::ProcessCPUTime);
                let micros =
                    (after.tv_sec - before.tv_sec) * 1_000_000 + (after.tv_nsec - before.tv_nsec) / 1000;
                format!(
                    "{} {micros}",
                    turn.ok_or_else(|| Error::other("the game is over"))?
                )
            }
            Some(("any", seed)) => {
                let mut rng = ChaCha8Rng::seed_from_u64(number(seed)?);
                position
                    .random_turn(&mut rng)
                    .ok_or_else(|| Error::other("the game is over"))?
            }
            _ => {
                position.play(&line).map_err(Error::other)?;
                match position.outcome() {
                    None => "on",
                    Some(Outcome::Won(Seat::First)) => "first",
                    Some(Outcome::Won(Seat::Second)) => "second",
                    Some(Outcome::Drawn) => "drawn",
                }
                .to_owned()
            }
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
