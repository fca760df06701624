//! `ingest` and the operator's verbs, with a running daemon and without one.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::daemon::mailbox::all;
use crate::daemon::smtp::{Client, message};
use crate::daemon::{SERVER, Setup, count, integrity, look, until};
use rusqlite::Connection;
use rusqlite::types::Value;

const DONE: i32 = 0;
const UNUSABLE: i32 = 65;
const TRY_LATER: i32 = 75;

const ALICE: &str = "alice@home.example";

/// Every row of every table.
fn dump(conn: &Connection) -> String {
    let mut tables = conn
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap();
    let names: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut out = String::new();
    for name in names {
        let mut rows = conn
            .prepare(&format!("SELECT * FROM {name} ORDER BY 1, 2"))
            .unwrap();
        let columns = rows.column_count();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<Value> = (0..columns).map(|column| row.get(column).unwrap()).collect();
            // Each process records when the server was last up.
            let is_uptime = |value: &Value| matches!(value, Value::Text(text) if text == "stopped_at" || text == "steady_since");
            if name == "notes" && values.iter().any(is_uptime) {
                continue;
            }
            writeln!(out, "{name}: {values:?}").unwrap();
        }
    }
    out
}

fn help(number: usize) -> Vec<u8> {
    message(ALICE, &format!("help-{number}@home.example"), "help", "")
}

/// Every error is one sentence.
#[track_caller]
fn assert_code(result: &(i32, String), code: i32, what: &str) {
    let (found, sentence) = result;
    assert_eq!(*found, code, "{what}: {sentence}");
    if code != DONE {
        assert!(sentence.contains("pbmserv: "), "{what}: {sentence}");
        assert!(sentence.contains(what), "{what}: {sentence}");
    }
}

fn check_codes(setup: &Setup, first: usize) {
    let before = count(&setup.look(), "SELECT COUNT(*) FROM inbox");
    let with = |words: &[&str], input: &[u8]| {
        let output = setup.run_with(words, input);
        let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), sentence)
    };
    assert_code(&setup.ingest(ALICE, &help(first)), DONE, "");
    // The same message again is recognised.
    assert_code(&setup.ingest(ALICE, &help(first)), DONE, "");
    let header = [
        format!("Return-Path: <{ALICE}>\nDelivered-To: {SERVER}\n").into_bytes(),
        help(first + 1),
    ]
    .concat();
    assert_code(&with(&["ingest"], &header), DONE, "");
    // A message from the null sender is recorded and not answered.
    assert_code(&setup.ingest("", &help(first + 2)), DONE, "");
    assert_code(&setup.ingest(ALICE, b""), UNUSABLE, "no mail message");
    assert_code(
        &setup.ingest("no address", &help(99)),
        UNUSABLE,
        "not a mail address",
    );
    let elsewhere = ["ingest", "--sender", ALICE, "--recipient", "x@elsewhere.example"];
    assert_code(
        &with(&elsewhere, &help(99)),
        UNUSABLE,
        "is not the address of this server",
    );
    let long = [help(99), vec![b'x'; 1024 * 1024]].concat();
    assert_code(&setup.ingest(ALICE, &long), UNUSABLE, "longer than 1048576 bytes");
    let after = count(&setup.look(), "SELECT COUNT(*) FROM inbox");
    assert_eq!(after, before + 3);
    let answers = format!("SELECT COUNT(*) FROM outbox WHERE in_reply_to LIKE 'help-{first}@%'");
    assert_eq!(count(&setup.look(), &answers), 1);
}

#[test]
fn the_exit_code_says_whether_a_message_was_taken() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).begun();
    assert_code(&setup.ingest(ALICE, &help(0)), DONE, "");
    check_codes(&setup, 1);
    let daemon = setup.serve();
    check_codes(&setup, 11);
    setup.wait_for_delivery();
    daemon.stop_well();
    check_codes(&setup, 21);
    assert_eq!(all(&setup.data.join("mail")).len(), 7, "each is answered once");
}

