//! Computer players of the built program.

use crate::daemon::mailbox::Mailbox;
use crate::daemon::{Setup, count, smtp, until};

const ALICE: &str = "alice@example.org";

fn setup(folder: &std::path::Path) -> Setup {
    let setup = Setup::new(folder).with("PBMSERV_ACCOUNTS_CONFIRM", "false");
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup
}

#[test]
fn the_verb_mail_shows_the_answer_of_a_computer_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    setup.done(&["mail", ALICE, "Forms challenge alice bot-easy -size=6"]);
    let out = setup.done(&["mail", ALICE, "Forms move 101 alice fig7elk b1-a1"]);
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("You played b1-a1 on Forms Board 101") && words.contains("bot-easy answered "),
        "{out}"
    );
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM turns"), 2);
}

#[test]
fn a_position_whose_thought_ends_the_program_again_and_again_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mail = folder.path().join("mail");
    let setup = setup(folder.path()).with("PBMSERV_DELIVERY_MAILDIR", &mail.to_string_lossy());
    setup.done(&["mail", ALICE, "Forms challenge alice bot-hard -size=18"]);
    let mut daemon = setup.serve();
    smtp::send(
        daemon.port,
        ALICE,
        "1@home.example",
        "Forms move 101 alice fig7elk b1-a1",
        "",
    );
    let sql = "SELECT COUNT(*) FROM boards WHERE to_move = 1";
    until("the computer is to move", || {
        (count(&setup.look(), sql) == 1).then_some(())
    });
    for begun in 1..=2 {
        daemon.kill_and_tell();
        daemon = setup.serve();
        let sql = format!("SELECT COUNT(*) FROM thoughts WHERE begun = {begun}");
        until("the thought has begun", || {
            (count(&setup.look(), &sql) == 1).then_some(())
        });
    }
    daemon.kill_and_tell();
    daemon = setup.serve();
    until("the position is left alone", || {
        (count(&setup.look(), "SELECT COUNT(*) FROM thoughts WHERE is_left = 1") == 1).then_some(())
    });
    setup.wait_for_delivery();
    let log = daemon.kill_and_tell();
    assert!(log.contains("computers leave it alone"), "{log}");
    let letters = Mailbox::new(&mail, ALICE).fetch();
    let told = letters
        .iter()
        .filter(|letter| letter.text.contains("bot-hard cannot go on with Forms Board 101"));
    assert_eq!(told.count(), 1);
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM turns"), 1);
}

#[test]
fn check_names_a_player_who_has_the_userid_of_a_computer() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let looked = || String::from_utf8(setup.run(&["check", "--offline"]).stdout).unwrap();
    assert!(!looked().contains("bot-easy"));
    let conn = rusqlite::Connection::open(setup.database()).unwrap();
    let sql = "DELETE FROM players WHERE id = -1; \
               UPDATE players SET userid = 'bot-easy', userid_key = 'bot-easy' WHERE userid = 'alice';";
    conn.execute_batch(sql).unwrap();
    drop(conn);
    let found = looked();
    assert!(
        found.contains("bot-easy is a player") && found.contains("pbmserv user rename bot-easy OTHER"),
        "{found}"
    );
    setup.done(&[
        "user",
        "rename",
        "bot-easy",
        "carol",
        "--why",
        "a computer has it",
    ]);
    assert!(!looked().contains("bot-easy is a player"));
}
