//! The running server: engine, doors, sender and control socket, started together and stopped cleanly.

pub mod control;
mod listeners;
mod mailboxes;
mod migration;
mod monitoring;
mod reload;
pub mod serve;
mod task;
pub mod timer;
