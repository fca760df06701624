//! What is decided without a command: a time has come, a question is answered, a program unsubscribes.

pub(crate) mod clocks;
pub(crate) mod confirm;
pub(crate) mod leave;
