//! The parts of the server that run as tasks.

use tokio::task::JoinHandle;

/// The name and the handle of a part that runs as a task.
pub(super) type Task = (&'static str, JoinHandle<()>);

/// The name of the control socket's task.
pub(super) const CONTROL: &str = "control";
