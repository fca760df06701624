//! Backgammon, Nackgammon and Hypergammon: the board, the plays of a roll, the text of a play, and a match with a cube.
//!
//! The dice come from the caller: [`Game::needs_roll`] says when, and [`Game::roll`] takes them.

pub mod bearoff;
pub mod board;
pub mod draw;
mod effects;
pub mod equity;
mod faults;
pub mod game;
pub mod plays;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod tests;
mod turn;
mod written;

pub use board::{BAR, OFF, Position, Variant};
pub use game::{Crawford, Game, State, Turn};
pub use plays::{Play, Roll, plays};
pub use turn::read;
