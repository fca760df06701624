//! The parts of the server that run as tasks.

use tokio::task::JoinHandle;

/// A part of the server that runs by itself, and its name.
pub(super) type Task = (&'static str, JoinHandle<()>);
