//! A database of an older version: who may bring it up to date, what is kept, and what a kill leaves.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::checks::{ALICE, check, finds};
use crate::daemon::smtp::message;
use crate::daemon::{Setup, count, integrity, look, until};

const BOB: &str = "bob@home.example";

/// The migrations of the source, in their order.
fn migrations() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect()
}

fn newest() -> i64 {
    migrations().len() as i64
}

/// A stopped server with two players, a board and a turn, whose database is as an older program would have it.
pub(crate) fn played(setup: &Setup, migration: usize) {
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup.done(&["mail", BOB, "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-m5"]);
    let older = setup.data.join("older.sqlite");
    let conn = Connection::open(&older).unwrap();
    conn.execute_batch("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF;")
        .unwrap();
    for sql in &migrations()[..migration] {
        conn.execute_batch(sql).unwrap();
    }
    conn.pragma_update(None, "user_version", migration as i64)
        .unwrap();
    let new = setup.database();
    conn.execute("ATTACH DATABASE ?1 AS new", [new.to_str().unwrap()])
        .unwrap();
    let sql = "SELECT tables.name, group_concat(columns.name) FROM main.sqlite_schema AS tables, \
               pragma_table_info(tables.name, 'main') AS columns WHERE tables.type = 'table' AND columns.name IN \
               (SELECT name FROM pragma_table_info(tables.name, 'new')) GROUP BY tables.name";
    let tables: Vec<(String, String)> = {
        let mut found = conn.prepare(sql).unwrap();
        let rows = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    for (table, columns) in tables {
        let copy = match table.as_str() {
            // A later migration adds a row.
            "numbers" => "UPDATE main.numbers SET next = (SELECT next FROM new.numbers AS known WHERE known.name = numbers.name)".to_owned(),
            // Before migration 27 the text of a letter was stored.
            "outbox" if migration < 27 => format!(
                "INSERT INTO main.outbox ({columns}, body) SELECT {columns}, 'A letter.' FROM new.outbox"
            ),
            // Where the database was in use: this is another file.
            "notes" => "DELETE FROM main.notes; INSERT INTO main.notes SELECT * FROM new.notes WHERE name <> 'place'".to_owned(),
            _ => format!(
                "DELETE FROM main.{table}; INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table};"
            ),
        };
        conn.execute_batch(&copy).unwrap();
    }
    conn.execute_batch("DETACH DATABASE new").unwrap();
    conn.close().unwrap();
    fs::set_permissions(&older, fs::Permissions::from_mode(0o600)).unwrap();
    fs::rename(&older, &new).unwrap();
    assert_eq!(at(&new), migration as i64);
}

/// Adds this many sent letters, whose index by recipient, made anew by a migration, is larger than SQLite's cache.
fn fill(setup: &Setup, letters: u32) {
    let conn = Connection::open(setup.database()).unwrap();
    let sql = format!(
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {letters})
         INSERT INTO outbox (kind, recipient, recipient_key, message_id, is_reply, subject, body, created_at, state, due_at)
         SELECT 'board', 'x', printf('%0400d', number), 'filler-' || number, 0, '', '', 1, 'sent', 1 FROM numbers"
    );
    conn.execute_batch(&sql).unwrap();
    conn.close().unwrap();
}

/// The migration of a database.
fn at(database: &Path) -> i64 {
    count(&look(database), "PRAGMA user_version")
}

/// The copies in the data folder whose names end with `end`.
fn copies(setup: &Setup, end: &str) -> Vec<PathBuf> {
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
    assert_eq!(count(&conn, "PRAGMA user_version"), newest());
    assert_eq!(integrity(&conn), "ok");
    let board = setup.done(&["board", "show", "Pow2", "101"]);
    assert!(board.contains("m13-m5"), "{board}");
    let users = setup.done(&["user", "list"]);
    assert!(users.contains("alice") && users.contains("bob"), "{users}");
}

