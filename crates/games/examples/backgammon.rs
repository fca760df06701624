//! The plays of backgammon for `tests/lockstep/gnubg.py`: `backgammon positions SEED COUNT` prints positions that random games
//! reach, `backgammon compare` reads positions with the plays of another program and prints what differs, `backgammon bearoff`
//! reads the checkers on 1 to 6 and prints how many rolls they need on average.
//!
//! A position is a line: the mover's checkers on 0 to 25, then the opponent's in the opponent's count, then two dice. For
//! `compare` follow a tab and the plays, separated by semicolons.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufWriter, Error, Result, Write as _};

use pbmserv_games::Seat;
use pbmserv_games::families::backgammon::bearoff::BearOff;
use pbmserv_games::families::backgammon::{Position, Roll, Variant, plays, read};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["positions", seed, count] => match (seed.parse(), count.parse()) {
            (Ok(seed), Ok(count)) => positions(seed, count),
            _ => Err(Error::other("positions SEED COUNT")),
        },
        ["compare"] => compare(),
        ["bearoff"] => bearoff(),
        _ => Err(Error::other("positions SEED COUNT, compare or bearoff")),
    }
}

fn positions(seed: u64, count: usize) -> Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut printed = 0;
    while printed < count {
        let variant = Variant::ALL[rng.random_range(0..3)];
        let (mut position, mut seat) = (Position::start(variant), Seat::First);
        while position.winner().is_none() {
            let dice = [rng.random_range(1..=6), rng.random_range(1..=6)];
            let Some(roll) = Roll::new(dice) else {
                continue;
            };
            if printed < count && rng.random_range(0..5) == 0 {
                let counts = |seat| (0..=25).map(move |point| position.count(seat, point).to_string());
                let dice = dice.map(|die| die.to_string());
                let all = counts(seat).chain(counts(seat.other())).chain(dice);
                writeln!(out, "{}", all.collect::<Vec<_>>().join(" "))?;
                printed += 1;
            }
            let plays = plays(&position, seat, roll);
            if !plays.is_empty() {
                position = *plays[rng.random_range(0..plays.len())].result();
            }
            seat = seat.other();
        }
    }
    out.flush()
}

fn numbers(text: &str) -> Result<Vec<u8>> {
    let numbers: std::result::Result<_, _> = text.split(' ').map(str::parse).collect();
    numbers.map_err(Error::other)
}

fn bearoff() -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let home = numbers(&line?)?.try_into().ok();
        let mean = home.and_then(|home| BearOff::table().mean(&home));
        writeln!(out, "{}", mean.ok_or_else(|| Error::other("no home"))?)?;
    }
    out.flush()
}

fn compare() -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let (mut compared, mut all, mut different, mut none) = (0, 0, 0, 0);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let wrong = || Error::other(format!("no position: {line}"));
        let (before, theirs) = line.split_once('\t').ok_or_else(wrong)?;
        let numbers = numbers(before)?;
        let side = |from: usize| {
            let counts = numbers.get(from..from + 26).unwrap_or_default();
            (0..).zip(counts.iter().copied()).collect::<Vec<(u8, u8)>>()
        };
        let dice = numbers.get(52..).and_then(|dice| dice.try_into().ok());
        let roll = dice.and_then(Roll::new).ok_or_else(wrong)?;
        let position = Position::of(&side(0), &side(26)).ok_or_else(wrong)?;
        let ours: BTreeSet<String> = plays(&position, Seat::First, roll)
            .iter()
            .map(ToString::to_string)
            .collect();
        let theirs: Vec<&str> = theirs.split(';').filter(|text| !text.is_empty()).collect();
        let said = |text: &&str| match read(&position, Seat::First, roll, text) {
            Ok(play) => play.to_string(),
            Err(refusal) => format!("{text} ({refusal})"),
        };
        let read: BTreeSet<String> = theirs.iter().map(said).collect();
        if ours != read || ours.len() != theirs.len() {
            different += 1;
            let (more, fewer): (Vec<_>, Vec<_>) = (
                ours.difference(&read).take(5).collect(),
                read.difference(&ours).take(5).collect(),
            );
            writeln!(
                out,
                "{before}: {} here, {} there; only here {more:?}, only there {fewer:?}",
                ours.len(),
                theirs.len()
            )?;
        }
        compared += 1;
        all += ours.len();
        none += usize::from(ours.is_empty());
    }
    writeln!(
        out,
        "{compared} positions, {all} plays, {none} positions without one, {different} different"
    )?;
    out.flush()
}
