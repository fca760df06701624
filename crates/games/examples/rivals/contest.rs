//! Our hard against a rival, and the check of the rival's rules.

use std::io::{Error, Result, Write as _, stdout};
use std::sync::atomic::AtomicBool;

use pbmserv_games::bots::contest::{MAX_TURNS, Player};
use pbmserv_games::bots::{self, Level};
use pbmserv_games::{Game, Match, Options, Outcome, Seat};

use crate::clock::seconds;
use crate::rival::{self, Rival};

const OPENING: usize = 2;
const LEAST_BUDGET: f64 = 0.05;
/// What the rival gets before our first turn, in seconds.
const FIRST_BUDGET: f64 = 0.35;

/// How many games are played, and how.
pub(crate) struct Terms {
    pub(crate) games: u64,
    pub(crate) ratio: f64,
    pub(crate) seed: u64,
    pub(crate) from: u64,
}

/// Turns, and the seconds that they took.
#[derive(Clone, Copy, Default)]
struct Spent {
    turns: u32,
    seconds: f64,
}

impl Spent {
    fn add(&mut self, other: Self) {
        self.turns += other.turns;
        self.seconds += other.seconds;
    }

    fn mean(self) -> f64 {
        self.seconds / f64::from(self.turns.max(1))
    }
}

fn start(game: &Game) -> Result<(Box<dyn Match>, Box<dyn Rival>)> {
    let words = match game.facts.name {
        "Gomoku" | "Hex" => &["-noswap"][..],
        _ => &[],
    };
    let options = Options::parse(game.facts, words.iter().copied()).map_err(Error::other)?;
    let position = game.start(&options).map_err(Error::other)?;
    let rival = rival::at(game.facts.name).ok_or_else(|| Error::other("there is no rival at this game"))?;
    Ok((position, rival))
}

fn random(position: &dyn Match, seed: u64) -> Option<String> {
    Player::Random.choose(position, seed, &AtomicBool::new(false))
}

/// Plays random games and compares the legal turns in every position.
pub(crate) fn check(game: &Game, terms: &Terms) -> Result<()> {
    let (mut positions, mut turns) = (0_u64, 0);
    for number in terms.from..terms.from + terms.games {
        let (mut position, mut rival) = start(game)?;
        let mut played = Vec::new();
        while position.outcome().is_none() {
            let (mut ours, mut theirs) = (position.turns(usize::MAX), rival.turns());
            ours.sort();
            theirs.sort();
            if ours != theirs {
                let text = format!("after {}: {ours:?}, the rival has {theirs:?}", played.join(" "));
                return Err(Error::other(text));
            }
            positions += 1;
            turns += ours.len();
            let seed = (terms.seed << 40) + (number << 20) + played.len() as u64;
            let turn = random(position.as_ref(), seed).ok_or_else(|| Error::other("no turn"))?;
            position.play(&turn).map_err(Error::other)?;
            rival.play(&turn);
            played.push(turn);
        }
    }
    let name = game.facts.name;
    writeln!(
        stdout(),
        "{name}: the same {turns} turns in {positions} positions of {} games",
        terms.games
    )
}

/// Tells of each turn of a game what both would play there, and what they think of it for the player to move.
pub(crate) fn judge(game: &Game, turns: &[String], terms: &Terms) -> Result<()> {
    let (mut position, mut rival) = start(game)?;
    for (number, turn) in turns.iter().enumerate() {
        if number as u64 >= terms.from {
            let look = bots::look(
                position.as_ref(),
                Level::Hard,
                terms.seed,
                &AtomicBool::new(false),
            );
            let choice = rival.choose(terms.ratio);
            let (Some(look), Some(choice)) = (look, choice) else {
                break;
            };
            writeln!(
                stdout(),
                "{number} {turn}: hard {} {} (depth {}), rival {} {} (depth {})",
                look.thought.turn,
                look.thought.value,
                look.depth,
                choice.turn,
                choice.value,
                choice.depth
            )?;
        }
        position.play(turn).map_err(Error::other)?;
        rival.play(turn);
    }
    Ok(())
}

