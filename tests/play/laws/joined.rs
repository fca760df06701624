//! What one message, and one player in a day, may have others read: one letter about a board, a bound for all news, nothing
//! for who has blocked the player; and the turn, the end and what was left out always come.

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;

use super::{ALICE, BOB, Stage, alice_and_bob, ask, say, sign_up_both};

const CAROL: &str = "carol@example.org";

fn to<'a>(letters: &'a [Outgoing], address: &str) -> Vec<&'a Outgoing> {
    letters
        .iter()
        .filter(|letter| letter.to.as_str() == address)
        .collect()
}

/// The only letter to an address, its lines joined.
fn only(letters: &[Outgoing], address: &str) -> String {
    let [letter] = to(letters, address)[..] else {
        panic!("{} letters to {address}", to(letters, address).len());
    };
    letter.text.replace('\n', " ")
}

/// Pow2 Board 101 of alice and bob, which carol watches. It is bob's turn.
async fn watched(stage: &Stage) {
    ask(stage, CAROL, "signup carol bay5owl").await;
    ask(stage, ALICE, "Pow2 challenge alice bob").await;
    ask(stage, CAROL, "Pow2 subscribe 101 carol bay5owl").await;
    ask(stage, ALICE, "Pow2 move 101 alice fig7elk m13-m5").await;
}

