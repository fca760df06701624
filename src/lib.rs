//! pbmserv: a play-by-mail game server.
//!
//! The folders stand in the order in which a mail goes through them:
//! doors, mail, command, dispatch, games, table, store, letters, outbox.

pub mod admin;
pub mod command;
pub mod config;
pub mod daemon;
pub mod demo;
pub mod dispatch;
pub mod doors;
pub mod engine;
pub mod games;
pub mod kit;
pub mod letters;
mod log_throttle;
pub mod mail;
pub mod outbox;
pub mod store;
pub mod table;
