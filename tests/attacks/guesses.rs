//! Guessing passwords in somebody's name locks nobody out.

use super::silence::{Post, as_delivered};
use crate::daemon::count;
use crate::daemon::http::{ALICE, BOB};
use crate::daemon::smtp::{Client, message};
use crate::flood::number;

const WRONG: &str = "That is not the password of alice.";
const TOO_MANY: &str = "There were too many wrong passwords for alice";
const RIGHT: &str = "You will now get the small board of Pow2.";

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

/// Passwords for each of many players.
const GUESSES: usize = 5;

/// Five passwords for each of many players would be hundreds from one source, without a limit over all of them.
#[test]
fn one_source_tries_few_passwords_over_all_players_and_locks_out_no_player() {
    let players = usize::try_from(number("FLOOD_USERIDS", 12)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path());
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    // They and the sprayer write by one provider.
    let address = |number: usize| format!("{}@home.example", userid(number));
    for number in 0..players {
        post.send(
            &address(number),
            &format!("signup {} fig7elk", userid(number)),
            "",
        );
    }
    let sprayer = "mallory@home.example";
    for number in 0..players {
        for guess in 0..GUESSES {
            post.send(
                sprayer,
                &format!("Pow2 set {} mistaken{guess} small", userid(number)),
                "",
            );
        }
    }
    let tried = count(&setup.look(), "SELECT COUNT(*) FROM guesses");
    eprintln!(
        "of {} passwords for {players} userids {tried} were tried",
        players * GUESSES
    );
    assert_eq!(tried, 20);
    let refused = "There were too many wrong passwords from where this mail comes from";
    // A stranger gets thirty answers a day.
    assert_eq!(post.count(sprayer, refused), 30 - 20);
    // A right one is not read either: the answer would be a guess.
    let last = userid(players - 1);
    post.send(sprayer, &format!("Pow2 set {last} fig7elk small"), "");
    let player = address(players - 1);
    let right = "You will now get the small board of Pow2.";
    assert_eq!(post.count(&player, right), 0);
    // The players are served, also after a mistake of their own.
    post.send(&player, &format!("Pow2 set {last} mistaken small"), "");
    post.send(&player, &format!("Pow2 set {last} fig7elk small"), "");
    assert_eq!(post.count(&player, right), 1);
    daemon.stop_well();
}

/// The same from the networks of one customer, who changes between them, and by mailboxes of one domain.
#[test]
fn the_networks_around_a_source_try_few_passwords_too() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path())
        .with("PBMSERV_SMTP_TRUSTED", "")
        .with("PBMSERV_SMTP_GREETING_SECONDS", "0")
        .with("PBMSERV_LIMITS_WRONG_PASSWORDS_OVER_ALL", "1");
    let daemon = setup.serve();
    for number in 0..4 {
        let add = [
            "user",
            "add",
            &userid(number),
            &format!("{}@home.example", userid(number)),
        ];
        let options = ["--confirmed", "--why", "test"];
        assert!(setup.run(&[&add[..], &options[..]].concat()).status.success());
    }
    for client in 1..=15 {
        let mut client_of = Client::open_from([127, 0, 3, client], daemon.port).unwrap();
        client_of.reply().unwrap();
        client_of.say("EHLO evil.example").unwrap();
        let from = format!("m{client}@evil{client}.example");
        for guess in 0..2 {
            let subject = format!("Pow2 set {} mistaken{client} small", userid(guess));
            let reply = client_of.send(
                &from,
                &message(&from, &format!("{client}.{guess}@evil.example"), &subject, ""),
            );
            assert!(reply.unwrap().starts_with("250"));
        }
    }
    assert_eq!(
        count(&setup.look(), "SELECT COUNT(*) FROM guesses"),
        10,
        "one each, of ten"
    );
    daemon.stop_well();
}

fn userid(number: usize) -> String {
    format!("player{number}")
}