async fn with_few_news(most: u32) -> Stage {
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        config.limits.messages_a_day = most;
    });
    sign_up_both(&stage).await;
    watched(&stage).await;
    stage
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_offers_in_one_mail_each_reader_gets_one_letter() {
    let stage = alice_and_bob().await;
    watched(&stage).await;
    let offers = "Pow2 move 101 alice fig7elk propose\nPow2 move 101 alice fig7elk reject\n".repeat(25);
    let letters = say(&stage, ALICE, "", &offers).await;
    for reader in [BOB, CAROL] {
        let text = only(&letters, reader);
        assert!(
            text.starts_with("alice takes the offer of a draw back on Pow2 Board 101."),
            "{text}"
        );
        assert!(text.contains("What else happened:"), "{text}");
        assert!(text.contains("39 events before these are left out."), "{text}");
    }
    assert!(only(&letters, ALICE).starts_with("The 50 commands in your mail were done."));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_and_words_in_one_mail_are_one_letter_about_the_turn() {
    let stage = alice_and_bob().await;
    watched(&stage).await;
    let lines = "Pow2 chat 101 bob oak4jay\n: Good luck!\nPow2 move 101 bob oak4jay a1-e1\n: Your turn.\n\
                 Pow2 chat 101 bob oak4jay\n: I am off to lunch.\n";
    let letters = say(&stage, BOB, "multiple", lines).await;
    assert_eq!(to(&letters, ALICE)[0].sender_name, "Your turn \u{2013} bob");
    for reader in [ALICE, CAROL] {
        let text = only(&letters, reader);
        assert!(text.starts_with("bob played a1-e1 on Pow2 Board 101."), "{text}");
        for words in ["Good luck!", "Your turn.", "I am off to lunch."] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_ends_and_is_offered_again_in_one_mail_says_who_won() {
    let stage = alice_and_bob().await;
    watched(&stage).await;
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a1-e1").await;
    let lines = "Pow2 resign 101 bob oak4jay\nPow2 rematch 101 bob oak4jay\n";
    let letters = say(&stage, BOB, "multiple", lines).await;
    let text = only(&letters, ALICE);
    assert!(text.starts_with("You won, alice"), "{text}");
    assert!(
        text.contains("bob offers you a rematch") && text.contains("bob resigned"),
        "{text}"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn news_over_the_bound_of_a_day_join_the_turn_that_comes_next() {
    let stage = with_few_news(4).await;
    let (mut bobs, mut carols) = (0, 0);
    for _ in 0..5 {
        for word in ["propose", "reject"] {
            let letters = say(
                &stage,
                ALICE,
                &format!("Pow2 move 101 alice fig7elk {word}"),
                "Please!\n",
            )
            .await;
            bobs += to(&letters, BOB).len();
            carols += to(&letters, CAROL).len();
        }
    }
    // carol has had a turn.
    assert_eq!((bobs, carols), (4, 3));
    let letters = ask(&stage, BOB, "Pow2 move 101 bob oak4jay a1-e1").await;
    for reader in [BOB, CAROL] {
        let text = only(&letters, reader);
        assert!(
            text.contains("alice offers a draw") && text.contains("Please!"),
            "{text}"
        );
    }
    let letters = ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m1-g1").await;
    let text = only(&letters, BOB);
    assert!(
        text.contains("Your turn, bob") && !text.contains("What else"),
        "{text}"
    );
    assert_eq!(to(&letters, CAROL).len(), 0);
    let letters = ask(&stage, ALICE, "Pow2 resign 101 alice fig7elk").await;
    assert!(only(&letters, BOB).starts_with("You won, bob"));
    let text = only(&letters, CAROL);
    assert!(text.contains("What else happened:  alice played m1-g1"), "{text}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vacation_that_is_begun_and_ended_again_and_again_is_told_once_or_not_at_all() {
    let stage = with_few_news(3).await;
    let both = "vacation alice fig7elk 2\nvacation alice fig7elk off\n";
    let letters = say(&stage, ALICE, "multiple", &both.repeat(20)).await;
    assert_eq!(to(&letters, BOB).len(), 0, "alice is not on vacation");
    let lines = format!("{both}vacation alice fig7elk 1\n");
    let letters = say(&stage, ALICE, "multiple", &lines).await;
    assert!(only(&letters, BOB).contains("alice is on vacation until"));
    let mut heard = 0;
    for _ in 0..10 {
        ask(&stage, ALICE, "vacation alice fig7elk off").await;
        heard += to(&ask(&stage, ALICE, "vacation alice fig7elk 1").await, BOB).len();
    }
    assert_eq!(heard, 2);
    let letters = ask(&stage, BOB, "Pow2 move 101 bob oak4jay a1-e1").await;
    let text = only(&letters, BOB);
    assert!(
        text.contains("vacation"),
        "the next letter says whose clock stands still: {text}"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_blocked_a_player_during_a_game_gets_the_turns_and_the_end_alone() {
    let stage = alice_and_bob().await;
    watched(&stage).await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk propose").await;
    ask(&stage, BOB, "block bob oak4jay alice").await;
    ask(&stage, CAROL, "block carol bay5owl alice").await;
    for (line, body) in [
        ("Pow2 move 101 alice fig7elk reject", "Not now.\n"),
        ("Pow2 move 101 alice fig7elk propose", "Now!\n"),
        ("Pow2 move 101 alice fig7elk undo", ""),
        ("vacation alice fig7elk 2", ""),
        ("vacation alice fig7elk off", ""),
        ("Pow2 chat 101 alice fig7elk", "Now!\n"),
        ("message alice fig7elk bob", "Now!\n"),
    ] {
        let letters = say(&stage, ALICE, line, body).await;
        assert!(letters.iter().all(|letter| letter.to.as_str() == ALICE), "{line}");
    }
    let letters = ask(&stage, ALICE, "Pow2 move 101 alice fig7elk undo").await;
    assert!(only(&letters, ALICE).starts_with("bob does not wish to hear from alice."));
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a1-e1").await;
    let letters = say(&stage, ALICE, "Pow2 move 101 alice fig7elk m1-g1", "Now!\n").await;
    for reader in [BOB, CAROL] {
        let text = only(&letters, reader);
        assert!(text.starts_with("alice played m1-g1"), "{text}");
        assert!(!text.contains("Now!") && !text.contains("What else"), "{text}");
    }
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a13-a5").await;
    let letters = ask(&stage, ALICE, "Pow2 resign 101 alice fig7elk").await;
    assert!(only(&letters, BOB).starts_with("You won, bob"));
    assert!(only(&letters, CAROL).contains("bob has won"));
    let letters = ask(&stage, ALICE, "Pow2 rematch 101 alice fig7elk").await;
    assert_eq!(to(&letters, BOB).len(), 0);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_gains_by_young_accounts_or_by_short_games_again_and_nobody_resigns_out_of_a_loss() {
    let stage = alice_and_bob().await;
    let ratings = async |number: u32, days: i64| {
        stage.pass(TimeDelta::days(days));
        ask(&stage, ALICE, "Pow2 challenge alice bob").await;
        for (from, line) in [(ALICE, "alice fig7elk m13-m5"), (BOB, "bob oak4jay a1-e1")] {
            ask(&stage, from, &format!("Pow2 move {number} {line}")).await;
        }
        let letters = ask(&stage, BOB, &format!("Pow2 resign {number} bob oak4jay")).await;
        let text = only(&letters, ALICE);
        let from = text.find("Ratings: ").unwrap();
        text[from..].split("  ").next().unwrap().to_owned()
    };
    let young = ratings(101, 1).await;
    let words = "Nobody gains by a win against bob, whose account is less than a week old.";
    assert_eq!(
        young,
        format!("Ratings: alice 1500 -> 1500, bob 1500 -> 1338. {words}")
    );
    let first = ratings(102, 7).await;
    assert_eq!(first, "Ratings: alice 1500 -> 1617, bob 1338 -> 1249.");
    let again = ratings(103, 1).await;
    let words =
        "Nobody gains by it: of games of fewer than four turns between the same two, one counts in a week.";
    let values = again.strip_suffix(words).unwrap();
    assert!(
        values.starts_with("Ratings: alice 1617 -> 1617, bob 1249 -> 1"),
        "{again}"
    );
    assert!(!values.contains("bob 1249 -> 1249"), "who resigns loses: {again}");
    let later = ratings(104, 7).await;
    assert!(!later.contains("Nobody"), "{later}");
    stage.close().await;
}
