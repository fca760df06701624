//! A database of an older version: who may bring it up to date, what is kept, and what a kill leaves.

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

use pbmserv_core::store::{MIGRATIONS, Migration, set_migrations};
use rusqlite::Connection;

use crate::checks::{ALICE, check, finds};
use crate::daemon::smtp::message;
use crate::daemon::{Setup, count, integrity, look, until};
use crate::program;

const BOB: &str = "bob@home.example";

/// The number of the first release, whose program is the built one.
pub(crate) const FIRST: i64 = 100;

/// That of the next release.
pub(crate) const NEXT: i64 = 101;

/// The migrations of the next release. SQLite keeps no more than a part of the index in its memory.
static MIGRATIONS_OF_NEXT: [Migration; 2] = [
    MIGRATIONS[0],
    Migration {
        number: NEXT,
        sqlite: "ALTER TABLE players ADD COLUMN motto TEXT NOT NULL DEFAULT '';
            CREATE INDEX outbox_by_recipient ON outbox (recipient_key, kind, created_at)",
        postgres: "ALTER TABLE players ADD COLUMN motto TEXT NOT NULL DEFAULT ''",
    },
];

/// No test, but the program of the next release, if words of a command line follow.
#[test]
fn the_next_release() {
    let words: Vec<_> = std::env::args_os().skip_while(|word| word != "--").collect();
    if !words.is_empty() {
        set_migrations(&MIGRATIONS_OF_NEXT);
        std::process::exit(program::program(words).into());
    }
}

/// The same with the program of the next release.
pub(crate) fn upgraded(setup: &Setup) -> Setup {
    let this = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let words = [
        "migrations::the_next_release",
        "--exact",
        "--nocapture",
        "--test-threads=2",
        "--",
    ];
    setup.of(std::iter::once(this).chain(words.map(str::to_owned)).collect())
}

/// A stopped server of the first release with two players, a board and a turn.
pub(crate) fn played(setup: &Setup) {
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup.done(&["mail", BOB, "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-m5"]);
    assert_eq!(at(&setup.database()), FIRST);
}

/// Adds this many sent letters, whose index by recipient, made by the migration, is larger than SQLite's cache.
fn fill(setup: &Setup, letters: u32) {
    let conn = Connection::open(setup.database()).unwrap();
    let sql = format!(
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {letters})
         INSERT INTO outbox (kind, recipient, recipient_key, message_id, is_reply, subject, created_at, state, due_at)
         SELECT 'board', 'x', printf('%0400d', number), 'filler-' || number, 0, '', 1, 'sent', 1 FROM numbers"
    );
    conn.execute_batch(&sql).unwrap();
    conn.close().unwrap();
}

/// The migration of a database.
pub(crate) fn at(database: &Path) -> i64 {
    count(&look(database), "PRAGMA user_version")
}

/// The copies in the data folder whose names end with `end`.
pub(crate) fn copies(setup: &Setup, end: &str) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(&setup.data)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("before-migration-") && name.ends_with(end)
        })
        .collect();
    found.sort();
    found
}

/// Board, players and turn are there, and the database is whole and up to date.
#[track_caller]
fn is_as_played(setup: &Setup) {
    let conn = setup.look();
    assert_eq!(count(&conn, "PRAGMA user_version"), NEXT);
    assert_eq!(integrity(&conn), "ok");
    let board = setup.done(&["board", "show", "Pow2", "101"]);
    assert!(board.contains("m13-m5"), "{board}");
    let users = setup.done(&["user", "list"]);
    assert!(users.contains("alice") && users.contains("bob"), "{users}");
}

/// Says both numbers and the two verbs.
#[track_caller]
fn names_the_remedy(said: &str) {
    let numbers = format!("is at migration {FIRST}, and this program needs {NEXT}: ");
    assert!(
        said.contains(&numbers) && said.contains("pbmserv serve") && said.contains("pbmserv migrate"),
        "{said}"
    );
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
}

