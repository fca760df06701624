//! Restoring a backup: what is kept, what is lost, and what is never sent again.

use std::fs;
use std::path::PathBuf;

use crate::daemon::mailbox;
use crate::daemon::{Setup, count, integrity};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

/// Two players, a board and a turn.
fn fill(setup: &Setup) {
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup.done(&["mail", BOB, "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-m5"]);
}

fn backup(setup: &Setup, keep: Option<&str>) -> PathBuf {
    let target = setup.data.with_file_name("backups");
    let target = target.to_str().unwrap();
    let mut words = vec!["backup", target];
    words.extend(keep.iter().flat_map(|keep| ["--keep", keep]));
    let said = setup.done(&words);
    PathBuf::from(said.lines().next().unwrap())
}

fn restore(setup: &Setup, backup: &std::path::Path) -> String {
    setup.done(&["restore", backup.to_str().unwrap()])
}

fn states(setup: &Setup) -> String {
    let conn = setup.look();
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
    let setup = Setup::new(folder.path());
    fill(&setup);
    let made = backup(&setup, None);
    let board = setup.done(&["board", "show", "Pow2", "101"]);
    fs::remove_dir_all(&setup.data).unwrap();
    let printed = restore(&setup, &made);
    assert!(
        printed.starts_with("restored: 2 players, 1 boards, 1 turns, 4 mails, the last of "),
        "{printed}"
    );
    assert!(
        printed.contains("is lost\n") && !printed.contains("held"),
        "{printed}"
    );
    assert_eq!(setup.done(&["board", "show", "Pow2", "101"]), board);
    let noted = setup.done(&["audit", "all"]);
    assert!(
        noted.contains("restore") && noted.contains(made.to_str().unwrap()),
        "{noted}"
    );
    setup.done(&["mail", BOB, "Pow2 move 101 bob oak4jay a1-e1"]);
    // No number that a lost board may have had is used again, neither for players nor in tokens.
    setup.done(&["mail", BOB, "Pow2 challenge bob alice"]);
    let board = "SELECT number FROM boards ORDER BY id DESC LIMIT 1";
    assert_eq!(count(&setup.look(), board), 202);
    assert!(count(&setup.look(), "SELECT MAX(id) FROM boards") > 1_000_000);
    assert_eq!(integrity(&setup.look()), "ok");
}

/// The newest letter to a player that shows a board.
fn letter(setup: &Setup, to: &str, sentence: &str) -> mailbox::Mail {
    let mails = mailbox::of(&setup.data.join("mail").join(to));
    let mut mails = mails.into_iter().rev();
    mails.find(|mail| mail.text.starts_with(sentence)).unwrap()
}

#[test]
fn a_letter_of_the_backup_is_good_after_it_and_one_about_a_lost_turn_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let known = letter(&setup, BOB, "alice played");
    let made = backup(&setup, None);
    setup.done(&["mail", BOB, "Pow2 move 101 bob oak4jay a1-e1"]);
    let lost = letter(&setup, ALICE, "bob played a1-e1");
    let kept = mailbox::of(&setup.data.join("mail").join(ALICE)).len();
    assert!(kept > 0);
    restore(&setup, &made);
    let answer = |from: &str, mail: &mailbox::Mail, text: &str| {
        let message = format!(
            "From: {from}\r\nTo: {}\r\nSubject: Re: {}\r\n\r\n{text}\r\n",
            mail.reply_to, mail.subject
        );
        let words = ["ingest", "--sender", from, "--recipient", mail.reply_to.as_str()];
        let output = setup.run_with(&words, message.as_bytes());
        assert!(output.status.success(), "{output:?}");
    };
    let turns = || count(&setup.look(), "SELECT COUNT(*) FROM turns");
    answer(BOB, &known, "a13-e13");
    assert_eq!(turns(), 2);
    // Alice answers the letter about the turn that was lost; the board has another.
    answer(ALICE, &lost, "m1-e1:d2");
    assert_eq!(turns(), 2);
    let told = letter(&setup, ALICE, "Not played on Pow2 Board 101, alice");
    let words = told.text.replace('\n', " ");
    assert!(
        words.contains("older letter, from before the server was restored from a backup."),
        "{words}"
    );
    answer(ALICE, &told, "m1-e1:d2");
    assert_eq!(turns(), 3);
}

#[test]
fn what_came_after_the_backup_is_counted_and_kept_beside() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let made = backup(&setup, None);
    setup.done(&["mail", BOB, "Pow2 move 101 bob oak4jay a1-e1"]);
    setup.done(&["mail", "carol@home.example", "signup carol bay5owl"]);
    let printed = restore(&setup, &made);
    let lost = printed
        .lines()
        .find(|line| line.starts_with("lost since "))
        .unwrap();
    assert!(
        lost.ends_with(": 1 players, 0 boards, 1 turns, 2 mails"),
        "{printed}"
    );
    let kept = printed
        .lines()
        .find_map(|line| line.strip_prefix("what was there before is in "))
        .unwrap();
    let before = setup.with("PBMSERV_SERVER_DATA", kept);
    assert!(before.done(&["user", "list"]).contains("carol"));
    assert!(!setup.done(&["user", "list"]).contains("carol"));
}

#[test]
fn mails_that_were_sent_since_are_not_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    // The answers wait, since there is no relay.
    let stuck = setup
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", "smtp://127.0.0.1:1");
    let daemon = stuck.serve();
    stuck.done(&["mail", BOB, "Pow2 move 101 bob oak4jay a1-e1"]);
    let made = backup(&stuck, None);
    daemon.stop_well();
    assert!(states(&setup).contains("waiting 2"), "{}", states(&setup));
    let daemon = setup.serve();
    let waiting = setup.done(&["queue", "list", "--state", "waiting"]);
    for row in waiting.lines().skip(1) {
        // The retry may have happened since.
        setup.run(&["queue", "retry", row.split_whitespace().next().unwrap()]);
    }
    setup.wait_for_delivery();
    daemon.stop_well();
    assert!(!states(&setup).contains("waiting"));
    let printed = restore(&setup, &made);
    assert!(!printed.contains("held"), "{printed}");
    assert!(
        !states(&setup).contains("waiting"),
        "the other database knew that they were sent: {printed}"
    );
    // Without any record of what was sent, they are held, and the operator decides.
    fs::remove_dir_all(&setup.data).unwrap();
    let printed = restore(&setup, &made);
    assert!(printed.contains("2 mails waited"), "{printed}");
    assert!(states(&setup).contains("held 2") && !states(&setup).contains("waiting"));
    assert!(
        setup
            .done(&["queue", "list", "--state", "held"])
            .contains("Pow2 Board 101")
    );
}

#[test]
fn a_running_server_and_a_damaged_backup_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let made = backup(&setup, None);
    let users = setup.done(&["user", "list"]);
    let refused = |why: &str| {
        let output = setup.run(&["restore", made.to_str().unwrap()]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(why), "{error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    };
    let daemon = setup.serve();
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
    assert_eq!(setup.done(&["user", "list"]), users);
}

#[test]
fn the_newest_backups_are_kept_and_nothing_else_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let first = backup(&setup, None);
    let target = first.parent().unwrap().to_owned();
    for other in ["pbmserv-holidays", "letters"] {
        fs::create_dir(target.join(other)).unwrap();
    }
    let second = backup(&setup, Some("2"));
    assert!(first.exists() && second.exists());
    let third = backup(&setup, Some("2"));
    assert!(!first.exists() && second.exists() && third.exists());
    assert!(target.join("pbmserv-holidays").exists() && target.join("letters").exists());
}
