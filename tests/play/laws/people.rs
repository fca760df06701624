//! Seeking, taking and watching: counts stay right, and the number of watchers is bounded.

use std::collections::BTreeSet;

use pbmserv_core::store::Outgoing;
use pbmserv_games::GAMES;
use pbmserv_mail::doors::{Intake, Verdict};

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::stage::Stage;

const CAROL: &str = "carol@example.org";

async fn with_carol() -> Stage {
    let stage = alice_and_bob().await;
    ask(&stage, CAROL, "signup carol bay5owl").await;
    stage
}

/// Submits two mails at once.
async fn together(stage: &Stage, a: (&str, &str), b: (&str, &str)) -> Vec<Outgoing> {
    let door = stage.server.door("smtp");
    let (a, b) = tokio::join!(
        door.submit(mail(a.0, a.1, "").message()),
        door.submit(mail(b.0, b.1, "").message())
    );
    assert!(matches!((a, b), (Verdict::Accepted(_), Verdict::Accepted(_))));
    stage.collect().await
}

fn texts(stage: &Stage, sql: &str) -> String {
    database::words(stage.data(), sql)
}

fn readers(letters: &[Outgoing]) -> BTreeSet<&str> {
    letters.iter().map(|letter| letter.to.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_challenge_is_taken_as_often_as_it_says() {
    let stage = with_carol().await;
    ask(
        &stage,
        ALICE,
        "Pow2 seek alice fig7elk 2 -exact --unrated --totaltime=90",
    )
    .await;
    let letters = together(
        &stage,
        (BOB, "Pow2 challenge bob alice"),
        (CAROL, "Pow2 challenge alice carol"),
    )
    .await;
    assert_eq!(letters.len(), 4);
    for letter in &letters {
        let reply = letter.text.replace('\n', " ");
        assert!(
            (reply.contains(", as alice sought.") || reply.contains(", as you sought."))
                && reply.contains(", -exact, unrated."),
            "{reply}"
        );
    }
    let boards = "SELECT options || '/' || rated || '/' || total_days FROM boards ORDER BY id";
    assert_eq!(texts(&stage, boards), "-exact/0/90 -exact/0/90");
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM seeks"), 0);
    // A taken offer is no longer listed; of two simultaneous challenges the second follows the usual rules.
    ask(&stage, ALICE, "Pow2 seek alice fig7elk -exact").await;
    together(
        &stage,
        (BOB, "Pow2 challenge bob alice"),
        (CAROL, "Pow2 challenge carol alice"),
    )
    .await;
    let boards = "SELECT options FROM boards WHERE number > 102 ORDER BY options";
    assert_eq!(texts(&stage, boards), " -exact");
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM seeks"), 0);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_takes_nothing_from_an_open_challenge() {
    let stage = with_carol().await;
    ask(&stage, BOB, "Pow2 seek bob oak4jay 3 -exact").await;
    ask(&stage, ALICE, "block alice fig7elk bob").await;
    let sought = || texts(&stage, "SELECT left_over FROM seeks");
    // A player who blocks him; an unknown one; other options; another game; himself.
    for (from, line) in [
        (ALICE, "Pow2 challenge alice bob"),
        (CAROL, "Pow2 challenge nobody bob"),
        (CAROL, "Pow2 challenge bob carol --nagtime=0"),
        (CAROL, "Pow2 challenge bob carol -fast"),
        (CAROL, "Forms challenge bob carol"),
        (BOB, "Pow2 challenge bob carol"),
        (BOB, "Pow2 challenge bob bob"),
    ] {
        ask(&stage, from, line).await;
        assert_eq!(sought(), "3", "{line}");
    }
    let boards = "SELECT options FROM boards ORDER BY id";
    assert_eq!(
        texts(&stage, boards),
        "-fast  ",
        "what bob begins himself is not what he seeks"
    );
    ask(&stage, CAROL, "Pow2 challenge bob carol").await;
    assert_eq!(sought(), "2");
    ask(&stage, BOB, "Pow2 limit bob oak4jay 3").await;
    let refused = ask(&stage, CAROL, "Pow2 challenge bob carol").await;
    assert!(
        refused[0].text.starts_with("bob takes at most 3 boards of Pow2"),
        "{}",
        refused[0].text
    );
    assert_eq!(sought(), "2");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_challenges_at_once_one_keeps_within_the_limit() {
    let stage = with_carol().await;
    ask(&stage, ALICE, "Pow2 limit alice fig7elk 1").await;
    let letters = together(
        &stage,
        (BOB, "Pow2 challenge alice bob"),
        (CAROL, "Pow2 challenge carol alice"),
    )
    .await;
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM boards"), 1);
    assert_eq!(letters.len(), 3, "two boards and a refusal");
    // Another game has a separate limit, and an ended board makes room.
    assert_eq!(ask(&stage, BOB, "Forms challenge alice bob").await.len(), 2);
    ask(&stage, ALICE, "Pow2 resign 101 alice fig7elk").await;
    assert_eq!(ask(&stage, BOB, "Pow2 challenge alice bob").await.len(), 2);
    ask(&stage, ALICE, "Forms reject alice fig7elk").await;
    let before = database::lasting(stage.data());
    for (from, line) in [
        (BOB, "Forms challenge bob alice"),
        (ALICE, "Forms challenge alice bob"),
        (ALICE, "Forms seek alice fig7elk"),
    ] {
        let refused = ask(&stage, from, line).await;
        assert!(
            refused[0].text.starts_with("alice takes no boards of Forms."),
            "{line}"
        );
        let reply = refused[0].text.replace('\n', " ");
        assert_eq!(reply.contains("write Forms accept"), from == ALICE);
        assert_eq!(database::lasting(stage.data()), before, "{line}");
    }
    ask(&stage, ALICE, "Forms accept alice fig7elk").await;
    assert_eq!(ask(&stage, BOB, "Forms challenge bob alice").await.len(), 2);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_goes_away_seeks_and_watches_nothing() {
    let stage = with_carol().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let want = [
        "Pow2 seek carol bay5owl",
        "Pow2 subscribe 101 carol bay5owl",
        "Pow2 notify carol bay5owl",
        "Pow2 limit carol bay5owl 4",
    ];
    let rows = |table: &str| database::count(stage.data(), &format!("SELECT COUNT(*) FROM {table}"));
    let tables = ["seeks", "watched_boards", "watched_games", "taking"];
    for (leave, left) in [
        ("signoff carol bay5owl", [0, 0, 0, 1]),
        ("delete carol bay5owl really", [0; 4]),
    ] {
        for line in want {
            ask(&stage, CAROL, line).await;
        }
        assert_eq!(tables.map(rows), [1; 4]);
        ask(&stage, CAROL, leave).await;
        assert_eq!(tables.map(rows), left, "{leave}");
        for line in &want[..3] {
            let refused = ask(&stage, CAROL, line).await;
            assert!(refused[0].subject.starts_with("Not done"), "{line}");
        }
        assert_eq!(tables.map(rows), left, "who is away begins nothing of it");
        ask(&stage, CAROL, "signup carol bay5owl").await;
    }
    // Watching ends with the board; watchers of all boards are notified when a player leaves.
    ask(&stage, CAROL, "Pow2 subscribe 101 carol bay5owl").await;
    let letters = ask(&stage, BOB, "signoff bob oak4jay").await;
    assert_eq!(readers(&letters), [ALICE, BOB, CAROL].into());
    assert_eq!(rows("watched_boards"), 0);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_watches_gets_what_the_players_get_and_no_seat() {
    let stage = with_carol().await;
    ask(&stage, CAROL, "Ringworm subscribe all carol bay5owl").await;
    for (game, watched) in [("Ringworm", true), ("Forms", false)] {
        let turn = GAMES
            .iter()
            .find(|one| one.facts.name == game)
            .unwrap()
            .facts
            .example[0];
        for (from, line, text) in [
            (BOB, "GAME challenge alice bob", "Hello."),
            (ALICE, "GAME move 101 alice fig7elk MOVE", "Hello."),
            (BOB, "GAME chat 101 bob oak4jay", "Hello."),
            (ALICE, "GAME move 101 alice fig7elk undo", "Hello."),
            (BOB, "GAME move 101 bob oak4jay accept", "Hello."),
            (ALICE, "GAME resign 101 alice fig7elk", "Hello."),
        ] {
            let line = line.replace("GAME", game).replace("MOVE", turn);
            let letters = say(&stage, from, &line, text).await;
            let expected: BTreeSet<_> = [ALICE, BOB].into_iter().chain(watched.then_some(CAROL)).collect();
            assert_eq!(
                (readers(&letters), letters.len()),
                (expected.clone(), expected.len()),
                "{line}"
            );
            for letter in letters {
                let is_carol = letter.to.as_str() == CAROL;
                assert_eq!(letter.is_watching, is_carol, "{line}");
                assert_eq!(
                    letter.subject.ends_with(&format!("{game} Board 101")),
                    is_carol,
                    "{line}"
                );
                assert!(letter.text.contains("Hello."), "{line}");
                if is_carol {
                    assert_eq!(letter.reply_detail, None, "{line}");
                    assert!(!letter.is_reply && !letter.text.contains("Answer"), "{line}");
                }
            }
        }
        // After the end only the players get the chat.
        let letters = say(
            &stage,
            BOB,
            &format!("{game} chat 101 bob oak4jay"),
            "Well played.",
        )
        .await;
        assert_eq!(readers(&letters), [ALICE, BOB].into());
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long: make long"]
async fn nobody_watches_more_than_fifty_and_no_board_is_watched_by_more_than_a_hundred() {
    let stage = with_carol().await;
    for number in 0..51 {
        let from = [ALICE, BOB][number % 2];
        ask(&stage, from, "Pow2 challenge alice bob").await;
    }
    for number in 101..151 {
        let line = format!("Pow2 subscribe {number} carol bay5owl");
        assert!(
            ask(&stage, CAROL, &line).await[0].text.starts_with("You watch"),
            "{line}"
        );
    }
    let before = database::lasting(stage.data());
    for line in [
        "Pow2 subscribe 151 carol bay5owl",
        "Pow2 notify carol bay5owl 151",
        "Pow2 notify carol bay5owl",
        "Forms subscribe all carol bay5owl",
    ] {
        let refused = ask(&stage, CAROL, line).await;
        assert!(
            refused[0]
                .text
                .starts_with("You watch 50 boards and games already"),
            "{line}"
        );
        assert_eq!(database::lasting(stage.data()), before, "{line}");
    }
    // A watched board may be watched in another way.
    ask(&stage, CAROL, "Pow2 notify carol bay5owl 101").await;
    assert!(
        ask(&stage, CAROL, "Pow2 subscribe 101 carol bay5owl").await[0]
            .text
            .starts_with("You watch")
    );
    for number in 0..101 {
        let from = format!("fan{number}@example.org");
        ask(&stage, &from, &format!("signup fan{number} yew6hen{number}")).await;
        let line = format!("Pow2 subscribe all fan{number} yew6hen{number}");
        let reply = ask(&stage, &from, &line).await;
        let expected = if number < 100 {
            "You watch all boards of Pow2".to_owned()
        } else {
            "100 players watch the boards of Pow2 already".to_owned()
        };
        assert!(reply[0].text.starts_with(&expected), "{}", reply[0].text);
    }
    let began = std::time::Instant::now();
    let letters = ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-m5").await;
    println!("one turn watched by 101: {:?}", began.elapsed());
    assert_eq!(letters.len(), 103);
    assert_eq!(letters[0].to.as_str(), BOB, "the other player first");
    assert_eq!(letters[102].to.as_str(), ALICE, "the receipt last");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_selector_finds_its_boards_once_and_newest_first() {
    let stage = with_carol().await;
    // 101 is over, alice is to move on 102 and 104, bob on 103, carol on 105.
    for line in [
        "Pow2 challenge alice bob",
        "Pow2 resign 101 alice fig7elk",
        "Pow2 challenge alice bob",
        "Pow2 challenge bob alice",
        "Pow2 challenge alice carol",
        "Pow2 challenge carol bob",
        "Forms challenge alice bob",
    ] {
        ask(&stage, ALICE, line).await;
    }
    let found = |text: &str, game: &str| -> Vec<u32> {
        let rows = text
            .lines()
            .filter_map(|line| line.strip_prefix(game)?.strip_prefix(' '));
        rows.filter_map(|row| row.split(' ').find(|word| !word.is_empty())?.parse().ok())
            .collect()
    };
    for (words, boards) in [
        ("", vec![105, 104, 103, 102]),
        ("active", vec![105, 104, 103, 102]),
        ("inactive", vec![101]),
        ("all", vec![105, 104, 103, 102, 101]),
        ("next", vec![104, 102]),
        ("NEXT", vec![104, 102]),
        ("alice", vec![104, 103, 102]),
        ("all alice", vec![104, 103, 102, 101]),
        ("alice inactive", vec![101]),
        ("bob next", vec![103]),
        ("alice bob", vec![105, 104, 103, 102]),
        ("alice bob next", vec![104, 103, 102]),
        ("carol carol", vec![105, 104]),
        ("carol inactive", vec![]),
    ] {
        let listed = ask(&stage, ALICE, &format!("Pow2 games {words}")).await;
        assert_eq!(found(&listed[0].text, "Pow2"), boards, "games {words}");
        assert!(found(&listed[0].text, "Forms").is_empty());
        if words.is_empty() {
            continue;
        }
        let shown = ask(&stage, ALICE, &format!("Pow2 show {words}")).await;
        for number in 101..=105 {
            let is_shown = shown[0].text.contains(&format!("Pow2 Board {number}"));
            assert_eq!(is_shown, boards.contains(&number), "show {words}: {number}");
        }
        let text = ask(
            &stage,
            "stranger@example.net",
            &format!("Pow2 showas alice fig7elk {words}"),
        )
        .await;
        assert_eq!(
            (text[0].to.as_str(), &text[0].text),
            (ALICE, &shown[0].text),
            "{words}"
        );
    }
    let both = ask(&stage, CAROL, "Pow2 show 103 101#1").await;
    assert!(both[0].text.starts_with("2 boards of Pow2."));
    let all = ask(&stage, CAROL, "all games alice next").await;
    assert_eq!(found(&all[0].text, "Pow2"), [104, 102]);
    assert_eq!(found(&all[0].text, "Forms"), [101]);
    for _ in 0..10 {
        ask(&stage, ALICE, "Forms challenge alice bob").await;
    }
    let many = ask(&stage, ALICE, "all show alice").await;
    assert!(
        many[0]
            .text
            .starts_with("14 boards in all games: too many to draw"),
        "{}",
        many[0].text
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_standings_and_the_lists_are_narrow_whatever_is_sought() {
    let stage = alice_and_bob().await;
    let from = "long@example.org";
    let longest = "abcdefghij0123456789";
    ask(&stage, from, &format!("signup {longest} bay5owl")).await;
    for game in GAMES {
        let name = game.facts.name;
        let mut line = format!(
            "{name} seek {longest} bay5owl 100 --unrated --nagtime=3649 --forfeittime=3650 --totaltime=3650"
        );
        for option in game.facts.options {
            let word = match option.range {
                Some(range) => format!(" -{}={}", option.name, range.min),
                None => format!(" -{}", option.name),
            };
            let reply = ask(&stage, from, &format!("{line}{word}")).await;
            if !reply[0].subject.starts_with("Not done") {
                line.push_str(&word);
            }
        }
        ask(&stage, from, &line).await;
        ask(&stage, from, &format!("{name} limit {longest} bay5owl 1000")).await;
        for line in [
            format!("{name} standings"),
            format!("list {name}"),
            "list".to_owned(),
        ] {
            let reply = ask(&stage, BOB, &line).await;
            let text = &reply[0].text;
            let widest = text.lines().map(str::len).max().unwrap_or_default();
            assert!(widest <= 80, "{text}");
            for word in [
                longest,
                "--unrated",
                "--nagtime=3649",
                "--forfeittime=3650",
                "--totaltime=3650",
            ] {
                assert!(text.contains(word), "{line}: {word}: {text}");
            }
        }
    }
    stage.close().await;
}
