//! Answers to older letters: what they refer to is no more, so nothing is played, and the board of now comes.

use chrono::TimeDelta;
use pbmserv_core::dispatch::{Handled, Purpose, seat_generation, token};
use pbmserv_core::store::Outgoing;
use pbmserv_core::table::BoardLetter;
use pbmserv_games::{GAMES, Options};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail};
use crate::stage::{Mail, Stage};

/// How an answer shows which letter it answers.
const WAYS: [Way; 3] = [Way::Token, Way::InCapitals, Way::InReplyTo];

#[derive(Clone, Copy, Debug)]
enum Way {
    Token,
    InCapitals,
    InReplyTo,
}

fn answer<'a>(from: &'a str, to: &Outgoing, way: Way, body: &'a str) -> Mail<'a> {
    let mut mail = mail(from, &format!("Re: {}", to.subject), body);
    let token = to.reply_detail.as_deref().unwrap();
    match way {
        Way::Token => mail.to = mail.to.with_detail(token),
        Way::InCapitals => mail.to = mail.to.with_detail(&token.to_uppercase()),
        Way::InReplyTo => {
            let field = format!("In-Reply-To: <{}>\r\n", to.message_id);
            mail.header.push_str(&field);
        }
    }
    mail
}

/// The letters that an answer causes.
async fn say(stage: &Stage, from: &str, to: &Outgoing, way: Way, body: &str) -> Vec<Outgoing> {
    stage.send(&answer(from, to, way, body)).await.1
}

fn to<'a>(who: &str, letters: &'a [Outgoing]) -> &'a Outgoing {
    letters.iter().find(|letter| letter.to.as_str() == who).unwrap()
}

/// The first letter's first words.
fn begins(letters: &[Outgoing], words: &str) -> bool {
    let text = letters[0].text.replace('\n', " ");
    letters.len() == 1 && text.starts_with(words)
}

