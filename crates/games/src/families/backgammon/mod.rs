//! Backgammon, Nackgammon and Hypergammon: the board, the plays of a roll, the text of a play, a match with a cube, and the games as they
//! are served.
//!
//! The dice come from the caller: [`Game::needs_roll`] says when, and [`Game::roll`] takes them.

pub mod bearoff;
pub mod board;
mod chances;
mod concede;
pub mod draw;
mod effects;
pub mod equity;
pub mod explained;
mod facts;
mod faults;
mod faults_of_dice;
pub mod game;
mod gammons;
mod loss;
mod pictured;
pub mod plays;
mod reading;
mod served;
#[cfg(test)]
mod served_tests;
#[cfg(test)]
mod slow;
mod steps;
#[cfg(test)]
mod tests;
mod turn;
mod written;

pub use board::{BAR, OFF, Position, Variant};
pub use facts::FACTS;
pub use faults_of_dice::is_like_a_play;
pub use game::{Crawford, Game, State, Turn};
pub use loss::Loss;
pub use plays::{Play, Roll, plays};
pub use served::{Backgammon, BackgammonGame, RolledTurn};
pub use turn::read;
