//! Files outside SQLite are synced when they have to be: letters in Maildirs, the key, a message that is set
//! aside, a backup, the data folder itself. strace shows it. `tests/proof/power/` covers SQLite's files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::daemon::smtp::{message, send};
use crate::daemon::{self, Setup, until};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

/// System calls that create, rename and sync files.
const CALLS: &str = "trace=openat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,fsync,fdatasync";

/// A setup whose programs are traced into this file.
fn traced(setup: &Setup, trace: &Path) -> Setup {
    let trace = trace.to_str().unwrap();
    setup.behind(&[
        "strace", "-f", "-y", "-qq", "-s", "4096", "-e", CALLS, "-o", trace,
    ])
}

/// The successful calls, in the order in which they ended.
fn calls(trace: &Path) -> Vec<String> {
    let trace = fs::read_to_string(trace).unwrap();
    let mut begun = std::collections::HashMap::new();
    let mut calls = Vec::new();
    for line in trace.lines() {
        let (process, call) = line.split_once(' ').unwrap();
        let call = call.trim_start();
        let call = if let Some(start) = call.strip_suffix(" <unfinished ...>") {
            begun.insert(process, start);
            continue;
        } else if let Some((_, end)) = call
            .strip_prefix("<... ")
            .and_then(|call| call.split_once(" resumed>"))
        {
            format!("{}{end}", begun.remove(process).unwrap_or_default())
        } else {
            call.to_owned()
        };
        if !call.contains(" = -1 ") {
            calls.push(call);
        }
    }
    calls
}

/// The index of the first matching call from here on; fails if there is none.
fn first(calls: &[String], from: usize, what: &str, is_it: impl Fn(&str) -> bool) -> usize {
    let found = calls[from..].iter().position(|call| is_it(call));
    found.map_or_else(
        || panic!("{what}: not found from call {from} on:\n{}", calls.join("\n")),
        |at| from + at,
    )
}

/// Whether this call syncs this file or folder.
fn syncs(call: &str, path: &Path) -> bool {
    (call.starts_with("fsync(") || call.starts_with("fdatasync("))
        && call.contains(&format!("<{}>", path.display()))
}

fn synced(calls: &[String], from: usize, path: &Path) -> usize {
    first(calls, from, &format!("a sync of {}", path.display()), |call| {
        syncs(call, path)
    })
}

/// The data folder and the key, at the first start.
fn check_start(calls: &[String], data: &Path) {
    let made = first(calls, 0, "the data folder is made", |call| {
        call.starts_with("mkdir") && call.contains(&format!("\"{}\"", data.display()))
    });
    let commit = synced(calls, 0, &data.join("pbmserv.sqlite-wal"));
    assert!(
        synced(calls, made, data.parent().unwrap()) < commit,
        "what is committed would be lost with the name of its folder"
    );
    let named = first(calls, 0, "the key gets its name", |call| {
        call.starts_with("link") && call.contains(&format!("\"{}\"", data.join("key").display()))
    });
    let temporary = PathBuf::from(calls[named].split('"').nth(1).unwrap());
    assert!(
        synced(calls, 0, &temporary) < named,
        "the key is named before it is written"
    );
    synced(calls, named, data);
}

/// Every letter: written and synced, then renamed, then its directory synced.
fn check_letters(calls: &[String], mail: &Path) -> usize {
    let mut letters = 0;
    for (at, call) in calls.iter().enumerate() {
        let is_letter = call.starts_with("rename") && call.contains(&format!("\"{}", mail.display()));
        if !is_letter {
            continue;
        }
        letters += 1;
        let names: Vec<_> = call.split('"').collect();
        let (tmp, new) = (PathBuf::from(names[1]), PathBuf::from(names[3]));
        let written = calls[..at].iter().rposition(|call| syncs(call, &tmp));
        let opened = calls[..at].iter().rposition(|call| {
            call.starts_with("openat(") && call.contains(&format!("\"{}\"", tmp.display()))
        });
        assert!(opened.is_some() && opened < written, "{call}: it was not synced");
        synced(calls, at, new.parent().unwrap());
    }
    letters
}

#[test]
#[ignore = "needs strace, and a machine on which it may trace"]
fn files_beside_the_database_are_on_the_disk_when_they_have_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let mail = folder.join("mail");
    let setup = Setup::new(&folder).with("PBMSERV_DELIVERY_MAILDIR", &mail.to_string_lossy());
    let trace = folder.join("first");
    let daemon = traced(&setup, &trace).serve();
    send(
        daemon.port,
        "a@home.example",
        "1@home.example",
        "signup alice fig7elk",
        "",
    );
    send(
        daemon.port,
        "b@home.example",
        "2@home.example",
        "signup bob oak4jay",
        "",
    );
    send(
        daemon.port,
        "a@home.example",
        "3@home.example",
        "Pow2 challenge alice bob",
        "",
    );
    setup.wait_for_delivery();
    stop(daemon);
    let calls_ = calls(&trace);
    check_start(&calls_, &setup.data);
    assert_eq!(check_letters(&calls_, &mail), 4);

    // A message that has crashed the program twice is set aside: its bytes and directory entries are synced before
    // its row.
    let bytes = message("a@home.example", "4@home.example", "Pow2 show 101", "");
    let conn = Connection::open(setup.database()).unwrap();
    let far = i64::MAX / 4;
    conn.execute(
        "INSERT OR REPLACE INTO notes VALUES ('cautious_until', ?1)",
        [(chrono::Utc::now().timestamp_millis() + 3_600_000).to_string()],
    )
    .unwrap();
    conn.execute(
        "INSERT INTO begun VALUES (?1, 2, ?2)",
        (Sha256::digest(&bytes).as_slice(), far),
    )
    .unwrap();
    drop(conn);
    let trace = folder.join("second");
    let daemon = traced(&setup, &trace).serve();
    send(
        daemon.port,
        "a@home.example",
        "4@home.example",
        "Pow2 show 101",
        "",
    );
    setup.wait_for_delivery();
    stop(daemon);
    let (failed, calls_) = (setup.data.join("failed"), calls(&trace));
    let kept = synced(&calls_, 0, &failed.join("4.eml"));
    let named = synced(&calls_, kept, &failed);
    let all = synced(&calls_, named, &setup.data);
    synced(&calls_, all, &setup.data.join("pbmserv.sqlite-wal"));

    let (trace, backups) = (folder.join("third"), folder.join("backups"));
    let done = traced(&setup, &trace).done(&["backup", backups.to_str().unwrap()]);
    let (finished, calls_) = (PathBuf::from(done.trim()), calls(&trace));
    let unfinished = PathBuf::from(format!("{}.unfinished", finished.display()));
    let key = synced(&calls_, 0, &unfinished.join("key"));
    let database = calls_
        .iter()
        .rposition(|call| syncs(call, &unfinished.join("pbmserv.sqlite")));
    let names = synced(&calls_, key, &unfinished);
    let named = first(&calls_, names, "the backup gets its name", |call| {
        call.starts_with("rename")
    });
    assert!(database.is_some_and(|at| at < named));
    synced(&calls_, named, &backups);
}

/// Stops the traced program; strace ends with it.
fn stop(daemon: daemon::Daemon) {
    let children = format!("/proc/{0}/task/{0}/children", daemon.pid());
    let child = fs::read_to_string(children).unwrap();
    daemon::signal(child.trim().parse().unwrap(), "TERM");
    until("the traced daemon has stopped", || {
        (!Path::new(&format!("/proc/{}", child.trim())).exists()).then_some(())
    });
    drop(daemon);
}
