//! Decisions without a command: a clock is due, a question is answered, a mail program unsubscribes.

pub(crate) mod clocks;
pub(crate) mod confirm;
pub(crate) mod contests;
pub(crate) mod gazette;
pub(crate) mod leave;
pub(crate) mod own_words;
pub(crate) mod postmaster;
pub(crate) mod seasons;
