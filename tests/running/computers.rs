//! Computer players of the built program.

use crate::daemon::{Setup, count};

const ALICE: &str = "alice@example.org";

fn setup(folder: &std::path::Path) -> Setup {
    let setup = Setup::new(folder).with("PBMSERV_ACCOUNTS_CONFIRM", "false");
    setup.done(&["mail", ALICE, "signup alice secret1"]);
    setup
}

#[test]
fn the_verb_mail_shows_the_answer_of_a_computer_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    setup.done(&["mail", ALICE, "Forms challenge alice bot-easy -size=6"]);
    let out = setup.done(&["mail", ALICE, "Forms move 101 alice secret1 b1-a1"]);
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("alice played b1-a1 on Forms Board 101") && words.contains("bot-easy answered "),
        "{out}"
    );
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM turns"), 2);
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
