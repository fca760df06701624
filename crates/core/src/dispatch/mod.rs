//! Handles one message in one transaction. Only this module uses all the others.
//!
//! [`Handler::handle`] records a message, decides what it does, applies that and writes the answers to the outbox,
//! all inside the savepoint that the engine opened for it.
//!
//! Any function here can fail with an [`InternalError`](crate::command::InternalError) of the database. `# Errors`
//! names only what a caller must know beyond that.

mod again;
mod answered_digest;
mod answered_gazette;
mod apply;
mod batch;
mod bounds;
mod claims;
mod clocks;
mod command_result;
mod computers;
mod contests;
mod destination;
mod digest;
mod digest_answers;
pub mod due;
mod due_task;
mod entry;
mod expiry;
mod failures;
mod form;
mod gathered;
mod gazette;
mod handler;
mod invited;
mod invited_commands;
mod later;
mod lists;
mod message;
mod message_run;
mod notices;
mod own_words;
mod page_key;
mod post;
mod postmaster;
mod quoted;
mod repeating;
mod reply_context;
mod request;
mod set_aside;
mod steps;
mod thread;
mod token;
mod trust;

pub use claims::has_something_to_end;
pub use command_result::{CommandOutcome, CommandResult};
pub use computers::FoundTurn;
pub use due_task::{DueTask, Row};
pub use entry::{Handled, Recorded};
pub use form::form_record;
pub use handler::{Handler, Limits};
pub use notices::{notice_code, notice_line};
pub use page_key::{Newcomer, Opened, Reach, Reached, Reply, exporter, newcomer, opened, page_key, page_of};
pub use request::{Arrived, Click, Request, Returned, Witness};
pub use token::{seat_generation, token};

pub use crate::store::Purpose;
