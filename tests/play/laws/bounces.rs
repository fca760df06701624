//! Bounces: when an address gets no more mail, and what has no effect.

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::doors::{Intake, Message};
use pbmserv_mail::outbox::{Outcome, Queue, SettledMail};
use pbmserv_mail::{Address, Envelope};

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::returned;
use crate::stage::{Mail, Stage};

const DAY: TimeDelta = TimeDelta::days(1);

/// The days of failures of bob's addresses, in order.
fn failed_days(stage: &Stage) -> String {
    let sql = "SELECT failed_days FROM addresses WHERE player = 2 ORDER BY id";
    database::words(stage.data(), sql)
}

fn last_fate(stage: &Stage) -> String {
    let sql = "SELECT state || ': ' || reason FROM inbox ORDER BY id DESC LIMIT 1";
    database::text(stage.data(), sql)
}

/// A mail that bob gets at this address.
async fn mail_to(stage: &Stage, address: &str) -> Outgoing {
    let letters = say(stage, ALICE, "message alice fig7elk bob", "Hello\n").await;
    let mut to_bob = letters.into_iter().filter(|letter| letter.to.as_str() == address);
    to_bob.next().unwrap()
}

/// A mail to bob bounces today; returns the letters that this causes.
async fn bounce(stage: &Stage, address: &str) -> Vec<Outgoing> {
    let mail = mail_to(stage, address).await;
    let bounce = returned::bounce(stage, mail.id, address, "5.1.1");
    stage.take(&bounce).await.1
}