fn turns(stage: &Stage) -> Vec<String> {
    database::lasting(stage.data())["turns"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long: make long"]
async fn a_turn_in_answer_to_an_older_letter_is_not_played_in_any_game() {
    let stage = alice_and_bob().await;
    for game in GAMES {
        let name = game.facts.name;
        let mut letters = ask(&stage, ALICE, &format!("{name} challenge alice bob")).await;
        let mut position = game.start(&Options::none(game.facts)).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut older: Vec<(Outgoing, String)> = Vec::new();
        // A player may not write as many mails in an hour.
        stage.pass(TimeDelta::hours(1));
        if game.facts.has_dice {
            ask(&stage, ALICE, "set alice fig7elk forced off").await;
            ask(&stage, BOB, "set bob oak4jay forced off").await;
        }
        for _ in 0..7 {
            stage.roll(game, 101, position.as_mut());
            let who = [ALICE, BOB][position.to_move().unwrap().index()];
            let newest = to(who, &letters).clone();
            let turn = position.random_turn(&mut rng).unwrap();
            let before = turns(&stage);
            for (letter, played) in older.iter().filter(|(letter, _)| letter.to.as_str() == who) {
                for way in WAYS {
                    let refused = say(&stage, who, letter, way, &turn).await;
                    let userid = who.split('@').next().unwrap();
                    let is_repeated = *played == turn;
                    let words = match is_repeated {
                        true => format!("{turn} was played already on {name} Board 101, {userid}: nothing"),
                        false => {
                            format!("Not played on {name} Board 101, {userid}: your mail answers an older")
                        }
                    };
                    assert!(begins(&refused, &words), "{name} {way:?}: {}", refused[0].text);
                    assert_eq!(refused[0].reply_detail, newest.reply_detail, "the newest token");
                }
            }
            assert_eq!(turns(&stage), before, "{name}");
            letters = say(&stage, who, &newest, Way::Token, &turn).await;
            assert_ne!(turns(&stage), before, "{name}: {}", letters[0].text);
            position.play_all(&turn).unwrap();
            // Once more, by another mail: it is played already, and nothing is done again.
            let before = turns(&stage);
            for way in WAYS {
                let again = say(&stage, who, &newest, way, &turn).await;
                assert!(
                    begins(&again, &format!("{turn} was played already on")),
                    "{}",
                    again[0].text
                );
            }
            assert_eq!(turns(&stage), before, "{name}");
            older.push((newest, turn));
        }
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_game_that_is_over_the_last_turn_is_known_too_and_any_other_is_refused_as_over() {
    let stage = alice_and_bob().await;
    let begun = ask(&stage, ALICE, "Ringworm challenge alice bob").await;
    let alice = to(ALICE, &begun).clone();
    let letters = say(&stage, ALICE, &alice, Way::Token, "pass").await;
    let bob = to(BOB, &letters).clone();
    say(&stage, BOB, &bob, Way::Token, "pass").await;
    let before = database::lasting(stage.data());
    let again = say(&stage, BOB, &bob, Way::Token, "pass").await;
    assert!(begins(&again, "pass was played already"), "{}", again[0].text);
    let other = say(&stage, BOB, &bob, Way::Token, "q9").await;
    assert!(begins(&other, "Ringworm Board 101 is over"), "{}", other[0].text);
    assert_eq!(database::lasting(stage.data())["boards"], before["boards"]);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_turn_is_taken_back_the_letter_from_before_plays_nothing() {
    let stage = alice_and_bob().await;
    let begun = ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let first = to(ALICE, &begun).clone();
    let letters = say(&stage, ALICE, &first, Way::Token, "m13-j7").await;
    let letters = say(&stage, ALICE, to(ALICE, &letters), Way::Token, "undo").await;
    let letters = say(&stage, BOB, to(BOB, &letters), Way::Token, "accept").await;
    let newest = to(ALICE, &letters).clone();
    for turn in ["m13-j7", "m1-m5"] {
        for way in WAYS {
            let refused = say(&stage, ALICE, &first, way, turn).await;
            assert!(
                begins(&refused, "Not played on Pow2 Board 101"),
                "{}",
                refused[0].text
            );
            assert!(refused[0].text.contains("taken"), "{}", refused[0].text);
        }
    }
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM turns"), 0);
    say(&stage, ALICE, &newest, Way::InReplyTo, "m13-j7").await;
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM turns"), 1);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_word_of_an_answer_needs_a_letter_that_knows_what_it_refers_to() {
    let stage = alice_and_bob().await;
    let begun = ask(&stage, ALICE, "ShapeChess challenge alice bob").await;
    let first = [to(ALICE, &begun).clone(), to(BOB, &begun).clone()];
    let letters = say(&stage, ALICE, &first[0], Way::Token, "a1").await;
    let letters = say(&stage, BOB, to(BOB, &letters), Way::Token, "a12").await;
    let letters = say(&stage, ALICE, to(ALICE, &letters), Way::Token, "b1").await;
    let bob = to(BOB, &letters).clone();
    let alice = to(ALICE, &letters).clone();
    // What is about another position, or was meant before the other player's turn.
    let before = database::lasting(stage.data());
    for (who, letter, words) in [
        (BOB, &first[1], "b12"),
        (BOB, &first[1], "submit b12"),
        (BOB, &first[1], "propose"),
        (BOB, &first[1], "undo"),
        (BOB, &first[1], "resign"),
        (ALICE, &first[0], "queue d1"),
        (ALICE, &first[0], "resign"),
        (ALICE, &first[0], "undo"),
    ] {
        let letters = say(&stage, who, letter, Way::Token, words).await;
        let text = letters[0].text.replace('\n', " ");
        assert!(
            letters.len() == 1 && text.contains("answers an older letter"),
            "{words}: {text}"
        );
    }
    assert_eq!(database::lasting(stage.data()), before);
    // What is the same at any time.
    for words in ["show", "help", "preview b12", "record"] {
        let letters = say(&stage, BOB, &first[1], Way::Token, words).await;
        assert!(!letters[0].text.contains("older"), "{words}: {}", letters[0].text);
    }
    say(&stage, ALICE, &alice, Way::Token, "queue c1").await;
    assert_ne!(
        database::lasting(stage.data()),
        before,
        "it is queued in answer to the letter about the own turn"
    );
    let letters = say(&stage, ALICE, &first[0], Way::Token, "queue off").await;
    assert!(
        begins(&letters, "Nothing is queued any more"),
        "{}",
        letters[0].text
    );
    let letters = say(&stage, BOB, &first[1], Way::Token, "chat hello").await;
    assert_eq!(letters.len(), 2);
    // The own turn is known to its player.
    let letters = say(&stage, BOB, &bob, Way::Token, "b12").await;
    assert!(
        letters
            .iter()
            .any(|letter| letter.text.starts_with("bob played b12"))
    );
    let letters = say(&stage, BOB, &bob, Way::Token, "undo").await;
    assert!(
        letters[0].text.starts_with("bob asks to take back b12"),
        "{}",
        letters[0].text
    );
    // An offer needs a letter that knows it.
    let before = database::lasting(stage.data());
    for words in ["accept", "reject"] {
        let letters = say(&stage, ALICE, &alice, Way::Token, words).await;
        let text = letters[0].text.replace('\n', " ");
        assert!(
            text.contains("from before bob's wish to take a turn back"),
            "{text}"
        );
    }
    assert_eq!(database::lasting(stage.data()), before);
    let offered = to(ALICE, &say(&stage, ALICE, &alice, Way::Token, "show").await).clone();
    let letters = say(&stage, ALICE, &offered, Way::InReplyTo, "accept").await;
    assert!(
        letters[0].text.starts_with("alice agreed: b12 is taken back"),
        "{}",
        letters[0].text
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_challenge_is_declined_in_answer_to_its_first_letter_however_late() {
    let stage = alice_and_bob().await;
    let begun = ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let bob = to(BOB, &begun).clone();
    say(&stage, ALICE, to(ALICE, &begun), Way::Token, "m13-j7").await;
    let letters = say(&stage, BOB, &bob, Way::Token, "resign").await;
    assert!(letters[0].text.starts_with("bob declined"), "{}", letters[0].text);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_lines_of_one_answer_know_of_each_other_but_not_of_a_queued_turn() {
    let stage = alice_and_bob().await;
    let begun = ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let alice = to(ALICE, &begun).clone();
    let letters = say(&stage, ALICE, &alice, Way::Token, "m13-j7\nqueue m1-m5").await;
    assert!(
        letters
            .iter()
            .any(|letter| letter.text.contains("have queued m1-m5"))
    );
    let letters = say(
        &stage,
        BOB,
        to(BOB, &letters),
        Way::Token,
        "submit a1-e1\nconfirm",
    )
    .await;
    let played = "You played a1-e1 on Pow2 Board 101. Then alice played m1-m5";
    assert!(
        letters
            .iter()
            .any(|letter| letter.text.replace('\n', " ").starts_with(played))
    );
    let bob = to(BOB, &letters[1..]).clone();
    ask(&stage, ALICE, "Pow2 queue 101 alice fig7elk m5-m1").await;
    let letters = say(&stage, BOB, &bob, Way::Token, "a13-e13\ne13-a13").await;
    let last = letters.last().unwrap().text.replace('\n', " ");
    let words = "Not played on Pow2 Board 101, bob: your mail answers an older letter, from before alice's turn m5-m1.";
    assert!(last.starts_with(words), "{last}");
    stage.close().await;
}

/// The token of a letter without an event.
fn bare_token(stage: &Stage, who: &str, letter: &Outgoing) -> String {
    let player = stage.server.reader().unwrap().player(who).unwrap().unwrap();
    let row = database::count(
        stage.data(),
        &format!("SELECT about FROM outbox WHERE id = {}", letter.id),
    );
    let number = BoardLetter::of_number(row).seat_number();
    let generation = seat_generation(player.id, player.generation);
    token(&stage.server.key, Purpose::Seat, number, generation)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_makes_an_older_letter_a_newer_one() {
    let stage = alice_and_bob().await;
    let begun = ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let old = to(BOB, &begun).reply_detail.clone().unwrap();
    let letters = say(&stage, ALICE, to(ALICE, &begun), Way::Token, "m13-j7").await;
    let new = to(BOB, &letters).reply_detail.clone().unwrap();
    let (_, tag) = old.split_once('-').unwrap();
    let (number, _) = new.split_once('-').unwrap();
    let bare = bare_token(&stage, "bob", to(BOB, &letters));
    let (seat, _) = bare.split_once('-').unwrap();
    for forged in [format!("{number}-{tag}"), format!("{seat}-{tag}")] {
        let mut mail = mail("phone@elsewhere.example", "Re: Pow2 Board 101 bob", "a1-e1");
        mail.to = mail.to.with_detail(&forged);
        let (_, letters) = stage.send(&mail).await;
        assert!(letters.is_empty(), "{}", letters[0].text);
    }
    // To both letters at once: the older counts, and there is one answer.
    let mut both = mail(BOB, "Re: Pow2 Board 101 bob", "a1-e1");
    both.header
        .push_str(&format!("Cc: {}\r\n", both.to.with_detail(&new)));
    both.to = both.to.with_detail(&old);
    let (_, refused) = stage.send(&both).await;
    assert!(begins(
        &refused,
        "Not played on Pow2 Board 101, bob: your mail answers"
    ));
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM turns"), 1);
    // A copy of the same message to the newer letter alone is a copy.
    both.to = both.to.with_detail(&new);
    let (handled, _) = stage.send(&both).await;
    assert!(matches!(handled, Handled::Duplicate(_)), "{handled:?}");
    stage.close().await;
}
