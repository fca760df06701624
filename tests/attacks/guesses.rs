//! Guessing passwords in somebody's name locks nobody out.

use super::silence::{Post, as_delivered};
use crate::daemon::count;
use crate::daemon::http::{ALICE, BOB};

const WRONG: &str = "That is not the password of alice.";
const TOO_MANY: &str = "There were too many wrong passwords for alice";
const RIGHT: &str = "alice now gets the small board of Pow2.";

#[test]
fn wrong_passwords_in_the_name_of_a_player_do_not_lock_the_player_out() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path());
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signup alice fig7elk", "");
    for number in 0..8 {
        post.send(ALICE, &format!("Pow2 set alice mistaken{number} small"), "");
    }
    assert_eq!(post.count(ALICE, WRONG), 8);
    post.send(ALICE, "Pow2 set alice fig7elk small", "");
    assert_eq!(post.count(ALICE, RIGHT), 1);
    daemon.stop_well();
}

/// Where nothing authenticates, the address of a player can be forged too.
#[test]
fn wrong_passwords_in_the_name_of_a_player_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path()).with("PBMSERV_LIMITS_WRONG_PASSWORDS_FROM_ALL", "7");
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signup alice fig7elk", "");
    for number in 0..10 {
        post.send(ALICE, &format!("Pow2 set alice mistaken{number} small"), "");
    }
    assert_eq!((post.count(ALICE, WRONG), post.count(ALICE, TOO_MANY)), (7, 3));
    assert_eq!(post.count(ALICE, "in the name of an address of alice"), 1);
    daemon.stop_well();
}

#[test]
fn an_account_under_attack_is_open_to_its_owner_who_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    // As many senders as by default, with fewer guesses each, since every guess takes time.
    let setup = as_delivered(folder.path())
        .with("PBMSERV_LIMITS_WRONG_PASSWORDS_FROM_ONE", "1")
        .with("PBMSERV_LIMITS_WRONG_PASSWORDS_FROM_ALL", "10");
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signup alice fig7elk", "");
    post.send(BOB, "signup bob oak4jay", "");
    post.send(ALICE, "Forms challenge alice bob -size=4", "");
    for sender in 0..11 {
        for number in 0..2 {
            let from = format!("s{sender}@forged{sender}.example");
            post.send(&from, &format!("Pow2 set alice mistaken{number} small"), "");
        }
    }
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM guesses"), 10);
    assert_eq!(post.count("s0@forged0.example", WRONG), 1);
    assert_eq!(post.count("s0@forged0.example", TOO_MANY), 1);
    // Nobody else can use the right password now, but the owner can, and answer letters from anywhere.
    post.send("other@elsewhere.example", "Pow2 set alice fig7elk small", "");
    assert_eq!(post.count(ALICE, RIGHT), 0);
    post.send(ALICE, "Pow2 set alice fig7elk small", "");
    assert_eq!(post.count(ALICE, RIGHT), 1);
    post.answer(ALICE, "alice@elsewhere.example", "chat\n\nhello bob");
    assert_eq!(post.count(BOB, "hello bob"), 1);
    let warnings = post.mails(ALICE);
    let warnings: Vec<_> = warnings
        .iter()
        .filter(|mail| mail.subject == "Wrong passwords for alice")
        .collect();
    assert_eq!(warnings.len(), 1);
    let text = warnings[0].text.replace('\n', " ");
    for words in [
        "None of them was carried out.",
        "Your own mail is served as before",
        "choose a longer one",
    ] {
        assert!(text.contains(words), "{text}");
    }
    daemon.stop_well();
}