#[test]
fn what_is_wrong_with_the_program_is_no_reason_to_bounce() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).begun();
    let output = setup.run_with(&["ingest", "--sendre", ALICE], &help(1));
    assert_eq!(output.status.code(), Some(TRY_LATER), "{output:?}");
    let config = folder.path().join("pbmserv.toml");
    let named = config.to_string_lossy();
    let with_config = || {
        let output = setup.run_with(&["ingest", "--config", &named], &help(1));
        let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), sentence)
    };
    assert_code(&with_config(), TRY_LATER, "No such file");
    fs::write(&config, "[smtp]\nlistne = \"\"\n").unwrap();
    assert_code(
        &with_config(),
        TRY_LATER,
        "line 2: no key is called `listne` here",
    );
    let misspelt = setup.with("PBMSERV_SMTP_LISTENS", "x");
    assert_code(
        &misspelt.ingest(ALICE, &help(1)),
        TRY_LATER,
        "PBMSERV_SMTP_LISTEN",
    );
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let no_folder = setup.with("PBMSERV_SERVER_DATA", &file.to_string_lossy());
    assert_code(&no_folder.ingest(ALICE, &help(1)), TRY_LATER, "cannot be used");
    let templates = folder.path().join("templates");
    fs::create_dir_all(&templates).unwrap();
    fs::write(templates.join("help.letter"), "{{ no.such.thing }}").unwrap();
    let bad_template = setup.with("PBMSERV_TEMPLATES_FOLDER", &templates.to_string_lossy());
    assert_code(&bad_template.ingest(ALICE, &help(1)), DONE, "");
    assert_code(&setup.ingest(ALICE, &help(1)), DONE, "");
    // The database of a newer program.
    let conn = Connection::open(setup.database()).unwrap();
    conn.pragma_update(None, "user_version", 9999).unwrap();
    assert_code(&setup.ingest(ALICE, &help(2)), TRY_LATER, "newer");
}

#[test]
fn a_folder_that_nobody_answers_for_is_tried_again_later() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .begun()
        .with("PBMSERV_LIMITS_CONTROL_SECONDS", "1");
    assert_code(&setup.ingest(ALICE, &help(1)), DONE, "");
    let lock = File::open(&setup.data).unwrap();
    lock.try_lock().unwrap();
    assert_code(&setup.ingest(ALICE, &help(2)), TRY_LATER, "in use");
    // Close the connection explicitly: a child process that another test has just started may still have the
    // descriptor.
    lock.unlock().unwrap();
    // A daemon that is stopped (SIGSTOP) accepts connections and does not respond.
    let daemon = setup.serve();
    let second = setup.run(&["serve"]);
    assert_eq!(second.status.code(), Some(1), "{second:?}");
    assert!(String::from_utf8_lossy(&second.stderr).contains("in use by another pbmserv"));
    daemon.signal("STOP");
    let start = Instant::now();
    assert_code(&setup.ingest(ALICE, &help(3)), TRY_LATER, "has not answered");
    assert!(start.elapsed() < Duration::from_secs(10));
    daemon.signal("CONT");
    for number in [2, 3] {
        assert_code(&setup.ingest(ALICE, &help(number)), DONE, "");
    }
    setup.wait_for_delivery();
    daemon.stop_well();
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM inbox"), 3);
    assert_eq!(all(&setup.data.join("mail")).len(), 3);
}

/// Submits this many messages, each from its own process, all at the same time; those deferred are submitted
/// again. Returns the number of repetitions.
fn ingest_all(setup: &Setup, first: usize, number: usize) -> usize {
    let repeated = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in first..first + number {
            let repeated = &repeated;
            scope.spawn(move || {
                for _ in 0..50 {
                    match setup.ingest(ALICE, &help(number)) {
                        (DONE, _) => return,
                        (TRY_LATER, _) => repeated.fetch_add(1, Ordering::SeqCst),
                        (code, sentence) => panic!("{code}: {sentence}"),
                    };
                }
                panic!("message {number} was never taken");
            });
        }
    });
    repeated.into_inner()
}

