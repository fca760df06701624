//! Complaints about spam: which reports count, and what ends their effect.

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::returned;
use crate::stage::{Mail, Stage};

const CARL: &str = "carl@example.org";

fn last_fate(stage: &Stage) -> String {
    let sql = "SELECT state || ': ' || reason FROM inbox ORDER BY id DESC LIMIT 1";
    database::text(stage.data(), sql)
}

/// Those who get a message of alice to bob.
async fn readers(stage: &Stage) -> Vec<String> {
    let letters = say(stage, ALICE, "message alice fig7elk bob", "Hello\n").await;
    letters.iter().map(|letter| letter.to.to_string()).collect()
}

async fn mail_to_bob(stage: &Stage) -> Outgoing {
    let letters = say(stage, ALICE, "message alice fig7elk bob", "Hello\n").await;
    letters
        .into_iter()
        .find(|letter| letter.to.as_str() == BOB)
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_an_unwanted_mail_of_ours_silences_an_address() {
    let stage = alice_and_bob().await;
    let letter = mail_to_bob(&stage).await;
    let genuine = returned::envelope_sender(&stage, letter.id);
    let forged = genuine.as_str().replace('-', "-a");
    let unknown = returned::envelope_sender(&stage, 9_999);
    let from = |sender: &str| format!("Original-Mail-From: <{sender}>");
    let genuine = from(genuine.as_str());
    for (what, kind, report, about) in [
        (
            "no sign of ours",
            "abuse",
            "Original-Rcpt-To: bob@example.org".to_owned(),
            "",
        ),
        ("a forged tag", "abuse", from(&forged), ""),
        (
            "a guessed Message-ID",
            "abuse",
            String::new(),
            "Message-ID: <1@games.example>",
        ),
        ("an unknown mail", "abuse", from(unknown.as_str()), ""),
        ("no spam", "not-spam", genuine.clone(), ""),
        ("a failed authentication", "auth-failure", genuine.clone(), ""),
        ("a virus", "virus", genuine.clone(), ""),
        ("no type", "", genuine.clone(), ""),
    ] {
        let (_, letters) = stage
            .take(&returned::complaint(&stage, kind, &report, about))
            .await;
        assert!(letters.is_empty(), "{what}");
        assert_eq!(readers(&stage).await, [BOB, ALICE], "{what}");
        stage.pass(TimeDelta::hours(1));
    }
    stage
        .take(&returned::complaint(&stage, "Abuse", &genuine, ""))
        .await;
    assert_eq!(
        last_fate(&stage),
        format!("done: a complaint about mail {}: abuse", letter.id)
    );
    assert_eq!(readers(&stage).await, [ALICE]);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mail_is_known_by_any_sign_that_its_reader_alone_has() {
    let stage = alice_and_bob().await;
    for sign in ["Return-Path", "Message-ID"] {
        let letter = mail_to_bob(&stage).await;
        let about = match sign {
            "Return-Path" => format!("Return-Path: <{}>", returned::envelope_sender(&stage, letter.id)),
            _ => format!("Message-ID: <{}>", letter.message_id),
        };
        let report = returned::complaint(&stage, "abuse", "DueTask-IP: 192.0.2.1", &about);
        stage.take(&report).await;
        assert_eq!(readers(&stage).await, [ALICE], "{sign}");
        ask(&stage, BOB, "help").await;
        assert_eq!(readers(&stage).await, [BOB, ALICE], "{sign}");
        // One mail counts once, even if another provider reports it later.
        stage.pass(TimeDelta::hours(1));
        let again = returned::complaint(&stage, "abuse", "DueTask-IP: 192.0.2.2", &about);
        stage.take(&again).await;
        assert_eq!(readers(&stage).await, [BOB, ALICE], "{sign}");
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_dropped_and_a_program_does_not_end_the_silence() {
    let stage = alice_and_bob().await;
    let letter = mail_to_bob(&stage).await;
    let door = stage.server.door("smtp");
    let waiting = mail(ALICE, "message alice fig7elk bob", "Hello\n").message();
    let request = stage.server.read("smtp", &waiting).unwrap();
    stage.server.handle(request, false, false).await.unwrap();
    drop(door);
    let sender = format!(
        "Original-Mail-From: <{}>",
        returned::envelope_sender(&stage, letter.id)
    );
    stage
        .take(&returned::complaint(&stage, "abuse", &sender, ""))
        .await;
    let sql = "SELECT state FROM outbox WHERE recipient = 'bob@example.org' AND id > 2 ORDER BY id";
    assert_eq!(database::words(stage.data(), sql), "failed dropped");
    let away = Mail {
        header: "Subject: away\r\nAuto-Submitted: auto-replied\r\nMessage-ID: <away@x>\r\n".into(),
        ..mail(BOB, "", "I am away.\n")
    };
    stage.take(&away.message()).await;
    assert_eq!(readers(&stage).await, [ALICE]);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_who_complains_gets_no_answer_to_mail_in_his_name() {
    let stage = alice_and_bob().await;
    let [letter] = &ask(&stage, CARL, "help").await[..] else {
        panic!("one answer")
    };
    let sender = format!(
        "Original-Mail-From: <{}>",
        returned::envelope_sender(&stage, letter.id)
    );
    stage
        .take(&returned::complaint(&stage, "abuse", &sender, ""))
        .await;
    // The envelope sender is carl, the visible one somebody else: nobody is believed to have written.
    let doubted = Mail {
        header: "From: mallory@example.net\r\nSubject: help\r\nMessage-ID: <doubted@x>\r\n".into(),
        ..mail(CARL, "help", "")
    };
    let mut doubted = doubted.message();
    let text = String::from_utf8(doubted.bytes.to_vec()).unwrap();
    doubted.bytes = text
        .replacen("From: carl@example.org\r\n", "", 1)
        .into_bytes()
        .into();
    let (_, letters) = stage.take(&doubted).await;
    assert!(letters.is_empty(), "{letters:?}");
    assert_eq!(ask(&stage, CARL, "help").await.len(), 1, "he writes himself");
    stage.close().await;
}
