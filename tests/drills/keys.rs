//! The key of the tokens in letters: what happens when it is lost, and how it is changed.

use std::fs;

use crate::daemon::mailbox::of;
use crate::daemon::smtp::message;
use crate::daemon::{Setup, count};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

/// A board, and the address to which alice's answer to its letter goes.
fn with_a_letter(setup: &Setup) -> String {
    let daemon = setup.serve();
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup.done(&["mail", BOB, "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    setup.wait_for_delivery();
    daemon.stop_well();
    let letters = of(&setup.data.join("mail").join(ALICE));
    let board = letters.iter().find(|letter| letter.subject.contains("Board 101"));
    board.unwrap().reply_to.clone()
}

/// A turn in answer to a letter.
fn answers(setup: &Setup, from: &str, to: &str, turn: &str) {
    let bytes = message(from, &format!("{turn}@home.example"), "Re: hello", turn);
    let output = setup.run_with(&["ingest", "--sender", from, "--recipient", to], &bytes);
    assert!(output.status.success(), "{output:?}");
}

fn turns(setup: &Setup) -> i64 {
    count(&setup.look(), "SELECT COUNT(*) FROM turns")
}

#[test]
fn a_lost_key_stops_the_start_until_the_operator_gives_it_up() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let to = with_a_letter(&setup);
    let (key, kept) = (setup.data.join("key"), folder.path().join("kept"));
    fs::rename(&key, &kept).unwrap();
    let error = setup.does_not_start();
    assert!(
        error.contains("the key")
            && error.contains("is missing")
            && error.contains("pbmserv key rotate --void"),
        "{error}"
    );
    let output = setup.run(&["key", "rotate"]);
    assert!(!output.status.success() && !key.exists(), "{output:?}");
    // Found again, all is as before.
    fs::rename(&kept, &key).unwrap();
    answers(&setup, ALICE, &to, "m13-j7");
    assert_eq!(turns(&setup), 1);

    fs::remove_file(&key).unwrap();
    let said = setup.done(&["key", "rotate", "--void"]);
    assert!(
        said.contains("Answers to letters that were sent are refused"),
        "{said}"
    );
    let to = of(&setup.data.join("mail").join(BOB)).pop().unwrap().reply_to;
    answers(&setup, BOB, &to, "a1-e1");
    assert_eq!(turns(&setup), 1, "its letter had the former key");
    setup.serve().stop_well();
    assert!(setup.done(&["audit"]).contains("key rotate"));
}

#[test]
fn letters_that_were_sent_are_answered_after_a_rotation() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let to = with_a_letter(&setup);
    let daemon = setup.serve();
    let output = setup.run(&["key", "rotate"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("stop it"), "{error}");
    daemon.stop_well();
    let before = fs::read(setup.data.join("key")).unwrap();
    let said = setup.done(&["key", "rotate"]);
    assert!(said.contains("can still be answered"), "{said}");
    assert_ne!(fs::read(setup.data.join("key")).unwrap()[..32], before[..]);
    answers(&setup, ALICE, &to, "m13-j7");
    assert_eq!(turns(&setup), 1);
    // The letters after it belong to the same thread.
    let roots = "SELECT COUNT(DISTINCT substr(refs, 1, instr(refs || ' ', ' '))) FROM outbox \
                 WHERE board IS NOT NULL AND recipient = 'alice@home.example'";
    assert_eq!(count(&setup.look(), roots), 1);
    let letters = "SELECT COUNT(*) FROM outbox WHERE board IS NOT NULL AND recipient = 'alice@home.example'";
    assert_eq!(count(&setup.look(), letters), 2);
}

#[test]
fn no_key_is_made_where_no_server_is() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let refused = || {
        let output = setup.run(&["key", "rotate", "--void"]);
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let error = refused();
    assert!(error.contains("there is no data folder"), "{error}");
    assert!(!setup.data.exists(), "a verb makes no folder");
    fs::create_dir(&setup.data).unwrap();
    let error = refused();
    assert!(error.contains("no database"), "{error}");
    assert!(!setup.data.join("key").exists());
}
