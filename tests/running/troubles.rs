//! Faults under a running daemon: a locked database, a database file that is removed, a relay that refuses or
//! hangs, a DNS failure. The daemon keeps running, reports the fault, loses nothing, repeats nothing, and recovers
//! automatically.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::daemon::mailbox::files;
use crate::daemon::relay::{Mood, Relay};
use crate::daemon::smtp::{Client, message, send};
use crate::daemon::{Daemon, Setup, count, integrity, look, until};
use rusqlite::Connection;

const ALICE: &str = "alice@home.example";

/// What the log says while nothing can be written, and when it can be again.
const DOWN: &str = "the database cannot be written, so mail is deferred";
const UNREADABLE: &str = "the database cannot be read, so what needs it is put off";
const OVER: &str = "the database can be written again";

/// A setup whose daemon serves `/healthz`.
fn setup(folder: &Path) -> Setup {
    Setup::new(folder).with("PBMSERV_HTTP_LISTEN", "127.0.0.1:0")
}

/// `/healthz` reports that the database cannot be written, and why.
#[track_caller]
fn is_ill(daemon: &Daemon, why: &str) {
    let page = daemon.page("/healthz");
    assert_eq!(page.status, 503, "{page:?}");
    let health = page.json();
    let database = &health["database"];
    assert_eq!(database["can_be_written"], false, "{health}");
    assert!(
        database["last_write_error"].as_str().unwrap().contains(why),
        "{health}"
    );
}

#[track_caller]
fn is_well(daemon: &Daemon) {
    // The result is cached for a moment.
    daemon.health_when("all is well", |page, health| {
        page.status == 200 && health["status"] == "ok"
    });
}

/// A setup with an account, and a running daemon.
fn with_alice(setup: &Setup) -> Daemon {
    let daemon = setup.serve();
    send(daemon.port, ALICE, "1@home.example", "signup alice fig7elk", "");
    setup.wait_for_delivery();
    daemon
}

/// A message with this number that leaves a trace: it asks for help, and is answered.
fn asks(number: u32) -> Vec<u8> {
    message(ALICE, &format!("help-{number}@home.example"), "help tutorial", "")
}

/// Sends it in a new session and returns the reply.
fn ask(daemon: &Daemon, number: u32) -> String {
    let mut client = Client::connect(daemon.port).unwrap();
    client.send(ALICE, &asks(number)).unwrap()
}

#[track_caller]
fn put_off(reply: &str) {
    assert!(reply.starts_with("451 4.3.0"), "{reply}");
}

#[track_caller]
fn taken(reply: &str) {
    assert!(reply.starts_with("250"), "{reply}");
}

/// The signup and this many messages are in this database, each once and with one answer.
#[track_caller]
fn holds(database: &Path, messages: i64) {
    let conn = look(database);
    assert_eq!(integrity(&conn), "ok");
    let done = count(&conn, "SELECT COUNT(*) FROM inbox WHERE state = 'done'");
    assert_eq!(done, 1 + messages);
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM inbox"), 1 + messages);
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM outbox"), 1 + messages);
}

fn says(daemon: &Daemon, words: &str) -> usize {
    daemon.log().matches(words).count()
}

fn wait_for(daemon: &Daemon, words: &str) {
    until(words, || (says(daemon, words) > 0).then_some(()));
}

/// Stops the daemon; its log must have reported one fault, once.
#[track_caller]
fn stop_well_after_one_trouble(daemon: Daemon) {
    let log = daemon.stop_well();
    assert_eq!(log.matches(DOWN).count(), 1, "{log}");
    assert_eq!(log.matches(OVER).count(), 1, "{log}");
    assert!(!log.contains("set aside"), "{log}");
}

/// A setup with a Maildir door, and its Maildir.
fn with_a_maildir(folder: &Path) -> (Setup, PathBuf) {
    let maildir = folder.join("Maildir");
    for part in ["new", "cur", "tmp"] {
        fs::create_dir_all(maildir.join(part)).unwrap();
    }
    let setup = setup(folder).with("PBMSERV_MAILDIR_PATH", &maildir.to_string_lossy());
    (setup, maildir)
}

