//! A full disk, in the middle of a batch and at its commit; a database that another process has locked. The whole
//! batch is rolled back, each sender gets 451, and the server works again when the fault ends.
//!
//! The small disk is a tmpfs in a private mount namespace. That needs root, so those tests are ignored by default;
//! the one with a limit on the size of files needs no privileges.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::daemon::disk::{Disk, is_inside};
use crate::daemon::mailbox::{all, files};
use crate::daemon::smtp::{Client, message, send, stuffed};
use crate::daemon::{Daemon, Setup, count, integrity, until};
use pbmserv_core::letters::Draft;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use rusqlite::Connection;

const ALICE: &str = "alice@home.example";

/// Two players with a board, and all of their letters delivered.
fn with_a_board(setup: &Setup) -> Daemon {
    let daemon = setup.serve();
    send(daemon.port, ALICE, "1@home.example", "signup alice fig7elk", "");
    send(
        daemon.port,
        "bob@home.example",
        "2@home.example",
        "signup bob oak4jay",
        "",
    );
    send(
        daemon.port,
        ALICE,
        "3@home.example",
        "Pow2 challenge alice bob",
        "",
    );
    setup.wait_for_delivery();
    daemon
}

/// The number of messages after [`with_a_board`].
const FIRST: i64 = 3;

/// A chat of this number, as long as one may be. Its characters are chosen by chance, since what is stored of it is compressed.
fn chat(number: usize) -> Vec<u8> {
    let mut chance = StdRng::seed_from_u64(number as u64);
    let mut line = || -> String { (0..40).map(|_| chance.random_range('一'..='龥')).collect() };
    let lines: Vec<String> = (0..200).map(|_| line()).collect();
    let text = format!("chat-{number}-\n{}\n", lines.join("\n"));
    message(
        ALICE,
        &format!("chat-{number}@home.example"),
        "Pow2 chat 101 alice fig7elk",
        &text,
    )
}

/// Sends a chat in a new session and returns the reply.
fn say(daemon: &Daemon, number: usize) -> String {
    let mut client = Client::connect(daemon.port).unwrap();
    client.send(ALICE, &chat(number)).unwrap()
}

/// Exactly these chats are in the database, each with its two letters.
fn check(setup: &Setup, taken: usize) {
    let conn = setup.look();
    let taken = i64::try_from(taken).unwrap();
    assert_eq!(
        count(&conn, "SELECT COUNT(*) FROM inbox WHERE state = 'done'"),
        FIRST + taken
    );
    assert_eq!(
        count(&conn, "SELECT COUNT(*) FROM inbox"),
        FIRST + taken,
        "each once"
    );
    let mut letters = conn
        .prepare("SELECT letter FROM outbox WHERE letter IS NOT NULL")
        .unwrap();
    let letters = letters.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    let says = |letter: &Vec<u8>| {
        Draft::unpacked(letter)
            .unwrap()
            .facts
            .to_string()
            .contains("chat-")
    };
    let said = letters.map(Result::unwrap).filter(says).count();
    assert_eq!(i64::try_from(said).unwrap(), 2 * taken);
    assert_eq!(integrity(&conn), "ok");
}

/// Stops the daemon, and lets another one deliver the letters that are left.
fn deliver_the_rest(setup: &Setup, daemon: Daemon, chats: usize) {
    let log = daemon.stop_well();
    assert!(!log.contains("set aside"), "{log}");
    let daemon = setup.serve();
    for row in waiting(setup) {
        let number = row["id"].as_i64().unwrap().to_string();
        // It may have been sent already.
        setup.run(&["queue", "retry", &number]);
    }
    setup.wait_for_delivery();
    daemon.stop_well();
    let delivered = all(&setup.data.parent().unwrap().join("mail"));
    let ids: std::collections::HashSet<_> = delivered.iter().map(|mail| &mail.message_id).collect();
    assert_eq!(ids.len(), 4 + 2 * chats, "every letter is delivered");
}

/// The mails in the outbox.
fn waiting(setup: &Setup) -> Vec<serde_json::Value> {
    let rows = setup.done(&["queue", "list", "--state", "waiting", "--limit", "1000", "--json"]);
    serde_json::from_str(&rows).unwrap()
}

