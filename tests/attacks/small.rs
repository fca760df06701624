//! Smaller attacks: what others quote, forged senders, userids that nobody uses.

use std::fs;

use crate::daemon::mailbox::{files, of};
use crate::daemon::smtp::{message, send};
use crate::daemon::{Daemon, SERVER, Setup, count};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

/// A daemon with the players alice and bob, who play Pow2 Board 101.
fn two_players(setup: &Setup) -> Daemon {
    for (from, subject) in [
        (ALICE, "signup alice fig7elk"),
        (BOB, "signup bob oak4jay"),
        (ALICE, "Pow2 challenge alice bob"),
    ] {
        setup
            .with("PBMSERV_AUTH_REQUIRE", "")
            .done(&["mail", from, subject]);
    }
    setup.serve()
}

#[test]
fn an_opponent_gets_no_token_out_of_a_quoted_link_or_a_wrapped_address() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).with("PBMSERV_ACCOUNTS_CONFIRM", "false");
    let daemon = two_players(&setup);
    let mail = setup.data.join("mail");
    let letters = files(&mail.join(ALICE).join("new"));
    let letters = letters.iter().map(|path| fs::read_to_string(path).unwrap());
    let fields: String = letters.collect();
    let (_, token) = fields.split_once("Reply-To: pbmserv+").unwrap();
    let token = token.split('@').next().unwrap();
    let (half, rest) = token.split_at(token.len() / 2);
    let tag = token.split_once('-').unwrap().1;
    for (number, quoted) in [
        format!("<mailto:pbmserv%2B{token}%40localhost?subject=x>"),
        format!("pbmserv+{half}=\n{rest}@localhost"),
        format!("pbmserv+{half}\n{rest}@localhost"),
        format!("mailto:pbmserv%2b{half} \n  {rest}%40localhost"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!("Look number {number}:\n{quoted}\nbye");
        send(
            daemon.port,
            ALICE,
            &format!("{number}@home.example"),
            "Pow2 chat 101 alice fig7elk",
            &text,
        );
        setup.wait_for_delivery();
        let said: Vec<String> = of(&mail.join(BOB)).into_iter().map(|mail| mail.text).collect();
        let letter = said
            .iter()
            .find(|text| text.contains(&format!("Look number {number}")))
            .unwrap();
        assert!(letter.contains("bye"), "{letter}");
        let together: String = letter.chars().filter(char::is_ascii_alphanumeric).collect();
        assert!(!together.contains(tag), "{letter}");
    }
    daemon.stop_well();
}

#[test]
fn a_from_with_two_mailboxes_is_nobody_also_where_the_mail_server_vouches() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_AUTH_REQUIRE", "dmarc")
        .with("PBMSERV_AUTH_AUTHSERV_ID", "mx.localhost");
    let daemon = two_players(&setup);
    let vouched = "Authentication-Results: mx.localhost; dmarc=pass header.from=home.example";
    for (number, from) in [
        format!("From: {ALICE}, eve@home.example"),
        format!("From: Players: {ALICE};"),
        format!("From: {ALICE}\r\nX-Mailer: x\r\nFROM : eve@home.example"),
        format!(
            "From: {ALICE}\r\n{}From: eve@home.example",
            "X: y\r\n".repeat(1001)
        ),
        format!("From: {ALICE}"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "{vouched}\r\n{from}\r\nTo: {SERVER}\r\nMessage-ID: <{number}@e.example>\r\nSubject: Pow2 games next\r\n\r\n"
        );
        let mut client = crate::daemon::smtp::Client::connect(daemon.port).unwrap();
        assert!(
            client
                .send("eve@home.example", text.as_bytes())
                .unwrap()
                .starts_with("250")
        );
    }
    setup.wait_for_delivery();
    let dropped = count(
        &setup.look(),
        "SELECT COUNT(*) FROM inbox WHERE state = 'dropped'",
    );
    let done = count(
        &setup.look(),
        "SELECT COUNT(*) FROM inbox WHERE state = 'done' AND commands = 'Pow2 games next'",
    );
    assert_eq!((dropped, done), (4, 1), "the last one is alice");
    daemon.stop_well();
}

#[test]
fn a_userid_that_nobody_confirms_is_free_after_a_week() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "true")
        .begun();
    assert_eq!(
        setup
            .ingest(
                ALICE,
                &message(ALICE, "1@home.example", "signup alice fig7elk", "")
            )
            .0,
        0
    );
    let conn = rusqlite::Connection::open(setup.database()).unwrap();
    let week = 7 * 24 * 3600 * 1000;
    let sql = "UPDATE players SET created_at = created_at - ?1, expires_at = expires_at - ?1 WHERE id > 0";
    assert_eq!(conn.execute(sql, [week]).unwrap(), 1);
    drop(conn);
    let daemon = setup.serve();
    crate::daemon::until("the account is removed", || {
        daemon
            .log()
            .contains("an account without a confirmed address was removed")
            .then_some(())
    });
    assert!(!daemon.log().contains(ALICE), "{}", daemon.log());
    assert!(!setup.done(&["user", "list"]).contains("alice"));
    send(daemon.port, BOB, "2@home.example", "signup alice oak4jay", "");
    setup.wait_for_delivery();
    assert!(setup.done(&["user", "show", "alice"]).contains(BOB));
    daemon.stop_well();
}
