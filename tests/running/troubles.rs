//! The daemon under troubles: a locked database, one whose file is taken away, a relay that refuses or hangs, a name that
//! does not resolve. It keeps running, says so, loses nothing, does nothing twice, and goes on by itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::daemon::mailbox::files;
use crate::daemon::relay::{Mood, Relay};
use crate::daemon::smtp::{Client, message, send};
use crate::daemon::{Daemon, House, count, integrity, look, until};
use rusqlite::Connection;

const ALICE: &str = "alice@home.example";

/// What the log says while nothing can be written, and when it can be again.
const DOWN: &str = "the database cannot be written, so mail is deferred";
const OVER: &str = "the database can be written again";

/// A house whose daemon tells how it is.
fn house(folder: &Path) -> House {
    House::new(folder).with("PBMSERV_HTTP_LISTEN", "127.0.0.1:0")
}

/// The health says that nothing can be written, and why.
#[track_caller]
fn is_ill(daemon: &Daemon, why: &str) {
    let page = daemon.page("/healthz");
    assert_eq!(page.status, 503, "{page:?}");
    let health = page.json();
    let told = &health["database"];
    assert_eq!(told["can_be_written"], false, "{health}");
    assert!(
        told["last_write_error"].as_str().unwrap().contains(why),
        "{health}"
    );
}

#[track_caller]
fn is_well(daemon: &Daemon) {
    // What was found is kept for a moment.
    daemon.health_when("all is well", |page, health| {
        page.status == 200 && health["status"] == "ok"
    });
}

/// A house with an account, and a running daemon.
fn with_alice(house: &House) -> Daemon {
    let daemon = house.serve();
    send(daemon.port, ALICE, "1@home.example", "signup alice secret1", "");
    house.wait_for_delivery();
    daemon
}

/// A message of this number that leaves a trace: it asks for help, and is answered.
fn asks(number: u32) -> Vec<u8> {
    message(ALICE, &format!("help-{number}@home.example"), "help tutorial", "")
}

/// Sends it in a session of its own and gives the reply.
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

/// The signup and so many messages are in this database, each once and with one answer.
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

/// A stop after which the log has told one trouble, once.
#[track_caller]
fn stop_well_after_one_trouble(daemon: Daemon) {
    let log = daemon.stop_well();
    assert_eq!(log.matches(DOWN).count(), 1, "{log}");
    assert_eq!(log.matches(OVER).count(), 1, "{log}");
    assert!(!log.contains("set aside"), "{log}");
}

/// A house with a Maildir door, and its Maildir.
fn with_a_maildir(folder: &Path) -> (House, PathBuf) {
    let maildir = folder.join("Maildir");
    for part in ["new", "cur", "tmp"] {
        fs::create_dir_all(maildir.join(part)).unwrap();
    }
    let house = house(folder).with("PBMSERV_MAILDIR_PATH", &maildir.to_string_lossy());
    (house, maildir)
}

#[test]
fn a_locked_database_puts_off_all_doors_and_all_of_it_goes_through_once() {
    let folder = tempfile::tempdir().unwrap();
    let (house, maildir) = with_a_maildir(folder.path());
    let daemon = with_alice(&house);
    let other = Connection::open(house.database()).unwrap();
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
        let piped = scope.spawn(|| house.ingest(ALICE, &asks(20)));
        for session in sessions {
            put_off(&session.join().unwrap());
        }
        let (code, told) = piped.join().unwrap();
        assert_eq!(code, 75, "{told}");
        assert!(told.contains("locked"), "{told}");
    });
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert!(maildir.join("new/1.a").exists());
    holds(&house.database(), 0);
    wait_for(&daemon, "another program keeps it locked");
    is_ill(&daemon, "another process has locked it");
    other.execute_batch("ROLLBACK").unwrap();
    // Nothing has to come for it to be known that the trouble is over.
    wait_for(&daemon, OVER);
    is_well(&daemon);
    for number in 1..20 {
        taken(&ask(&daemon, number));
    }
    assert_eq!(house.ingest(ALICE, &asks(20)).0, 0);
    until("the Maildir is emptied", || {
        files(&maildir.join("new")).is_empty().then_some(())
    });
    house.wait_for_delivery();
    holds(&house.database(), 21);
    stop_well_after_one_trouble(daemon);
}

