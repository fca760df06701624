//! A log that cannot be written never stops the server: a full disk, a closed pipe, a pipe that nobody reads.

use std::fs::{self, File};
use std::io::{PipeReader, Read as _, pipe};
use std::os::unix::fs::FileTypeExt as _;
use std::process::{Child, Stdio};

use crate::daemon::http::closed_port;
use crate::daemon::smtp::{Client, message};
use crate::daemon::{Setup, count, signal, until};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

/// A server whose output goes to `stdout` and `stderr`; killed when dropped.
struct Logless {
    child: Child,
    setup: Setup,
    port: u16,
}

impl Drop for Logless {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Logless {
    fn serve(setup: &Setup, stdout: impl Into<Stdio>, stderr: impl Into<Stdio>) -> Self {
        let port = closed_port();
        let setup = setup
            .with("PBMSERV_SMTP_LISTEN", &format!("127.0.0.1:{port}"))
            .with("PBMSERV_LOG_LEVEL", "trace");
        let mut command = setup.command();
        command
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr);
        let child = command.spawn().unwrap();
        let server = Self { child, setup, port };
        until("the server listens", || Client::connect(port).ok());
        server
    }

    /// Each mail is answered with 250, and a turn is played.
    fn plays(&mut self) {
        for (sender, subject) in [
            (ALICE, "signup alice fig7elk"),
            (BOB, "signup bob oak4jay"),
            (ALICE, "Pow2 challenge alice bob"),
            (ALICE, "Pow2 move 101 alice fig7elk m13-m5"),
        ] {
            self.sends(sender, subject);
        }
        self.has_turns(1);
    }

    fn has_turns(&mut self, turns: i64) {
        assert_eq!(count(&self.setup.look(), "SELECT COUNT(*) FROM turns"), turns);
        assert!(self.child.try_wait().unwrap().is_none(), "it runs");
    }

    fn sends(&self, sender: &str, subject: &str) {
        let mut client = Client::connect(self.port).unwrap();
        let id = format!("{}@home.example", rand::random::<u64>());
        let reply = client.send(sender, &message(sender, &id, subject, "")).unwrap();
        assert!(reply.starts_with("250"), "{subject}: {reply}");
    }

    /// It stops when it is asked to, although its last lines cannot be written.
    fn stops(mut self) {
        signal(self.child.id(), "TERM");
        let status = until("it has ended", || self.child.try_wait().unwrap());
        assert!(status.success(), "{status}");
    }
}

/// Fills a pipe until nothing more fits, and returns its end for reading.
fn full() -> (PipeReader, Stdio) {
    let (reader, writer) = pipe().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while rustix::io::write(&writer, &[b'.'; 512]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    (reader, writer.into())
}

#[test]
fn a_log_on_a_full_disk_stops_nothing() {
    assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    let folder = tempfile::tempdir().unwrap();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let setup = Setup::new(folder.path());
    let mut server = Logless::serve(&setup, full(), full());
    server.plays();
    let printed = server.setup.run(&["check"]).stdout;
    let printed = String::from_utf8(printed).unwrap();
    assert!(
        printed.contains("FAULT  server: The log cannot be written"),
        "{printed}"
    );
    server.stops();
}

#[test]
fn a_log_into_a_closed_pipe_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let closed = || {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        writer
    };
    let mut server = Logless::serve(&Setup::new(folder.path()), closed(), closed());
    server.plays();
    server.stops();
}

#[test]
fn a_log_that_nobody_reads_stops_nothing_and_is_told_when_it_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (_stdout, out) = full();
    let (mut stderr, err) = full();
    let setup = Setup::new(folder.path());
    let mut server = Logless::serve(&setup, out, err);
    server.plays();
    // More than the server keeps for its reader.
    until("lines are dropped", || {
        (0..50).for_each(|_| server.sends(ALICE, "help"));
        let printed = server.setup.run(&["check"]).stdout;
        String::from_utf8(printed)
            .unwrap()
            .contains("The log cannot be written")
            .then_some(())
    });
    let mut log = Vec::new();
    until("the log says how many", || {
        let mut piece = [0; 64 * 1024];
        let length = stderr.read(&mut piece).unwrap();
        log.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&log);
        text.lines()
            .any(|line| line.contains("lines of the log were lost") && line.contains("lost="))
            .then_some(())
    });
    drop(std::thread::spawn(move || {
        std::io::copy(&mut stderr, &mut std::io::sink())
    }));
    server.sends(BOB, "Pow2 move 101 bob oak4jay a1-e1");
    server.has_turns(2);
    server.stops();
}

#[test]
fn a_level_that_is_none_is_refused_with_its_line_and_the_levels() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pbmserv.toml");
    let setup = Setup::new(folder.path()).with("PBMSERV_CONFIG", file.to_str().unwrap());
    for wrong in [
        "warning",
        "inof",
        "",
        "info,pbmserv_mail::doors=dbug",
        "info, warn",
    ] {
        fs::write(&file, format!("[log]\nlevel = \"{wrong}\"\n")).unwrap();
        let error = setup.does_not_start();
        assert!(
            error.contains("pbmserv.toml, line 2: log.level"),
            "{wrong}: {error}"
        );
        assert!(
            error.contains("use error, warn, info, debug, trace or off"),
            "{wrong}: {error}"
        );
    }
    fs::write(&file, "[log]\nlevel = \"info,pbmserv_mail::doors=debug\"\n").unwrap();
    setup.serve().stop_well();
}
