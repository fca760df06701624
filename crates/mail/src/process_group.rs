//! A child process with all that it starts.

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;

/// The process group of a child, which is killed when this is dropped. The child must have been started with
/// `process_group(0)`.
pub(crate) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    pub(crate) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }

    /// The process group ID may be reused from now on. Children that are still running are meant to run.
    pub(crate) fn let_run(mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // It may have exited a moment ago.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}
