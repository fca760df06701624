//! The SMTP (RFC 5321) and LMTP (RFC 2033) doors. They reply 250 only after the effects of a message are
//! committed. Both share one implementation; they differ in the greeting and in the replies to a message.
//!
//! `smtp-proto` parses the commands. Line ends, the end of data and all limits are checked here, because
//! strangers may connect, and because a lenient end of data allows SMTP smuggling. A client that is not trusted is
//! counted by its network, as by Postfix's anvil; while most connections are in use, it gets less patience.
//!
//! The message is not changed (no Received, no Return-Path); its envelope is passed on separately.
//!
//! Known limits: no SMTPUTF8 and no CHUNKING; a line of a message may be as long as the message.

mod admission;
mod client;
mod command;
mod data;
mod delivery;
mod end;
mod listener;
mod network;
mod progress;
mod rates;
mod reply;
mod session;
mod settings;
mod tls;
mod transaction;
mod wire;

pub use admission::Admission;
pub use listener::{Door, serve, turn_all_away};
pub use network::Networks;
pub use session::Protocol;
pub use settings::Settings;
pub use tls::{BadTls, Tls};

#[cfg(test)]
mod tests;
