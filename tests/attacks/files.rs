//! Nobody else on the machine reads the database, its log, the key, a backup or a mail, whatever the umask and the mode of the
//! folder.

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::daemon::http::watched;
use crate::daemon::smtp::{Client, message};
use crate::daemon::{SERVER, Setup};

const ALICE: &str = "alice@home.example";

/// A setup whose programs run with umask 000, and whose data folder all accounts may enter.
fn open_to_all(folder: &Path) -> Setup {
    let setup = Setup::new(folder).behind(&["sh", "-c", "umask 000; exec \"$@\"", "sh"]);
    fs::create_dir(&setup.data).unwrap();
    set_mode(&setup.data, 0o755);
    setup
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// Everything below this folder.
fn all_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(all_below(&path));
        }
        found.push(path);
    }
    found
}

/// Asserts that no file below this folder is for others, and that these are among them.
#[track_caller]
fn are_closed(folder: &Path, names: &[&str]) {
    let found = all_below(folder);
    for path in &found {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(path), expected, "{}", path.display());
    }
    for name in names {
        assert!(found.iter().any(|path| path.ends_with(name)), "{name}: {found:?}");
    }
}

#[test]
fn what_a_server_writes_is_for_its_account_alone() {
    let folder = tempfile::tempdir().unwrap();
    let setup = open_to_all(folder.path());
    let daemon = setup.serve();
    let mut client = Client::connect(daemon.port).unwrap();
    let signup = message(ALICE, "1@home.example", "signup alice fig7elk", "");
    assert!(client.send(ALICE, &signup).unwrap().starts_with("250"));
    setup.wait_for_delivery();
    let names = [
        "pbmserv.sqlite",
        "pbmserv.sqlite-wal",
        "pbmserv.sqlite-shm",
        "key",
    ];
    are_closed(&setup.data, &names);
    let socket = fs::symlink_metadata(setup.data.join("control.sock")).unwrap();
    assert!(socket.file_type().is_socket());
    assert!(
        all_below(&setup.data.join("mail"))
            .iter()
            .any(|path| path.is_file()),
        "the letter is among them"
    );

    let backups = folder.path().join("backups");
    setup.done(&["backup", backups.to_str().unwrap()]);
    are_closed(&backups, &["pbmserv.sqlite", "key"]);
    daemon.stop_well();
}

#[test]
fn without_a_daemon_too() {
    let folder = tempfile::tempdir().unwrap();
    let setup = open_to_all(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    are_closed(&setup.data, &["pbmserv.sqlite", "key"]);
    let backups = folder.path().join("backups");
    let made = setup.done(&["backup", backups.to_str().unwrap()]);
    are_closed(&backups, &["pbmserv.sqlite", "key"]);
    // The restored database, and the replaced one.
    setup.done(&["restore", made.trim()]);
    are_closed(&setup.data, &["pbmserv.sqlite", "key"]);
}

#[test]
fn a_message_that_fails_is_kept_for_the_operator_alone() {
    let folder = tempfile::tempdir().unwrap();
    let setup = open_to_all(folder.path()).with("PBMSERV_ACCOUNTS_CONFIRM", "false");
    for (from, subject) in [
        (ALICE, "signup alice fig7elk"),
        ("bob@home.example", "signup bob oak4jay"),
        ("bob@home.example", "Pow2 challenge alice bob"),
        (ALICE, "Pow2 move 101 alice fig7elk m13-m5"),
    ] {
        setup.done(&["mail", from, subject]);
    }
    let conn = rusqlite::Connection::open(setup.database()).unwrap();
    assert_eq!(conn.execute("UPDATE turns SET turn = 'a1-a1'", []).unwrap(), 1);
    drop(conn);
    let mail = message(
        "bob@home.example",
        "9@home.example",
        "Pow2 move 101 bob oak4jay m5-m13",
        "",
    );
    assert_eq!(setup.ingest("bob@home.example", &mail).0, 0);
    let kept = all_below(&setup.data.join("failed"));
    assert_eq!(kept.len(), 1);
    are_closed(&setup.data, &["failed"]);
}

#[test]
fn init_makes_them_so_and_its_new_folders_are_writable_by_their_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).behind(&["sh", "-c", "umask 000; exec \"$@\"", "sh"]);
    let above = folder.path().join("above");
    let data = above.join("data");
    let file = folder.path().join("pbmserv.toml");
    let own = Command::new("id").arg("-un").output().unwrap();
    let own = String::from_utf8(own.stdout).unwrap();
    setup.done(&[
        "--config",
        file.to_str().unwrap(),
        "init",
        "--address",
        SERVER,
        "--data",
        data.to_str().unwrap(),
        "--director",
        "alice",
        "--director-address",
        ALICE,
        "--mta",
        "none",
        "--listen",
        "127.0.0.1:0",
        "--user",
        own.trim(),
    ]);
    assert_eq!((mode(&above), mode(&data)), (0o755, 0o700));
    are_closed(&data, &["pbmserv.sqlite", "key"]);
}

#[test]
fn files_of_an_older_version_are_closed_at_the_start_and_an_open_folder_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let setup = open_to_all(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    for name in ["pbmserv.sqlite", "key"] {
        set_mode(&setup.data.join(name), 0o644);
    }
    let wal = setup.data.join("pbmserv.sqlite-wal");
    fs::write(&wal, "").unwrap();
    set_mode(&wal, 0o644);
    let daemon = setup.serve();
    are_closed(&setup.data, &["pbmserv.sqlite", "pbmserv.sqlite-wal", "key"]);
    let log = daemon.stop_well();
    let chmod = format!("chmod 700 {}", setup.data.display());
    for (said, times) in [("let other accounts read them", 1), (chmod.as_str(), 1)] {
        let lines = log.lines().filter(|line| line.contains(said)).count();
        assert_eq!(lines, times, "{said}: {log}");
    }
    set_mode(&setup.data, 0o700);
    let log = setup.serve().stop_well();
    assert!(!log.contains("other accounts"), "{log}");
}

/// Other processes of the account do not read the memory of the server, which holds the key; and its metrics still work.
#[test]
fn another_process_of_the_account_reads_nothing_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut setup = watched(folder.path());
    if is_root {
        // Root reads everything, so the server gets another account, and a program and a folder where that may go.
        let program = folder.path().join("pbmserv");
        fs::copy(env!("CARGO_BIN_EXE_pbmserv"), &program).unwrap();
        fs::create_dir(&setup.data).unwrap();
        set_mode(folder.path(), 0o755);
        let of_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
        for path in [folder.path(), &setup.data] {
            chown(path, Some(65534), Some(65534)).unwrap();
        }
        let there = format!("shift; exec {} \"$@\"", program.display());
        setup = setup.behind(&[&of_nobody[..], &["sh", "-c", &there, "sh"]].concat());
    }
    let daemon = setup.serve();
    for file in ["environ", "mem", "maps", "fd/0"] {
        let mut cat = match is_root {
            true => Command::new("setpriv"),
            false => Command::new("env"),
        };
        if is_root {
            cat.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        }
        let path = format!("/proc/{}/{file}", daemon.pid());
        let read = cat.args(["head", "-c1", &path]).output().unwrap();
        let error = String::from_utf8_lossy(&read.stderr).into_owned();
        assert!(
            read.stdout.is_empty() && error.contains("Permission denied"),
            "{file}: {error}"
        );
    }
    for metric in [
        "process_open_fds",
        "process_max_fds",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
    ] {
        assert!(daemon.metric(metric) > 0.0, "{metric}");
    }
    daemon.stop_well();
}
