//! One message, one transaction: the only place that knows all parts.
//!
//! [`Handler::handle`] records a message, decides what it does, carries that out and writes the answers to the
//! outbox, all inside the savepoint that the engine opened for it.

mod apply;
mod batch;
mod clocks;
mod command_result;
mod digest;
pub mod due;
mod failures;
mod handler;
mod handling;
mod message;
mod post;
mod request;
mod source;
mod steps;
mod token;

pub use command_result::{CommandOutcome, CommandResult};
pub use handler::{Handler, Limits};
pub use message::Handled;
pub use request::{Request, Returned};
pub use source::{Row, Source};
pub use token::{Purpose, seat_generation, token};