/// Says both numbers and the two verbs.
#[track_caller]
fn names_the_remedy(said: &str, found: i64) {
    let numbers = format!("is at migration {found}, and this program needs {}: ", newest());
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
    played(&setup, 22);
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
        names_the_remedy(&String::from_utf8(output.stderr).unwrap(), 22);
    }
    let (code, error) = setup.ingest(ALICE, &message(ALICE, "1@home.example", "help", ""));
    assert_eq!(code, 75, "the mail server keeps it");
    names_the_remedy(&error, 22);
    let (printed, code) = check(&setup, &["--offline"]);
    assert_eq!(code, 1, "{printed}");
    let fault = printed.lines().find(|line| line.starts_with("FAULT  database: "));
    names_the_remedy(fault.unwrap(), 22);
    let would = format!(
        "keep a copy of the database and bring it from migration 22 to {}",
        newest()
    );
    finds(&setup, &[&would]);

    // A copy asks nothing of it.
    let backups = folder.path().join("backups");
    let made = setup.done(&["backup", backups.to_str().unwrap()]);
    let made = PathBuf::from(made.trim_end());
    assert_eq!(at(&made.join("pbmserv.sqlite")), 22);
    let verified = setup.done(&["backup", "verify", made.to_str().unwrap()]);
    assert!(verified.starts_with("ok "), "{verified}");

    assert!(fs::read(setup.database()).unwrap() == before);
    assert!(copies(&setup, "").is_empty());
}

#[test]
fn serve_migrates_after_a_copy_that_restore_takes() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    played(&setup, 22);
    let log = setup.serve().stop_well();
    is_as_played(&setup);
    let copy = copies(&setup, "").pop().unwrap();
    let name = format!("before-migration-22-to-{}-20", newest());
    assert!(copy.to_str().unwrap().contains(&name), "{copy:?}");
    let line = log.lines().find(|line| line.contains("the database is migrated"));
    let line = line.unwrap();
    for said in [
        "from=22".to_owned(),
        format!("to={}", newest()),
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
    let brought = format!("brought from migration 22 to {}", newest());
    assert!(
        said.contains(&brought) && said.contains("1 turns, 1 mails\n"),
        "{said}"
    );
    assert_eq!(
        at(&copy.join("pbmserv.sqlite")),
        22,
        "for the program that made it"
    );
    is_as_played(&setup);
}

#[test]
fn migrate_does_it_without_a_server_and_says_so_once() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let missing = setup.run(&["migrate"]);
    let error = String::from_utf8(missing.stderr).unwrap();
    assert!(error.contains("there is no data folder"), "{error}");
    played(&setup, 3);
    let said = setup.done(&["migrate"]);
    let copy = copies(&setup, "").pop().unwrap();
    let brought = format!("from migration 3 to {} in ", newest());
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
    played(&setup, 11);
    let letters = count(&setup.look(), "SELECT COUNT(*) FROM outbox");
    fill(&setup, 60_000);

    let saved = folder.path().join("saved");
    fs::copy(setup.database(), &saved).unwrap();

    let daemon = setup.begin();
    until("the copy has begun", || copies(&setup, ".unfinished").pop());
    daemon.kill();
    assert_eq!(copies(&setup, "").len(), 1, "it has no name yet");
    assert_eq!(at(&setup.database()), 11);

    // On a busy machine a kill may come after the commit.
    let is_cut = (0..10).any(|_| {
        kill_while_it_writes(&setup);
        let migration = at(&setup.database());
        assert!([11, newest()].contains(&migration), "all or none: {migration}");
        let is_cut = migration == 11;
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
    played(&setup, 22);
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
    played(&setup, 22);
    let lock = locked(&setup);
    let daemon = setup.begin();
    until("the copy is made", || {
        let copies = copies(&setup, "");
        (!copies.is_empty() && !copies[0].to_str()?.ends_with("unfinished")).then_some(())
    });
    let log = daemon.stop_well();
    assert!(log.contains("stopped during the migration"), "{log}");
    assert_eq!(at(&setup.database()), 22);
    drop(lock);
    setup.serve().stop_well();
    is_as_played(&setup);
}