#[test]
fn who_reads_for_long_holds_up_nothing_and_the_log_does_not_stay_long() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    let daemon = with_alice(&house);
    let other = look(&house.database());
    other.execute_batch("BEGIN").unwrap();
    assert_eq!(count(&other, "SELECT COUNT(*) FROM inbox"), 1);
    for number in 0..300 {
        taken(&ask(&daemon, number));
    }
    house.wait_for_delivery();
    assert_eq!(
        count(&other, "SELECT COUNT(*) FROM inbox"),
        1,
        "it sees one moment"
    );
    let log = house.data.join("pbmserv.sqlite-wal");
    let length = fs::metadata(&log).unwrap().len();
    assert!(length > 4 * 1024 * 1024, "{length}");
    drop(other);
    for number in 300..302 {
        taken(&ask(&daemon, number));
    }
    house.wait_for_delivery();
    // The log is begun again from its start.
    let afterwards = fs::metadata(&log).unwrap().len();
    assert!(afterwards < length + length / 10, "{afterwards}");
    holds(&house.database(), 302);
    let log = daemon.stop_well();
    assert!(!log.contains(DOWN), "{log}");
}

#[test]
fn a_database_that_is_moved_away_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    let daemon = with_alice(&house);
    taken(&ask(&daemon, 0));
    house.wait_for_delivery();
    let away = folder.path().join("away.sqlite");
    fs::rename(house.database(), &away).unwrap();
    put_off(&ask(&daemon, 1));
    assert_eq!(house.ingest(ALICE, &asks(2)).0, 75);
    wait_for(&daemon, &format!("its file was moved away to {}", away.display()));
    is_ill(&daemon, "its file was moved away");
    assert!(!house.database().exists(), "none is begun in its place");
    // It is complete where it is, and nothing was written into it.
    let alone = folder.path().join("alone.sqlite");
    fs::copy(&away, &alone).unwrap();
    holds(&alone, 1);
    fs::rename(&away, house.database()).unwrap();
    wait_for(&daemon, OVER);
    is_well(&daemon);
    taken(&ask(&daemon, 1));
    house.wait_for_delivery();
    holds(&house.database(), 2);
    stop_well_after_one_trouble(daemon);
    let daemon = house.serve();
    daemon.stop_well();
    holds(&house.database(), 2);
}

#[test]
fn a_server_without_mail_is_found_ill_by_whoever_watches_it() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    let daemon = with_alice(&house);
    let away = folder.path().join("away.sqlite");
    fs::rename(house.database(), &away).unwrap();
    daemon.health_when("the database is missed", |page, health| {
        page.status == 503 && health["database"]["can_be_written"] == false
    });
    fs::rename(&away, house.database()).unwrap();
    is_well(&daemon);
    stop_well_after_one_trouble(daemon);
}

#[test]
fn a_server_does_not_begin_anew_because_its_database_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    with_alice(&house).stop_well();
    let away = folder.path().join("away.sqlite");
    fs::rename(house.database(), &away).unwrap();
    for _ in 0..2 {
        let output = house.run(&["serve"]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && told.contains("has a key and no database"),
            "{told}"
        );
        // As a file system that lost it would leave it.
        fs::write(house.database(), "").unwrap();
    }
    fs::rename(&away, house.database()).unwrap();
    house.serve().stop_well();
    holds(&house.database(), 0);
}

