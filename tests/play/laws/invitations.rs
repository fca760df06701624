//! Invitations: what an answer to the welcome or to `who` may do without a password, and what ends that.

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::Address;
use pbmserv_mail::outbox::Queue as _;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::stage::{Mail, SERVER, Stage};

const CAROL: &str = "carol@example.org";

/// A server with alice and bob, and carol's welcome.
async fn welcomed() -> (Stage, Outgoing) {
    let stage = alice_and_bob().await;
    let mut letters = ask(&stage, CAROL, "signup carol bay5owl").await;
    (stage, letters.remove(0))
}

/// A reply to a letter with this token.
fn answer<'a>(from: &'a str, to: &Outgoing, token: &str, body: &'a str) -> Mail<'a> {
    Mail {
        to: Address::parse(SERVER).unwrap().with_detail(token),
        ..mail(from, &format!("Re: {}", to.subject), body)
    }
}

/// The open challenges, as player and game.
fn seeks(stage: &Stage) -> Vec<String> {
    database::dump(stage.data())
        .remove("seeks")
        .unwrap()
        .iter()
        .map(|row| row.split(" | ").take(2).collect::<Vec<_>>().join(" "))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_to_the_welcome_seeks_and_challenges_without_a_password_from_any_address() {
    let (stage, welcome) = welcomed().await;
    let token = welcome.reply_detail.clone().unwrap();
    let phone = "phone@elsewhere.example";
    let (_, letters) = stage.send(&answer(phone, &welcome, &token, "Seek Forms!")).await;
    assert_eq!(seeks(&stage), ["3 Forms"]);
    // The answer goes to the account, and can be answered as well.
    assert_eq!(letters[0].to.as_str(), CAROL);
    assert_eq!(letters[0].reply_detail.as_deref(), Some(token.as_str()));
    let upper = token.to_uppercase();
    stage.send(&answer(phone, &welcome, &upper, "seek Forms 0")).await;
    assert!(seeks(&stage).is_empty());
    stage
        .send(&answer(phone, &welcome, &token, "challenge bob\n\nHello"))
        .await;
    let board = "SELECT game || first_player || second_player FROM boards";
    assert_eq!(database::text(stage.data(), board), "Pow232");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invitation_gives_no_other_right() {
    let (stage, welcome) = welcomed().await;
    let token = welcome.reply_detail.clone().unwrap();
    let before = database::lasting(stage.data());
    for body in [
        "delete",
        "delete carol",
        "signoff",
        "signoff carol really",
        "change password carol mistaken",
        "add home@example.org",
        "block bob",
        "message bob",
        "Pow2 reject",
        "Pow2 reject carol",
        "Pow2 limit 0",
        "Pow2 resign 101",
        "broadcast",
        "seek 1 alice",
        "seek mistaken",
        "Thanks! I will seek a game soon.",
    ] {
        stage.send(&answer(CAROL, &welcome, &token, body)).await;
        assert_eq!(database::lasting(stage.data()), before, "{body}");
    }
    // These harm nobody and reach nothing secret.
    for (body, done) in [
        ("vacation 3", "You are on vacation"),
        ("set carol text", "You will now get plain text alone."),
        ("Pow2 set small", "You will now get the small board of Pow2."),
    ] {
        let (_, letters) = stage.send(&answer(CAROL, &welcome, &token, body)).await;
        assert!(letters[0].text.starts_with(done), "{body}: {}", letters[0].text);
    }
    // An automatic answer is none.
    let mut away = answer(CAROL, &welcome, &token, "seek");
    away.header.push_str("Auto-Submitted: auto-replied\r\n");
    let (_, letters) = stage.send(&away).await;
    assert!(letters.is_empty() && seeks(&stage).is_empty());
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invitation_expires_also_if_it_was_answered_and_another_password_ends_it() {
    let (stage, welcome) = welcomed().await;
    let token = welcome.reply_detail.clone().unwrap();
    stage.pass(TimeDelta::days(13));
    let (_, letters) = stage.send(&answer(CAROL, &welcome, &token, "seek")).await;
    assert_eq!(seeks(&stage).len(), 1);
    let later = letters[0].reply_detail.clone().unwrap();
    stage.pass(TimeDelta::days(1) + TimeDelta::hours(1));
    for (letter, token) in [(&welcome, &token), (&letters[0], &later)] {
        stage.send(&answer(CAROL, letter, token, "seek Forms")).await;
        assert_eq!(seeks(&stage).len(), 1, "expired");
    }
    let list = ask(&stage, CAROL, "who").await;
    let fresh = list[0].reply_detail.clone().unwrap();
    stage.send(&answer(CAROL, &list[0], &fresh, "seek Forms")).await;
    assert_eq!(seeks(&stage).len(), 2);
    ask(&stage, CAROL, "change password carol bay5owl fig7elk").await;
    stage
        .send(&answer(CAROL, &list[0], &fresh, "seek Ringworm"))
        .await;
    assert_eq!(seeks(&stage).len(), 2, "another password");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_a_provider_drops_the_token_the_answered_invitation_counts_from_its_reader_only() {
    let (stage, welcome) = welcomed().await;
    let with = |from| {
        let mut mail = mail(from, &format!("Re: {}", welcome.subject), "seek");
        mail.header
            .push_str(&format!("In-Reply-To: <{}>\r\n", welcome.message_id));
        mail
    };
    for from in [BOB, "phone@elsewhere.example"] {
        stage.send(&with(from)).await;
        assert!(seeks(&stage).is_empty(), "{from}");
    }
    // Another envelope: the sender is not believed.
    let mut message = with(CAROL).message();
    message.envelope.sender = Some(Address::parse("mallory@elsewhere.example").unwrap());
    stage.take(&message).await;
    assert!(seeks(&stage).is_empty());
    stage.send(&with(CAROL)).await;
    assert_eq!(seeks(&stage), ["3 Pow2"]);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_can_be_answered_only_by_the_one_player_who_reads_it() {
    let (stage, _) = welcomed().await;
    for (from, is_invited) in [(CAROL, true), ("eve@elsewhere.example", false)] {
        let list = ask(&stage, from, "who").await;
        assert_eq!(list[0].reply_detail.is_some(), is_invited, "{from}");
        assert!(!list[0].text.contains('@'), "no address: {}", list[0].text);
    }
    ask(&stage, CAROL, "signup carola bay5owl").await;
    let list = ask(&stage, CAROL, "who").await;
    assert!(list[0].reply_detail.is_none(), "two players read it");
    let me = ask(&stage, CAROL, "Pow2 challenge me bob").await;
    assert!(me[0].text.starts_with("Several players write"), "{}", me[0].text);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ones_own_games_are_told_to_nobody_who_only_pretends_to_be_one() {
    let (stage, _) = welcomed().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    for (subject, body) in [
        ("games", ""),
        ("my games", ""),
        ("Boards", ""),
        ("", "my games\n"),
    ] {
        let own = say(&stage, ALICE, subject, body).await;
        assert!(
            own[0].text.contains("You have one running board"),
            "{}",
            own[0].text
        );
    }
    let mut forged = mail(ALICE, "my games", "").message();
    forged.envelope.sender = Some(Address::parse("mallory@elsewhere.example").unwrap());
    let (_, letters) = stage.take(&forged).await;
    assert_eq!(letters[0].to.as_str(), "mallory@elsewhere.example");
    assert!(
        letters[0].text.contains("games are played here"),
        "{}",
        letters[0].text
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prose_that_begins_with_who_or_games_is_no_list_of_commands() {
    let (stage, _) = welcomed().await;
    let begun = ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let to_alice = begun.iter().find(|letter| letter.to.as_str() == ALICE).unwrap();
    let token = to_alice.reply_detail.clone().unwrap();
    for body in [
        "Who would have thought that we play again!",
        "Games like this one are fun.",
        "My games are all lost.",
    ] {
        // A third one within minutes would be taken for a program's.
        stage.pass(TimeDelta::minutes(11));
        let (_, letters) = stage.send(&answer(ALICE, to_alice, &token, body)).await;
        let is_menu = letters[0]
            .text
            .starts_with("I did not understand your first line");
        assert!(is_menu, "{}", letters[0].text);
        let letters = say(&stage, CAROL, "Hello", body).await;
        assert_eq!(letters[0].subject, "Help: what you can do now", "{body}");
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_comes_too_early_is_offered_as_a_queued_one() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let line = "Pow2 move 101 bob oak4jay a1-e1";
    let refused = ask(&stage, BOB, line).await.remove(0);
    assert!(refused.text.contains("\n  queue a1-e1\n"), "{}", refused.text);
    let token = refused.reply_detail.clone().unwrap();
    let page = stage
        .server
        .rows
        .render(refused.clone())
        .await
        .unwrap()
        .page
        .unwrap();
    let link = format!("body={}", "queue%20a1-e1");
    assert!(page.html.contains(&link), "{}", page.html);
    stage.send(&answer(BOB, &refused, &token, "queue a1-e1")).await;
    let letters = ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-j7").await;
    let one_line = letters[0].text.replace('\n', " ");
    assert!(one_line.contains("you played a1-e1 from the queue"), "{one_line}");
    // What is no turn is not offered.
    let refused = ask(&stage, BOB, "Pow2 move 101 bob oak4jay nonsense")
        .await
        .remove(0);
    assert!(!refused.text.contains("queue nonsense"), "{}", refused.text);
    stage.close().await;
}
