//! Games of two players against one another.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use thiserror::Error;

use super::{Level, think, uct};
use crate::kit::mix::mix;
use crate::{Match, Outcome, Refusal, Seat};

/// A longer game counts as drawn: some games may repeat positions for ever.
pub const MAX_TURNS: u32 = 400;

/// How many random turns a game begins with, so that games differ.
const OPENING: u32 = 2;

/// Makes the seeds of dice other ones than those of turns.
const DICE: u64 = 1;

/// A player of a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// A player of the server.
    Bot(Level),
    /// Plays at random.
    Random,
    /// Plain UCT with this many random games a turn.
    Uct(u32),
}

impl Player {
    /// Chooses a turn. `None` if the game is over, or if `stop` was set meanwhile.
    #[must_use]
    pub fn choose(self, position: &dyn Match, seed: u64, stop: &AtomicBool) -> Option<String> {
        match self {
            Self::Bot(level) => think(position, level, seed, stop).map(|thought| thought.turn),
            Self::Random => position.random_turn(&mut ChaCha8Rng::seed_from_u64(seed)),
            Self::Uct(playouts) => uct::choose(position, playouts, seed, stop),
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bot(level) => write!(f, "bot-{level}"),
            Self::Random => f.write_str("random"),
            Self::Uct(playouts) => write!(f, "uct:{playouts}"),
        }
    }
}

/// A word that is no player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("A player is easy, medium, hard, random, or uct:N with a number of random games a turn.")]
pub struct NoPlayer;

impl FromStr for Player {
    type Err = NoPlayer;

    fn from_str(word: &str) -> Result<Self, NoPlayer> {
        if let Ok(level) = word.strip_prefix("bot-").unwrap_or(word).parse() {
            return Ok(Self::Bot(level));
        }
        match word.split_once(':') {
            Some(("uct", playouts)) => playouts.parse().map(Self::Uct).map_err(|_| NoPlayer),
            None if word == "random" => Ok(Self::Random),
            _ => Err(NoPlayer),
        }
    }
}

/// Why a game has no result. Turns are counted from 0, with those that the game begins with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// A player found nothing in a position that is not over.
    #[error("{0} found no turn after {1} turns")]
    NoTurn(Player, u32),
    /// A player chose what is no turn, for this reason.
    #[error("{0} chose {1} after {2} turns: {3}")]
    Illegal(Player, String, u32, Refusal),
    /// `stop` was set meanwhile.
    #[error("the contest was stopped")]
    Stopped,
}

/// Plays a game from its start and returns its result; the seed of the opening throws the dice. `chosen` is called with each
/// player's seat as soon as it has chosen a turn, and with the turn; not for the random turns that the game begins with.
///
/// # Errors
/// A player chose no legal turn, or `stop` was set.
pub fn play(
    mut position: Box<dyn Match>,
    players: [Player; 2],
    seeds: Seeds,
    stop: &AtomicBool,
    chosen: &mut dyn FnMut(Seat, &str),
) -> Result<Outcome, Failure> {
    for number in 0..OPENING + MAX_TURNS {
        if let Some(due) = position.due_roll() {
            let seed = mix([seeds.opening, u64::from(due.number), DICE]);
            position.roll(due.thrown(&mut ChaCha8Rng::seed_from_u64(seed)));
        }
        let Some(seat) = position.to_move() else { break };
        let is_opening = number < OPENING;
        let (player, seed) = match is_opening {
            true => (Player::Random, seeds.opening),
            false => (players[seat.index()], seeds.game),
        };
        let seed = mix([seed, u64::from(number)]);
        let Some(turn) = player.choose(position.as_ref(), seed, stop) else {
            return Err(match stop.load(Ordering::Relaxed) {
                true => Failure::Stopped,
                false => Failure::NoTurn(player, number),
            });
        };
        if !is_opening {
            chosen(seat, &turn);
        }
        if let Err(refusal) = position.play(&turn) {
            return Err(Failure::Illegal(player, turn, number, refusal));
        }
    }
    Ok(position.outcome().unwrap_or(Outcome::Drawn))
}

/// Where the chance of a game comes from. Two games with the same opening and other colours are a fair pair.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// Of the random turns at the beginning, and of the dice.
    pub opening: u64,
    /// Of the players.
    pub game: u64,
}
