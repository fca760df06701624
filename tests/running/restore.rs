//! Restoring a backup: what is kept, what is lost, and what is never sent again.

use std::fs;
use std::path::PathBuf;

use crate::daemon::{House, count, integrity};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

/// Two players, a board and a turn.
fn fill(house: &House) {
    house.done(&["mail", ALICE, "signup alice secret1"]);
    house.done(&["mail", BOB, "signup bob secret2"]);
    house.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    house.done(&["mail", ALICE, "Pow2 move 101 alice secret1 m13-m5"]);
}

fn backup(house: &House, keep: Option<&str>) -> PathBuf {
    let target = house.data.with_file_name("backups");
    let target = target.to_str().unwrap();
    let mut words = vec!["backup", target];
    words.extend(keep.iter().flat_map(|keep| ["--keep", keep]));
    let said = house.done(&words);
    PathBuf::from(said.lines().next().unwrap())
}

fn restore(house: &House, backup: &std::path::Path) -> String {
    house.done(&["restore", backup.to_str().unwrap()])
}

fn states(house: &House) -> String {
    let conn = house.look();
    let mut rows = conn
        .prepare("SELECT state, COUNT(*) FROM outbox GROUP BY state ORDER BY state")
        .unwrap();
    let rows = rows.query_map([], |row| {
        Ok(format!("{} {}", row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
    });
    rows.unwrap().map(Result::unwrap).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_wiped_server_goes_on_where_its_backup_was_made() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    fill(&house);
    let made = backup(&house, None);
    let board = house.done(&["board", "show", "Pow2", "101"]);
    fs::remove_dir_all(&house.data).unwrap();
    let told = restore(&house, &made);
    assert!(
        told.starts_with("restored: 2 players, 1 boards, 1 turns, 4 mails, the last of "),
        "{told}"
    );
    assert!(told.contains("is lost\n") && !told.contains("held"), "{told}");
    assert_eq!(house.done(&["board", "show", "Pow2", "101"]), board);
    let noted = house.done(&["audit", "all"]);
    assert!(
        noted.contains("restore") && noted.contains(made.to_str().unwrap()),
        "{noted}"
    );
    house.done(&["mail", BOB, "Pow2 move 101 bob secret2 a1-e1"]);
    // No number that a lost board may have had is used again, neither for players nor in tokens.
    house.done(&["mail", BOB, "Pow2 challenge bob alice"]);
    let board = "SELECT number FROM boards ORDER BY id DESC LIMIT 1";
    assert_eq!(count(&house.look(), board), 202);
    assert!(count(&house.look(), "SELECT MAX(id) FROM boards") > 1_000_000);
    assert_eq!(integrity(&house.look()), "ok");
}

#[test]
fn what_came_after_the_backup_is_counted_and_kept_beside() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    fill(&house);
    let made = backup(&house, None);
    house.done(&["mail", BOB, "Pow2 move 101 bob secret2 a1-e1"]);
    house.done(&["mail", "carol@home.example", "signup carol secret3"]);
    let told = restore(&house, &made);
    let lost = told.lines().find(|line| line.starts_with("lost since ")).unwrap();
    assert!(
        lost.ends_with(": 1 players, 0 boards, 1 turns, 2 mails"),
        "{told}"
    );
    let kept = told
        .lines()
        .find_map(|line| line.strip_prefix("what was there before is in "))
        .unwrap();
    let before = house.with("PBMSERV_SERVER_DATA", kept);
    assert!(before.done(&["user", "list"]).contains("carol"));
    assert!(!house.done(&["user", "list"]).contains("carol"));
}

#[test]
fn mails_that_were_sent_since_are_not_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    fill(&house);
    // The answers wait, since there is no relay.
    let stuck = house
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", "smtp://127.0.0.1:1");
    let daemon = stuck.serve();
    stuck.done(&["mail", BOB, "Pow2 move 101 bob secret2 a1-e1"]);
    let made = backup(&stuck, None);
    daemon.stop_well();
    assert!(states(&house).contains("waiting 2"), "{}", states(&house));
    let daemon = house.serve();
    let waiting = house.done(&["queue", "list", "--state", "waiting"]);
    for row in waiting.lines().skip(1) {
        // The retry may have happened since.
        house.run(&["queue", "retry", row.split_whitespace().next().unwrap()]);
    }
    house.wait_for_delivery();
    daemon.stop_well();
    assert!(!states(&house).contains("waiting"));
    let told = restore(&house, &made);
    assert!(!told.contains("held"), "{told}");
    assert!(
        !states(&house).contains("waiting"),
        "the other database knew that they were sent: {told}"
    );
    // Without any record of what was sent, they are held, and the operator decides.
    fs::remove_dir_all(&house.data).unwrap();
    let told = restore(&house, &made);
    assert!(told.contains("2 mails waited"), "{told}");
    assert!(states(&house).contains("held 2") && !states(&house).contains("waiting"));
    assert!(
        house
            .done(&["queue", "list", "--state", "held"])
            .contains("Pow2 Board 101")
    );
}

#[test]
fn a_running_server_and_a_damaged_backup_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    fill(&house);
    let made = backup(&house, None);
    let users = house.done(&["user", "list"]);
    let refused = |why: &str| {
        let output = house.run(&["restore", made.to_str().unwrap()]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(why), "{error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    };
    let daemon = house.serve();
    refused("stop it before you restore");
    daemon.stop_well();
    let copy = made.join("pbmserv.sqlite");
    let mut bytes = fs::read(&copy).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0x5a);
    fs::write(&copy, &bytes).unwrap();
    refused("damaged");
    fs::write(&copy, b"no database at all, but long enough to be looked at").unwrap();
    refused("the backup");
    fs::remove_file(&copy).unwrap();
    refused("the backup");
    assert_eq!(house.done(&["user", "list"]), users);
}

#[test]
fn the_newest_backups_are_kept_and_nothing_else_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    fill(&house);
    let first = backup(&house, None);
    let target = first.parent().unwrap().to_owned();
    for other in ["pbmserv-holidays", "letters"] {
        fs::create_dir(target.join(other)).unwrap();
    }
    let second = backup(&house, Some("2"));
    assert!(first.exists() && second.exists());
    let third = backup(&house, Some("2"));
    assert!(!first.exists() && second.exists() && third.exists());
    assert!(target.join("pbmserv-holidays").exists() && target.join("letters").exists());
}
