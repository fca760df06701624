//! A server that stood still for a year: what is too old is forgotten in steps, beside mail; and the file that remains is
//! compacted, whatever kills the verb.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::daemon::smtp::{self, Client};
use crate::daemon::{Daemon, Setup, count, integrity, until};

const ALICE: &str = "alice@example.org";

/// Messages of the year, each with two letters: some 100 MB.
const MESSAGES: i64 = 20_000;

/// At most so much more memory and log than without.
const MAX_KILOBYTES: u64 = 50_000;

/// A data folder with a year of letters that ended a year ago.
fn after_a_year(folder: &std::path::Path) -> Setup {
    let setup = Setup::new(folder)
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .begun();
    let conn = Connection::open(setup.database()).unwrap();
    let at = "(unixepoch('now') - 730 * 86400 + n * 365 * 86400 / 20000) * 1000";
    let sql = format!(
        "PRAGMA synchronous = OFF;
         BEGIN;
         CREATE TEMP TABLE numbers AS
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {MESSAGES}) SELECT n FROM n;
         INSERT INTO inbox (id, identity, received_at, door, sender, recipient, header_from, message_id,
         commands, state, proven)
         SELECT n, randomblob(32), {at}, 'smtp', 'a@b.example', 'pbmserv@localhost', 'a@b.example',
         n || '@b.example', 'Pow2 move 101 alice ****** a1', 'done', 1 FROM numbers;
         INSERT INTO outbox (inbox, kind, recipient, recipient_key, message_id, is_reply, subject, letter, created_at,
         state, due_at, settled_at)
         SELECT n, 'board', 'a@b.example', 'a@b.example', n || '.' || letter || '@localhost', 1, 'Pow2 Board 101 alice',
         CAST(substr(hex(zeroblob(2000)), 1, 500 + n * 997 % 3000) AS BLOB), {at}, 'sent', {at}, {at}
         FROM numbers, (SELECT 1 AS letter UNION SELECT 2);
         COMMIT;"
    );
    conn.execute_batch(&sql).unwrap();
    setup
}

/// Sends mails one after the other while the condition holds; returns the time of each.
fn asks(daemon: &Daemon, name: &str, mut goes_on: impl FnMut(usize) -> bool) -> Vec<Duration> {
    let mut client = Client::connect(daemon.port).unwrap();
    let mut times = Vec::new();
    while goes_on(times.len()) {
        let id = format!("{name}{}", times.len());
        let mail = smtp::message(ALICE, &id, "help", "");
        let begun = Instant::now();
        let reply = client.send(ALICE, &mail).unwrap();
        times.push(begun.elapsed());
        assert!(reply.starts_with("250"), "{reply}");
    }
    times
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn log_kilobytes(setup: &Setup) -> u64 {
    let log = setup.data.join("pbmserv.sqlite-wal");
    std::fs::metadata(log).map_or(0, |about| about.len() / 1024)
}

#[test]
fn a_year_is_forgotten_beside_mail_and_the_file_is_compacted_whatever_kills_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = after_a_year(folder.path());
    let before = std::fs::metadata(setup.database()).unwrap().len();
    assert!(before > 60_000_000, "{before}");

    let daemon = setup.serve();
    let (memory, mut log_size) = (daemon.kilobytes("VmRSS"), 0);
    let beside = asks(&daemon, "beside", |_| {
        log_size = log_size.max(log_kilobytes(&setup));
        !daemon.log().contains("old rows were forgotten")
    });
    let peak = daemon.kilobytes("VmHWM");
    let alone = asks(&daemon, "alone", |sent| sent < 100);
    let log = daemon.stop_well();
    let figures = log
        .lines()
        .find(|line| line.contains("old rows were forgotten"))
        .unwrap();
    eprintln!(
        "{figures}; {memory} kB of memory at the start, {peak} kB at most; the log had {log_size} kB at most"
    );
    let figure = |name: &str| -> u64 {
        let (_, value) = figures.split_once(&format!(" {name}=")).unwrap();
        value.split(' ').next().unwrap().parse().unwrap()
    };
    assert!(
        figure("rows") > 59_000 && figure("steps") > 60_000 / 300,
        "{figures}"
    );
    assert!(beside.len() > 20, "mails are taken meanwhile: {}", beside.len());
    let (beside, alone) = (median(beside), median(alone));
    assert!(
        beside < alone + Duration::from_millis(50),
        "{beside:?}, without {alone:?}"
    );
    // On a quiet machine 15 ms. A busy one may stop the server for long anywhere.
    assert!(figure("longest_milliseconds") < 1000, "{figures}");
    assert!(
        peak < memory + MAX_KILOBYTES,
        "{memory} kB at the start, {peak} kB then"
    );
    assert!(log_size < MAX_KILOBYTES, "the log had {log_size} kB");

    let conn = setup.look();
    assert_eq!(
        count(&conn, "SELECT COUNT(*) FROM outbox WHERE kind = 'board'"),
        0
    );
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM remembered"), MESSAGES);
    let mails = "SELECT COUNT(*) FROM outbox";
    let kept = count(&conn, mails);
    assert!(kept > 100);
    drop(conn);

    let checked = String::from_utf8(setup.run(&["check", "--offline"]).stdout).unwrap();
    assert!(checked.contains("pbmserv compact"), "{checked}");
    let fresh = setup.data.join("pbmserv.sqlite.compacted");
    for millis in [0, 1, 2, 5, 10, 20, 50, 100] {
        let mut verb = setup.command().args(["compact", "--yes"]).spawn().unwrap();
        until("the new file is being written", || {
            let has_ended = verb.try_wait().unwrap().is_some();
            (has_ended || fresh.exists()).then_some(())
        });
        std::thread::sleep(Duration::from_millis(millis));
        let _ = verb.kill();
        verb.wait().unwrap();
        let conn = setup.look();
        let found = (integrity(&conn), count(&conn, mails));
        assert_eq!(found, ("ok".to_owned(), kept), "killed after {millis} ms");
    }
    let planned = setup.done(&["compact", "--dry-run"]);
    let done = setup.done(&["compact", "--yes"]);
    assert!(
        planned.contains("is written beside it") && done.contains("B now"),
        "{planned}{done}"
    );
    let after = std::fs::metadata(setup.database()).unwrap().len();
    assert!(after * 10 < before, "{before} to {after}");

    let daemon = setup.serve();
    let refused = setup.run(&["compact", "--yes"]);
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && why.contains("stop it"), "{why}");
    smtp::send(daemon.port, ALICE, "after", "help", "");
    daemon.stop_well();
    until("the new file is served", || {
        (count(&setup.look(), mails) > kept).then_some(())
    });
}
