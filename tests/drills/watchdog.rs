//! What systemd is told, and when it would restart the server: the drills listen in its place.

use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::daemon::http::{ALICE, watched};
use crate::daemon::smtp::{Client, message, send, stuffed};
use crate::daemon::stuck::Stuck;
use crate::daemon::{Daemon, PATIENCE, Setup, until};

/// The watchdog of the drills: a server that is silent for this long would be killed.
const WATCHDOG: Duration = Duration::from_millis(1500);

/// In systemd's place; it always listens, since a server waits for a systemd that does not.
struct Systemd(Receiver<String>);

impl Systemd {
    fn listen(folder: &Path) -> (Self, Setup) {
        let socket = folder.join("notify");
        let setup = watched(folder).with("NOTIFY_SOCKET", socket.to_str().unwrap());
        let socket = UnixDatagram::bind(&socket).unwrap();
        let (said, heard) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length) = socket.recv(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
                if said.send(text).is_err() {
                    return;
                }
            }
        });
        (Self(heard), setup)
    }

    /// The next message, unless none comes in this time.
    fn hear(&self, within: Duration) -> Option<String> {
        self.0.recv_timeout(within).ok()
    }

    /// Listens until this comes, or something longer that begins so.
    fn wait_for(&self, beginning: &str) -> String {
        let start = Instant::now();
        loop {
            let heard = self.hear(PATIENCE.saturating_sub(start.elapsed()));
            let heard = heard.unwrap_or_else(|| panic!("waited too long: {beginning}"));
            if heard.starts_with(beginning) {
                return heard;
            }
        }
    }

    /// Whether the watchdog is fed before it would bite.
    fn is_fed(&self) -> bool {
        let start = Instant::now();
        while let Some(rest) = WATCHDOG
            .checked_sub(start.elapsed())
            .filter(|rest| !rest.is_zero())
        {
            if self.hear(rest).is_some_and(|heard| heard == "WATCHDOG=1\n") {
                return true;
            }
        }
        false
    }

    fn forget_what_was_said(&self) {
        while self.0.try_recv().is_ok() {}
    }
}

#[test]
fn systemd_is_told_when_the_server_is_ready_reloads_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let (systemd, setup) = Systemd::listen(folder.path());
    let daemon = setup.serve();
    let mut heard = [systemd.hear(PATIENCE).unwrap(), systemd.hear(PATIENCE).unwrap()];
    heard.sort();
    assert_eq!(
        heard,
        [
            "READY=1\n",
            "STATUS=no board runs; no mail waits; no mail has come\n"
        ]
    );
    daemon.signal("HUP");
    let reloading = systemd.hear(PATIENCE).unwrap();
    let time = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=");
    assert!(time.unwrap().trim_end().parse::<u64>().is_ok(), "{reloading}");
    assert_eq!(systemd.hear(PATIENCE).unwrap(), "READY=1\n");
    daemon.stop_well();
    assert_eq!(systemd.hear(PATIENCE).unwrap(), "STOPPING=1\n");
    // It was not asked to feed a watchdog.
    assert!(systemd.0.try_recv().is_err());
}

