//! Computers as players: when their answer comes, and what they refuse.

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;

use super::{ALICE, BOB, alice_and_bob, database, mail, say};
use crate::stage::Stage;

/// Hands a mail in, and lets no computer think.
async fn hand_in(stage: &Stage, subject: &str, body: &str) -> Vec<Outgoing> {
    let message = mail(ALICE, subject, body).message();
    let request = stage.server.read("smtp", &message).unwrap();
    stage.server.handle(request, false, false).await.unwrap();
    stage.collect().await
}

fn states(stage: &Stage) -> (i64, i64) {
    let of = |state: &str| {
        let sql = format!("SELECT COUNT(*) FROM outbox WHERE state = '{state}'");
        database::count(stage.data(), &sql)
    };
    (of("waiting"), of("dropped"))
}

#[tokio::test]
async fn the_answer_of_a_computer_comes_with_the_receipt() {
    let stage = alice_and_bob().await;
    say(&stage, ALICE, "Forms challenge alice bot-easy -size=6", "").await;
    let letters = hand_in(&stage, "Forms move 101 alice fig7elk b1-a1", "").await;
    assert_eq!((letters.len(), states(&stage)), (0, (1, 0)), "the receipt waits");
    stage.server.thinking.until_idle().await.unwrap();
    let letters = stage.collect().await;
    let [letter] = letters.as_slice() else {
        panic!("{} letters", letters.len())
    };
    let first = letter.text.split("\n\n").next().unwrap().replace('\n', " ");
    assert!(
        first.starts_with("You played b1-a1 on Forms Board 101") && first.contains("bot-easy answered "),
        "{first}"
    );
    let answered = letter.in_reply_to.as_deref().unwrap_or_default();
    assert!(answered.starts_with("law-"), "{answered}");
    assert_eq!(states(&stage), (0, 1), "its receipt is dropped");
    assert_eq!(stage.collect().await.len(), 0);
}

#[tokio::test]
async fn a_computer_answers_on_a_machine_that_is_always_busy() {
    let stage = alice_and_bob().await;
    say(&stage, ALICE, "Forms challenge alice bot-hard -size=4", "").await;
    hand_in(&stage, "Forms move 101 alice fig7elk b1-a1", "").await;
    // From now on an idle thread has had its time as soon as it is waited for.
    tokio::time::pause();
    stage.server.thinking.until_idle().await.unwrap();
    let letters = stage.collect().await;
    assert!(
        letters[0].text.replace('\n', " ").contains("bot-hard answered "),
        "{}",
        letters[0].text
    );
}

#[tokio::test]
async fn a_letter_to_a_watcher_answers_no_mail_of_a_player() {
    let stage = alice_and_bob().await;
    say(&stage, ALICE, "Forms challenge alice bot-easy -size=6", "").await;
    say(&stage, BOB, "Forms subscribe 101 bob oak4jay", "").await;
    hand_in(&stage, "Forms move 101 alice fig7elk b1-a1", "").await;
    stage.server.thinking.until_idle().await.unwrap();
    let letters = stage.collect().await;
    let mut answers: Vec<_> = letters
        .iter()
        .map(|letter| (letter.to.key(), letter.is_reply))
        .collect();
    answers.sort();
    assert_eq!(answers, [(ALICE.to_owned(), true), (BOB.to_owned(), false)]);
}

#[tokio::test]
async fn after_a_minute_the_receipt_goes_first() {
    let stage = alice_and_bob().await;
    say(&stage, ALICE, "Forms challenge alice bot-easy -size=6", "").await;
    hand_in(&stage, "Forms move 101 alice fig7elk b1-a1", "").await;
    stage.pass(TimeDelta::seconds(60));
    let letters = stage.collect().await;
    assert_eq!(letters.len(), 1);
    assert!(letters[0].text.starts_with("You played b1-a1 on Forms Board 101"));
    stage.server.thinking.until_idle().await.unwrap();
    let letters = stage.collect().await;
    assert_eq!(letters.len(), 1);
    assert!(
        letters[0].text.starts_with("bot-easy played "),
        "{}",
        letters[0].text
    );
}

