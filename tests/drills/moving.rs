//! A house moves from SQLite to PostgreSQL and back.

use std::fs;
use std::process::{Child, Stdio};

use crate::checks::{ALICE, check, finds};
use crate::daemon::cluster::Cluster;
use crate::daemon::postgres::{self, rows};
use crate::daemon::relay::{Mood, Relay};
use crate::daemon::smtp::message;
use crate::daemon::{Setup, count, until};

/// What a crash of the machine would lose does not matter here.
const FAST: &str = "fsync = off";

const BOB: &str = "bob@home.example";

/// The exit code for systemd.
const A_COPY: i32 = 78;

/// Rows of messages that make a copy take a while.
const MESSAGES: i64 = 60_000;

/// A house in SQLite with two players, a board and a turn on it, and letters that wait.
fn house(folder: &std::path::Path) -> Setup {
    let setup = Setup::new(folder)
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", "smtp://127.0.0.1:1")
        .begun();
    let daemon = setup.serve();
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup.done(&["mail", BOB, "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob", "Grüße!"]);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-m5"]);
    daemon.stop_well();
    // Mails may have what a text of PostgreSQL cannot.
    let conn = rusqlite::Connection::open(setup.database()).unwrap();
    let sql = "UPDATE inbox SET header_from = 'a' || char(0) || 'ü' WHERE id = 1";
    assert_eq!(conn.execute(sql, []).unwrap(), 1);
    setup
}

/// The key of tokens in a folder, as a database has it.
fn key(setup: &Setup) -> String {
    data_encoding::HEXLOWER.encode(&fs::read(setup.data.join("key")).unwrap())
}

fn at(setup: &Setup, url: &str) -> Setup {
    setup.with("PBMSERV_STORE_URL", url)
}

#[test]
fn a_house_moves_to_postgresql_and_back() {
    let Some(cluster) = Cluster::start("a house that moves to PostgreSQL and back", FAST) else {
        return;
    };
    let url = cluster.url("pbmserv");
    let folder = tempfile::tempdir().unwrap();
    let old = house(folder.path());
    let contents = "SELECT COUNT(*) FROM turns";
    assert_eq!(count(&old.look(), contents), 1);

    // A server that runs keeps its database.
    let daemon = old.serve();
    let refused = old.run(&["store", "copy", "--to", &url]);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("stop it (systemctl stop pbmserv)"), "{error}");
    daemon.stop_well();

    let said = old.done(&["store", "copy", "--to", &url, "--dry-run"]);
    assert!(
        said.contains("2 players, 1 boards, 1 turns") && said.contains("which is empty"),
        "{said}"
    );
    assert!(rows(&url, "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'") == "0");
    let said = old.done(&["store", "copy", "--to", &url]);
    for part in [
        "copied: 2 players, 1 boards, 1 turns, 4 mails",
        "equal on both sides (SHA-256 ",
        "each board replays",
        "next: set [store] url",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let again = old.done(&["store", "copy", "--to", &url]);
    assert!(
        again.contains("was copied before\nnext: set [store] url"),
        "{again}"
    );

    // The old database is left, whoever starts with it.
    let log = old.start_ends_with(A_COPY);
    assert!(log.contains("was moved to postgres://"), "{log}");
    finds(&old, &["place: ", "was moved to postgres://"]);
    let (code, error) = old.ingest(ALICE, &message(ALICE, "x@home.example", "help", ""));
    assert_eq!(code, 75, "{error}");

    // The new one has the house: its players, numbers, letters and the key of tokens.
    let new = at(&old, &url);
    assert_eq!(
        rows(&url, "SELECT value FROM notes WHERE name = 'key'"),
        key(&old)
    );
    // To look at the old one is allowed.
    assert!(old.done(&["user", "list"]).contains("alice"));
    let daemon = new.serve();
    new.done(&["mail", BOB, "Pow2 move 101 bob oak4jay a1-e1"]);
    new.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    assert_eq!(rows(&url, "SELECT MAX(number), MAX(id) FROM boards"), "102|2");
    let audit = new.done(&["audit"]);
    assert!(
        audit.contains("store copy") && audit.contains("copied from"),
        "{audit}"
    );
    new.done(&["user", "disable", "bob", "--why", "a test"]);
    let refused = new.run(&[
        "store",
        "copy",
        "--to",
        folder.path().join("back").to_str().unwrap(),
    ]);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("in use by the server"), "{error}");
    daemon.stop_well();

    // Into the old folder it does not go: there is a database.
    let refused = new.run(&["store", "copy", "--to", old.data.to_str().unwrap()]);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("there is a database already: move it"), "{error}");
    let back = Setup::new(&folder.path().join("back"));
    fs::create_dir_all(folder.path().join("back")).unwrap();
    let said = new.done(&["store", "copy", "--to", back.data.to_str().unwrap()]);
    assert!(
        said.contains("2 boards, 2 turns") && said.contains("remove [store] url"),
        "{said}"
    );
    let log = new.start_ends_with(A_COPY);
    assert!(
        log.contains("was moved to ") && log.contains("pbmserv.sqlite"),
        "{log}"
    );
    let relay = Relay::listen(0, Mood::Well);
    let back = back.with("PBMSERV_DELIVERY_TRANSPORT", "smtp").with(
        "PBMSERV_DELIVERY_URL",
        &format!("smtp://127.0.0.1:{}", relay.port),
    );
    assert_eq!(key(&back), key(&old));
    let (printed, _) = check(&back, &["--offline"]);
    // Letters wait; all else is well.
    assert!(printed.contains("\none fault\n"), "{printed}");
    let waiting = count(
        &back.look(),
        "SELECT COUNT(*) FROM outbox WHERE state = 'waiting'",
    );
    let daemon = back.serve();
    back.done(&["queue", "retry", "--state", "waiting", "--yes"]);
    back.wait_for_delivery();
    assert_eq!(relay.message_ids().len(), usize::try_from(waiting).unwrap());
    daemon.stop_well();
}

