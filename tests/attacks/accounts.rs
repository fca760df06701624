//! Passwords that everybody tries first, and userids that others would trust.

use super::silence::{Post, as_delivered};
use crate::daemon::http::{ALICE, BOB};
use crate::daemon::{Setup, count};

const COMMON: &str = "is one of those that most people choose";
const HAS_USERID: &str = "The password contains the userid";
const OFFICIAL: &str = "would be taken for somebody who runs this server";

fn accounts(setup: &Setup) -> i64 {
    count(&setup.look(), "SELECT COUNT(*) FROM players WHERE id > 0")
}

#[test]
fn passwords_that_are_tried_first_are_refused_when_set_and_good_for_who_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path());
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signup alice secret1", "");
    post.send(ALICE, "signup alice PassWord1", "");
    post.send(ALICE, "signup alice my-Alice-7", "");
    assert_eq!((post.count(ALICE, COMMON), post.count(ALICE, HAS_USERID)), (2, 1));
    assert_eq!(accounts(&setup), 0);
    post.send(ALICE, "signup alice fig7elk", "");
    post.send(ALICE, "change password alice fig7elk iloveyou", "");
    post.send(ALICE, "change password alice fig7elk alice12345", "");
    assert_eq!((post.count(ALICE, COMMON), post.count(ALICE, HAS_USERID)), (3, 2));
    post.send(ALICE, "forgot alice", "");
    let token = reset_token(&post, ALICE);
    post.send(ALICE, &format!("reset alice {token} qwerty123"), "");
    assert_eq!(post.count(ALICE, COMMON), 4);
    // The token is still good for a better one.
    post.send(ALICE, &format!("reset alice {token} oak4jay"), "");
    assert_eq!(post.count(ALICE, "You have a new password."), 1);
    let passwd = ["user", "passwd", "alice", "--password-stdin", "--why", "test"];
    let refused = setup.run_with(&passwd, b"secret1\n");
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains(COMMON));
    // Who had one before they were refused.
    let old = argon2::PasswordHasher::hash_password(&argon2::Argon2::default(), b"secret1").unwrap();
    daemon.stop_well();
    let sql = format!("UPDATE players SET password_hash = '{old}' WHERE userid = 'alice'");
    assert_eq!(
        rusqlite::Connection::open(setup.database())
            .unwrap()
            .execute(&sql, [])
            .unwrap(),
        1
    );
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "Pow2 set alice secret1 small", "");
    assert_eq!(post.count(ALICE, "You will now get the small board of Pow2."), 1);
    post.send(ALICE, "signoff alice secret1", "");
    post.send(ALICE, "signup alice secret1", "");
    assert_eq!(post.count(ALICE, "Welcome back, alice"), 1);
    daemon.stop_well();
}

fn reset_token(post: &Post<'_>, address: &str) -> String {
    let mails = post.mails(address);
    let text = mails.iter().rev().find_map(|mail| {
        let (_, after) = mail.text.split_once("reset alice ")?;
        after.split_whitespace().next().map(str::to_owned)
    });
    text.unwrap()
}

#[test]
fn userids_that_sound_official_are_not_given_and_those_of_old_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path())
        .with("PBMSERV_SERVER_NAME", "Post-Games")
        .with("PBMSERV_SERVER_DIRECTORS", "carol");
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    let refused = [
        "admin",
        "Adm1n",
        "support",
        "security2",
        "moderators",
        "the-staff",
        "no-reply",
        "postmaster",
        "r00t",
        "PostGames",
        "car0l",
        "Caro1",
    ];
    for userid in refused {
        post.send(BOB, &format!("signup {userid} fig7elk"), "");
    }
    assert_eq!((post.count(BOB, OFFICIAL), accounts(&setup)), (refused.len(), 0));
    post.send(BOB, "signup carol fig7elk", "");
    post.send(ALICE, "signup alice fig7elk", "");
    assert_eq!(accounts(&setup), 2, "a director has the own userid");
    let printed = || String::from_utf8_lossy(&setup.run(&["check"]).stdout).into_owned();
    assert!(printed().contains("none sounds official"), "{}", printed());
    // An account of before keeps its userid, and comes back to it after a signoff.
    let sql = "UPDATE players SET userid = 'Support', userid_key = 'support' WHERE userid = 'alice'";
    daemon.stop_well();
    assert_eq!(
        rusqlite::Connection::open(setup.database())
            .unwrap()
            .execute(sql, [])
            .unwrap(),
        1
    );
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signoff support fig7elk", "");
    post.send(ALICE, "signup support fig7elk", "");
    assert_eq!(post.count(ALICE, "Welcome back, Support"), 1);
    let found = printed();
    assert!(
        found.contains("NOTE   userids: Support would be taken for somebody"),
        "{found}"
    );
    assert!(!found.contains("carol"), "{found}");
    daemon.stop_well();
}
