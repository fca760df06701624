//! Files of the data folder that are taken away from a running server.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::daemon::smtp::{Client, message};
use crate::daemon::{Daemon, Setup, count, integrity, look};

use super::checks::{ALICE, with_alice};

#[test]
fn whatever_is_removed_beside_the_database_a_second_server_is_kept_out() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (setup, daemon) = with_alice(&setup);
    for entry in fs::read_dir(&setup.data).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("pbmserv.sqlite") && name != "key" && !path.is_dir() {
            fs::remove_file(&path).unwrap();
        }
    }
    let other = setup.with("PBMSERV_SMTP_LISTEN", "127.0.0.1:0");
    let error = other.does_not_start();
    assert!(error.contains("is in use by another pbmserv"), "{error}");
    // A verb of the operator does no work beside the server either.
    let output = other.run(&["user", "list"]);
    assert!(!output.status.success(), "{output:?}");
    let mut client = Client::connect(daemon.port).unwrap();
    let reply = client.send(ALICE, &message(ALICE, "1@home.example", "help", ""));
    assert!(reply.unwrap().starts_with("250"));
    daemon.stop_well();
    other.serve().stop_well();
}

/// EX_IOERR: the files of the database were removed.
const FILES_LOST: Option<i32> = Some(74);

/// Sends a mail; returns whether it was accepted.
fn is_taken(daemon: &Daemon, number: usize) -> bool {
    let mut client = Client::connect(daemon.port).unwrap();
    let mail = message(ALICE, &format!("{number}@home.example"), "help", "");
    let reply = client.send(ALICE, &mail).unwrap();
    assert!(reply.starts_with("250") || reply.starts_with("451"), "{reply}");
    reply.starts_with("250")
}

/// A server with a game, a turn, and mails, all of it still in the WAL.
fn busy(setup: &Setup) -> Daemon {
    let (_, daemon) = with_alice(setup);
    setup.done(&["mail", "bob@home.example", "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-m5"]);
    for number in 0..20 {
        assert!(is_taken(&daemon, number));
    }
    let wal = fs::metadata(beside(setup, "-wal")).unwrap();
    assert!(wal.len() > 100_000, "what is removed has content");
    daemon
}

fn beside(setup: &Setup, tail: &str) -> PathBuf {
    let mut path = setup.database().into_os_string();
    path.push(tail);
    path.into()
}

/// The database has the turn and each mail that was accepted.
#[track_caller]
fn has_all(database: &Path, mails: i64) {
    let conn = look(database);
    assert_eq!(integrity(&conn), "ok");
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM turns"), 1);
    let sql = "SELECT COUNT(*) FROM inbox WHERE commands = 'help'";
    assert_eq!(count(&conn, sql), mails);
}

/// The files in the data folder whose names begin so.
fn called(setup: &Setup, beginning: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(&setup.data).unwrap();
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(beginning))
        .collect()
}

/// The server ends, has saved everything, and goes on after a start.
fn ends_and_goes_on(setup: &Setup, mut daemon: Daemon, said: &str) {
    let status = daemon.ended();
    let log = daemon.log();
    assert_eq!(status.code(), FILES_LOST, "{log}");
    for part in [said, "start the server again", "mail is deferred (451"] {
        assert!(log.contains(part), "{part}: {log}");
    }
    has_all(&setup.database(), 20);
    let daemon = setup.serve();
    assert!(is_taken(&daemon, 20), "the mail that was put off");
    daemon.stop_well();
    has_all(&setup.database(), 21);
}

#[test]
fn a_removed_wal_stops_the_mail_at_once_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = busy(&setup);
    fs::remove_file(beside(&setup, "-wal")).unwrap();
    assert!(!is_taken(&daemon, 20));
    ends_and_goes_on(&setup, daemon, "its -wal or -shm file was removed");
    let [saved] = &called(&setup, "pbmserv.saved-")[..] else {
        panic!("{:?}", called(&setup, ""))
    };
    has_all(saved, 20);
    let printed = setup.run(&["check", "--offline"]).stdout;
    let printed = String::from_utf8(printed).unwrap();
    assert!(
        printed
            .lines()
            .any(|line| line.starts_with("NOTE") && line.contains(saved.to_str().unwrap())),
        "{printed}"
    );
}

#[test]
fn a_removed_shm_is_noticed_without_any_mail() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = busy(&setup);
    fs::remove_file(beside(&setup, "-shm")).unwrap();
    ends_and_goes_on(&setup, daemon, "its -wal or -shm file was removed");
}

#[test]
fn a_removed_database_is_noticed_without_any_mail() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = busy(&setup);
    fs::remove_file(setup.database()).unwrap();
    ends_and_goes_on(&setup, daemon, "its file was deleted, and was written back");
    assert!(called(&setup, "pbmserv.saved-").is_empty());
}

#[test]
fn what_another_program_wrote_after_the_wal_was_removed_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = busy(&setup);
    daemon.signal("STOP");
    for tail in ["-wal", "-shm"] {
        fs::remove_file(beside(&setup, tail)).unwrap();
    }
    let other = Connection::open(setup.database()).unwrap();
    other
        .execute_batch("CREATE TABLE other (x); INSERT INTO other VALUES (1)")
        .unwrap();
    daemon.signal("CONT");
    ends_and_goes_on(&setup, daemon, "another program uses the database too");
    drop(other);
    let mut aside = called(&setup, "pbmserv.sqlite.aside-");
    aside.sort();
    assert_eq!(count(&look(&aside[0]), "SELECT x FROM other"), 1);
}
