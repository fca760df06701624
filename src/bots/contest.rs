//! Games of two players against one another.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use thiserror::Error;

use super::{Level, think, uct};
use crate::games::{Game, Match, Options, Outcome, Seat};
use crate::kit::mix::mix;

/// A longer game counts as drawn: some games may repeat positions for ever.
pub const MOST_TURNS: u32 = 400;

/// How many random turns a game begins with, so that games differ.
const OPENING: u32 = 2;

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
            Self::Bot(level) => write!(f, "{level}"),
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
        if let Ok(level) = word.parse() {
            return Ok(Self::Bot(level));
        }
        match word.split_once(':') {
            Some(("uct", playouts)) => playouts.parse().map(Self::Uct).map_err(|_| NoPlayer),
            None if word == "random" => Ok(Self::Random),
            _ => Err(NoPlayer),
        }
    }
}

/// Plays a game and returns its result and its turns, without those that it begins with; `None` if the options contradict
/// each other or `stop` was set meanwhile. `chosen` is called with each player's seat and turn as soon as it is chosen.
#[must_use]
pub fn play(
    game: &Game,
    options: &Options,
    players: [Player; 2],
    seeds: Seeds,
    stop: &AtomicBool,
    chosen: &mut dyn FnMut(Seat, &str),
) -> Option<Outcome> {
    let mut position = game.start(options).ok()?;
    let mut rng = ChaCha8Rng::seed_from_u64(seeds.opening);
    for _ in 0..OPENING {
        let Some(turn) = position.random_turn(&mut rng) else {
            break;
        };
        position.play(&turn).ok()?;
    }
    for number in 0..MOST_TURNS {
        let Some(seat) = position.to_move() else { break };
        let seed = mix([seeds.game, u64::from(number)]);
        let turn = players[seat.index()].choose(position.as_ref(), seed, stop)?;
        chosen(seat, &turn);
        position.play(&turn).ok()?;
    }
    Some(position.outcome().unwrap_or(Outcome::Drawn))
}

/// Where the chance of a game comes from. Two games with the same opening and other colours are a fair pair.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// Of the random turns at the beginning.
    pub opening: u64,
    /// Of the players.
    pub game: u64,
}
