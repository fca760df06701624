//! The gazette: one letter to each reader whatever happens between two of them, nobody in it who wants to be left out, and what
//! an answer may do.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use pbmserv_core::command::Issue;
use pbmserv_core::store::Outgoing;
use pbmserv_core::store::{DecidingTurn, Finds, NewPlayer, Riddle, Store};
use pbmserv_core::table::{BoardId, Preferences};
use pbmserv_mail::Address;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::stage::Stage;

const CAROL: &str = "carol@example.org";
const DAVE: &str = "dave@example.org";

/// A game of Hex on a board of five times five. After nine turns bob wins in two by e2 alone.
const GAME: &str = "d2 d1 e1 d3 c4 c3 b5 b3 e3 e2 a4 a3";

/// Does what is due now, and what is due a moment later; gives the letters.
async fn due(stage: &Stage) -> Vec<Outgoing> {
    while stage.server.engine.do_what_is_due().await.unwrap() > 0 {}
    stage.collect().await
}

/// The letters of the next gazette.
async fn next(stage: &Stage) -> Vec<Outgoing> {
    let mut letters = Vec::new();
    for _ in 0..8 {
        stage.pass(TimeDelta::days(1));
        letters.extend(due(stage).await);
        letters.retain(|letter| letter.subject.starts_with("The gazette, number"));
        if !letters.is_empty() {
            break;
        }
    }
    letters
}

/// Alice and bob have played a game, which the first gazette has as the game of the week and as its position; carol and dave read it.
async fn out() -> (Stage, Vec<Outgoing>) {
    let stage = alice_and_bob().await;
    for (from, signup) in [(CAROL, "signup carol bay5owl"), (DAVE, "signup dave fig7elk")] {
        ask(&stage, from, signup).await;
    }
    ask(&stage, BOB, "Hex challenge alice bob -size=5").await;
    let players = ["alice fig7elk", "bob oak4jay"].into_iter().cycle();
    let turns: Vec<String> = GAME
        .split(' ')
        .zip(players)
        .map(|(turn, by)| format!("Hex move 101 {by} {turn}"))
        .collect();
    say(&stage, BOB, "turns", &turns.join("\n")).await;
    assert_eq!(
        database::text(stage.data(), "SELECT result FROM boards"),
        "second"
    );
    ask(&stage, DAVE, "set dave fig7elk gazette on").await;
    ask(&stage, CAROL, "set carol bay5owl gazette on").await;
    stage.server.engine.do_what_is_due().await.unwrap();
    let finds = Finds {
        game: Some(DecidingTurn {
            board: BoardId(1),
            number: 5,
            better: "c3".into(),
            lost: 1650,
        }),
        riddle: Some(Riddle {
            board: BoardId(1),
            played: 9,
            needs: 2,
            wins: vec!["e2".into()],
        }),
    };
    let found = move |store: &Store, now| store.found_for_gazette(1, &finds, now);
    stage.server.engine.write(found).await.unwrap();
    let letters = next(&stage).await;
    assert_eq!(letters.len(), 2, "{letters:?}");
    (stage, letters)
}

fn issue(stage: &Stage, number: i64) -> Issue {
    let reader = stage.server.reader().unwrap();
    let gazette = reader.gazette(number).unwrap().unwrap();
    Issue::of(&reader, &gazette, stage.server.now()).unwrap()
}

