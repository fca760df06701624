//! A disk that changes what it holds, in a backup and in the database.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;

use crate::checks::{check, finds, has};
use crate::daemon::http::{ALICE, BOB, watched};
use crate::daemon::{Setup, integrity, look};

/// A server that has stopped, with a game that has ended after a turn.
fn ended(folder: &Path) -> Setup {
    let setup = watched(folder);
    for (who, subject) in [
        (ALICE, "signup alice fig7elk"),
        (BOB, "signup bob oak4jay"),
        (ALICE, "Pow2 challenge alice bob"),
        (ALICE, "Pow2 move 101 alice fig7elk m13-m5"),
        (BOB, "Pow2 resign 101 bob oak4jay"),
    ] {
        setup.done(&["mail", who, subject]);
    }
    let sql = "SELECT COUNT(*) FROM boards WHERE ended_at IS NOT NULL";
    assert_eq!(crate::daemon::count(&setup.look(), sql), 1);
    setup
}

/// A backup of it.
fn backed_up(setup: &Setup, folder: &Path) -> PathBuf {
    let made = setup.done(&["backup", folder.join("backups").to_str().unwrap()]);
    PathBuf::from(made.trim())
}

/// Changes a letter of a text in a file, in one place.
fn flip(path: &Path, text: &[u8]) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.windows(text.len()).position(|found| found == text).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_letter_that_has_changed_in_a_backup_is_seen_and_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let setup = ended(folder.path());
    let backup = backed_up(&setup, folder.path());
    let shown = backup.to_str().unwrap();
    assert!(setup.done(&["backup", "verify", shown]).starts_with("ok     "));
    let by_coreutils = Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(&backup)
        .output()
        .unwrap();
    assert!(by_coreutils.status.success(), "{by_coreutils:?}");

    let database = backup.join("pbmserv.sqlite");
    flip(&database, b"pbmserv@localhost");
    assert_eq!(integrity(&look(&database)), "ok", "SQLite sees nothing");
    let verified = setup.run(&["backup", "verify", shown]);
    let printed = String::from_utf8(verified.stdout).unwrap();
    assert_eq!(verified.status.code(), Some(1), "{printed}");
    assert!(
        printed.starts_with("FAULT ") && printed.contains("pbmserv.sqlite has changed since it was written"),
        "{printed}"
    );
    let before = fs::read(setup.database()).unwrap();
    let restored = setup.run(&["restore", shown]);
    let error = String::from_utf8(restored.stderr).unwrap();
    assert!(
        !restored.status.success() && error.contains("is damaged"),
        "{error}"
    );
    assert_eq!(fs::read(setup.database()).unwrap(), before);
    // Of a backup without sums it cannot be told.
    fs::remove_file(backup.join("SHA256SUMS")).unwrap();
    assert!(
        setup
            .done(&["backup", "verify", shown])
            .contains("it has no sums")
    );
    setup.done(&["restore", shown]);
}

#[test]
fn a_key_that_has_changed_in_a_backup_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let setup = ended(folder.path());
    let backup = backed_up(&setup, folder.path());
    let other = ended(&folder.path().join("other"));
    fs::copy(other.data.join("key"), backup.join("key")).unwrap();
    let verified = setup.run(&["backup", "verify", backup.to_str().unwrap()]);
    let printed = String::from_utf8(verified.stdout).unwrap();
    assert!(
        printed.contains("key has changed since it was written"),
        "{printed}"
    );
}

/// A fault that the server finds by itself: in the log, `/healthz`, `/metrics` and `check`.
#[track_caller]
fn is_found_by_the_server(setup: &Setup, logged: &str) {
    let daemon = setup.serve();
    let health = daemon.health_when("the fault is found", |_, health| health["status"] == "degraded");
    assert!(
        health["trouble"][0]
            .as_str()
            .unwrap()
            .contains("found damage in 1 places"),
        "{health}"
    );
    daemon.health_when("all is read", |_, health| {
        health["database"]["read_through_at"].is_string()
    });
    assert_eq!(daemon.metric("pbmserv_database_faults"), 1.0);
    assert!(daemon.metric("pbmserv_database_read_through_timestamp_seconds") > 0.0);
    finds(setup, &["server: The reading of the whole database found damage"]);
    let log = daemon.stop_well();
    assert!(
        log.contains(&format!("a fault in the database: {logged}")),
        "{log}"
    );
}

#[test]
fn a_turn_that_has_changed_on_an_ended_board_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let setup = ended(folder.path());
    let (printed, _) = check(&setup, &["--offline", "--deep"]);
    assert!(printed.contains("ok     deep: "), "{printed}");
    let conn = Connection::open(setup.database()).unwrap();
    assert_eq!(conn.execute("UPDATE turns SET turn = 'm13-m4'", []).unwrap(), 1);
    drop(conn);
    let (printed, code) = check(&setup, &["--offline"]);
    assert_eq!(code, 0, "only a deep check reads what has ended: {printed}");
    let (printed, code) = check(&setup, &["--offline", "--deep"]);
    assert_eq!(code, 1, "{printed}");
    has(&printed, &["deep: "]);
    is_found_by_the_server(&setup, "");
}

#[test]
fn a_page_that_has_changed_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let setup = ended(folder.path());
    // A table that only the operator's verbs read.
    let conn = Connection::open(setup.database()).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'complaints'";
    let page: u32 = conn.query_row(sql, [], |row| row.get(0)).unwrap();
    let size: u32 = conn.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    conn.close().unwrap();
    let file = fs::File::options().write(true).open(setup.database()).unwrap();
    file.write_all_at(&[0xff; 64], u64::from(page - 1) * u64::from(size))
        .unwrap();
    drop(file);
    is_found_by_the_server(&setup, "table complaints");
}
