//! A real daemon as a child process, and the actions of its players and its operator.

pub(crate) mod browser;
pub(crate) mod cluster;
pub(crate) mod disk;
pub(crate) mod dns;
pub(crate) mod http;
pub(crate) mod imap;
mod log;
pub(crate) mod mailbox;
pub(crate) mod middle;
pub(crate) mod postgres;
pub(crate) mod proxy;
pub(crate) mod relay;
pub(crate) mod smtp;
pub(crate) mod stuck;
pub(crate) mod tls;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use self::log::Log;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_pbmserv");
pub(crate) const SERVER: &str = "pbmserv@localhost";

/// The timeout of every wait: long, since the machine may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A data folder and the settings of the programs that use it.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) data: PathBuf,
    settings: Vec<(String, String)>,
    /// A command that starts the daemon, such as `nsenter`.
    before: Vec<String>,
    /// The program, with the words before those of a verb.
    program: Vec<String>,
}

impl Setup {
    /// A setup in this folder that allows one sender as much as a test sends, on any disk.
    pub(crate) fn new(folder: &Path) -> Self {
        let setup = Self {
            data: folder.join("data"),
            settings: Vec::new(),
            before: Vec::new(),
            program: vec![PROGRAM.to_owned()],
        };
        let setup = setup.with("PBMSERV_SERVER_DATA", &setup.data.to_string_lossy());
        [
            "MAILS_AN_HOUR",
            "REFUSALS_A_DAY",
            "ANSWERS_A_DAY",
            "STRANGERS_ANSWERS_A_DAY",
            "STRANGERS_MAILS_AN_HOUR",
            "CHALLENGES_A_DAY",
            "MESSAGES_A_DAY",
        ]
        .into_iter()
        .fold(setup, |setup, limit| {
            setup.with(&format!("PBMSERV_LIMITS_{limit}"), "1000000")
        })
        .with("PBMSERV_SMTP_LISTEN", "127.0.0.1:0")
        .with("PBMSERV_WEB_LISTEN", "")
        // Some tests run on a small disk.
        .with("PBMSERV_SERVER_MIN_FREE_BYTES", "0")
    }

    /// The same with this environment variable.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut setup = self.clone();
        setup.settings.retain(|(known, _)| known != name);
        setup.settings.push((name.to_owned(), value.to_owned()));
        setup
    }

    /// The same after a first start, which makes the data folder.
    pub(crate) fn begun(self) -> Self {
        self.serve().stop_well();
        self
    }

    /// The same with its programs started by this command.
    pub(crate) fn behind(&self, before: &[&str]) -> Self {
        Self {
            before: before.iter().map(|&word| word.to_owned()).collect(),
            ..self.clone()
        }
    }

    /// The same with another program.
    pub(crate) fn of(&self, program: Vec<String>) -> Self {
        Self {
            program,
            ..self.clone()
        }
    }

    /// The program with these settings, for a test that gives it a folder or a terminal of its own.
    pub(crate) fn command(&self) -> Command {
        let mut words = self.before.iter().chain(&self.program);
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PBMSERV_")) {
            command.env_remove(name);
        }
        // This machine may have an /etc/pbmserv.toml.
        command.env("PBMSERV_CONFIG", "");
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts the daemon, which must fail; returns its error.
    pub(crate) fn does_not_start(&self) -> String {
        self.start_ends_with(1)
    }

    /// Starts the daemon, which must end with this exit code; returns its error.
    pub(crate) fn start_ends_with(&self, code: i32) -> String {
        let mut child = self
            .command()
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{error}");
        error
    }

    /// Starts the daemon and waits until it is ready.
    pub(crate) fn serve(&self) -> Daemon {
        let mut daemon = self.begin();
        assert!(daemon.is_ready(), "the daemon has ended:\n{}", daemon.log());
        daemon
    }

    /// Starts the daemon.
    pub(crate) fn begin(&self) -> Daemon {
        let (log, stderr) = Log::new();
        let mut command = self.command();
        command
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr);
        Daemon {
            child: command.spawn().unwrap(),
            log,
            port: 0,
        }
    }

    /// Runs a verb to its end.
    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.run_with(words, b"")
    }

    /// Runs a verb to its end, with this on its standard input.
    pub(crate) fn run_with(&self, words: &[&str], input: &[u8]) -> Output {
        let mut child = self
            .command()
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The program may exit before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input);
        let mut output = child.wait_with_output().unwrap();
        // What the harness has printed before, if a test is the program.
        if let Some(printed) = output.stdout.strip_prefix(b"\nrunning 1 test\n") {
            output.stdout = printed.to_vec();
        }
        output
    }

    /// Runs a verb that must succeed, and returns its output.
    pub(crate) fn done(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Submits a message to `ingest`; returns its exit code and its error.
    pub(crate) fn ingest(&self, sender: &str, message: &[u8]) -> (i32, String) {
        let output = self.run_with(&["ingest", "--sender", sender, "--recipient", SERVER], message);
        let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap_or(-1), sentence)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.data.join("pbmserv.sqlite")
    }

    /// The database, opened read-only.
    pub(crate) fn look(&self) -> Connection {
        look(&self.database())
    }

    /// Waits until no mail waits to be sent.
    pub(crate) fn wait_for_delivery(&self) {
        until("all mails are delivered", || {
            let waiting = self.done(&["queue", "list", "--state", "waiting", "--json"]);
            (waiting.trim() == "[]").then_some(())
        });
    }
}

