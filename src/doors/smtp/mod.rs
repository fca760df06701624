//! The doors of SMTP (RFC 5321) and LMTP (RFC 2033): listeners that say 250 only once a message's effects are
//! committed. Both are one code; they differ in the greeting and in the answers to a message.
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
mod tls;
mod transaction;
mod wire;

pub use admission::Admission;
pub use limits::Limits;
pub use listener::{Door, serve};
pub use session::Protocol;
pub use tls::{BadTls, Tls};

#[cfg(test)]
mod tests;
