//! Board games of two players, in text: what a game must provide, and the list of games that there are.
//!
//! A turn is text, a board is text or a picture in SVG, a game is the list of its turns ([`record`]). [`bots`] are players
//! that are computers, for any of the games.
//!
//! ```
//! use pbmserv_games::{Display, Options, find};
//!
//! let game = find("Gomoku").unwrap();
//! let mut position = game.start(&Options::none(game.facts)).unwrap();
//! let turn = position.play("H8").unwrap();
//! assert_eq!(turn, "h8");
//! println!("{}", position.draw(Display::Small));
//! ```
//!
//! A game is a folder with its rules, the text of its turns, its board and its help; [`kit`] has what games with a similar
//! board share. A game does no I/O and has no clock, no database and no random numbers: the caller passes a random generator
//! in, and the dice ([`Match::due_roll`]). To add a game, write its folder, its `mod` line and its line in [`GAMES`]. `tests/games/contract.rs` then checks
//! everything that a game promises.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod amazons;
pub mod atarigo;
pub mod backgammon;
pub mod bots;
pub mod breakthrough;
pub mod bridges;
pub mod checkers;
pub mod chess;
pub mod connect6;
pub mod continuations;
pub mod dameo;
mod ending;
mod evaluate;
mod facts;
pub mod families;
pub mod forms;
pub mod go;
pub mod gomoku;
pub mod gonnect;
pub mod havannah;
pub mod hex;
pub mod hypergammon;
pub mod international;
pub mod kingofthehill;
pub mod kit;
pub mod loa;
#[cfg(test)]
mod lockstep;
pub mod losalamos;
mod matches;
pub mod nackgammon;
pub mod ninuki;
mod options;
mod picture;
pub mod pow2;
pub mod racingkings;
pub mod record;
pub mod renju;
pub mod reversi;
pub mod ringworm;
mod rules;
mod seat;
pub mod sgf;
pub mod shapechess;
pub mod tagged;
pub mod threecheck;
mod walk;
pub mod y;

pub use continuations::{Continuations, Step};
pub use ending::{By, Ending, NoEnding};
pub use evaluate::{Evaluate, GREATEST_ESTIMATE, Mistake, Mistakes, Promising, WON, Weighed};
pub use facts::{Facts, Numbers, OptionFact, Pictured, Range, Worked};
#[cfg(test)]
pub(crate) use matches::test_match;
pub use matches::{Game, Match};
pub use options::Options;
pub use picture::BoardPicture;
pub use rules::{DueRoll, Info, Rules};
pub use seat::{Outcome, Seat};
pub use walk::{Listed, SearchPosition, Tried};

pub use crate::kit::display::Display;
pub use crate::kit::refusal::{Kind, Refusal};

/// Every game, in the order of `list` and `help`.
pub static GAMES: &[Game] = &[
    Game::of::<pow2::Pow2>(),
    Game::of::<forms::Forms>(),
    Game::of::<shapechess::ShapeChess>(),
    Game::of::<ringworm::Ringworm>(),
    Game::of::<breakthrough::Breakthrough>(),
    Game::of::<reversi::Reversi>(),
    Game::of::<amazons::Amazons>(),
    Game::of::<loa::Loa>(),
    Game::of::<hex::Hex>(),
    Game::of::<gomoku::Gomoku>(),
    Game::of::<y::Y>(),
    Game::of::<havannah::Havannah>(),
    Game::of::<connect6::Connect6>(),
    Game::of::<renju::Renju>(),
    Game::of::<bridges::Bridges>(),
    Game::of::<ninuki::Ninuki>(),
    Game::of::<chess::Chess>(),
    Game::of::<kingofthehill::KingOfTheHill>(),
    Game::of::<threecheck::ThreeCheck>(),
    Game::of::<racingkings::RacingKings>(),
    Game::of::<losalamos::LosAlamos>(),
    Game::of::<checkers::Checkers>(),
    Game::of::<international::International>(),
    Game::of::<dameo::Dameo>(),
    Game::of::<go::Go>(),
    Game::of::<atarigo::AtariGo>(),
    Game::of::<gonnect::Gonnect>(),
    Game::of::<backgammon::Backgammon>(),
    Game::of::<nackgammon::Nackgammon>(),
    Game::of::<hypergammon::Hypergammon>(),
];

/// The game with this name or alias, ignoring case.
#[must_use]
pub fn find(name: &str) -> Option<&'static Game> {
    GAMES.iter().find(|game| game.answers_to(name))
}