fn begin_copy(setup: &Setup, url: &str) -> Child {
    let mut command = setup.command();
    command.args(["store", "copy", "--to", url]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn a_copy_that_is_killed_goes_on_and_ends_right() {
    let Some(cluster) = Cluster::start("a copy that is killed", FAST) else {
        return;
    };
    let url = cluster.url("pbmserv");
    let folder = tempfile::tempdir().unwrap();
    let old = house(folder.path());
    let grow = |from: i64| {
        let conn = rusqlite::Connection::open(old.database()).unwrap();
        let sql = format!(
            "WITH RECURSIVE n(i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM n WHERE i < {from} + {MESSAGES} - 1) \
             INSERT INTO inbox (id, identity, received_at, door, recipient, state, commands) \
             SELECT i, randomblob(32), i, 'smtp', 'r', 'done', 'Pow2 move 101 alice ' || i FROM n"
        );
        conn.execute_batch(&sql).unwrap();
    };
    grow(1000);
    let copied = || {
        let found = postgres::try_rows(&url, "SELECT COUNT(*) FROM inbox");
        found.ok().and_then(|rows| rows.parse().ok()).unwrap_or(0)
    };
    for least in [1, MESSAGES / 3, MESSAGES * 2 / 3] {
        let mut copy = begin_copy(&old, &url);
        until("a part is copied", || (copied() >= least).then_some(()));
        copy.kill().unwrap();
        copy.wait().unwrap();
        assert!(copied() < MESSAGES, "it was killed too late");
    }
    // Nobody uses the half of it.
    let new = at(&old, &url);
    let error = new.does_not_start();
    assert!(
        error.contains("is an unfinished copy of") && error.contains("pbmserv store copy"),
        "{error}"
    );
    finds(&new, &["database: ", "is an unfinished copy of"]);
    let said = old.done(&["store", "copy", "--to", &url, "--dry-run"]);
    assert!(said.contains("which has the beginning of a copy of"), "{said}");
    let before = copied();
    assert!(before > 0);

    // The old server goes on meanwhile, and changes what was copied.
    old.serve().stop_well();
    old.done(&["user", "disable", "bob", "--why", "a test"]);
    grow(1000 + MESSAGES);
    let said = old.done(&["store", "copy", "--to", &url]);
    assert!(said.contains("equal on both sides"), "{said}");
    let all = count(&old.look(), "SELECT COUNT(*) FROM inbox");
    assert_eq!(copied(), all);
    assert_eq!(
        rows(&url, "SELECT COUNT(*) FROM players WHERE disabled_at IS NOT NULL"),
        "1"
    );
    let log = new.serve().stop_well();
    assert!(!log.contains("ERROR"), "{log}");
}

#[test]
fn a_copy_of_one_house_does_not_go_on_with_that_of_another() {
    let Some(cluster) = Cluster::start("a copy of another house", FAST) else {
        return;
    };
    let url = cluster.url("pbmserv");
    let folder = tempfile::tempdir().unwrap();
    let one = house(&folder.path().join("one"));
    let two = house(&folder.path().join("two"));
    two.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    one.done(&["store", "copy", "--to", &url]);
    let refused = two.run(&["store", "copy", "--to", &url]);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(
        error.contains("has players or letters, so nothing is copied into it"),
        "{error}"
    );
    rows(
        &url,
        &format!(
            "INSERT INTO notes (name, value) VALUES ('unfinished_copy_of', '{}')",
            one.database().display()
        ),
    );
    let refused = two.run(&["store", "copy", "--to", &url]);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("is not that of the source"), "{error}");
    two.serve().stop_well();
}

#[test]
fn what_comes_back_from_a_dump_is_checked_and_its_letters_are_held() {
    let Some(cluster) = Cluster::start("a dump that is restored", FAST) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let setup = at(&Setup::new(folder.path()), &cluster.url("pbmserv"))
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", "smtp://127.0.0.1:1");
    // Before the first start there is neither a folder nor a table.
    let (printed, _) = check(&setup, &["--offline"]);
    for line in [
        "the first start creates it",
        "has no tables yet; the first start makes them",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    let daemon = setup.serve();
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup.done(&["mail", BOB, "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    daemon.stop_well();
    let made = setup.done(&["backup", folder.path().to_str().unwrap()]);
    assert!(
        std::path::Path::new(made.trim()).join("pbmserv.dump").is_file(),
        "{made}"
    );

    let dump = cluster.data().join("dump");
    let socket = cluster.socket_url("pbmserv");
    let run = |program: &str, words: &[&str]| {
        let output = cluster.command(program).args(words).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    run(
        "pg_dump",
        &["--format=custom", "--file", dump.to_str().unwrap(), "-d", &socket],
    );
    cluster.sql("postgres", "CREATE DATABASE again");
    run(
        "pg_restore",
        &["-d", &cluster.socket_url("again"), dump.to_str().unwrap()],
    );

    // On another machine, with no folder.
    let again = at(&setup, &cluster.url("again"))
        .with("PBMSERV_SERVER_DATA", folder.path().join("new").to_str().unwrap());
    let (printed, _) = check(&again, &["--offline"]);
    assert!(printed.contains("boards: 1 run, and each replays"), "{printed}");
    let said = again.done(&["adopt", "--hold"]);
    for part in [
        "found: 2 players, 1 boards, 0 turns, 3 mails, the last of ",
        "each board replays",
        "held: 4 mails",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let daemon = again.serve();
    again.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    assert_eq!(cluster.sql("again", "SELECT MAX(number) FROM boards"), "202");
    daemon.stop_well();
    let error = again.run(&["restore", folder.path().to_str().unwrap()]);
    assert!(
        String::from_utf8_lossy(&error.stderr).contains("pbmserv adopt --hold, which checks"),
        "{error:?}"
    );
    // A key that is lost is said.
    cluster.sql("again", "DELETE FROM notes WHERE name = 'key'");
    let error = again.run(&["adopt", "--hold"]);
    assert!(
        String::from_utf8_lossy(&error.stderr).contains("the database has no key"),
        "{error:?}"
    );
}