#[tokio::test]
async fn another_letter_about_the_board_lets_the_receipt_go_first() {
    let stage = alice_and_bob().await;
    say(&stage, ALICE, "Forms challenge alice bot-easy -size=6", "").await;
    hand_in(&stage, "Forms move 101 alice fig7elk b1-a1", "").await;
    let letters = hand_in(&stage, "Forms resign 101 alice fig7elk", "").await;
    let [receipt, end] = letters.as_slice() else {
        panic!("{} letters", letters.len())
    };
    assert!(receipt.text.starts_with("You played b1-a1"), "{}", receipt.text);
    assert!(end.text.contains("You resigned"), "{}", end.text);
    stage.server.thinking.until_idle().await.unwrap();
    assert_eq!(
        stage.collect().await.len(),
        0,
        "the computer plays no finished game"
    );
}

#[tokio::test]
async fn a_turn_is_good_only_for_the_position_that_it_was_found_in() {
    let stage = alice_and_bob().await;
    say(&stage, ALICE, "Forms challenge alice bot-easy -size=6", "").await;
    hand_in(&stage, "Forms move 101 alice fig7elk b1-a1", "").await;
    let sql = "SELECT position_event FROM boards";
    let event = u32::try_from(database::count(stage.data(), sql)).unwrap();
    hand_in(&stage, "Forms move 101 alice fig7elk undo", "").await;
    hand_in(&stage, "Forms move 101 alice fig7elk b1-b2", "").await;
    let board = pbmserv_core::table::BoardId(1);
    for (event, is_played) in [(event, false), (event + 2, true), (event + 2, false)] {
        let found = pbmserv_core::dispatch::FoundTurn {
            event,
            turn: "a1-a2".to_owned(),
            value: 0,
        };
        let played = stage
            .server
            .engine
            .act(move |handler, store, now| handler.computer_turn(store, board, &found, now))
            .await
            .unwrap();
        assert_eq!(played, is_played, "event {event}");
    }
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM turns"), 2);
}

#[tokio::test]
async fn a_position_that_has_ended_the_program_twice_is_left_alone_until_it_changes() {
    let stage = alice_and_bob().await;
    say(&stage, ALICE, "Forms challenge alice bot-easy -size=6", "").await;
    hand_in(&stage, "Forms move 101 alice fig7elk b1-a1", "").await;
    let event = u32::try_from(database::count(stage.data(), "SELECT position_event FROM boards")).unwrap();
    // Two processes noted that they begin to think, and then died.
    let position = pbmserv_core::store::ThoughtPosition {
        board: pbmserv_core::table::BoardId(1),
        event,
    };
    let note = move |store: &pbmserv_core::store::Store| {
        store.begin_thought(position)?;
        store.begin_thought(position)
    };
    stage
        .server
        .engine
        .write(move |store, _| note(store))
        .await
        .unwrap();
    stage.server.thinking.until_idle().await.unwrap();
    let letters = stage.collect().await;
    let told = letters
        .iter()
        .filter(|letter| letter.text.starts_with("bot-easy cannot go on"));
    assert_eq!(told.count(), 1, "{letters:?}");
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM turns"), 1);
    stage.server.thinking.until_idle().await.unwrap();
    assert_eq!(stage.collect().await.len(), 0, "it is said once");
    say(&stage, ALICE, "Forms move 101 alice fig7elk undo", "").await;
    say(&stage, ALICE, "Forms move 101 alice fig7elk b1-b2", "").await;
    assert_eq!(
        database::count(stage.data(), "SELECT COUNT(*) FROM turns"),
        2,
        "the game goes on"
    );
}