/// The same message with the null sender, and this text instead of a report.
fn notice(stage: &Stage, mail: i64, header: &str, text: &str) -> Message {
    let bytes = format!("From: MAILER-DAEMON@mx.example\r\n{header}\r\n\r\n{text}\r\n");
    Message {
        client: None,
        mark: None,
        envelope: Envelope {
            sender: None,
            recipients: vec![returned::envelope_sender(stage, mail)],
        },
        bytes: bytes.into_bytes().into(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_failure_of_a_mail_of_ours_is_recorded_and_changes_nothing() {
    let stage = alice_and_bob().await;
    let letter = mail_to(&stage, BOB).await;
    let genuine = returned::bounce(&stage, letter.id, BOB, "5.1.1");
    let to = |recipient: Address| Message {
        client: None,
        mark: None,
        envelope: Envelope {
            sender: None,
            recipients: vec![recipient],
        },
        bytes: genuine.bytes.clone(),
    };
    let true_address = returned::envelope_sender(&stage, letter.id);
    let forged = true_address.as_str().replace('-', "-a");
    let messages = [
        ("a forged tag", to(forged.parse().unwrap())),
        ("no tag", to(stage.server.address.clone())),
        ("an unknown number", to(returned::envelope_sender(&stage, 9_999))),
        ("a delay", returned::bounce(&stage, letter.id, BOB, "4.4.1")),
        ("a delivery", returned::bounce(&stage, letter.id, BOB, "2.0.0")),
        (
            "a holiday notice with the null sender",
            notice(
                &stage,
                letter.id,
                "Auto-Submitted: auto-replied\r\nSubject: away",
                "I am away.",
            ),
        ),
        (
            "a warning of Exim",
            notice(
                &stage,
                letter.id,
                "Subject: Warning: message 1 delayed 24 hours",
                "Not yet.",
            ),
        ),
    ];
    for (what, message) in messages {
        let (_, letters) = stage.take(&message).await;
        assert!(letters.is_empty(), "{what}");
        assert_eq!(failed_days(&stage), "0", "{what}");
        assert!(
            last_fate(&stage).starts_with("ignored: "),
            "{what}: {}",
            last_fate(&stage)
        );
    }
    let door = stage.server.door("smtp");
    assert!(door.is_ours(&true_address), "the door takes bounces");
    drop(door);
    stage.take(&genuine).await;
    assert_eq!(failed_days(&stage), "1");
    assert_eq!(last_fate(&stage), "done: mail 3 has bounced: 5.1.1");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn older_bounces_count_and_each_mail_counts_once() {
    let stage = alice_and_bob().await;
    let exim = ("X-Failed-Recipients: bob@example.org\r\nSubject: x", "Failed.");
    let qmail = (
        "Subject: failure notice",
        "Hi. This is the qmail-send program at mx.",
    );
    for (days, (header, text)) in [("1", exim), ("2", qmail)] {
        let letter = mail_to(&stage, BOB).await;
        let message = notice(&stage, letter.id, header, text);
        for _ in 0..3 {
            stage.take(&message).await;
            assert_eq!(failed_days(&stage), days);
        }
        stage.pass(DAY);
        // The same mail, which the operator has not sent again, does not fail a second time.
        stage.take(&message).await;
        assert_eq!(failed_days(&stage), days);
    }
    // Two mails of one day count as one day.
    let two = [mail_to(&stage, BOB).await, mail_to(&stage, BOB).await];
    for letter in two {
        stage
            .take(&returned::bounce(&stage, letter.id, BOB, "5.1.1"))
            .await;
        assert_eq!(failed_days(&stage), "3");
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_with_another_address_is_written_to_there_and_nobody_is_told() {
    const OTHER: &str = "bob@example.net";
    let stage = alice_and_bob().await;
    ask(&stage, BOB, "add bob oak4jay bob@example.net").await;
    ask(&stage, ALICE, "Forms challenge alice bob -size=4").await;
    for _ in 0..3 {
        assert!(bounce(&stage, BOB).await.is_empty());
        stage.pass(DAY);
    }
    assert_eq!(failed_days(&stage), "3 0");
    let letters = say(&stage, ALICE, "message alice fig7elk bob", "Hello\n").await;
    let to: Vec<_> = letters.iter().map(|letter| letter.to.as_str()).collect();
    assert_eq!(to, [OTHER, ALICE]);
    // Now no address is left.
    for expected in [0, 0, 1] {
        let notices = bounce(&stage, OTHER).await;
        assert_eq!(notices.len(), expected);
        for letter in notices {
            assert_eq!(
                (letter.to.as_str(), letter.subject.as_str()),
                (ALICE, "Mail to bob fails")
            );
            assert!(!letter.text.contains("example.org") && !letter.text.contains("example.net"));
        }
        stage.pass(DAY);
    }
    let players = ask(&stage, ALICE, "Forms challenge bob alice").await;
    assert!(
        players[0].text.starts_with("Mail to bob fails"),
        "{}",
        players[0].text
    );
    // Tokens are not sent there either, and the answer does not reveal that to a stranger.
    let letters = ask(&stage, "stranger@example.net", "forgot bob").await;
    assert_eq!(letters.len(), 1);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_mail_from_the_address_ends_it() {
    let stage = alice_and_bob().await;
    let by_from = Mail {
        header: "From: bob@example.org\r\nSubject: help\r\nMessage-ID: <by-from@x>\r\n".into(),
        ..mail("relay@example.net", "help", "")
    };
    let mut by_from = by_from.message();
    // Only the visible sender is bob.
    let text = String::from_utf8(by_from.bytes.to_vec()).unwrap();
    by_from.bytes = text
        .replacen("From: relay@example.net\r\n", "", 1)
        .into_bytes()
        .into();
    let away = Mail {
        header: "Subject: away\r\nAuto-Submitted: auto-replied\r\nMessage-ID: <away@x>\r\n".into(),
        ..mail(BOB, "", "I am away.\n")
    };
    for message in [away.message(), mail(BOB, "nonsense", "").message()] {
        for _ in 0..3 {
            bounce(&stage, BOB).await;
            stage.pass(DAY);
        }
        assert_eq!(failed_days(&stage), "3");
        stage.take(&by_from).await;
        assert_eq!(
            failed_days(&stage),
            "3",
            "anybody may have written bob's address there"
        );
        stage.take(&message).await;
        assert_eq!(failed_days(&stage), "0");
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_of_the_relay_counts_and_its_long_silence_does_not() {
    let stage = alice_and_bob().await;
    let settle = async |outcome: fn(String) -> Outcome| {
        let request = stage
            .server
            .read(
                "smtp",
                &mail(ALICE, "message alice fig7elk bob", "Hello\n").message(),
            )
            .unwrap();
        stage.server.handle(request, false, false).await.unwrap();
        let due = stage.server.rows.due(stage.server.now(), 10).await.unwrap();
        let settled = due.iter().map(|letter| SettledMail {
            id: letter.id,
            outcome: if letter.to.as_str() == BOB {
                outcome("550 5.1.1 no such user".into())
            } else {
                Outcome::Sent
            },
        });
        stage.server.rows.settle(settled.collect()).await.unwrap();
        stage.pass(DAY);
    };
    ask(&stage, ALICE, "Forms challenge alice bob -size=4").await;
    settle(|why| Outcome::Failed { why }).await;
    assert_eq!(failed_days(&stage), "0");
    for days in ["1", "2", "3"] {
        settle(|why| Outcome::Refused { why }).await;
        assert_eq!(failed_days(&stage), days);
    }
    let notices = stage.collect().await;
    assert_eq!(notices.len(), 1);
    assert!(
        notices[0]
            .text
            .starts_with("Mail to bob fails: it came back on three different days.")
    );
    assert!(notices[0].text.contains("You play bob on Forms Board 101."));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_to_the_envelope_sender_is_an_answer() {
    let stage = alice_and_bob().await;
    let begun = ask(&stage, ALICE, "Forms challenge alice bob -size=4").await;
    let letter = begun.iter().find(|letter| letter.to.as_str() == BOB).unwrap();
    // Some mail programs reply to the Return-Path; the Message-ID names the board.
    let answer = Mail {
        to: returned::envelope_sender(&stage, letter.id),
        header: format!(
            "Subject: Re: {}\r\nIn-Reply-To: <{}>\r\n",
            letter.subject, letter.message_id
        ),
        ..mail(BOB, "", "resign\n")
    };
    let (_, letters) = stage.send(&answer).await;
    assert!(
        letters[0].text.starts_with("bob declined Forms Board 101"),
        "{}",
        letters[0].text
    );
    stage.close().await;
}