#[test]
fn a_locked_database_puts_off_all_doors_and_all_of_it_goes_through_once() {
    let folder = tempfile::tempdir().unwrap();
    let (setup, maildir) = with_a_maildir(folder.path());
    let daemon = with_alice(&setup);
    let other = Connection::open(setup.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    fs::write(maildir.join("new/1.a"), asks(0)).unwrap();
    std::thread::scope(|scope| {
        let sessions: Vec<_> = (1..20)
            .map(|number| {
                scope.spawn({
                    let daemon = &daemon;
                    move || ask(daemon, number)
                })
            })
            .collect();
        let piped = scope.spawn(|| setup.ingest(ALICE, &asks(20)));
        for session in sessions {
            put_off(&session.join().unwrap());
        }
        let (code, printed) = piped.join().unwrap();
        assert_eq!(code, 75, "{printed}");
        assert!(printed.contains("locked"), "{printed}");
    });
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert!(maildir.join("new/1.a").exists());
    holds(&setup.database(), 0);
    wait_for(&daemon, "close the program that keeps it locked");
    is_ill(&daemon, "another process has locked it");
    other.execute_batch("ROLLBACK").unwrap();
    // The recovery is noticed without a new mail.
    wait_for(&daemon, OVER);
    is_well(&daemon);
    for number in 1..20 {
        taken(&ask(&daemon, number));
    }
    assert_eq!(setup.ingest(ALICE, &asks(20)).0, 0);
    until("the Maildir is emptied", || {
        files(&maildir.join("new")).is_empty().then_some(())
    });
    setup.wait_for_delivery();
    holds(&setup.database(), 21);
    stop_well_after_one_trouble(daemon);
}

#[test]
fn who_reads_for_long_holds_up_nothing_and_the_log_does_not_stay_long() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let daemon = with_alice(&setup);
    let other = look(&setup.database());
    other.execute_batch("BEGIN").unwrap();
    assert_eq!(count(&other, "SELECT COUNT(*) FROM inbox"), 1);
    for number in 0..300 {
        taken(&ask(&daemon, number));
    }
    setup.wait_for_delivery();
    assert_eq!(
        count(&other, "SELECT COUNT(*) FROM inbox"),
        1,
        "it sees one moment"
    );
    let log = setup.data.join("pbmserv.sqlite-wal");
    let length = fs::metadata(&log).unwrap().len();
    assert!(length > 4 * 1024 * 1024, "{length}");
    drop(other);
    for number in 300..302 {
        taken(&ask(&daemon, number));
    }
    setup.wait_for_delivery();
    // The WAL starts again from its beginning.
    let afterwards = fs::metadata(&log).unwrap().len();
    assert!(afterwards < length + length / 10, "{afterwards}");
    holds(&setup.database(), 302);
    let log = daemon.stop_well();
    assert!(!log.contains(DOWN), "{log}");
}

#[test]
fn a_database_that_is_moved_away_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let daemon = with_alice(&setup);
    taken(&ask(&daemon, 0));
    setup.wait_for_delivery();
    let away = folder.path().join("away.sqlite");
    fs::rename(setup.database(), &away).unwrap();
    put_off(&ask(&daemon, 1));
    assert_eq!(setup.ingest(ALICE, &asks(2)).0, 75);
    wait_for(&daemon, &format!("its file was moved away to {}", away.display()));
    is_ill(&daemon, "its file was moved away");
    assert!(!setup.database().exists(), "none is begun in its place");
    // It is complete there, and nothing was written into it.
    let alone = folder.path().join("alone.sqlite");
    fs::copy(&away, &alone).unwrap();
    holds(&alone, 1);
    fs::rename(&away, setup.database()).unwrap();
    wait_for(&daemon, OVER);
    is_well(&daemon);
    taken(&ask(&daemon, 1));
    setup.wait_for_delivery();
    holds(&setup.database(), 2);
    stop_well_after_one_trouble(daemon);
    let daemon = setup.serve();
    daemon.stop_well();
    holds(&setup.database(), 2);
}

#[test]
fn a_server_without_mail_is_found_ill_by_whoever_watches_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let daemon = with_alice(&setup);
    let away = folder.path().join("away.sqlite");
    fs::rename(setup.database(), &away).unwrap();
    daemon.health_when("the database is missed", |page, health| {
        page.status == 503 && health["database"]["can_be_written"] == false
    });
    fs::rename(&away, setup.database()).unwrap();
    is_well(&daemon);
    stop_well_after_one_trouble(daemon);
}