#[tokio::test]
async fn it_is_said_once_a_day_that_a_computer_reads_no_words() {
    let stage = alice_and_bob().await;
    say(&stage, ALICE, "Forms challenge alice bot-easy -size=8", "").await;
    let said = "bot-easy is a computer: the text of your mail";
    let first = say(&stage, ALICE, "Forms move 101 alice fig7elk b1-a1", "Hello!\n").await;
    assert!(first[0].text.contains(said), "{}", first[0].text);
    let sql = "SELECT COUNT(*) FROM turns";
    let before = database::count(stage.data(), sql);
    let second = say(&stage, ALICE, "Forms move 101 alice fig7elk d1-c1", "Hello?\n").await;
    assert_eq!(
        database::count(stage.data(), sql),
        before + 2,
        "{}",
        second[0].text
    );
    assert!(!second[0].text.contains(said), "{}", second[0].text);
}

#[tokio::test]
async fn computers_that_are_off_or_do_not_play_a_game_take_no_challenge() {
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        config.bots.players = vec!["bot-easy".to_owned()];
        config.bots.without = vec!["Pow2".to_owned()];
    });
    let welcome = say(&stage, ALICE, "signup alice fig7elk", "").await;
    assert!(
        welcome[0].text.contains("Forms challenge bot-easy"),
        "{}",
        welcome[0].text
    );
    for (line, refused) in [
        (
            "Forms challenge alice bot-hard",
            "bot-hard does not play on this server.",
        ),
        (
            "Pow2 challenge alice bot-easy",
            "bot-easy does not play Pow2 on this server.",
        ),
        (
            "Forms seek bot-easy fig7elk",
            "bot-easy is a computer: nobody writes in its name.",
        ),
    ] {
        let letters = say(&stage, ALICE, line, "").await;
        assert!(letters[0].text.starts_with(refused), "{}", letters[0].text);
    }
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM boards"), 0);
}

#[tokio::test]
async fn a_rated_game_against_a_computer_counts_only_if_the_operator_wants_it() {
    for (rated, expected) in [(false, 0), (true, 1)] {
        let stage = Stage::open(|config| {
            config.accounts.confirm = false;
            config.bots.rated = rated;
        });
        say(&stage, ALICE, "signup alice fig7elk", "").await;
        say(&stage, ALICE, "Forms challenge alice bot-easy -size=6", "").await;
        say(&stage, ALICE, "Forms move 101 alice fig7elk b1-a1", "").await;
        say(&stage, ALICE, "Forms resign 101 alice fig7elk", "").await;
        let sql = "SELECT COUNT(*) FROM ratings WHERE player < 0";
        assert_eq!(database::count(stage.data(), sql), expected);
    }
}

#[tokio::test]
async fn the_clock_of_a_computer_stands_still() {
    let stage = alice_and_bob().await;
    say(&stage, ALICE, "Forms challenge alice bot-easy -size=6", "").await;
    hand_in(&stage, "Forms move 101 alice fig7elk b1-a1", "").await;
    stage.pass(TimeDelta::days(100));
    stage.server.engine.do_what_is_due().await.unwrap();
    let sql = "SELECT COUNT(*) FROM boards WHERE ended_at IS NULL AND due_at IS NULL";
    assert_eq!(database::count(stage.data(), sql), 1);
}

#[tokio::test]
async fn a_player_keeps_a_userid_that_is_a_computers_now() {
    let stage = alice_and_bob().await;
    let data = stage.close().await;
    for sql in [
        "DELETE FROM players WHERE id = -1",
        "UPDATE players SET userid = 'Bot-Easy', userid_key = 'bot-easy' WHERE userid = 'bob'",
    ] {
        assert_eq!(crate::stage::database::change(data.path(), sql), 1);
    }
    let now = chrono::Utc::now();
    let stage = Stage::open_in(data, now, 2, |config| config.accounts.confirm = false);
    let letters = say(&stage, ALICE, "Forms challenge alice bot-easy", "").await;
    assert!(letters.iter().any(|letter| letter.to.as_str() == BOB));
    let sql = "SELECT COUNT(*) FROM players WHERE id = -1";
    assert_eq!(database::count(stage.data(), sql), 0);
}
