//! Helpers for games that share a kind of board. A game takes from here what fits it; nothing here knows
//! the rules of any game.

pub mod display;
pub mod hex;
pub mod picture;
pub mod reading;
pub mod refusal;
pub mod square;
