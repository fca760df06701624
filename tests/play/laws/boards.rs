//! Boards: one turn at a time, one mail thread per game, the same layout for all letters.

use pbmserv::doors::{Intake, Verdict};
use pbmserv::games::GAMES;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_moves_for_one_turn_one_is_played_and_the_other_answered_with_the_board() {
    for game in GAMES {
        let stage = alice_and_bob().await;
        let (name, turn) = (game.facts.name, game.facts.example[0]);
        ask(&stage, ALICE, &format!("{name} challenge alice bob")).await;
        let line = format!("{name} move 101 alice secret1 {turn}");
        let door = stage.server.door("smtp");
        let (a, b) = tokio::join!(
            door.submit(mail(ALICE, &line, "").message()),
            door.submit(mail(ALICE, &format!("{line}#1"), "").message())
        );
        assert!(matches!((a, b), (Verdict::Accepted(_), Verdict::Accepted(_))));
        drop(door);
        assert_eq!(
            database::count(stage.data(), "SELECT COUNT(*) FROM turns"),
            1,
            "{name}"
        );
        let letters = stage.collect().await;
        let played = letters
            .iter()
            .filter(|letter| letter.text.starts_with("alice played"));
        assert_eq!(played.count(), 2, "{name}: the news and the receipt");
        let refused = letters
            .iter()
            .find(|letter| letter.text.contains("Nothing was changed."));
        let refused = refused.unwrap();
        assert_eq!((refused.to.as_str(), letters.len()), (ALICE, 3));
        assert_eq!(refused.subject, format!("{name} Board 101 alice"));
        assert!(refused.text.contains("It is the turn of bob"), "{}", refused.text);
        let now = ask(&stage, ALICE, &format!("{name} show 101")).await;
        let drawn = |text: &str| {
            text.lines()
                .filter(|line| line.len() > 20)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let board: Vec<_> = drawn(&now[0].text)
            .into_iter()
            .filter(|line| line.starts_with(' '))
            .take(6)
            .collect();
        assert!(
            board.iter().all(|line| drawn(&refused.text).contains(line)),
            "{name}: the board as it stands"
        );
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_mails_about_a_board_are_one_thread_for_each_reader() {
    let stage = alice_and_bob().await;
    let (name, turn) = (GAMES[0].facts.name, GAMES[0].facts.example[0]);
    let begun = mail(BOB, &format!("{name} challenge alice bob"), "");
    let (_, letters) = stage.send(&begun).await;
    let first = |address: &str| {
        letters
            .iter()
            .find(|letter| letter.to.as_str() == address)
            .unwrap()
    };
    let (to_alice, to_bob) = (first(ALICE), first(BOB));
    assert!(to_alice.references.is_empty() && to_alice.in_reply_to.is_none() && !to_alice.is_reply);
    let asked = |mail: &crate::stage::Mail<'_>| {
        let id = mail.header.split(['<', '>']).nth(1).unwrap_or_default();
        id.to_owned()
    };
    assert_eq!(
        to_bob.in_reply_to,
        Some(asked(&begun)),
        "the receipt answers the challenge"
    );
    let played = mail(ALICE, &format!("{name} move 101 alice secret1 {turn}"), "");
    let (_, letters) = stage.send(&played).await;
    for letter in &letters {
        if letter.to.as_str() == ALICE {
            assert_eq!(letter.in_reply_to, Some(asked(&played)), "an answer answers");
            assert_eq!(letter.references, [to_alice.message_id.clone(), asked(&played)]);
        } else {
            assert_eq!(
                letter.in_reply_to.as_ref(),
                Some(&to_bob.message_id),
                "news follow the last mail"
            );
            assert_eq!(letter.references, std::slice::from_ref(&to_bob.message_id));
        }
        assert_eq!(letter.list.as_deref(), Some(format!("{name}.101").as_str()));
    }
    let wrong = mail(ALICE, &format!("{name} move 101 alice secret1 {turn}"), "");
    let (_, letters) = stage.send(&wrong).await;
    let [refused] = letters.as_slice() else {
        panic!("{} letters", letters.len())
    };
    assert_eq!(
        refused.references[0], to_alice.message_id,
        "a refusal about a board stands in its thread"
    );
    assert_eq!(refused.references.last(), Some(&asked(&wrong)));
    stage.close().await;
}