#[test]
fn many_at_once_are_each_taken_once() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).begun();
    let repeated = ingest_all(&setup, 0, 10);
    eprintln!("without a daemon: {repeated} times deferred");
    let daemon = setup.serve();
    assert_eq!(ingest_all(&setup, 10, 10), 0, "a daemon takes them all at once");
    // And while the daemon starts and stops.
    let daemon = thread::scope(|scope| {
        let last = scope.spawn(|| ingest_all(&setup, 20, 10));
        let mut daemon = daemon;
        while !last.is_finished() {
            daemon.stop_well();
            thread::sleep(Duration::from_millis(100));
            daemon = until("the daemon has the folder", || {
                let mut daemon = setup.begin();
                if daemon.is_ready() {
                    return Some(daemon);
                }
                // One of them holds the lock at this moment; systemd would start the daemon again.
                until("it says why", || {
                    daemon
                        .log()
                        .contains("is in use by another pbmserv")
                        .then_some(())
                });
                None
            });
            thread::sleep(Duration::from_millis(100));
        }
        daemon
    });
    setup.wait_for_delivery();
    daemon.stop_well();
    let conn = setup.look();
    assert_eq!(
        count(&conn, "SELECT COUNT(*) FROM inbox WHERE state = 'done'"),
        30
    );
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM inbox"), 30);
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM outbox"), 30);
    assert_eq!(all(&setup.data.join("mail")).len(), 30);
    assert_eq!(integrity(&conn), "ok");
}

/// Two players, a board, a chat, and two refused commands.
fn fill(setup: &Setup) {
    for (from, subject, text) in [
        (ALICE, "signup alice fig7elk", ""),
        ("bob@home.example", "signup bob oak4jay", ""),
        (ALICE, "Pow2 challenge alice bob", "Hello!"),
        (ALICE, "Pow2 chat 101 alice fig7elk", "Are you there?"),
        (ALICE, "Pow2 mvoe 101 alice fig7elk zz", ""),
        (ALICE, "Pow2 resign 101 bob fig7elk", ""),
    ] {
        setup.done(&["mail", from, subject, text]);
    }
}

/// Lines whose output must not depend on whether a daemon runs.
const QUESTIONS: &[&[&str]] = &[
    &["user", "list"],
    &["user", "show", "alice"],
    &["board", "list"],
    &["board", "list", "Pow2", "--all"],
    &["board", "show", "Pow2", "101"],
    &["queue", "list"],
    &["queue", "list", "--state", "sent", "--limit", "3"],
    &["queue", "list", "--inbox"],
    &["queue", "list", "--inbox", "--state", "refused", "--json"],
];

/// Lines that fail with one sentence.
const REFUSED: &[&[&str]] = &[
    &["user", "show", "nobody"],
    &["board", "list", "Shogi"],
    &["board", "show", "Pow2", "999"],
    &["queue", "list", "--state", "lost"],
    &["queue", "retry", "999"],
    &["queue", "drop", "1"],
    &["mail", "nobody", "help"],
];

#[test]
fn the_operators_verbs_say_the_same_with_a_daemon_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let answers = || {
        let done = QUESTIONS.iter().map(|words| setup.done(words));
        let refused = REFUSED.iter().map(|words| {
            let output = setup.run(words);
            assert_eq!(output.status.code(), Some(1), "{words:?}");
            let sentence = String::from_utf8(output.stderr).unwrap();
            assert_eq!(sentence.lines().count(), 1, "{words:?}: {sentence}");
            sentence
        });
        done.chain(refused).collect::<Vec<_>>()
    };
    let without = answers();
    let daemon = setup.serve();
    let with = answers();
    daemon.stop_well();
    assert_eq!(without, with);
    assert!(without[0].contains("alice") && without[0].contains("bob@home.example"));
    assert!(without[4].contains("Pow2 Board 101"), "{}", without[4]);
    assert!(without[8].contains("refused"), "{}", without[8]);
}