#[test]
fn other_verbs_leave_an_older_database_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    played(&setup);
    let setup = upgraded(&setup);
    let before = fs::read(setup.database()).unwrap();
    let verbs: [&[&str]; 12] = [
        &["user", "list"],
        &["user", "show", "alice"],
        &["user", "disable", "alice", "--why", "x"],
        &["board", "list"],
        &["board", "void", "Pow2", "101", "--why", "x"],
        &["queue", "list"],
        &["stats"],
        &["audit"],
        &["announce", "--why", "x"],
        &["mail", ALICE, "help"],
        &["mail", ALICE, "help", "--dry-run"],
        &["key", "rotate"],
    ];
    for words in verbs {
        let output = setup.run_with(words, b"hello");
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
        names_the_remedy(&String::from_utf8(output.stderr).unwrap());
    }
    let (code, error) = setup.ingest(ALICE, &message(ALICE, "1@home.example", "help", ""));
    assert_eq!(code, 75, "the mail server keeps it");
    names_the_remedy(&error);
    let (printed, code) = check(&setup, &["--offline"]);
    assert_eq!(code, 1, "{printed}");
    let fault = printed.lines().find(|line| line.starts_with("FAULT  database: "));
    names_the_remedy(fault.unwrap());
    let would = format!("keep a copy of the database and bring it from migration {FIRST} to {NEXT}");
    finds(&setup, &[&would]);

    // A copy asks nothing of it.
    let backups = folder.path().join("backups");
    let made = setup.done(&["backup", backups.to_str().unwrap()]);
    let made = PathBuf::from(made.trim_end());
    assert_eq!(at(&made.join("pbmserv.sqlite")), FIRST);
    let verified = setup.done(&["backup", "verify", made.to_str().unwrap()]);
    assert!(verified.starts_with("ok "), "{verified}");

    assert!(fs::read(setup.database()).unwrap() == before);
    assert!(copies(&setup, "").is_empty());
}

#[test]
fn serve_migrates_after_a_copy_that_restore_takes() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    played(&setup);
    let setup = upgraded(&setup);
    let log = setup.serve().stop_well();
    is_as_played(&setup);
    let copy = copies(&setup, "").pop().unwrap();
    let name = format!("before-migration-{FIRST}-to-{NEXT}-20");
    assert!(copy.to_str().unwrap().contains(&name), "{copy:?}");
    let line = log.lines().find(|line| line.contains("the database is migrated"));
    let line = line.unwrap();
    for said in [
        format!("from={FIRST}"),
        format!("to={NEXT}"),
        format!("copy={}", copy.display()),
        "seconds=".to_owned(),
    ] {
        assert!(line.contains(&said), "{said}: {line}");
    }
    let again = setup.serve().stop_well();
    assert!(!again.contains("migrated"), "{again}");
    assert_eq!(copies(&setup, "").len(), 1);

    setup.done(&["mail", BOB, "Pow2 move 101 bob oak4jay a1-e1"]);
    let said = setup.done(&["restore", copy.to_str().unwrap()]);
    let brought = format!("brought from migration {FIRST} to {NEXT}");
    assert!(
        said.contains(&brought) && said.contains("1 turns, 1 mails\n"),
        "{said}"
    );
    assert_eq!(
        at(&copy.join("pbmserv.sqlite")),
        FIRST,
        "for the program that made it"
    );
    is_as_played(&setup);
}

#[test]
fn migrate_does_it_without_a_server_and_says_so_once() {
    let folder = tempfile::tempdir().unwrap();
    let first = Setup::new(folder.path());
    let setup = upgraded(&first);
    let missing = setup.run(&["migrate"]);
    let error = String::from_utf8(missing.stderr).unwrap();
    assert!(error.contains("there is no data folder"), "{error}");
    played(&first);
    let said = setup.done(&["migrate"]);
    let copy = copies(&setup, "").pop().unwrap();
    let brought = format!("from migration {FIRST} to {NEXT} in ");
    assert!(
        said.contains(&brought) && said.contains(copy.to_str().unwrap()),
        "{said}"
    );
    let nothing = setup.done(&["migrate"]);
    assert!(nothing.contains("nothing is to be done"), "{nothing}");
    is_as_played(&setup);
    let daemon = setup.serve();
    let nothing = setup.done(&["migrate"]);
    assert!(
        nothing.contains("a server runs") && nothing.contains("nothing is to be done"),
        "{nothing}"
    );
    daemon.stop_well();
    assert_eq!(copies(&setup, "").len(), 1);
}