#[test]
fn a_database_that_is_deleted_is_written_anew_and_the_next_start_has_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    let mut daemon = with_alice(&house);
    taken(&ask(&daemon, 0));
    house.wait_for_delivery();
    fs::remove_file(house.database()).unwrap();
    put_off(&ask(&daemon, 1));
    // The unit starts it again.
    let status = daemon.ended();
    let log = daemon.log();
    assert!(!status.success() && !log.contains("panicked"), "{status}: {log}");
    assert!(
        log.contains("its file was deleted, and was written back"),
        "{log}"
    );
    let daemon = house.serve();
    taken(&ask(&daemon, 1));
    taken(&ask(&daemon, 0));
    house.wait_for_delivery();
    holds(&house.database(), 2);
    let log = daemon.stop_well();
    assert!(!log.contains(DOWN), "{log}");
    let left = files(&house.data)
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("saved"));
    assert_eq!(left.count(), 0);
}

/// Brings the log of the database into it: while that holds all pages, nothing can be lost of what is below it.
fn bring_the_log_in(house: &House) {
    let other = Connection::open(house.database()).unwrap();
    let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
    other.query_row(sql, [], |_| Ok(())).unwrap();
}

/// A backup of the one account, and then two messages more.
fn with_a_backup(house: &House, folder: &Path) -> (Daemon, PathBuf) {
    let daemon = with_alice(house);
    let made = house.done(&["backup", &folder.join("backups").to_string_lossy()]);
    let backup = Path::new(made.lines().next().unwrap()).join("pbmserv.sqlite");
    for number in 0..2 {
        taken(&ask(&daemon, number));
        house.wait_for_delivery();
        bring_the_log_in(house);
    }
    (daemon, backup)
}

#[test]
fn another_file_in_the_place_of_the_database_is_neither_written_nor_taken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    let (daemon, backup) = with_a_backup(&house, folder.path());
    let copy = folder.path().join("copy.sqlite");
    fs::copy(&backup, &copy).unwrap();
    fs::rename(&copy, house.database()).unwrap();
    for _ in 0..3 {
        put_off(&ask(&daemon, 2));
    }
    wait_for(
        &daemon,
        "another file was put in the place of its own; the previous one is saved as",
    );
    // What was there before is whole and beside it, and what is there now is as it came.
    let saved: Vec<_> = files(&house.data)
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("saved"))
        .collect();
    assert_eq!(saved.len(), 1, "{saved:?}");
    holds(&saved[0], 2);
    let log = daemon.stop_well();
    assert_eq!(log.matches(DOWN).count(), 1, "{log}");
    assert_eq!(fs::read(house.database()).unwrap(), fs::read(&backup).unwrap());
    let daemon = house.serve();
    taken(&ask(&daemon, 2));
    house.wait_for_delivery();
    holds(&house.database(), 1);
    daemon.stop_well();
}

#[test]
fn a_backup_that_is_copied_over_the_open_database_is_noticed_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    let (daemon, backup) = with_a_backup(&house, folder.path());
    // Into the same file, as cp does.
    fs::copy(&backup, house.database()).unwrap();
    for _ in 0..3 {
        put_off(&ask(&daemon, 2));
    }
    wait_for(&daemon, "its file was written over");
    is_ill(&daemon, "its file was written over");
    let log = daemon.stop_well();
    assert_eq!(log.matches(DOWN).count(), 1, "{log}");
    let daemon = house.serve();
    taken(&ask(&daemon, 2));
    house.wait_for_delivery();
    holds(&house.database(), 1);
    daemon.stop_well();
}

#[test]
fn rubbish_in_the_database_is_refused_and_not_started_with() {
    for rubbish in [&b""[..], &[b'x'; 20_000]] {
        let folder = tempfile::tempdir().unwrap();
        let house = house(folder.path());
        let daemon = with_alice(&house);
        bring_the_log_in(&house);
        taken(&ask(&daemon, 0));
        house.wait_for_delivery();
        fs::write(house.database(), rubbish).unwrap();
        for number in 1..4 {
            put_off(&ask(&daemon, number));
        }
        assert_eq!(house.ingest(ALICE, &asks(2)).0, 75);
        let log = daemon.stop_well();
        assert_eq!(log.matches(DOWN).count(), 1, "{log}");
        let output = house.run(&["serve"]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && told.contains("pbmserv restore"),
            "{told}"
        );
        assert_eq!(
            fs::read(house.database()).unwrap(),
            rubbish,
            "it is left as it was"
        );
    }
}