#[test]
fn a_rehearsal_says_what_would_happen_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let lines = [
        (ALICE, "signup carol bay5owl"),
        (ALICE, "Pow2 challenge alice bob"),
        (ALICE, "Pow2 chat 101 alice wrong"),
        (ALICE, "Pow2 resign 101 alice fig7elk"),
        ("stranger@home.example", "help"),
    ];
    let before = dump(&setup.look());
    let rehearse =
        || lines.map(|(from, line)| without_minutes(&setup.done(&["mail", from, line, "", "--dry-run"])));
    let without = rehearse();
    assert_eq!(dump(&setup.look()), before);
    let daemon = setup.serve();
    let running = dump(&setup.look());
    let with = rehearse();
    assert_eq!(dump(&setup.look()), running);
    daemon.stop_well();
    assert_eq!(dump(&setup.look()), before);
    for (number, (_, line)) in lines.iter().enumerate() {
        assert!(with[number].starts_with("To: "), "{line}: {}", with[number]);
        assert_eq!(without[number], with[number], "{line}");
    }
    // Without --dry-run the output is the same.
    let said = without_minutes(&setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]));
    assert!(said.starts_with(&with[1]), "{said}\n{}", with[1]);
    assert_ne!(dump(&setup.look()), before);
}

/// The text without the minutes of its times, which may differ in a second run.
fn without_minutes(text: &str) -> String {
    let parts: Vec<&str> = text.split(" UTC").collect();
    let minutes = |part: &&str| part.len() - part.bytes().rev().take_while(u8::is_ascii_digit).count();
    parts
        .iter()
        .map(|part| &part[..minutes(part)])
        .collect::<Vec<_>>()
        .join(" UTC")
}

/// Makes a backup below this folder and checks it; returns its folder.
fn backup(setup: &Setup, target: &Path) -> PathBuf {
    let said = setup.done(&["backup", &target.to_string_lossy()]);
    let made = PathBuf::from(said.trim());
    assert_eq!(made.parent(), Some(target));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&made), 0o700);
    let mut names: Vec<_> = fs::read_dir(&made)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["SHA256SUMS", "key", "pbmserv.sqlite"]);
    for name in names {
        assert_eq!(mode(&made.join(&name)), 0o600, "{name}");
    }
    assert_eq!(
        fs::read(made.join("key")).unwrap(),
        fs::read(setup.data.join("key")).unwrap()
    );
    assert_eq!(integrity(&look(&made.join("pbmserv.sqlite"))), "ok");
    made
}

#[test]
fn a_backup_is_whole_and_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let target = folder.path().join("backups");
    let made = backup(&setup, &target);
    let [running, stopped] = ["1", "0"].map(|value| format!("notes: [Text(\"running\"), Text(\"{value}\")]"));
    // The record of the backup is written after it.
    let is_of_the_backup = |line: &&str| line.starts_with("notes: [Text(\"backed_up_at\")");
    let now = dump(&setup.look());
    assert_eq!(now.lines().filter(is_of_the_backup).count(), 1);
    let other: Vec<_> = now.lines().filter(|line| !is_of_the_backup(line)).collect();
    assert_eq!(
        dump(&look(&made.join("pbmserv.sqlite")))
            .lines()
            .collect::<Vec<_>>(),
        other
            .join("\n")
            .replace(&stopped, &running)
            .lines()
            .collect::<Vec<_>>(),
        "only the notes of a clean stop and of the backup itself differ"
    );
    // While mails arrive, which it neither delays nor copies in part.
    let daemon = setup.serve();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (port, is_over) = (daemon.port, &is_over);
        let writer = scope.spawn(move || {
            let mut client = Client::connect(port).unwrap();
            let mut sent = 0;
            while !is_over.load(Ordering::SeqCst) {
                sent += 1;
                let reply = client.send(ALICE, &help(sent)).unwrap();
                assert!(reply.starts_with("250"), "{reply}");
            }
            sent
        });
        for _ in 0..5 {
            let made = backup(&setup, &target);
            let conn = look(&made.join("pbmserv.sqlite"));
            assert_eq!(
                count(
                    &conn,
                    "SELECT COUNT(*) FROM inbox WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE inbox = inbox.id)"
                ),
                0
            );
        }
        is_over.store(true, Ordering::SeqCst);
        assert!(writer.join().unwrap() > 5);
    });
    let last = backup(&setup, &target);
    let users = setup.done(&["user", "list"]);
    daemon.stop_well();
    // Use it as the data folder.
    let restored = setup.with("PBMSERV_SERVER_DATA", &last.to_string_lossy());
    assert_eq!(restored.done(&["user", "list"]), users);
    let board = ["board", "show", "Pow2", "101"];
    assert_eq!(restored.done(&board), setup.done(&board));
}
