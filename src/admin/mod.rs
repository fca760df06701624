//! The operator's verbs. `verb.rs` lists them in the order of `--help`. Each verb or family of verbs has a file, with
//! its arguments and their help, what it does, and the words of the audit log if it changes something.
//!
//! A verb that needs the data folder goes over the control socket to the running daemon. If no daemon runs, the verb
//! takes the lock of the folder and runs in its own process, by the same code.

mod adopt;
mod audit;
mod backup;
pub mod backups;
pub mod board;
mod caller;
pub mod check;
mod client;
mod compact;
mod contest;
pub mod control;
pub mod help;
mod ingest;
pub mod init;
pub mod interrupt;
pub mod key;
mod mail;
pub mod migrate;
mod new_game;
mod perft;
pub mod progress;
pub mod queue;
mod replay;
mod replays;
pub mod restore;
mod show;
mod solve;
mod start;
pub mod stats;
mod store;
pub mod sure;
mod think;
pub mod user;
mod verb;
mod verify;

pub use backup::Backup;
pub use caller::{Caller, PerhapsWhy, Why};
pub use check::{Fault, Health};
pub use client::ask_or_do;
pub use control::{Answer, VerbRequest};
pub use verb::{Cli, Demo, Verb};