#[test]
fn a_database_that_is_locked_is_told_and_is_no_case_for_the_watchdog() {
    let folder = tempfile::tempdir().unwrap();
    let (systemd, setup) = Systemd::listen(folder.path());
    let daemon = with_watchdog(&setup).serve();
    send(daemon.port, ALICE, "1@home.example", "signup alice fig7elk", "");
    setup.wait_for_delivery();
    let other = Connection::open(setup.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut client = Client::connect(daemon.port).unwrap();
    client.begin(ALICE).unwrap();
    let text = message(ALICE, "2@home.example", "help", "");
    client.write(&stuffed(&text)).unwrap();
    let status = systemd.wait_for("STATUS=The database cannot be written since ");
    assert!(status.contains("Z: another process has locked it: "), "{status}");
    for _ in 0..3 {
        assert!(systemd.is_fed());
    }
    other.execute_batch("ROLLBACK").unwrap();
    let status = systemd.wait_for("STATUS=");
    assert!(
        status.starts_with("STATUS=no board runs; no mail waits; the last mail came on 20"),
        "{status}"
    );
    daemon.stop_well();
}

#[test]
fn the_watchdog_is_fed_until_the_engine_is_stuck_and_again_when_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (systemd, setup) = Systemd::listen(folder.path());
    let daemon = with_watchdog(&setup).serve();
    for _ in 0..3 {
        assert!(systemd.is_fed());
    }
    let stuck = Stuck::hold(&setup, &daemon);
    let status = systemd.wait_for("STATUS=The engine has been at work on one batch for ");
    assert!(status.ends_with(" seconds.\n"), "{status}");
    let log = daemon.log();
    assert!(log.contains("the engine is stuck in a batch"), "{log}");
    systemd.forget_what_was_said();
    assert!(!systemd.is_fed(), "it would be killed");
    // Meanwhile all but the engine runs.
    assert_eq!(daemon.page("/healthz").status, 503);
    stuck.free();
    systemd.wait_for("WATCHDOG=1");
    assert!(systemd.is_fed());
    daemon.stop_well();
}

fn with_watchdog(setup: &Setup) -> Setup {
    setup.with("WATCHDOG_USEC", &WATCHDOG.as_micros().to_string())
}

#[test]
fn a_watchdog_for_another_process_is_not_fed() {
    let folder = tempfile::tempdir().unwrap();
    let (systemd, setup) = Systemd::listen(folder.path());
    let daemon = with_watchdog(&setup).with("WATCHDOG_PID", "1").serve();
    systemd.wait_for("READY=1");
    assert!(!systemd.is_fed());
    daemon.stop_well();
}

/// What Prometheus's own clients would say of this process, compared with what `/proc` says of it from outside.
#[test]
fn the_process_is_measured_as_the_kernel_does() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = watched(folder.path()).serve();
    let proc = format!("/proc/{}", daemon.pid());
    let is_about = |name: &str, expected: f64| {
        let found = daemon.metric(name);
        assert!(
            found > expected * 0.8 && found < expected * 1.25,
            "{name}: {found}, not {expected}"
        );
    };
    is_about(
        "process_resident_memory_bytes",
        daemon.kilobytes("VmRSS") as f64 * 1024.0,
    );
    is_about(
        "process_virtual_memory_bytes",
        daemon.kilobytes("VmSize") as f64 * 1024.0,
    );
    let files = std::fs::read_dir(format!("{proc}/fd")).unwrap().count() as f64;
    let open = daemon.metric("process_open_fds");
    assert!((open - files).abs() <= 5.0, "{open}, not {files}");
    let limits = std::fs::read_to_string(format!("{proc}/limits")).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files"));
    let limit: f64 = line.unwrap().split_whitespace().nth(3).unwrap().parse().unwrap();
    assert_eq!(daemon.metric("process_max_fds"), limit);
    let threads = daemon.metric("process_threads");
    assert!((3.0..100.0).contains(&threads), "{threads}");
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let age = now.as_secs_f64() - daemon.metric("process_start_time_seconds");
    assert!((0.0..PATIENCE.as_secs_f64()).contains(&age), "{age}");
    let before = daemon.metric("process_cpu_seconds_total");
    until("it has used the processor", || {
        (daemon.metric("process_cpu_seconds_total") > before).then_some(())
    });
    assert!(daemon.metric("process_cpu_seconds_total") < 60.0);
    let page = daemon.page("/metrics").body;
    assert!(
        page.contains("# TYPE process_cpu_seconds_total counter\n"),
        "{page}"
    );
    daemon.stop_well();
}

/// A machine without `/proc`.
#[test]
#[ignore = "mounts a file system: needs root"]
fn where_the_kernel_says_nothing_the_page_has_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let hidden = "mount -t tmpfs none /proc && exec \"$@\"";
    let hide = ["unshare", "--mount", "sh", "-c", hidden, "sh"];
    let daemon: Daemon = watched(folder.path()).behind(&hide).serve();
    let page = daemon.page("/metrics").body;
    assert!(page.contains("pbmserv_healthy 1"), "{page}");
    assert!(!page.contains("process_"), "{page}");
    daemon.stop_well();
}