/// The first sentences of the letters that an answer causes.
async fn answered(stage: &Stage, from: &str, to: &Outgoing, words: &str) -> Vec<String> {
    let mut mail = mail(from, &format!("Re: {}", to.subject), words);
    mail.to = mail.to.with_detail(to.reply_detail.as_ref().unwrap());
    let (_, letters) = stage.send(&mail).await;
    letters
        .iter()
        .map(|letter| {
            letter
                .text
                .split("\n\n")
                .next()
                .unwrap_or_default()
                .replace('\n', " ")
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_reader_gets_one_letter_though_the_server_is_killed_between_two_of_them() {
    const READERS: usize = 150;
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Hex seek alice fig7elk").await;
    ask(&stage, ALICE, "set alice fig7elk gazette on").await;
    let readers = move |store: &Store, now| {
        for number in 0..READERS {
            let player = store.add_player(&NewPlayer {
                userid: format!("reader{number}"),
                password_hash: String::new(),
                created_at: now,
            })?;
            let address = Address::parse(&format!("reader{number}@example.net")).unwrap();
            store.add_address(player, &address, Some(now), now)?;
            let wanted = Preferences {
                gazette: true,
                ..Preferences::default()
            };
            store.set_preferences(player, &wanted)?;
        }
        Ok(())
    };
    stage.server.engine.write(readers).await.unwrap();
    stage.server.engine.do_what_is_due().await.unwrap();
    stage.pass(TimeDelta::days(1));
    // The issue and its first readers, no more: mails come between.
    let done = stage.server.engine.do_what_is_due().await.unwrap();
    assert!(done < READERS, "{done}");
    let waits = database::count(stage.data(), "SELECT COUNT(*) FROM gazette_posts");
    assert!(waits > 0);
    let (now, data) = (stage.server.now(), stage.close().await);
    let stage = Stage::open_in(data, now, 2, |config| config.accounts.confirm = false);
    let mut got: BTreeMap<String, u32> = BTreeMap::new();
    for letter in due(&stage).await {
        assert_eq!(letter.subject, "The gazette, number 1");
        *got.entry(letter.to.to_string()).or_default() += 1;
    }
    // Alice reads it for what may come: nobody but her seeks a game.
    assert_eq!(got.len(), READERS);
    assert!(got.values().all(|count| *count == 1), "{got:?}");
    assert_eq!(
        database::count(stage.data(), "SELECT COUNT(*) FROM gazette_posts"),
        0
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_in_it_who_is_erased_or_has_the_userid_left_out() {
    let (stage, letters) = out().await;
    let text = &letters[0].text;
    for part in [
        "alice",
        "bob",
        "c3 was better by 82 points",
        "win in two turns",
        "Hex 101",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let is_full = |issue: &Issue| issue.game.is_some() && issue.riddle.is_some() && issue.results.len() == 1;
    assert!(is_full(&issue(&stage, 1)));
    ask(&stage, BOB, "set bob oak4jay web off").await;
    assert!(issue(&stage, 1).is_empty());
    ask(&stage, BOB, "set bob oak4jay web on").await;
    assert!(is_full(&issue(&stage, 1)));
    ask(&stage, BOB, "delete bob oak4jay really").await;
    assert!(issue(&stage, 1).is_empty());
    ask(&stage, ALICE, "Hex seek alice fig7elk").await;
    let letters = next(&stage).await;
    assert_eq!(letters.len(), 2);
    for letter in &letters {
        assert!(
            !letter.text.contains("bob") && !letter.text.contains("deleted"),
            "{}",
            letter.text
        );
        assert!(letter.text.contains("Play Hex against alice"), "{}", letter.text);
    }
    // Nor is who seeks.
    ask(&stage, ALICE, "set alice fig7elk web off").await;
    assert_eq!(next(&stage).await.len(), 0);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_answer_counts_and_says_no_more_than_whether_it_is_right() {
    let (stage, letters) = out().await;
    let of = |address: &str| {
        letters
            .iter()
            .find(|letter| letter.to.as_str() == address)
            .unwrap()
    };
    let (carols, daves) = (of(CAROL), of(DAVE));
    let said = answered(&stage, CAROL, carols, "e9").await;
    assert!(
        said[0].starts_with("That is no answer to the position, carol."),
        "{said:?}"
    );
    let said = answered(&stage, CAROL, carols, "a1").await;
    assert_eq!(
        said,
        ["a1 does not win in two turns, carol: the next gazette has the solution."]
    );
    for again in ["e2", "a2"] {
        let said = answered(&stage, CAROL, carols, again).await;
        assert_eq!(
            said,
            [
                "You have answered already, carol: a1. The first answer counts; the next gazette has the solution."
            ]
        );
    }
    // The token is the reader's, from wherever it is used.
    let said = answered(&stage, CAROL, daves, "e2\n\nName me!").await;
    assert_eq!(said[0], "That is it, dave: e2 wins.");
    assert!(
        said[1].contains("your userid in the gazette if you solve its position"),
        "{said:?}"
    );
    ask(&stage, ALICE, "Hex seek alice fig7elk").await;
    let letters = next(&stage).await;
    let text = letters[0].text.replace('\n', " ");
    assert!(
        text.contains("Hex Board 101, alice against bob, after turn 9: e2 wins. dave has solved it."),
        "{text}"
    );
    assert!(!text.contains("carol"), "{text}");
    let said = answered(&stage, CAROL, carols, "e2").await;
    assert_eq!(said, ["The solution is out already, carol: e2 wins."]);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_takes_the_seat_of_who_seeks_but_not_of_who_has_blocked_its_writer() {
    let (stage, letters) = out().await;
    let carols = letters.iter().find(|letter| letter.to.as_str() == CAROL).unwrap();
    ask(&stage, ALICE, "Hex seek alice fig7elk 3 -size=5").await;
    answered(&stage, CAROL, carols, "Hex challenge alice").await;
    let boards = || {
        database::count(
            stage.data(),
            "SELECT COUNT(*) FROM boards WHERE options = '-size=5'",
        )
    };
    assert_eq!(boards(), 2);
    ask(&stage, ALICE, "block alice fig7elk carol").await;
    answered(&stage, CAROL, carols, "Hex challenge alice").await;
    assert_eq!(boards(), 2);
    let named = |letters: &[Outgoing], to: &str| {
        let of = letters.iter().find(|letter| letter.to.as_str() == to).unwrap();
        of.text.contains("Play Hex against alice")
    };
    let letters = next(&stage).await;
    assert!(named(&letters, DAVE) && !named(&letters, CAROL));
    // An old letter begins nothing.
    stage.pass(TimeDelta::days(15));
    ask(&stage, ALICE, "unblock alice fig7elk carol").await;
    answered(&stage, CAROL, carols, "Hex challenge alice").await;
    assert_eq!(boards(), 2);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_ends_by_the_header_of_its_letter_and_with_its_last_reader() {
    let (stage, letters) = out().await;
    for letter in &letters {
        let mut leave = mail(letter.to.as_str(), "unsubscribe", "");
        leave.to = leave.to.with_detail(letter.unsubscribe_detail.as_ref().unwrap());
        let (_, said) = stage.send(&leave).await;
        assert!(
            said[0].text.starts_with("You will now get no gazette."),
            "{}",
            said[0].text
        );
    }
    ask(&stage, ALICE, "Hex seek alice fig7elk").await;
    assert_eq!(next(&stage).await.len(), 0);
    let planned = "SELECT COUNT(*) FROM gazettes WHERE published_at IS NULL";
    assert_eq!(database::count(stage.data(), planned), 0);
    stage.close().await;
}
