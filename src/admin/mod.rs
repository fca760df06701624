//! The operator's verbs. Those that touch the data folder are requests: the running daemon carries them out,
//! or, when none runs, the verb does so itself under the lock of the folder.

mod backup;
mod boards;
mod change;
pub mod check;
pub mod init;
mod mail;
pub mod perft;
mod queue;
pub mod replay;
mod request;
pub mod restore;
mod ruling;
pub mod show;
pub mod solve;
mod stats;
mod users;

pub use change::{Hand, Operation};
pub use request::{Answer, Request, Show, ask_or_do, run};
pub use ruling::{Ruling, Verdict};