/// Starts the server, and kills it when the migration has written a part of what it changes.
fn kill_while_it_writes(setup: &Setup) {
    let wal = setup.data.join("pbmserv.sqlite-wal");
    let daemon = setup.begin();
    until("the migration has begun", || {
        let is_writing = fs::metadata(&wal).is_ok_and(|about| about.len() > 1024 * 1024);
        is_writing.then_some(())
    });
    daemon.kill();
}

#[test]
fn a_server_that_is_killed_meanwhile_does_it_at_its_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    played(&setup);
    let setup = upgraded(&setup);
    let letters = count(&setup.look(), "SELECT COUNT(*) FROM outbox");
    fill(&setup, 60_000);

    let saved = folder.path().join("saved");
    fs::copy(setup.database(), &saved).unwrap();

    let daemon = setup.begin();
    until("the copy has begun", || copies(&setup, ".unfinished").pop());
    daemon.kill();
    assert_eq!(copies(&setup, "").len(), 1, "it has no name yet");
    assert_eq!(at(&setup.database()), FIRST);

    // On a busy machine a kill may come after the commit.
    let is_cut = (0..10).any(|_| {
        kill_while_it_writes(&setup);
        let migration = at(&setup.database());
        assert!([FIRST, NEXT].contains(&migration), "all or none: {migration}");
        let is_cut = migration == FIRST;
        if !is_cut {
            for tail in ["-wal", "-shm"] {
                let _ = fs::remove_file(setup.data.join(format!("pbmserv.sqlite{tail}")));
            }
            fs::copy(&saved, setup.database()).unwrap();
        }
        is_cut
    });
    assert!(is_cut, "no kill was early enough");
    assert_eq!(copies(&setup, ".unfinished").len(), 0);

    setup.serve().stop_well();
    is_as_played(&setup);
    let outbox = count(&setup.look(), "SELECT COUNT(*) FROM outbox");
    assert_eq!(outbox, letters + 60_000);
    for copy in copies(&setup, "") {
        let copy = look(&copy.join("pbmserv.sqlite"));
        assert_eq!(count(&copy, "SELECT COUNT(*) FROM outbox"), outbox);
    }
}

/// A server that waits to migrate, since another program has locked the database. Dropping the connection lets it go on.
fn locked(setup: &Setup) -> Connection {
    let lock = Connection::open(setup.database()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    lock
}

#[test]
fn systemd_is_asked_for_time_as_long_as_it_lasts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify.sock");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(crate::daemon::PATIENCE)).unwrap();
    let setup = Setup::new(folder.path()).with("NOTIFY_SOCKET", path.to_str().unwrap());
    played(&setup);
    let setup = upgraded(&setup);
    let lock = locked(&setup);
    let mut daemon = setup.begin();
    let word = || {
        let mut bytes = [0; 4096];
        let length = socket.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    };
    for _ in 0..2 {
        let said = word();
        assert!(
            said.contains("EXTEND_TIMEOUT_USEC=60000000\n") && said.contains("STATUS="),
            "{said}"
        );
    }
    drop(lock);
    assert!(daemon.is_ready());
    until("it is ready", || word().contains("READY=1").then_some(()));
    daemon.stop_well();
    is_as_played(&setup);
}

#[test]
fn a_stop_meanwhile_is_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    played(&setup);
    let setup = upgraded(&setup);
    let lock = locked(&setup);
    let daemon = setup.begin();
    until("the copy is made", || {
        let copies = copies(&setup, "");
        (!copies.is_empty() && !copies[0].to_str()?.ends_with("unfinished")).then_some(())
    });
    let log = daemon.stop_well();
    assert!(log.contains("stopped during the migration"), "{log}");
    assert_eq!(at(&setup.database()), FIRST);
    drop(lock);
    setup.serve().stop_well();
    is_as_played(&setup);
}
