//! The running server: the engine, its doors, its sender, together and stopped cleanly.

pub mod clock;
pub mod control;
pub mod engine;
pub mod folder;
mod listeners;
mod mailboxes;
pub mod meters;
pub mod office;
mod pages;
pub mod panics;
pub mod passwords;
pub mod queue;
pub mod serve;
pub mod timer;
mod watching;
