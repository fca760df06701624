//! The games: what a game must offer, and the list of those served.
//!
//! A game is a folder with its rules, the text of its turns, its board and its help. It knows no clock, no
//! mail, no database and no dice: whoever needs chance passes it in. To add one, write its folder, then its
//! `mod` line and its line in [`GAMES`]; `tests/games/contract.rs` then holds it to everything promised here.

mod ending;
mod facts;
pub mod forms;
mod matches;
mod options;
mod picture;
pub mod pow2;
pub mod record;
pub mod ringworm;
mod rules;
mod seat;
pub mod shapechess;

pub use ending::{By, Ending, NoEnding};
pub use facts::{Facts, OptionFact, Range};
pub use matches::{Game, Match};
pub use options::Options;
pub use picture::BoardPicture;
pub use rules::{Info, Rules};
pub use seat::{Outcome, Seat};

pub use crate::kit::display::Display;
pub use crate::kit::refusal::{Kind, Refusal};

/// Every game served, in the order in which `list` and `help` show them.
pub static GAMES: &[Game] = &[
    Game::of::<pow2::Pow2>(),
    Game::of::<forms::Forms>(),
    Game::of::<shapechess::ShapeChess>(),
    Game::of::<ringworm::Ringworm>(),
];

/// The game of this name or alias, in any case.
#[must_use]
pub fn find(name: &str) -> Option<&'static Game> {
    GAMES.iter().find(|game| game.answers_to(name))
}
