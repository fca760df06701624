//! Who may invite, how many, and whom; and what nobody learns by it.

use chrono::TimeDelta;
use pbmserv_core::dispatch::{Purpose, token};
use pbmserv_mail::Address;

use super::database;
use super::{ALICE, BOB, alice_and_bob, ask, mail};
use crate::stage::database::change;
use crate::stage::{SERVER, Stage};

/// alice and bob, who have finished a game and have agreed that their addresses are shown.
async fn who_may_invite() -> Stage {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Breakthrough challenge alice bob").await;
    ask(&stage, ALICE, "Breakthrough move 101 alice fig7elk a2-a3").await;
    ask(&stage, BOB, "Breakthrough move 101 bob oak4jay a7-a6").await;
    ask(&stage, ALICE, "Breakthrough resign 101 alice fig7elk").await;
    ask(&stage, ALICE, "set alice fig7elk text").await;
    ask(&stage, BOB, "set bob oak4jay text").await;
    change(stage.data(), "UPDATE preferences SET shows_address = 1");
    stage
}

/// The addresses that get a letter because of an invitation, and the answer.
async fn invite(
    stage: &Stage,
    from: &str,
    userid: &str,
    password: &str,
    address: &str,
) -> (Vec<String>, String) {
    let letters = ask(stage, from, &format!("Hex invite {userid} {password} {address}")).await;
    let to = letters.iter().map(|letter| letter.to.to_string());
    let others = to.filter(|to| to != from).collect();
    let answer = letters.iter().find(|letter| letter.to.as_str() == from);
    (
        others,
        answer
            .map(|letter| letter.text.replace('\n', " "))
            .unwrap_or_default(),
    )
}

/// Answers the newest question to an address.
async fn answer(stage: &Stage, from: &str, text: &str) -> usize {
    let sql = format!("SELECT COALESCE(MAX(id), 0) FROM joins WHERE address = '{from}'");
    let row = database::count(stage.data(), &sql);
    let mut mail = mail(from, "Re: an invitation", text);
    mail.to = Address::parse(SERVER)
        .unwrap()
        .with_detail(&token(&stage.server.key, Purpose::Join, row, 0));
    stage.send(&mail).await.1.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newcomer_invites_nobody_and_others_three_a_day_and_ten_a_month() {
    let stage = alice_and_bob().await;
    let (to, said) = invite(&stage, ALICE, "alice", "fig7elk", "x@far.example").await;
    assert!(to.is_empty() && said.contains("Finish a game first"), "{said}");
    stage.close().await;
    let stage = who_may_invite().await;
    let mut sent = 0;
    for day in 0..5 {
        for number in 0..5 {
            let address = format!("p{day}-{number}@far.example");
            let (to, said) = invite(&stage, ALICE, "alice", "fig7elk", &address).await;
            sent += to.len();
            assert_eq!(to.is_empty(), !said.contains("gets your invitation"), "{said}");
        }
        stage.pass(TimeDelta::days(1) + TimeDelta::minutes(1));
    }
    assert_eq!(sent, 10);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_invited_twice_in_half_a_year_and_never_after_a_no() {
    let stage = who_may_invite().await;
    let far = "far@far.example";
    assert_eq!(invite(&stage, ALICE, "alice", "fig7elk", far).await.0, [far]);
    // Another player, another spelling of the mailbox.
    for address in [far, "FAR@far.example", "far+tag@far.example"] {
        assert!(
            invite(&stage, BOB, "bob", "oak4jay", address).await.0.is_empty(),
            "{address}"
        );
    }
    stage.pass(TimeDelta::days(183));
    assert_eq!(invite(&stage, BOB, "bob", "oak4jay", far).await.0, [far]);
    assert_eq!(answer(&stage, far, "No, thank you.\n").await, 1);
    stage.pass(TimeDelta::days(1000));
    assert!(invite(&stage, ALICE, "alice", "fig7elk", far).await.0.is_empty());
    // What is kept of it says nothing of the address.
    let kept = "SELECT COUNT(*) FROM uninvited WHERE until IS NULL AND hash NOT LIKE '%FAR%'";
    assert_eq!(database::count(stage.data(), kept), 1);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_to_who_invites_is_the_same_whatever_becomes_of_it() {
    let stage = who_may_invite().await;
    ask(&stage, "carol@example.org", "signup carol bay5owl").await;
    let mut answers = Vec::new();
    for address in ["new@far.example", "carol@example.org", "new@far.example"] {
        let (_, said) = invite(&stage, ALICE, "alice", "fig7elk", address).await;
        answers.push(said.replace(address, "_"));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invitation_ends_after_two_weeks_and_begins_one_game() {
    let stage = who_may_invite().await;
    invite(&stage, ALICE, "alice", "fig7elk", "late@far.example").await;
    invite(&stage, ALICE, "alice", "fig7elk", "soon@far.example").await;
    answer(&stage, "soon@far.example", "a1\n").await;
    let boards = || database::count(stage.data(), "SELECT COUNT(*) FROM boards WHERE game = 'Hex'");
    assert_eq!(boards(), 1);
    for again in ["a1\n", "yes\n", "sooner\n"] {
        answer(&stage, "soon@far.example", again).await;
    }
    stage.pass(TimeDelta::days(15));
    answer(&stage, "late@far.example", "yes\n").await;
    assert_eq!(boards(), 1);
    let late = "SELECT COUNT(*) FROM addresses WHERE address = 'late@far.example'";
    assert_eq!(database::count(stage.data(), late), 0);
    stage.close().await;
}
