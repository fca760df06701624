//! A copy of a data folder, whose waiting mails the original sends: it takes and sends nothing until the operator decides.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::checks::{ALICE, check, finds};
use crate::daemon::relay::{Mood, Relay};
use crate::daemon::smtp::message;
use crate::daemon::{Setup, count, until};
use crate::terminal::on_terminal;

const BOB: &str = "bob@home.example";

/// The exit code for systemd.
const A_COPY: i32 = 78;

/// Two answers, and a letter about a board to each of its players.
const WAITING: i64 = 4;

const REMEDIES: &str = "if the original is gone and this is the server now, pbmserv adopt; if this is a backup of it, pbmserv restore";

fn sending_to(setup: &Setup, port: u16) -> Setup {
    setup
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", &format!("smtp://127.0.0.1:{port}"))
}

/// `cp -a` of the data folder while its server runs, with mails that wait for a relay that does not. The copy sends to
/// the relay of the test.
fn copied(folder: &Path, relay: &Relay) -> Setup {
    let original = sending_to(&Setup::new(folder), 1);
    let daemon = original.serve();
    original.done(&["mail", ALICE, "signup alice fig7elk"]);
    original.done(&["mail", BOB, "signup bob oak4jay"]);
    original.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    let copy = Setup::new(&folder.join("copy"));
    fs::create_dir(folder.join("copy")).unwrap();
    let status = Command::new("cp")
        .arg("-a")
        .args([&original.data, &copy.data])
        .status();
    assert!(status.unwrap().success());
    // Nobody is told of a copy who uses the original.
    daemon.stop_well();
    original.serve().stop_well();
    let copy = sending_to(&copy, relay.port);
    assert_eq!(mails(&copy, "waiting"), WAITING);
    copy
}

fn mails(setup: &Setup, state: &str) -> i64 {
    let sql = format!("SELECT COUNT(*) FROM outbox WHERE state = '{state}'");
    count(&setup.look(), &sql)
}

/// The start, which must fail as that of a copy; returns its error.
pub(crate) fn is_a_copy(setup: &Setup) -> String {
    let log = setup.start_ends_with(A_COPY);
    assert!(log.contains(REMEDIES), "{log}");
    assert_eq!(log.lines().count(), 1, "{log}");
    log
}

fn help_from(who: &str) -> Vec<u8> {
    message(who, "new@home.example", "help", "")
}

#[test]
fn a_copy_takes_no_mail_and_sends_nothing() {
    let (folder, relay) = (tempfile::tempdir().unwrap(), Relay::listen(0, Mood::Well));
    let copy = copied(folder.path(), &relay);
    let error = is_a_copy(&copy);
    assert!(
        error.contains("is a copy: its database was in use as another file"),
        "{error}"
    );
    let (_, said) = error.trim_end().split_once("server.data: ").unwrap();
    finds(&copy, &[&format!("place: {said}"), "a start would fail: place"]);
    let (code, error) = copy.ingest(ALICE, &help_from(ALICE));
    assert_eq!(code, 75, "the mail server keeps it: {error}");
    assert!(error.contains(REMEDIES), "{error}");
    for words in [
        &["mail", ALICE, "help"][..],
        &["key", "rotate"],
        &["queue", "retry", "--all"],
    ] {
        let output = copy.run(words);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {error}");
        assert!(error.contains(REMEDIES), "{words:?}: {error}");
    }
    // To look is allowed, and makes it no original.
    assert!(copy.done(&["user", "list"]).contains("alice"));
    is_a_copy(&copy);
    assert_eq!(
        (relay.message_ids(), mails(&copy, "waiting")),
        (Vec::new(), WAITING)
    );
}

#[test]
fn a_copy_that_is_adopted_sends_what_waits_unless_it_is_held() {
    let (folder, relay) = (tempfile::tempdir().unwrap(), Relay::listen(0, Mood::Well));
    let copy = copied(folder.path(), &relay);
    let said = copy.done(&["adopt", "--dry-run"]);
    assert!(
        said.contains("is a copy: its database was in use as another file"),
        "{said}"
    );
    assert!(
        said.contains("the next start sends 4 mails that waited when this was copied"),
        "{said}"
    );
    let (shown, code) = on_terminal(&copy, &["adopt"], "no\n");
    assert!(
        code == 1 && shown.contains("the next start sends 4 mails"),
        "{shown}"
    );
    assert!(shown.contains("nothing was changed"), "{shown}");
    is_a_copy(&copy);

    let said = copy.done(&["adopt", "--hold", "--why", "the old disk died"]);
    assert!(said.contains("held: 4 mails; look at them"), "{said}");
    let daemon = copy.serve();
    let (code, error) = copy.ingest(ALICE, &help_from(ALICE));
    assert_eq!(code, 0, "{error}");
    until("the answer is sent", || {
        (relay.message_ids().len() == 1).then_some(())
    });
    copy.wait_for_delivery();
    assert_eq!((relay.message_ids().len(), mails(&copy, "held")), (1, WAITING));
    let audit = copy.done(&["audit"]);
    assert!(
        audit.contains("was in use as another file; waiting mails, held: 4")
            && audit.contains("the old disk died"),
        "{audit}"
    );
    let refused = copy.run(&["adopt", "--hold"]);
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("stop it"),
        "{refused:?}"
    );
    daemon.stop_well();
    let said = copy.done(&["adopt"]);
    assert!(said.contains("there is nothing to adopt"), "{said}");
}

