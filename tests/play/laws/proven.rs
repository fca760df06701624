//! What proves its writer is answered, whatever others have used up.

use chrono::TimeDelta;
use pbmserv::config::Config;
use pbmserv_core::command::Argument;
use pbmserv_games::GAMES;

use super::{ALICE, BOB, alice_and_bob, all_examples, ask, database, mail, say};
use crate::stage::{Mail, Stage};

/// A server with boards, on which nothing is left for mail that proves nobody.
async fn used_up() -> Stage {
    let stage = alice_and_bob().await;
    for game in GAMES {
        let line = format!("{} challenge alice bob", game.facts.name);
        assert_eq!(ask(&stage, ALICE, &line).await.len(), 2);
    }
    let mut config = Config::default();
    config.limits.mails_an_hour = 0;
    config.limits.refusals_a_day = 0;
    config.limits.strangers_mails_an_hour = 0;
    config.limits.answers_a_day = u32::MAX;
    config.limits.messages_a_day = u32::MAX;
    // Advice on every board would take minutes.
    config.bots.players.clear();
    stage.server.reload(&config).await.unwrap();
    stage
}

/// Every command with the right password is answered to alice, whether it is carried out or refused, alone or in a list,
/// from her address or from another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_with_a_right_password_is_answered() {
    let stage = used_up().await;
    let mut lines: Vec<String> = all_examples()
        .into_iter()
        .filter(|(command, _)| {
            let forms = command.forms().iter().flat_map(|form| form.arguments);
            let mut places = command.arguments.iter().chain(forms);
            places.any(|place| *place == Argument::Password)
        })
        .filter(|(command, _)| !["delete", "change"].contains(&command.verb))
        .map(|(_, line)| line)
        .filter(|line| line.contains("alice fig7elk"))
        .collect();
    lines.sort();
    lines.dedup();
    assert!(lines.len() > 30, "{}", lines.len());
    for line in &lines {
        for from in [ALICE, "alice@elsewhere.example"] {
            let list = format!("list\n{line}\nlist\n");
            for (subject, text) in [(line.as_str(), "some words\n"), ("multiple", list.as_str())] {
                let letters = say(&stage, from, subject, text).await;
                let mut own = letters.iter().filter(|letter| letter.to.as_str() == ALICE);
                assert!(own.any(|letter| letter.is_reply), "{from}: {subject}: {text}");
            }
        }
    }
    let silent = "SELECT COUNT(*) FROM inbox WHERE state = 'dropped' AND proven = 1";
    assert_eq!(database::count(stage.data(), silent), 0);
    stage.close().await;
}

/// So is every answer to a token, also with text that is no command of the board.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_to_a_token_is_answered() {
    let stage = used_up().await;
    let name = GAMES[0].facts.name;
    let letters = say(
        &stage,
        ALICE,
        &format!("{name} chat 101 alice fig7elk"),
        "Hello\n",
    )
    .await;
    let to_bob = letters.iter().find(|letter| letter.to.as_str() == BOB).unwrap();
    let token = to_bob.reply_detail.clone().unwrap();
    for from in [BOB, "bob@elsewhere.example"] {
        for text in [
            "show",
            "help",
            "chat hello",
            "nonsense",
            "list\nlist",
            "move z99",
            "queue z99",
            "",
        ] {
            let answer = Mail {
                to: stage.server.address.with_detail(&token),
                ..mail(from, "Re: your turn", text)
            };
            let (_, letters) = stage.send(&answer).await;
            let mut own = letters.iter().filter(|letter| letter.to.as_str() == BOB);
            assert!(own.any(|letter| letter.is_reply), "{from}: {text}");
        }
    }
    stage.close().await;
}

/// A player whose addresses accept no mail is answered where the mail came from, and told of the last answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_without_a_working_address_is_answered_at_the_sender() {
    const ELSEWHERE: &str = "alice@elsewhere.example";
    let stage = alice_and_bob().await;
    let address = pbmserv_mail::Address::parse(ALICE).unwrap();
    for _ in 0..3 {
        let address = address.clone();
        let failed = move |store: &pbmserv_core::store::Store, now| store.address_failed(&address, now);
        stage.server.engine.write(failed).await.unwrap();
        stage.pass(TimeDelta::days(1));
    }
    let mut told = Vec::new();
    for _ in 0..31 {
        let letters = ask(&stage, ELSEWHERE, "set alice fig7elk small").await;
        assert!(letters.iter().all(|letter| letter.to.as_str() == ELSEWHERE));
        told.extend(letters.iter().map(|letter| letter.text.contains("last answer")));
    }
    assert_eq!(told.len(), 30);
    assert_eq!(told.iter().position(|is_told| *is_told), Some(29));
    stage.close().await;
}
