//! Long work: a line on the operator's terminal, nothing elsewhere, and nothing left when it is interrupted.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::{Deref, DerefMut};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use rusqlite::Connection;

use crate::daemon::{PROGRAM, Setup, signal, until};

const SIGINT: i32 = 2;

/// What a shell makes of a program that died of it.
const INTERRUPTED: i32 = 128 + SIGINT;

/// What begins each line of progress that is drawn, and clears it.
const CLEARED: &str = "\r\u{1b}[2K";

/// A program, killed when dropped: one that a failed test leaves would count for a month.
struct Running(Child);

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.kill());
        drop(self.wait());
    }
}

/// A program on a terminal, whose standard output goes to a file.
struct OnTerminal {
    script: Running,
    shown: Arc<Mutex<String>>,
}

impl OnTerminal {
    fn begin(words: &[&str], out: &Path) -> Self {
        let words: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
        let command = format!("exec '{PROGRAM}' {} >'{}'", words.join(" "), out.display());
        let script = Command::new("script")
            .args([
                "--quiet",
                "--return",
                "--flush",
                "--command",
                &command,
                "/dev/null",
            ])
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut script = Running(script.unwrap());
        let shown = Arc::<Mutex<String>>::default();
        let mut stdout = script.stdout.take().unwrap();
        let showing = shown.clone();
        thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(length @ 1..) = stdout.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..length]);
                showing.lock().unwrap().push_str(&text);
            }
        });
        Self { script, shown }
    }

    fn wait_for(&self, text: &str) {
        until(text, || self.shown.lock().unwrap().contains(text).then_some(()));
    }

    /// Waits until it has counted for three seconds. On a busy machine not every second is shown.
    fn wait_for_seconds(&self) {
        let is_later = |shown: &str| (3..100).any(|seconds| shown.contains(&format!("({seconds}s)")));
        until("three seconds", || {
            is_later(&self.shown.lock().unwrap()).then_some(())
        });
    }

    fn press_ctrl_c(&mut self) {
        self.script.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    }

    /// What was shown, and the exit code.
    fn ended(mut self) -> (String, i32) {
        let status = until("it has ended", || self.script.try_wait().unwrap());
        let shown = self.shown.lock().unwrap().clone();
        (shown, status.code().unwrap())
    }
}

fn started(setup: &Setup, words: &[&str]) -> Running {
    let mut command = setup.command();
    command.args(words).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Running(command.spawn().unwrap())
}

/// The depths and counts in the output of `perft`, without the times.
fn counts(out: &str) -> Vec<String> {
    let counts = |line: &str| line.split('\t').take(2).collect::<Vec<_>>().join(" ");
    out.lines().map(counts).collect()
}

#[test]
fn long_counting_is_announced_shown_on_a_terminal_alone_and_can_be_ended() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let words = ["perft", "Ringworm", "3"];
    let wanted = ["1 218", "2 2166658418"];

    let mut child = started(&setup, &words);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut note = String::new();
    stderr.read_line(&mut note).unwrap();
    assert!(note.starts_with("depth 3 will take about "), "{note}");
    assert!(
        note.contains("estimated from depth 2") && note.ends_with(": ^C ends it\n"),
        "{note}"
    );

    let file = folder.path().join("out");
    let mut shown = OnTerminal::begin(&words, &file);
    shown.wait_for("counting depth 3");
    shown.wait_for_seconds();
    shown.press_ctrl_c();
    let (shown, code) = shown.ended();
    assert_eq!(code, INTERRUPTED, "{shown:?}");
    assert_eq!(shown.matches("depth 3 will take about").count(), 1, "{shown:?}");
    let (_, after) = shown.rsplit_once("counting depth 3").unwrap();
    let (_, left) = after.rsplit_once(CLEARED).unwrap();
    assert_eq!(left, "", "{shown:?}");
    assert_eq!(counts(&fs::read_to_string(&file).unwrap()), wanted);

    // By now it is at it for as long.
    signal(child.id(), "INT");
    assert_eq!(child.wait().unwrap().signal(), Some(SIGINT));
    let mut more = String::new();
    stderr.read_to_string(&mut more).unwrap();
    assert_eq!(more, "", "no progress without a terminal");
    let mut out = String::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_to_string(&mut out).unwrap();
    assert_eq!(counts(&out), wanted);

    let short = setup.run(&["perft", "Pow2", "2"]);
    assert!(short.stderr.is_empty(), "{short:?}");
}