#[test]
fn a_server_does_not_begin_anew_because_its_database_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    with_alice(&setup).stop_well();
    let away = folder.path().join("away.sqlite");
    fs::rename(setup.database(), &away).unwrap();
    for _ in 0..2 {
        let output = setup.run(&["serve"]);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && printed.contains("has a key and no database"),
            "{printed}"
        );
        // As if the file system had lost it.
        fs::write(setup.database(), "").unwrap();
    }
    fs::rename(&away, setup.database()).unwrap();
    setup.serve().stop_well();
    holds(&setup.database(), 0);
}

#[test]
fn a_database_that_is_deleted_is_written_anew_and_the_next_start_has_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let mut daemon = with_alice(&setup);
    taken(&ask(&daemon, 0));
    setup.wait_for_delivery();
    fs::remove_file(setup.database()).unwrap();
    put_off(&ask(&daemon, 1));
    // systemd starts it again.
    let status = daemon.ended();
    let log = daemon.log();
    assert!(!status.success() && !log.contains("panicked"), "{status}: {log}");
    assert!(
        log.contains("its file was deleted, and was written back"),
        "{log}"
    );
    let daemon = setup.serve();
    taken(&ask(&daemon, 1));
    taken(&ask(&daemon, 0));
    setup.wait_for_delivery();
    holds(&setup.database(), 2);
    let log = daemon.stop_well();
    assert!(!log.contains(DOWN), "{log}");
    let left = files(&setup.data)
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("saved"));
    assert_eq!(left.count(), 0);
}

/// A checkpoint: while the WAL has all pages, damage to the database file loses nothing.
fn bring_the_log_in(setup: &Setup) {
    let other = Connection::open(setup.database()).unwrap();
    let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
    other.query_row(sql, [], |_| Ok(())).unwrap();
}

/// A backup of the one account, and then two messages more.
fn with_a_backup(setup: &Setup, folder: &Path) -> (Daemon, PathBuf) {
    let daemon = with_alice(setup);
    let made = setup.done(&["backup", &folder.join("backups").to_string_lossy()]);
    let backup = Path::new(made.lines().next().unwrap()).join("pbmserv.sqlite");
    for number in 0..2 {
        taken(&ask(&daemon, number));
        setup.wait_for_delivery();
        bring_the_log_in(setup);
    }
    (daemon, backup)
}

#[test]
fn another_file_in_the_place_of_the_database_is_neither_written_nor_taken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let (daemon, backup) = with_a_backup(&setup, folder.path());
    let copy = folder.path().join("copy.sqlite");
    fs::copy(&backup, &copy).unwrap();
    fs::rename(&copy, setup.database()).unwrap();
    for _ in 0..3 {
        put_off(&ask(&daemon, 2));
    }
    wait_for(
        &daemon,
        "its file was replaced by another one; the previous one is saved as",
    );
    // The previous database is kept unchanged next to it, and the new one is unchanged too.
    let saved: Vec<_> = files(&setup.data)
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("saved"))
        .collect();
    assert_eq!(saved.len(), 1, "{saved:?}");
    holds(&saved[0], 2);
    let log = daemon.stop_well();
    assert_eq!(log.matches(DOWN).count(), 1, "{log}");
    assert_eq!(fs::read(setup.database()).unwrap(), fs::read(&backup).unwrap());
    // What waits in the backup was sent since.
    let output = setup.run(&["serve"]);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && printed.contains("pbmserv adopt"),
        "{printed}"
    );
    setup.done(&["adopt"]);
    let daemon = setup.serve();
    taken(&ask(&daemon, 2));
    setup.wait_for_delivery();
    holds(&setup.database(), 1);
    daemon.stop_well();
    // The one that lost its name is no copy.
    fs::rename(&saved[0], setup.database()).unwrap();
    setup.serve().stop_well();
    holds(&setup.database(), 2);
}

#[test]
fn a_backup_that_is_copied_over_the_open_database_is_noticed_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let (daemon, backup) = with_a_backup(&setup, folder.path());
    // Into the same file, as cp does.
    fs::copy(&backup, setup.database()).unwrap();
    for _ in 0..3 {
        put_off(&ask(&daemon, 2));
    }
    wait_for(&daemon, "its file was overwritten");
    is_ill(&daemon, "its file was overwritten");
    let log = daemon.stop_well();
    assert_eq!(log.matches(DOWN).count(), 1, "{log}");
    let daemon = setup.serve();
    taken(&ask(&daemon, 2));
    setup.wait_for_delivery();
    holds(&setup.database(), 1);
    daemon.stop_well();
}