/// A setup whose mailboxes are on the large disk, outside the data folder.
fn setup(folder: &Path) -> Setup {
    Setup::new(folder)
        .with("PBMSERV_DELIVERY_MAILDIR", &folder.join("mail").to_string_lossy())
        .with("PBMSERV_LOG_LEVEL", "info,pbmserv::engine=debug")
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn a_full_disk_refuses_for_now_and_takes_again_when_there_is_room() {
    if !is_inside("diskfull::a_full_disk_refuses_for_now_and_takes_again_when_there_is_room") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::mount(&folder.path().join("data"), 16 * 1024);
    let setup = setup(folder.path());
    let daemon = with_a_board(&setup);
    disk.fill(0);
    // Some fit into existing pages of the WAL.
    let replies: Vec<_> = (0..120).map(|number| say(&daemon, number)).collect();
    let (taken, refused): (Vec<usize>, Vec<usize>) =
        (0..replies.len()).partition(|&number| replies[number].starts_with("250"));
    assert!(refused.len() > 50, "{replies:?}");
    for &number in &refused {
        assert!(replies[number].starts_with("451 4.3.0"), "{}", replies[number]);
    }
    assert!(daemon.log().contains("is_at_commit=true"), "{}", daemon.log());
    check(&setup, taken.len());
    disk.free();
    for number in refused {
        let reply = say(&daemon, number);
        assert!(reply.starts_with("250"), "{reply}");
    }
    // Their senders no longer know which were refused, so all are sent again.
    for number in (0..replies.len()).step_by(7) {
        assert!(say(&daemon, number).starts_with("250"));
    }
    check(&setup, replies.len());
    deliver_the_rest(&setup, daemon, replies.len());
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn below_the_floor_mail_is_put_off_until_there_is_room_again() {
    if !is_inside("diskfull::below_the_floor_mail_is_put_off_until_there_is_room_again") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::mount(&folder.path().join("data"), 32 * 1024);
    let setup = setup(folder.path()).with("PBMSERV_SERVER_MIN_FREE_BYTES", "8000000");
    let daemon = with_a_board(&setup);
    let begun = || Client::connect(daemon.port).unwrap().begin(ALICE);
    disk.fill(4_000_000);
    let refusal = until("mail is put off", || begun().err());
    assert!(refusal.to_string().starts_with("452 4.3.1"), "{refusal}");
    disk.free();
    until("mail is taken again", || begun().ok());
    assert!(say(&daemon, 0).starts_with("250"));
    let log = daemon.log();
    assert!(log.contains("the disk has room again"), "{log}");
    check(&setup, 1);
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn a_disk_that_is_full_in_the_middle_of_a_batch_keeps_nothing_of_the_batch() {
    if !is_inside("diskfull::a_disk_that_is_full_in_the_middle_of_a_batch_keeps_nothing_of_the_batch") {
        return;
    }
    // How the messages fall into batches is up to the machine, so there are several rounds.
    const ROUNDS: usize = 4;
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::mount(&folder.path().join("data"), 256 * 1024);
    let setup = setup(folder.path());
    let daemon = with_a_board(&setup);
    let other = Connection::open(setup.database()).unwrap();
    let mut said = 0;
    for round in 0..ROUNDS {
        let numbers = said..said + CHATS;
        let refused = say_on_a_full_disk(&daemon, &disk, &other, numbers.clone());
        said = numbers.end;
        let log = daemon.log();
        let failed = |cause: &str| -> Vec<usize> {
            log.lines()
                .filter(|line| line.contains("the batch was rolled back") && line.contains(cause))
                .filter_map(|line| line.split("messages=").nth(1)?.split(' ').next()?.parse().ok())
                .collect()
        };
        check(&setup, said - refused.len());
        disk.free();
        for number in &refused {
            assert!(say(&daemon, *number).starts_with("250"));
        }
        check(&setup, said);
        // What fits into memory fails at the commit.
        if failed("is_at_commit=false")
            .iter()
            .any(|messages| *messages > 100)
        {
            break;
        }
        assert!(round + 1 < ROUNDS, "no full batch failed in its middle:\n{log}");
    }
    drop(other);
    deliver_the_rest(&setup, daemon, said);
}

/// The chats of a round. What a full batch of them changes is more than SQLite keeps in memory, so it writes before the
/// commit. The second batch is full, also if the first has a third of all.
const CHATS: usize = 341;

/// Sends chats that wait for the lock, and fills the disk before they get it; returns the numbers of those refused.
fn say_on_a_full_disk(daemon: &Daemon, disk: &Disk, other: &Connection, numbers: Range<usize>) -> Vec<usize> {
    let chats: Vec<_> = numbers.clone().map(|number| stuffed(&chat(number))).collect();
    let mut clients: Vec<_> = numbers
        .clone()
        .map(|_| Client::connect(daemon.port).unwrap())
        .collect();
    for client in &mut clients {
        client.begin(ALICE).unwrap();
    }
    let rolled_back = |log: &str| -> usize {
        log.lines()
            .filter(|line| line.contains("the batch was rolled back"))
            .filter_map(|line| {
                line.split("messages=")
                    .nth(1)?
                    .split(' ')
                    .next()?
                    .parse::<usize>()
                    .ok()
            })
            .sum()
    };
    let before = rolled_back(&daemon.log());
    // While another process holds the lock, the engine waits with the first message and the others queue up.
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for (place, client) in clients.iter_mut().enumerate() {
        client.write(&chats[place]).unwrap();
        if place == 0 {
            std::thread::sleep(Duration::from_millis(300));
        }
    }
    // Do not query `/healthz` here: the engine would then look at the database too, and wait for 5 seconds.
    std::thread::sleep(Duration::from_millis(2500));
    disk.fill(1024 * 1024);
    other.execute_batch("ROLLBACK").unwrap();
    let replies: Vec<_> = clients.iter_mut().map(|client| client.reply().unwrap()).collect();
    let is_refused = |place: &usize| !replies[*place].starts_with("250");
    let refused: Vec<usize> = (0..replies.len()).filter(is_refused).collect();
    for place in &refused {
        assert!(replies[*place].starts_with("451 4.3.0"), "{}", replies[*place]);
    }
    let log = daemon.log();
    assert_eq!(rolled_back(&log) - before, refused.len(), "{log}");
    refused.into_iter().map(|place| numbers.start + place).collect()
}

#[test]
fn files_that_may_not_grow_refuse_for_now() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    // Exceeding the limit sends SIGXFSZ, which kills unless it is ignored; if ignored, the write fails.
    let setup = setup.behind(&["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
    let daemon = with_a_board(&setup);
    daemon.limit_files("4096");
    for number in 0..3 {
        let reply = say(&daemon, number);
        assert!(reply.starts_with("451 4.3.0"), "{reply}");
    }
    check(&setup, 0);
    daemon.limit_files("unlimited");
    for number in 0..3 {
        assert!(say(&daemon, number).starts_with("250"));
    }
    check(&setup, 3);
    deliver_the_rest(&setup, daemon, 3);
}

#[test]
fn a_database_that_another_process_keeps_locked_refuses_for_now() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let daemon = with_a_board(&setup);
    let other = Connection::open(setup.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    let reply = say(&daemon, 0);
    assert!(reply.starts_with("451 4.3.0"), "{reply}");
    assert!(reply.contains("locked"), "{reply}");
    let waited = start.elapsed();
    assert!((4..15).contains(&waited.as_secs()), "{waited:?}");
    other.execute_batch("ROLLBACK").unwrap();
    check(&setup, 0);
    assert!(say(&daemon, 0).starts_with("250"));
    check(&setup, 1);
    drop(other);
    deliver_the_rest(&setup, daemon, 1);
}

/// A daemon whose mailboxes are on a full disk, and a letter that waits for space.
fn with_full_mailboxes(folder: &Path) -> (Setup, Disk, Daemon) {
    let disk = Disk::mount(&folder.join("mail"), 512);
    let setup = setup(folder);
    let daemon = setup.serve();
    disk.fill(0);
    for number in 0..5 {
        let from = format!("reader{number}@home.example");
        send(daemon.port, &from, &format!("{number}@home.example"), "help", "");
    }
    until("a delivery has failed", || {
        let tried = waiting(&setup)
            .into_iter()
            .find(|row| !row["last_error"].is_null())?;
        let why = tried["last_error"].as_str().unwrap().to_owned();
        assert!(why.contains("No space left"), "{why}");
        Some(())
    });
    assert_eq!(waiting(&setup).len(), 5, "none is lost, none is given up");
    for mailbox in files(&disk.path).iter().filter(|path| path.is_dir()) {
        for part in ["tmp", "new"] {
            assert!(files(&mailbox.join(part)).is_empty(), "half a letter is left");
        }
    }
    (setup, disk, daemon)
}

fn check_letters(disk: &Disk) {
    let letters = all(&disk.path);
    assert_eq!(letters.len(), 5);
    assert!(letters.iter().all(|mail| mail.text.len() > 100));
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn letters_that_find_no_room_in_the_mailbox_wait_for_it() {
    if !is_inside("diskfull::letters_that_find_no_room_in_the_mailbox_wait_for_it") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (setup, disk, daemon) = with_full_mailboxes(folder.path());
    disk.free();
    daemon.stop_well();
    let daemon = setup.serve();
    for row in waiting(&setup) {
        setup.run(&["queue", "retry", &row["id"].to_string()]);
    }
    setup.wait_for_delivery();
    daemon.stop_well();
    check_letters(&disk);
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn letters_that_found_no_room_are_delivered_without_anybody_doing_anything() {
    if !is_inside("diskfull::letters_that_found_no_room_are_delivered_without_anybody_doing_anything") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (setup, disk, daemon) = with_full_mailboxes(folder.path());
    disk.free();
    setup.wait_for_delivery();
    daemon.stop_well();
    check_letters(&disk);
}