/// Plays the games and prints a line for each.
pub(crate) fn run(game: &Game, terms: &Terms) -> Result<()> {
    let (mut points, mut played) = (0.0, 0_u32);
    let mut spent = [Spent::default(); 2];
    for number in terms.from..=terms.games {
        let our_seat = Seat::BOTH[(number % 2) as usize ^ 1];
        let done = play(game, our_seat, number, terms)?;
        let (word, gained) = match done.outcome {
            Some(Outcome::Won(seat)) if seat == our_seat => ("hard won", 1.0),
            Some(Outcome::Won(_)) => ("hard lost", 0.0),
            _ => ("drawn", 0.5),
        };
        points += gained;
        played += 1;
        spent
            .iter_mut()
            .zip(done.spent)
            .for_each(|(sum, one)| sum.add(one));
        let [ours, theirs] = done.spent.map(Spent::mean);
        writeln!(
            stdout(),
            "{number}: {word} as {our_seat:?} in {} turns; s a turn {ours:.2} and {theirs:.2}; rival's depth {:.1}; so far {:.1} \
             of {played}: {}",
            done.turns.len(),
            done.depth,
            points,
            done.turns.join(" ")
        )?;
        stdout().flush()?;
    }
    let [ours, theirs] = spent.map(Spent::mean);
    writeln!(
        stdout(),
        "{}: hard {:.1} % of {played} games; s a turn {ours:.3}, the rival {theirs:.3}",
        game.facts.name,
        100.0 * points / f64::from(played.max(1))
    )
}

/// A game that was played; of the two that `spent` tells of ours is the first.
struct Done {
    outcome: Option<Outcome>,
    turns: Vec<String>,
    spent: [Spent; 2],
    depth: f64,
}

fn play(game: &Game, our_seat: Seat, number: u64, terms: &Terms) -> Result<Done> {
    let (mut position, mut rival) = start(game)?;
    let mut done = Done {
        outcome: None,
        turns: Vec::new(),
        spent: [Spent::default(); 2],
        depth: 0.0,
    };
    let (opening, own) = (
        terms.seed << 32 | number.div_ceil(2),
        terms.seed << 32 | 1 << 31 | number,
    );
    let mut last = FIRST_BUDGET;
    while let Some(seat) = position.to_move() {
        let count = done.turns.len();
        if count >= OPENING + MAX_TURNS as usize {
            break;
        }
        let before = seconds();
        let turn = if count < OPENING {
            random(position.as_ref(), opening * 4 + count as u64)
        } else if seat == our_seat {
            let seed = own.wrapping_mul(1024) + count as u64;
            Player::Bot(Level::Hard).choose(position.as_ref(), seed, &AtomicBool::new(false))
        } else {
            let chosen = rival.choose((last * terms.ratio).max(LEAST_BUDGET));
            chosen.map(|choice| {
                done.depth += choice.depth as f64;
                choice.turn
            })
        };
        let took = seconds() - before;
        if count >= OPENING {
            let whose = usize::from(seat != our_seat);
            done.spent[whose].add(Spent {
                turns: 1,
                seconds: took,
            });
            if whose == 0 {
                last = took;
            }
        }
        let turn = turn.ok_or_else(|| Error::other(format!("no turn after {}", done.turns.join(" "))))?;
        let wrong = || Error::other(format!("{turn} is no turn after {}", done.turns.join(" ")));
        position.play(&turn).map_err(|_| wrong())?;
        if !rival.play(&turn) {
            return Err(wrong());
        }
        done.turns.push(turn);
    }
    done.outcome = position.outcome();
    done.depth /= f64::from(done.spent[1].turns.max(1));
    Ok(done)
}
