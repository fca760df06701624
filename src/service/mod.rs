//! The running server: the engine, its doors, its sender, together and stopped cleanly.

pub mod engine;
pub mod folder;
pub mod passwords;