#[test]
fn an_operator_with_sqlite_and_a_touched_file_are_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    let daemon = with_alice(&house);
    let other = Connection::open(house.database()).unwrap();
    other
        .execute("INSERT INTO notes (name, value) VALUES ('operator', 'here')", [])
        .unwrap();
    other
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    taken(&ask(&daemon, 0));
    let file = fs::File::options().append(true).open(house.database()).unwrap();
    file.set_modified(std::time::SystemTime::now() + Duration::from_secs(1))
        .unwrap();
    taken(&ask(&daemon, 1));
    house.wait_for_delivery();
    holds(&house.database(), 2);
    let log = daemon.stop_well();
    assert!(!log.contains(DOWN), "{log}");
}

/// What the log says while no mail is taken from us, and when it is again.
const REFUSED: &str = "the transport accepts no mail";
const TAKEN: &str = "the transport accepts mail again";

/// A house that delivers to this relay.
fn with_relay(folder: &Path, relay: &str) -> House {
    house(folder).with("PBMSERV_DELIVERY_TRANSPORT", "smtp").with(
        "PBMSERV_DELIVERY_URL",
        &format!("smtp://{relay}?tls=opportunistic"),
    )
}

/// So many strangers ask for help, and none of them waits for the relay.
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

/// Each of so many letters has gone out, with one Message-ID, at most twice.
#[track_caller]
fn all_went(house: &House, relay: &Relay, letters: usize, most: usize) {
    house.wait_for_delivery();
    let ids = relay.message_ids();
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), letters, "{ids:?}");
    for id in unique {
        let times = ids.iter().filter(|other| **other == id).count();
        assert!(times <= most, "{id} went {times} times");
    }
    let conn = house.look();
    let sent = count(&conn, "SELECT COUNT(*) FROM outbox WHERE state = 'sent'");
    assert_eq!(sent, i64::try_from(letters).unwrap());
}

#[track_caller]
fn sends_once_it_may(folder: &Path, relay: Option<Relay>) {
    const LETTERS: usize = 8;
    let port = relay.as_ref().map_or_else(free_port, |relay| relay.port);
    let house = with_relay(folder, &format!("127.0.0.1:{port}"));
    let daemon = house.serve();
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
    all_went(&house, &relay, LETTERS, 1);
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
        let house = with_relay(folder.path(), &format!("127.0.0.1:{}", relay.port));
        let daemon = house.serve();
        strangers_ask(&daemon, 20);
        let start = Instant::now();
        daemon.stop_well();
        let took = start.elapsed();
        assert!(took < Duration::from_secs(9), "{mood:?}: {took:?}");
        relay.is(Mood::Well);
        let daemon = house.serve();
        all_went(&house, &relay, 20, 2);
        daemon.stop_well();
    }
}

/// The name of the relay is not known to the DNS, or the DNS is silent; then it is known. The files by which the daemon
/// finds names are the test's own.
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
        let house = with_relay(folder.path(), &format!("relay.example:{}", relay.port));
        let mount = format!(
            "mount --bind {} /etc/hosts && mount --bind {} /etc/resolv.conf && exec \"$@\"",
            hosts.display(),
            resolver.display()
        );
        let daemon = house.behind(&["unshare", "-m", "sh", "-c", &mount, "sh"]).serve();
        strangers_ask(&daemon, 8);
        wait_for(&daemon, REFUSED);
        fs::write(&hosts, "127.0.0.1 localhost relay.example\n").unwrap();
        all_went(&house, &relay, 8, 1);
        wait_for(&daemon, TAKEN);
        let log = daemon.stop_well();
        assert_eq!(log.matches(REFUSED).count(), 1, "{log}");
    }
}