/// Opens a database read-only.
pub(crate) fn look(database: &Path) -> Connection {
    let conn = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    conn.busy_timeout(PATIENCE).unwrap();
    conn
}

/// One number from the database.
pub(crate) fn count(conn: &Connection, sql: &str) -> i64 {
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// SQLite's integrity check of the whole file: `ok`.
pub(crate) fn integrity(conn: &Connection) -> String {
    conn.query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap()
}

/// A running daemon; killed when dropped.
pub(crate) struct Daemon {
    child: Child,
    pub(crate) port: u16,
    log: Log,
}

impl Daemon {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Limits the size of its files to this many more bytes; `unlimited` lifts the limit.
    pub(crate) fn limit_files(&self, bytes: &str) {
        let status = Command::new("prlimit")
            .args([
                format!("--pid={}", self.pid()),
                format!("--fsize={bytes}:unlimited"),
            ])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// Waits until it is ready; false if it exits before.
    pub(crate) fn is_ready(&mut self) -> bool {
        until("the daemon is ready", || {
            let has_ended = self.child.try_wait().unwrap().is_some();
            let log = self.log();
            let ready = log.lines().find(|line| line.contains(" ready "));
            let port = ready.and_then(|ready| {
                let (_, smtp) = ready.split_once("smtp=127.0.0.1:")?;
                smtp.split(' ').next()?.parse().ok()
            });
            match port {
                Some(port) => {
                    self.port = port;
                    Some(true)
                }
                None => has_ended.then_some(false),
            }
        })
    }

    /// What it has written to standard error so far.
    pub(crate) fn log(&self) -> String {
        self.log.text()
    }

    /// kill -9.
    pub(crate) fn kill(self) {
        self.kill_and_tell();
    }

    /// kill -9; returns the log.
    pub(crate) fn kill_and_tell(mut self) -> String {
        self.child.kill().unwrap();
        self.ended();
        self.log()
    }

    pub(crate) fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    /// Whether it has not ended yet.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until it exits by itself.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        until("the daemon has ended", || self.child.try_wait().unwrap())
    }

    /// SIGTERM; returns the exit status and the log.
    pub(crate) fn stop(mut self) -> (ExitStatus, String) {
        self.signal("TERM");
        (self.ended(), self.log())
    }

    /// SIGTERM to a daemon whose log must have no error.
    pub(crate) fn stop_well(self) -> String {
        let (status, log) = self.stop();
        assert!(status.success(), "{status}:\n{log}");
        assert!(!log.contains("panicked"), "{log}");
        log
    }

    /// A number of kilobytes in `/proc/PID/status`, such as `VmHWM`.
    pub(crate) fn kilobytes(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            let log = self.log();
            let lines: Vec<_> = log.lines().collect();
            let (before, last) = lines.split_at(lines.len().saturating_sub(50));
            let is_bad = |line: &&&str| line.contains(" WARN ") || line.contains("ERROR ");
            let bad: Vec<_> = before.iter().filter(is_bad).copied().collect();
            eprintln!("--- what was wrong in the daemon's log:\n{}", bad.join("\n"));
            eprintln!("--- the end of it:\n{}", last.join("\n"));
        }
    }
}

pub(crate) fn signal(pid: u32, name: &str) {
    let status = Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

/// Waits until there is a value; fails after the timeout. Looks less often the longer it takes, since a look may start a program.
pub(crate) fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited too long: {what}");
        let pause = start.elapsed() / 20;
        std::thread::sleep(pause.clamp(Duration::from_millis(2), Duration::from_millis(100)));
    }
}

/// The seed of this run, from the environment or new; printed, so that a failure can be repeated.
pub(crate) fn seed() -> u64 {
    let seed = std::env::var("TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    eprintln!("TEST_SEED={seed}");
    seed
}