#[test]
fn rubbish_in_the_database_is_refused_and_not_started_with() {
    for rubbish in [&b""[..], &[b'x'; 20_000]] {
        let folder = tempfile::tempdir().unwrap();
        let setup = setup(folder.path());
        let daemon = with_alice(&setup);
        bring_the_log_in(&setup);
        taken(&ask(&daemon, 0));
        setup.wait_for_delivery();
        fs::write(setup.database(), rubbish).unwrap();
        for number in 1..4 {
            put_off(&ask(&daemon, number));
        }
        assert_eq!(setup.ingest(ALICE, &asks(2)).0, 75);
        let log = daemon.stop_well();
        // A mail or the look of each second notices it first, by what is read or by the file; each is said once.
        let told = [UNREADABLE, DOWN].map(|words| log.matches(words).count());
        assert!([[1, 0], [0, 1], [1, 1]].contains(&told), "{log}");
        let output = setup.run(&["serve"]);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && printed.contains("pbmserv restore"),
            "{printed}"
        );
        assert_eq!(
            fs::read(setup.database()).unwrap(),
            rubbish,
            "it is left as it was"
        );
    }
}

#[test]
fn checkpoints_of_another_program_are_told_from_writing() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let daemon = with_alice(&setup);
    let other = Connection::open(setup.database()).unwrap();
    let checkpoints = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"];
    for (number, kind) in (0..8).zip(checkpoints.iter().cycle()) {
        taken(&ask(&daemon, number));
        let sql = format!("PRAGMA wal_checkpoint({kind})");
        other.query_row(&sql, [], |_| Ok(())).unwrap();
        // As Litestream does, so that the WAL begins anew.
        let sql = "INSERT INTO notes (name, value) VALUES ('copied', '1')
                   ON CONFLICT (name) DO UPDATE SET value = value + 1";
        other.execute(sql, []).unwrap();
    }
    taken(&ask(&daemon, 8));
    setup.wait_for_delivery();
    let log = daemon.stop_well();
    assert!(!log.contains(DOWN), "{log}");
    assert!(!log.contains("another program has written"), "{log}");
}

#[test]
fn an_operator_with_sqlite_and_a_touched_file_are_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let daemon = with_alice(&setup);
    let other = Connection::open(setup.database()).unwrap();
    other
        .execute("INSERT INTO notes (name, value) VALUES ('operator', 'here')", [])
        .unwrap();
    other
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    taken(&ask(&daemon, 0));
    let file = fs::File::options().append(true).open(setup.database()).unwrap();
    file.set_modified(std::time::SystemTime::now() + Duration::from_secs(1))
        .unwrap();
    taken(&ask(&daemon, 1));
    setup.wait_for_delivery();
    holds(&setup.database(), 2);
    let log = daemon.stop_well();
    assert!(!log.contains(DOWN), "{log}");
    assert_eq!(log.matches("another program has written").count(), 1, "{log}");
}

/// What the log says while no mail is taken from us, and when it is again.
const REFUSED: &str = "the transport accepts no mail";
const TAKEN: &str = "the transport accepts mail again";

/// A setup that delivers to this relay.
fn with_relay(folder: &Path, relay: &str) -> Setup {
    setup(folder).with("PBMSERV_DELIVERY_TRANSPORT", "smtp").with(
        "PBMSERV_DELIVERY_URL",
        &format!("smtp://{relay}?tls=opportunistic"),
    )
}

/// This many strangers ask for help; none of them waits for the relay.
fn strangers_ask(daemon: &Daemon, count: usize) {
    for number in 0..count {
        let from = format!("stranger{number}@home.example");
        let start = Instant::now();
        send(
            daemon.port,
            &from,
            &format!("{number}@home.example"),
            "help tutorial",
            "",
        );
        assert!(start.elapsed() < Duration::from_secs(3), "the door waits");
    }
}

