//! A stranger's mail makes the server write little.

use super::silence::{Post, as_delivered};
use crate::daemon::http::{ALICE, BOB};

const VICTIM: &str = "victim@elsewhere.example";

/// The most bytes of a mail to somebody unknown.
const MOST: usize = 20_000;

#[test]
fn a_list_of_a_hundred_commands_is_answered_by_one_short_mail() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path());
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    for line in [
        "help\n",
        "help all\n",
        "Pow2 help\n",
        "list\n",
        "Forms help tutorial\n",
    ] {
        let before = post.raw(VICTIM).len();
        post.send(VICTIM, "multiple", &line.repeat(100));
        let mails = post.raw(VICTIM).split_off(before);
        let sizes: Vec<_> = mails.iter().map(String::len).collect();
        assert!(sizes.len() == 1 && sizes[0] < MOST, "{line}: {sizes:?}");
        assert!(
            !mails[0].contains("text/html") && !mails[0].contains("image/png"),
            "{line}"
        );
        assert!(
            mails[0]
                .replace(['\r', '\n'], " ")
                .contains("Five commands may stand"),
            "{}",
            mails[0]
        );
    }
    daemon.stop_well();
}

#[test]
fn a_mail_that_signs_up_many_addresses_asks_one() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path()).with("PBMSERV_ACCOUNTS_CONFIRM", "true");
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    let victim = |number: usize| format!("victim{number}@elsewhere.example");
    let of = |from: usize| (from..from + 5).map(victim).collect::<Vec<_>>().join(" ");
    let lines = format!("signup one mistaken {}\nsignup two mistaken {}\n", of(0), of(5));
    post.send("stranger@home.example", "multiple", &lines);
    let asked = |post: &Post<'_>| {
        (0..10)
            .map(|number| post.mails(&victim(number)).len())
            .collect::<Vec<_>>()
    };
    assert_eq!(asked(&post), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        post.count("stranger@home.example", "send another mail for this"),
        1
    );
    // The other addresses of the account are asked by the confirmation of the first.
    let first = victim(0);
    post.answer(&first, &first, "confirm");
    assert_eq!(asked(&post), [2, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    daemon.stop_well();
}

#[test]
fn a_token_that_was_forgotten_is_asked_for_once_by_a_mail() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path());
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(
        ALICE,
        "signup alice fig7elk alice@home.example alice@elsewhere.example",
        "",
    );
    let before = post.mails(ALICE).len() + post.mails("alice@elsewhere.example").len();
    post.send(VICTIM, "multiple", &"forgot alice\n".repeat(5));
    let after = post.mails(ALICE).len() + post.mails("alice@elsewhere.example").len();
    assert_eq!((post.mails(VICTIM).len(), after - before), (1, 1));
    daemon.stop_well();
}

#[test]
fn all_strangers_together_cause_so_many_mails_in_an_hour_and_players_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path())
        .with("PBMSERV_LIMITS_STRANGERS_MAILS_AN_HOUR", "4")
        .with("PBMSERV_HTTP_LISTEN", "127.0.0.1:0");
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signup alice fig7elk", "");
    for number in 0..9 {
        post.send(&format!("s{number}@elsewhere{number}.example"), "help", "");
    }
    let answered = (0..9).map(|number| post.mails(&format!("s{number}@elsewhere{number}.example")).len());
    assert_eq!(answered.sum::<usize>(), 3, "the welcome of alice was the first");
    let why = "SELECT COUNT(*) FROM inbox WHERE state = 'dropped' AND reason LIKE 'too much mail was sent in this hour%'";
    assert_eq!(crate::daemon::count(&setup.look(), why), 6);
    let before = post.mails(ALICE).len();
    post.send(ALICE, "Pow2 set alice fig7elk small", "");
    post.send(ALICE, "list", "");
    assert_eq!(post.mails(ALICE).len() - before, 2);
    daemon.health_when("the figures are new", |_, _| {
        daemon.metric("pbmserv_unproven_mails_dropped") > 5.0
    });
    assert!(daemon.metric("pbmserv_unproven_mails_sent{from=\"strangers\"}") > 3.0);
    let log = daemon.stop_well();
    assert_eq!(log.matches("limits.strangers_mails_an_hour").count(), 1, "{log}");
}

#[test]
fn who_forges_one_player_uses_up_the_mails_of_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path()).with("PBMSERV_LIMITS_STRANGERS_MAILS_AN_HOUR", "20");
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signup alice fig7elk", "");
    post.send(BOB, "signup bob oak4jay", "");
    let (alice, bob) = (post.mails(ALICE).len(), post.mails(BOB).len());
    for _ in 0..25 {
        post.send(ALICE, "list", "");
    }
    assert_eq!(post.mails(ALICE).len() - alice, 2, "a tenth of the bound");
    post.send(BOB, "list", "");
    assert_eq!(post.mails(BOB).len() - bob, 1);
    post.send(ALICE, "Pow2 set alice fig7elk small", "");
    assert_eq!(post.mails(ALICE).len() - alice, 3, "what is proven is answered");
    daemon.stop_well();
}
