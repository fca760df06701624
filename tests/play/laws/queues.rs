//! Queued turns: played once, in order, and invisible to others until then.

use pbmserv_core::store::Outgoing;
use pbmserv_games::{GAMES, Game, Options, Seat};
use pbmserv_mail::doors::Message;
use pbmserv_mail::{Address, Envelope};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::stage::{Mail, SERVER, Stage};

fn to<'a>(who: &str, letters: &'a [Outgoing]) -> Vec<&'a Outgoing> {
    letters
        .iter()
        .filter(|letter| letter.to.as_str() == who)
        .collect()
}

fn turns(stage: &Stage) -> i64 {
    database::count(stage.data(), "SELECT COUNT(*) FROM turns")
}

/// The number of boards with queued turns.
fn waiting(stage: &Stage) -> i64 {
    let sql = "SELECT COUNT(plan) + COUNT(plan_by) + COUNT(submitted) FROM boards";
    database::count(stage.data(), sql)
}

/// An answer to a letter, to its token.
fn answer<'a>(from: &'a str, letter: &Outgoing, body: &'a str) -> Mail<'a> {
    let mut mail = mail(from, &format!("Re: {}", letter.subject), body);
    mail.to = mail.to.with_detail(letter.reply_detail.as_deref().unwrap());
    mail
}

/// A random game to its end, with the player of each turn.
fn random_game(game: &Game, options: &[&str], seed: u64) -> Vec<(Seat, String)> {
    let options = Options::parse(game.facts, options.iter().copied()).unwrap();
    let mut position = game.start(&options).unwrap();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut turns = Vec::new();
    while let Some(seat) = position.to_move() {
        let turn = position.random_turn(&mut rng).unwrap();
        turns.push((seat, position.play(&turn).unwrap()));
    }
    turns
}

