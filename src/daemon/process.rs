//! What the kernel says of this process: the metrics that every client of Prometheus has under these names, and the
//! limit of open files.
//!
//! All of it is in `/proc/self`, the only folder of `/proc` that the unit leaves visible. On a machine without
//! `/proc` it is unknown.

use std::fmt::Display;

use chrono::{DateTime, Utc};
use procfs::process::{LimitValue, Process};
use procfs::{ProcResult, WithCurrentSystemInfo as _};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Leaves no core dump, and lets no other process of this account read this one's memory, which holds passwords and the key. It
/// still reads its own `/proc/self`.
pub(super) fn close_to_others() {
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "other processes of this account can read the memory of the server");
    }
}

/// The most files that this process may have open; `None` if it is unknown or unlimited.
pub(super) fn most_files() -> Option<u64> {
    most_files_of(&Process::myself().ok()?).ok().flatten()
}

fn most_files_of(process: &Process) -> ProcResult<Option<u64>> {
    Ok(match process.limits()?.max_open_files.soft_limit {
        LimitValue::Value(files) => Some(files),
        LimitValue::Unlimited => None,
    })
}

/// Fewer leave too little for connections: what the server itself has open is reserved first.
const LEAST_FILES: u64 = 128;

/// Checks that this process may have enough files open to be of use.
///
/// # Errors
/// It may not; the message has the remedy.
pub(super) fn has_enough_files() -> anyhow::Result<()> {
    match most_files() {
        Some(files) if files < LEAST_FILES => anyhow::bail!(
            "this process may open {files} files, and each connection is one: a server needs {LEAST_FILES} at least, and 8192 are \
             better: ulimit -n 8192 before the start, or LimitNOFILE=8192 in the unit"
        ),
        _ => Ok(()),
    }
}

/// The metrics in the text format of Prometheus; empty on a machine without `/proc`.
///
/// They are not gauges of [`Meters`](crate::engine::meters::Meters), whose counters are integers: seconds of the
/// processor have fractions.
///
/// The kernel counts a start from that of the machine, which only `/proc/stat` tells. The unit hides that file, so
/// `started` is what the clock said when the server started.
pub(super) fn metrics(started: DateTime<Utc>) -> String {
    Process::myself()
        .and_then(|process| read(&process, started))
        .unwrap_or_default()
}

fn read(process: &Process, started: DateTime<Utc>) -> ProcResult<String> {
    let stat = process.stat()?;
    let seconds = (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64;
    let memory = stat.rss_bytes().get();
    let start = started.timestamp_millis() as f64 / 1000.0;
    let most_files = most_files_of(process)?.map(|files| {
        let what = "The most files and connections that may be open";
        metric("process_max_fds", "gauge", what, files)
    });
    Ok([
        metric(
            "process_cpu_seconds_total",
            "counter",
            "Time of processors used by the server and the kernel for it",
            seconds,
        ),
        metric("process_resident_memory_bytes", "gauge", "Memory in use", memory),
        metric(
            "process_virtual_memory_bytes",
            "gauge",
            "Addresses in use; most of them have no memory",
            stat.vsize,
        ),
        metric(
            "process_open_fds",
            "gauge",
            "Open files and connections",
            process.fd_count()?,
        ),
        most_files.unwrap_or_default(),
        metric("process_threads", "gauge", "Threads", stat.num_threads),
        metric(
            "process_start_time_seconds",
            "gauge",
            "The time of the start, in seconds since 1970",
            start,
        ),
    ]
    .concat())
}

fn metric(name: &str, kind: &str, what: &str, value: impl Display) -> String {
    format!("# HELP {name} {what}\n# TYPE {name} {kind}\n{name} {value}\n\n")
}
