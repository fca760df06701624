//! The running server: engine, doors, sender and control socket, started together and stopped cleanly.

mod alarms;
pub mod control;
mod housekeeping;
mod listeners;
mod mailboxes;
mod migration;
mod monitoring;
mod operator;
mod pages;
mod process;
mod reload;
pub mod serve;
mod signals;
mod systemd;
mod task;
pub mod timer;
mod waiting;
