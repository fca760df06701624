//! Processor time of this thread.

use rustix::time::{ClockId, clock_gettime};

/// The seconds so far.
pub(crate) fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
