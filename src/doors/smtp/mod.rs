//! The SMTP door: a listener (RFC 5321) that says 250 only once a message's effects are committed.
//!
//! `smtp-proto` reads the commands. Lines, the end of data and every limit are watched here, because a
//! stranger may connect and because a lenient end of data lets one message hide in another.
//!
//! Nothing is put before a message (no Received, no Return-Path): its envelope is handed on beside it.
//!
//! Known limits: no SMTPUTF8 and no CHUNKING; a line of a message may be as long as the message.

mod admission;
mod command;
mod data;
mod delivery;
mod end;
mod limits;
mod listener;
mod reply;
mod session;
mod transaction;
mod wire;

pub use limits::Limits;
pub use listener::serve;

#[cfg(test)]
mod tests;
