//! Helpers for games with a common kind of board. A game uses what fits it. Nothing here knows the rules of any game.

pub mod canvas;
pub mod cpu_yield;
pub mod display;
pub mod hex;
pub mod hexagons;
pub mod history;
pub mod mix;
pub mod picture;
pub mod reading;
pub mod refusal;
pub mod rhombus;
pub mod square;
pub mod words;