#[test]
fn a_copy_that_is_adopted_sends_what_waits() {
    let (folder, relay) = (tempfile::tempdir().unwrap(), Relay::listen(0, Mood::Well));
    let copy = copied(folder.path(), &relay);
    copy.done(&["adopt", "--yes"]);
    let daemon = copy.serve();
    copy.run(&["queue", "retry", "--all"]);
    copy.wait_for_delivery();
    assert_eq!(relay.message_ids().len(), 4);
    // The original may have begun boards since.
    copy.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    let number = "SELECT MAX(number) FROM boards";
    assert_eq!(count(&copy.look(), number), 202);
    daemon.stop_well();
}

#[test]
fn a_backup_is_restored_over_a_copy_and_what_waits_in_it_is_held() {
    let (folder, relay) = (tempfile::tempdir().unwrap(), Relay::listen(0, Mood::Well));
    let copy = copied(folder.path(), &relay);
    let original = sending_to(&Setup::new(folder.path()), 1);
    let made = original.done(&["backup", folder.path().join("backups").to_str().unwrap()]);
    let made = made.lines().next().unwrap();
    // What the copy knows of the mails ends with the copy, so it is no proof that they were not sent.
    let said = copy.done(&["restore", made]);
    assert!(said.contains("4 mails waited to be sent"), "{said}");
    copy.serve().stop_well();
    assert_eq!((relay.message_ids(), mails(&copy, "held")), (Vec::new(), WAITING));
    // Started where it lies it is a copy too.
    let backup = copy.with("PBMSERV_SERVER_DATA", made);
    is_a_copy(&backup);
}

#[test]
fn a_folder_that_is_moved_goes_on_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    fs::create_dir(folder.path().join("new")).unwrap();
    let moved = Setup::new(&folder.path().join("new"));
    fs::rename(&setup.data, &moved.data).unwrap();
    let log = moved.serve().stop_well();
    assert!(!log.contains("WARN"), "{log}");
    let (printed, _) = check(&moved, &["--offline"]);
    assert!(printed.contains("ok     place: "), "{printed}");
}

/// Changes what the database knows of its place.
fn was_at(setup: &Setup, change: impl FnOnce(&mut serde_json::Value)) {
    let conn = rusqlite::Connection::open(setup.database()).unwrap();
    let sql = "SELECT value FROM notes WHERE name = 'place'";
    let known: String = conn.query_row(sql, [], |row| row.get(0)).unwrap();
    let mut place = serde_json::from_str(&known).unwrap();
    change(&mut place);
    let sql = "UPDATE notes SET value = $1 WHERE name = 'place'";
    conn.execute(sql, [place.to_string()]).unwrap();
}

#[test]
fn a_reboot_is_no_move() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).begun();
    let rebooted = |place: &mut serde_json::Value| {
        place["disk"] = "259:99".into();
        place["booted_at"] = (place["booted_at"].as_i64().unwrap() - 86400).into();
    };
    was_at(&setup, rebooted);
    setup.serve().stop_well();
    // What it knows is of this boot now.
    was_at(&setup, |place| place["disk"] = "259:99".into());
    let error = is_a_copy(&setup);
    assert!(error.contains("was in use on another file system"), "{error}");
}

#[test]
fn an_older_database_takes_the_place_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).begun();
    let conn = rusqlite::Connection::open(setup.database()).unwrap();
    conn.execute("DELETE FROM notes WHERE name = 'place'", [])
        .unwrap();
    drop(conn);
    let copy = Setup::new(&folder.path().join("copy"));
    fs::create_dir(folder.path().join("copy")).unwrap();
    fs::rename(&setup.data, &copy.data).unwrap();
    let bytes = fs::read(copy.database()).unwrap();
    fs::remove_file(copy.database()).unwrap();
    fs::write(copy.database(), bytes).unwrap();
    copy.serve().stop_well();
    assert_eq!(
        count(&copy.look(), "SELECT COUNT(*) FROM notes WHERE name = 'place'"),
        1
    );
}