#[test]
fn a_terminal_changes_nothing_of_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    // Seconds of work.
    let words = ["solve", "Forms", "x x o o/o o x x/x x o o/o o x x"];
    let file = folder.path().join("out");
    let (shown, code) = OnTerminal::begin(&words, &file).ended();
    assert_eq!(code, 0, "{shown:?}");
    let output = setup.run(&words);
    assert_eq!(fs::read(&file).unwrap(), output.stdout);
    assert!(output.stderr.is_empty(), "{output:?}");
    let last = shown.rsplit(CLEARED).next().unwrap();
    assert_eq!(last, "", "{shown:?}");
}

/// A database that takes a while to copy.
fn large(setup: Setup) -> Setup {
    setup.done(&["mail", "alice@home.example", "signup alice fig7elk"]);
    let conn = Connection::open(setup.database()).unwrap();
    let sql = "CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (randomblob(100000000))";
    conn.execute_batch(sql).unwrap();
    conn.close().unwrap();
    setup
}

/// The files in a folder, without those that SQLite makes and removes.
fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names
        .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
        .collect();
    names.sort();
    names
}

#[test]
fn an_interrupted_backup_or_restore_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let setup = large(Setup::new(folder.path()));
    let target = folder.path().join("backups");
    let mut child = started(&setup, &["backup", target.to_str().unwrap()]);
    until("the backup has begun", || {
        let inside = fs::read_dir(&target).ok()?.next()?.unwrap().path();
        inside.join("pbmserv.sqlite").exists().then_some(())
    });
    signal(child.id(), "INT");
    assert_eq!(child.wait().unwrap().signal(), Some(SIGINT));
    assert!(files(&target).is_empty(), "{:?}", files(&target));

    let output = setup.run(&["backup", target.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "the last stop was clean: {output:?}");
    let backup = String::from_utf8(output.stdout).unwrap();
    let before = files(&setup.data);
    let mut child = started(&setup, &["restore", backup.trim()]);
    until("the copy has begun", || {
        setup.data.join("pbmserv.sqlite.restored").exists().then_some(())
    });
    signal(child.id(), "TERM");
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(files(&setup.data), before);
    setup.done(&["user", "show", "alice"]);
    let restored = setup.done(&["restore", backup.trim()]);
    assert!(restored.starts_with("restored: 1 players"), "{restored}");
}

#[test]
fn the_server_says_how_far_its_backup_is() {
    let folder = tempfile::tempdir().unwrap();
    let setup = large(Setup::new(folder.path()));
    let daemon = setup.serve();
    let target = folder.path().join("backups");
    let mut stream = UnixStream::connect(setup.data.join("control.sock")).unwrap();
    let request = format!(
        r#"{{"verb":{{"Backup":{{"folder":"{}","keep":null}}}},"caller":{{"who":"root"}}}}"#,
        target.display()
    );
    writeln!(stream, "{request}").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let lines: Vec<serde_json::Value> = BufReader::new(stream)
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    let (answer, told) = lines.split_last().unwrap();
    assert_eq!(answer["code"], 0, "{answer}");
    let pages: Vec<_> = told
        .iter()
        .filter_map(|line| line["copying"]["Pages"]["done"].as_u64())
        .collect();
    assert!(pages.is_sorted() && !pages.is_empty(), "{lines:?}");
    assert_eq!(told.last().unwrap()["copying"], "Check");
    daemon.stop_well();
}