/// Each of these letters was sent, with one Message-ID, at most twice.
#[track_caller]
fn all_went(setup: &Setup, relay: &Relay, letters: usize, most: usize) {
    setup.wait_for_delivery();
    let ids = relay.message_ids();
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), letters, "{ids:?}");
    for id in unique {
        let times = ids.iter().filter(|other| **other == id).count();
        assert!(times <= most, "{id} went {times} times");
    }
    let conn = setup.look();
    let sent = count(&conn, "SELECT COUNT(*) FROM outbox WHERE state = 'sent'");
    assert_eq!(sent, i64::try_from(letters).unwrap());
}

#[track_caller]
fn sends_once_it_may(folder: &Path, relay: Option<Relay>) {
    const LETTERS: usize = 8;
    let port = relay.as_ref().map_or_else(free_port, |relay| relay.port);
    let setup = with_relay(folder, &format!("127.0.0.1:{port}"));
    let daemon = setup.serve();
    strangers_ask(&daemon, LETTERS);
    wait_for(&daemon, REFUSED);
    let health = daemon.health_when("the sender is down", |_, health| {
        health["sender"]["state"] == "degraded"
    });
    assert!(health["sender"]["down_since"].is_string(), "{health}");
    let relay = match relay {
        Some(relay) => {
            relay.is(Mood::Well);
            relay
        }
        None => Relay::listen(port, Mood::Well),
    };
    all_went(&setup, &relay, LETTERS, 1);
    wait_for(&daemon, TAKEN);
    is_well(&daemon);
    let log = daemon.stop_well();
    assert_eq!(log.matches(REFUSED).count(), 1, "{log}");
    assert!(log.contains("waiting="), "{log}");
    assert_eq!(log.matches(TAKEN).count(), 1, "{log}");
    assert!(!log.contains("deferred"), "once, not for each mail: {log}");
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[test]
fn a_relay_that_is_not_there_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    sends_once_it_may(folder.path(), None);
}

#[test]
fn a_relay_that_turns_us_away_is_tried_until_it_does_not() {
    for mood in [Mood::Greets("421 too busy"), Mood::AtMail("550 not you")] {
        let folder = tempfile::tempdir().unwrap();
        sends_once_it_may(folder.path(), Some(Relay::listen(0, mood)));
    }
}

#[test]
fn a_relay_that_hangs_holds_up_neither_the_doors_nor_the_stop() {
    for mood in [Mood::Drips, Mood::SilentAtTheEnd] {
        let folder = tempfile::tempdir().unwrap();
        let relay = Relay::listen(0, mood);
        let setup = with_relay(folder.path(), &format!("127.0.0.1:{}", relay.port));
        let daemon = setup.serve();
        strangers_ask(&daemon, 20);
        let start = Instant::now();
        daemon.stop_well();
        let took = start.elapsed();
        assert!(took < Duration::from_secs(9), "{mood:?}: {took:?}");
        relay.is(Mood::Well);
        let daemon = setup.serve();
        all_went(&setup, &relay, 20, 2);
        daemon.stop_well();
    }
}

/// The DNS does not know the relay's name, or does not answer; then it does. The resolver files of the daemon are
/// the test's.
#[test]
#[ignore = "mounts files and listens on port 53: needs root"]
fn a_relay_whose_name_does_not_resolve_is_waited_for() {
    let _silent = std::net::UdpSocket::bind("127.77.53.1:53").unwrap();
    for nameservers in [
        "nameserver 127.77.53.1\noptions timeout:1 attempts:1\n",
        "nameserver 127.77.53.2\n",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let [hosts, resolver] = ["hosts", "resolv.conf"].map(|name| folder.path().join(name));
        fs::write(&hosts, "127.0.0.1 localhost\n").unwrap();
        fs::write(&resolver, nameservers).unwrap();
        let relay = Relay::listen(0, Mood::Well);
        let setup = with_relay(folder.path(), &format!("relay.example:{}", relay.port));
        let mount = format!(
            "mount --bind {} /etc/hosts && mount --bind {} /etc/resolv.conf && exec \"$@\"",
            hosts.display(),
            resolver.display()
        );
        let daemon = setup.behind(&["unshare", "-m", "sh", "-c", &mount, "sh"]).serve();
        strangers_ask(&daemon, 8);
        wait_for(&daemon, REFUSED);
        fs::write(&hosts, "127.0.0.1 localhost relay.example\n").unwrap();
        all_went(&setup, &relay, 8, 1);
        wait_for(&daemon, TAKEN);
        let log = daemon.stop_well();
        assert_eq!(log.matches(REFUSED).count(), 1, "{log}");
    }
}