/// bob queues all of his turns, up to ten at a time: each is played when it is his turn, to the end of the game.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_whole_game_is_played_from_the_queue_and_counted() {
    let stage = alice_and_bob().await;
    // With dice nothing can be queued beyond the next roll: dice.txt.
    let games: Vec<_> = GAMES.iter().filter(|game| !game.facts.has_dice).collect();
    for game in &games {
        let name = game.facts.name;
        // Shorter games where there are such.
        let options = match name {
            "Pow2" => "-fast",
            "Forms" => "-size=8",
            "ShapeChess" => "-target=4",
            "Breakthrough" | "Hex" => "-size=5",
            "Reversi" | "Amazons" => "-size=6",
            "Gomoku" => "-size=9",
            _ => "",
        };
        let words: Vec<_> = options.split_whitespace().collect();
        // A random game that ends with a turn of bob, so that a queued turn ends it.
        let mut games = (0..).map(|seed| random_game(game, &words, seed));
        let turns = games
            .find(|turns| turns.len() < 400 && turns.last().unwrap().0 == Seat::Second)
            .unwrap();
        ask(&stage, ALICE, &format!("{name} challenge alice bob {options}")).await;
        let mut queued = 0;
        let mut last = Vec::new();
        for (index, (seat, turn)) in turns.iter().enumerate() {
            if *seat == Seat::Second {
                // Where a player has several turns in a row, the queue may end within them.
                if queued == 0 {
                    last = ask(&stage, BOB, &format!("{name} move 101 bob oak4jay {turn}")).await;
                } else {
                    queued -= 1;
                }
                continue;
            }
            if queued == 0 {
                let next = turns[index..].iter().filter(|(seat, _)| *seat == Seat::Second);
                let next: Vec<_> = next.take(1 + index % 10).map(|(_, turn)| turn.as_str()).collect();
                queued = next.len();
                let line = format!("{name} queue 101 bob oak4jay {}", next.join(" then "));
                let letters = ask(&stage, BOB, &line).await;
                assert!(to(ALICE, &letters).is_empty(), "{line}");
                assert_eq!(letters.len(), 1);
            }
            // In a list of commands and alone.
            let line = format!("{name} move 101 alice fig7elk {turn}");
            last = match index % 3 {
                0 => say(&stage, ALICE, "batch", &line).await,
                _ => ask(&stage, ALICE, &line).await,
            };
        }
        let reader = stage.server.reader().unwrap();
        let board = reader.board(game, 101).unwrap().unwrap();
        let played = reader.turns(board.id).unwrap();
        let played: Vec<_> = played.into_iter().map(|turn| (turn.seat, turn.text)).collect();
        assert_eq!(played, turns, "{name}");
        assert!(board.end.is_some() && usize::try_from(board.turns).unwrap() == turns.len());
        let reply = &to(BOB, &last)[0].text;
        assert!(
            (reply.starts_with("You ") || reply.starts_with("A draw"))
                && reply.contains("\n\nalice played ")
                && reply.contains("Ratings: "),
            "{name}: {reply}"
        );
    }
    assert_eq!(waiting(&stage), 0);
    let rated = database::count(stage.data(), "SELECT COUNT(*) FROM rated");
    assert_eq!(usize::try_from(rated).unwrap(), games.len());
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_but_its_owner_reads_what_is_queued() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let queued = "a13-c11:d10,a13 then e1-i1";
    ask(&stage, BOB, &format!("Pow2 queue 101 bob oak4jay {queued}")).await;
    let mut letters = Vec::new();
    for line in [
        "Pow2 show 101",
        "Pow2 show 101#1",
        "Pow2 show bob",
        "Pow2 games bob",
        "Pow2 record 101",
        "Pow2 preview 101 m13-j7",
        "Pow2 chat 101 alice fig7elk",
        "Pow2 submit 101 alice fig7elk m13-j7",
        "Pow2 move 101 alice fig7elk propose",
        "help queue",
        "list Pow2",
    ] {
        letters.extend(say(&stage, ALICE, line, "Hello").await);
    }
    // A sender who forges bob's name learns no more: the answer goes to bob if the envelope agrees, or is for nobody.
    for (envelope, to) in [(ALICE, BOB), ("mallory@example.net", "mallory@example.net")] {
        let header = format!("From: {BOB}\r\nTo: {SERVER}\r\nSubject: Pow2 show 101\r\n\r\n");
        let forged = Message {
            envelope: Envelope {
                sender: Some(Address::parse(envelope).unwrap()),
                recipients: vec![Address::parse(SERVER).unwrap()],
            },
            bytes: header.into_bytes().into(),
            client: None,
            mark: None,
        };
        let request = stage.server.read("smtp", &forged).unwrap();
        stage.server.handle(request, false, false).await.unwrap();
        let answer = stage.collect().await;
        assert_eq!((answer.len(), answer[0].to.as_str()), (1, to));
        letters.extend(answer);
    }
    letters.extend(ask(&stage, "stranger@example.net", "Pow2 show 101").await);
    assert_eq!(waiting(&stage), 3);
    letters.extend(ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m1-m5").await);
    // This one is illegal when it is due, after alice's first turn, and so is the other one: only bob gets a mail.
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a1-e1").await;
    letters.extend(ask(&stage, BOB, "Pow2 queue 101 bob oak4jay c11-d10").await);
    letters.extend(ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-j7").await);
    assert_eq!((turns(&stage), waiting(&stage)), (3, 0));
    let others: Vec<_> = letters
        .iter()
        .filter(|letter| letter.to.as_str() != BOB)
        .collect();
    assert!(others.len() > 12);
    for letter in others {
        for turn in ["c11", "d10", "not played", "queued"] {
            let is_help = letter.subject.starts_with("Help: ");
            assert!(
                is_help || !letter.text.contains(turn),
                "{turn} in\n{}",
                letter.text
            );
        }
    }
    let mut reply = letters.iter().filter(|letter| letter.to.as_str() == BOB);
    let reply = reply
        .next_back()
        .unwrap()
        .text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    // Nothing was queued after it, so the mail says nothing about further turns.
    assert!(
        reply.contains("You play Dark (X, x). Answer this mail")
            && reply.contains(
                "bob, your queued c11-d10 was not played. There is no piece on c11. Your turn, bob, "
            ),
        "{reply}"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_meant_for_a_position_that_is_gone_is_dropped_and_its_owner_told() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-j7").await;
    // alice takes her turn back: bob's submitted turn and her queued one are discarded.
    ask(&stage, BOB, "Pow2 submit 101 bob oak4jay a1-e1").await;
    ask(&stage, ALICE, "Pow2 queue 101 alice fig7elk m1-m5").await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk undo").await;
    assert_eq!(waiting(&stage), 3);
    let letters = ask(&stage, BOB, "Pow2 move 101 bob oak4jay accept").await;
    assert_eq!((turns(&stage), waiting(&stage)), (0, 0));
    assert!(to(ALICE, &letters)[0].text.contains("is dropped: m1-m5."));
    assert!(!to(BOB, &letters)[0].text.contains("m1-m5."));
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-m5").await;
    // The same number of turns, but not the position that bob has seen.
    let letters = ask(&stage, BOB, "Pow2 confirm 101 bob oak4jay").await;
    assert!(
        letters[0]
            .text
            .starts_with("Nothing was played on Pow2 Board 101, bob")
    );
    assert_eq!(turns(&stage), 1);
    // The end of the game, by any command.
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a1-e1").await;
    for (number, line) in [(101, "Pow2 resign 101 bob oak4jay"), (102, "signoff bob oak4jay")] {
        if number == 102 {
            ask(&stage, ALICE, "Pow2 challenge bob alice").await;
            ask(&stage, BOB, "Pow2 move 102 bob oak4jay m13-j7").await;
            ask(&stage, ALICE, "Pow2 move 102 alice fig7elk a1-e1").await;
            ask(&stage, BOB, "Pow2 submit 102 bob oak4jay m1-m5").await;
            ask(&stage, ALICE, "Pow2 queue 102 alice fig7elk a13-e13").await;
        } else {
            ask(&stage, ALICE, "Pow2 submit 101 alice fig7elk m1-i1").await;
            ask(&stage, BOB, "Pow2 queue 101 bob oak4jay a13-e13").await;
        }
        assert_eq!(waiting(&stage), 3, "{line}");
        let letters = ask(&stage, BOB, line).await;
        assert_eq!(waiting(&stage), 0, "{line}");
        let owner = if number == 102 { ALICE } else { BOB };
        for letter in letters.iter().filter(|letter| letter.subject.contains(" Board ")) {
            let is_told = letter.text.contains("is dropped: a13-e13.");
            assert_eq!(is_told, letter.to.as_str() == owner, "{line}\n{}", letter.text);
        }
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confirm_is_the_boards_in_answer_to_a_board_and_the_addresses_in_answer_to_the_question() {
    let stage = Stage::open(|_| ());
    for (from, line) in [(ALICE, "signup alice fig7elk"), (BOB, "signup bob oak4jay")] {
        let question = ask(&stage, from, line).await.remove(0);
        stage.send(&answer(from, &question, "confirm\n")).await;
    }
    let confirmed = || database::count(stage.data(), "SELECT COUNT(confirmed_at) FROM addresses");
    assert_eq!(confirmed(), 2);
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let shown = ask(&stage, ALICE, "Pow2 submit 101 alice fig7elk m13-j7")
        .await
        .remove(0);
    // A question waits for the same word at the same time.
    let letters = ask(&stage, ALICE, "add alice fig7elk alice@example.net").await;
    let question = letters
        .iter()
        .find(|letter| letter.to.as_str() == "alice@example.net")
        .unwrap();
    stage
        .send(&answer("alice@example.net", question, "Confirm\n"))
        .await;
    assert_eq!((confirmed(), turns(&stage)), (3, 0));
    ask(&stage, ALICE, "add alice fig7elk other@example.net").await;
    let (_, letters) = stage
        .send(&answer(ALICE, &shown, "confirm\n\nGood luck!\n"))
        .await;
    assert_eq!((confirmed(), turns(&stage), waiting(&stage)), (3, 1, 0));
    let text = &to(BOB, &letters)[0].text;
    assert!(
        text.starts_with("alice played m13-j7") && text.contains("\n\nalice writes:\n\n  Good luck!\n"),
        "{text}"
    );
    // Without a token, by `In-Reply-To`.
    let shown = ask(&stage, BOB, "Pow2 submit 101 bob oak4jay a1-e1")
        .await
        .remove(0);
    let mut bare = mail(BOB, &format!("Re: {}", shown.subject), "confirm\n");
    bare.header
        .push_str(&format!("In-Reply-To: <{}>\r\n", shown.message_id));
    stage.send(&bare).await;
    assert_eq!((confirmed(), turns(&stage)), (3, 2));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_submitted_turn_is_played_once_and_replaced_by_another() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let before = database::lasting(stage.data())["turns"].clone();
    for turn in ["m13-j7", "M13 -> M5#1"] {
        let letters = ask(&stage, ALICE, &format!("Pow2 submit 101 alice fig7elk {turn}")).await;
        assert_eq!(
            (letters.len(), letters[0].to.as_str()),
            (1, ALICE),
            "only alice gets a letter"
        );
        assert!(
            letters[0].text.contains("nothing is played yet"),
            "{}",
            letters[0].text
        );
    }
    assert_eq!(database::lasting(stage.data())["turns"], before);
    ask(&stage, ALICE, "Pow2 confirm 101#2 alice fig7elk").await;
    assert_eq!(turns(&stage), 0, "another turn's number");
    ask(&stage, ALICE, "Pow2 confirm 101 alice fig7elk").await;
    ask(&stage, ALICE, "Pow2 confirm 101 alice fig7elk").await;
    assert_eq!(turns(&stage), 1);
    assert!(database::text(stage.data(), "SELECT turn FROM turns").starts_with("m13-m5"));
    ask(&stage, BOB, "Pow2 submit 101 bob oak4jay a1-e1").await;
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a1-a5").await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m5-m13").await;
    ask(&stage, BOB, "Pow2 confirm 101 bob oak4jay").await;
    assert_eq!(
        (turns(&stage), waiting(&stage)),
        (3, 0),
        "a move clears what was submitted"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prose_that_begins_like_a_command_queues_nothing() {
    let stage = alice_and_bob().await;
    let letters = ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let own = to(BOB, &letters)[0].clone();
    for text in [
        "queue up, please",
        "Submit to your fate",
        "confirm what?",
        "swap seats?",
        "Queue here for tea",
    ] {
        // A third one within minutes would be taken for a program's.
        stage.pass(chrono::TimeDelta::minutes(11));
        let (_, letters) = stage.send(&answer(BOB, &own, text)).await;
        let answers = [
            "Nothing was done on Pow2 Board 101, bob",
            "I did not understand your first line",
        ];
        assert!(
            answers.iter().any(|answer| letters[0].text.starts_with(answer)),
            "{text}:\n{}",
            letters[0].text
        );
    }
    for text in [
        "queue",
        "submit",
        "confirm",
        "swap",
        "pass",
        "Queue nonsense",
        "queue a1-zz, then e1-e5",
        "submit swap",
    ] {
        let (_, letters) = stage.send(&answer(BOB, &own, text)).await;
        assert!(
            letters[0].text.contains("Nothing was changed."),
            "{text}:\n{}",
            letters[0].text
        );
    }
    assert_eq!((turns(&stage), waiting(&stage)), (0, 0));
    let (_, letters) = stage
        .send(&answer(BOB, &own, "Queue a1-e1, then e1 -> e5\nSee you"))
        .await;
    assert!(
        letters[0]
            .text
            .starts_with("You have queued a1-e1, then e1 -> e5 on Pow2 Board 101.")
    );
    stage.close().await;
}
