//! Private notes: kept as they were written, and read by nobody else.

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::stage::SERVER;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::Address;

/// A word of the note that stands nowhere else.
const WORD: &str = "hippogriff";

const CAROL: &str = "carol@example.org";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_but_its_writer_reads_a_note() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Hex challenge alice bob").await;
    let [kept] = say(&stage, ALICE, "Hex note 101 alice fig7elk", WORD)
        .await
        .try_into()
        .unwrap();
    assert!(
        kept.to.as_str() == ALICE && kept.text.contains(WORD),
        "{}",
        kept.text
    );
    let mut letters = Vec::new();
    // The letter with the note comes back with words for bob: marked as a quotation, and as telephones leave it.
    let quoted: String = kept.text.lines().map(|line| format!("> {line}\n")).collect();
    for below in [quoted, kept.text.clone()] {
        let body = format!("chat Hello bob\n\nOn Friday {SERVER} wrote:\n{below}");
        let mut answer = mail(ALICE, &format!("Re: {}", kept.subject), &body);
        answer.to = answer.to.with_detail(kept.reply_detail.as_deref().unwrap());
        let (_, said) = stage.send(&answer).await;
        assert!(
            said.iter()
                .any(|letter| letter.to.as_str() == BOB && letter.text.contains("Hello bob"))
        );
        letters.extend(said);
    }
    for line in [
        "Hex show 101",
        "Hex show alice",
        "all show alice",
        "Hex record 101",
        "Hex preview 101 d4",
        "Hex history alice bob",
        "Hex note 101 bob oak4jay",
        "Hex note 101 alice oak4jay",
        "Hex note 101",
        "Hex subscribe 101 bob oak4jay",
    ] {
        letters.extend(ask(&stage, BOB, line).await);
    }
    letters.extend(say(&stage, ALICE, "Hex chat 101 alice fig7elk", "Hello").await);
    letters.extend(say(&stage, ALICE, "Hex move 101 alice fig7elk d4", "Hello").await);
    letters.extend(ask(&stage, BOB, "Hex move 101 bob oak4jay e5").await);
    letters.extend(ask(&stage, ALICE, "Hex resign 101 alice fig7elk").await);
    letters.extend(ask(&stage, BOB, "Hex record 101").await);
    assert!(letters.iter().filter(|letter| letter.to.as_str() == BOB).count() > 12);
    for letter in letters {
        assert!(!letter.text.contains(WORD), "{}", letter.text);
        assert!(!letter.subject.contains(WORD), "{}", letter.subject);
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_but_its_keeper_sees_a_line() {
    const NAME: &str = "hippo-griff";
    let stage = alice_and_bob().await;
    let count = |stage: &crate::stage::Stage| database::count(stage.data(), "SELECT COUNT(*) FROM tries");
    let begun = ask(&stage, ALICE, "Hex challenge alice bob").await;
    let [first] = begun
        .iter()
        .filter(|letter| letter.to.as_str() == ALICE)
        .collect::<Vec<_>>()[..]
    else {
        panic!("{begun:?}");
    };
    let answer = async |body: &str| {
        let mut answer = mail(ALICE, &format!("Re: {}", first.subject), body);
        answer.to = answer.to.with_detail(first.reply_detail.as_deref().unwrap());
        stage.send(&answer).await.1
    };
    let [kept] = answer(&format!("try as {NAME} d4 e5 f6"))
        .await
        .try_into()
        .unwrap();
    assert!(
        kept.to.as_str() == ALICE && kept.text.contains(NAME),
        "{}",
        kept.text
    );
    assert_eq!(count(&stage), 1);
    for words in ["tries", &format!("try {NAME}")] {
        let [shown] = answer(words).await.try_into().unwrap();
        assert!(shown.text.contains(NAME), "{}", shown.text);
    }
    let mut letters = Vec::new();
    // The letter with the line comes back with words for bob.
    for below in [
        kept.text.lines().map(|line| format!("> {line}\n")).collect(),
        kept.text.clone(),
    ] {
        letters.extend(answer(&format!("chat Hello bob\n\nOn Friday {SERVER} wrote:\n{below}")).await);
    }
    for line in [
        "Hex show 101",
        "Hex record 101",
        "Hex try 101 d4",
        &format!("Hex try 101 {NAME}"),
        "Hex try 101 as plan-b d4",
        "Hex games alice",
        "Hex note 101 bob oak4jay",
    ] {
        letters.extend(ask(&stage, BOB, line).await);
    }
    letters.extend(answer("d4").await);
    letters.extend(ask(&stage, BOB, "Hex move 101 bob oak4jay e5").await);
    letters.extend(ask(&stage, ALICE, "Hex resign 101 alice fig7elk").await);
    let of_bob: Vec<_> = letters
        .iter()
        .filter(|letter| letter.to.as_str() == BOB)
        .collect();
    assert!(of_bob.len() > 8);
    for letter in of_bob {
        // He wrote the name himself in one line, whose refusal masks it.
        assert!(!letter.text.contains(NAME), "{}", letter.text);
        assert!(!letter.subject.contains(NAME), "{}", letter.subject);
    }
    assert_eq!(
        count(&stage),
        1,
        "neither bob nor the end of the game has changed it"
    );
    ask(&stage, ALICE, "delete alice fig7elk really").await;
    assert_eq!(count(&stage), 0, "it goes with its account");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_are_bounded_in_length_and_number() {
    let stage = alice_and_bob().await;
    let begun = ask(&stage, ALICE, "Hex challenge alice bob").await;
    let first = begun.iter().find(|letter| letter.to.as_str() == ALICE).unwrap();
    let answer = async |body: &str| {
        let mut answer = mail(ALICE, &format!("Re: {}", first.subject), body);
        answer.to = answer.to.with_detail(first.reply_detail.as_deref().unwrap());
        let [letter] = stage.send(&answer).await.1.try_into().unwrap();
        letter
    };
    for number in 1..=20 {
        assert!(
            answer(&format!("try as plan-{number} d4"))
                .await
                .text
                .contains("Kept as plan-")
        );
    }
    let refused = answer("try as plan-21 d4").await.text;
    assert!(refused.contains("you have 20 lines"), "{refused}");
    assert!(
        answer("try as PLAN-20 e5").await.text.contains("Kept as plan-20"),
        "it takes the place of the old one"
    );
    for words in [
        "try as plan-20 d4 d4",
        "try as plan-20",
        "try as plan-20 at 7 d4",
        "try as d4x d4",
    ] {
        let refused = answer(words).await;
        assert_eq!(refused.kind, "notdone", "{words}: {}", refused.text);
    }
    let kept = database::count(stage.data(), "SELECT COUNT(*) FROM tries WHERE line = 'e5'");
    assert_eq!(kept, 1, "what was refused has changed nothing");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_note_grows_to_its_bound_and_goes_with_its_account() {
    let stage = alice_and_bob().await;
    let count = |stage: &crate::stage::Stage| {
        database::count(
            stage.data(),
            "SELECT COALESCE(SUM(LENGTH(words)), 0) FROM own_notes",
        )
    };
    ask(&stage, ALICE, "Hex challenge alice bob").await;
    let line = "Hex note 101 alice fig7elk";
    let [empty] = ask(&stage, ALICE, line).await.try_into().unwrap();
    assert!(
        empty.text.contains("You have no note on Hex Board 101"),
        "{}",
        empty.text
    );
    let words = "word ".repeat(999);
    say(&stage, ALICE, line, &words).await;
    let kept = count(&stage);
    assert!((4000..5100).contains(&kept), "{kept}");
    let [full] = say(&stage, ALICE, line, &words).await.try_into().unwrap();
    assert!(full.text.contains("would be too long"), "{}", full.text);
    assert_eq!(count(&stage), kept, "a refusal changes nothing");
    let [off] = say(&stage, ALICE, line, "off").await.try_into().unwrap();
    assert!(off.text.contains("is empty now"), "{}", off.text);
    assert_eq!(count(&stage), 0);
    say(&stage, ALICE, line, "short").await;
    say(&stage, BOB, "Hex note 101 bob oak4jay", "mine").await;
    ask(&stage, ALICE, "delete alice fig7elk really").await;
    assert_eq!(count(&stage), 4, "the note of the other player stays");
    stage.close().await;
}

/// Words that nobody but two players reads stand with those that one alone reads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_on_turns_and_players_reach_only_who_may_read_them() {
    const SAID: &str = "basilisk";
    let stage = alice_and_bob().await;
    ask(&stage, CAROL, "signup carol zebra-41").await;
    ask(&stage, ALICE, "Hex challenge alice bob").await;
    ask(&stage, CAROL, "Hex subscribe 101 carol zebra-41").await;
    ask(&stage, ALICE, "Hex move 101 alice fig7elk d4").await;
    ask(&stage, BOB, "Hex move 101 bob oak4jay e5").await;
    ask(&stage, BOB, "Hex resign 101 bob oak4jay").await;
    say(&stage, ALICE, "mynotes alice fig7elk bob", WORD).await;
    say(
        &stage,
        ALICE,
        "Hex note 101 alice fig7elk",
        &format!("on bob: {WORD} too"),
    )
    .await;
    say(
        &stage,
        ALICE,
        "Hex note 101 alice fig7elk",
        &format!("on {WORD}s"),
    )
    .await;
    let [shown] = ask(&stage, ALICE, "Hex show 101").await.try_into().unwrap();
    for words in [
        format!("On bob: {WORD}"),
        format!("{WORD} too"),
        format!("on {WORD}s"),
    ] {
        assert!(shown.text.contains(&words), "{}", shown.text);
    }
    let mut letters = say(
        &stage,
        ALICE,
        "Hex comment 101 alice fig7elk",
        &format!("1 {SAID}"),
    )
    .await;
    assert!(
        letters
            .iter()
            .any(|letter| letter.to.as_str() == BOB && letter.text.contains(SAID))
    );
    assert!(letters.iter().all(|letter| letter.to.as_str() != CAROL));
    // The letter comes back with words for bob: marked as a quotation, and as telephones leave it.
    let quoted: String = shown.text.lines().map(|line| format!("> {line}\n")).collect();
    for below in [quoted, shown.text.clone()] {
        let body = format!("chat Hello bob\n\nOn Friday {SERVER} wrote:\n{below}");
        let mut answer = mail(ALICE, &format!("Re: {}", shown.subject), &body);
        answer.to = answer.to.with_detail(shown.reply_detail.as_deref().unwrap());
        letters.extend(stage.send(&answer).await.1);
    }
    ask(&stage, ALICE, "Hex comment 101 alice fig7elk public").await;
    for (from, by) in [(BOB, "bob oak4jay"), (CAROL, "carol zebra-41")] {
        for line in [
            "Hex show 101".to_owned(),
            "Hex show alice all".to_owned(),
            "all show alice all".to_owned(),
            "Hex record 101".to_owned(),
            "Hex record 101 --sgf".to_owned(),
            "Hex record 101 --json".to_owned(),
            "Hex history alice bob".to_owned(),
            format!("mynotes {by}"),
            format!("Hex note 101 {by}"),
            format!("Hex showas {by} 101"),
            format!("Hex comment 101 {by}"),
        ] {
            letters.extend(ask(&stage, from, &line).await);
        }
    }
    letters.extend(ask(&stage, ALICE, "Hex chat 101 alice fig7elk").await);
    let text = |letter: &Outgoing| {
        let file = letter.attachment.as_ref().map_or("", |(_, text)| text);
        format!("{}\n{}\n{file}", letter.subject, letter.text)
    };
    let to = |address: &str| -> String {
        let of = letters.iter().filter(|letter| letter.to.as_str() == address);
        of.map(text).collect()
    };
    assert!(!to(BOB).contains(WORD), "{}", to(BOB));
    assert!(to(BOB).matches(SAID).count() > 4, "{}", to(BOB));
    assert!(
        to(CAROL).contains("101") && !to(CAROL).contains(WORD),
        "{}",
        to(CAROL)
    );
    assert!(!to(CAROL).contains(SAID), "{}", to(CAROL));
    let reader = stage.server.reader().unwrap();
    let server = Address::parse(SERVER).unwrap();
    for (userid, words) in [
        ("alice", [true, true]),
        ("bob", [false, false]),
        ("carol", [false, false]),
    ] {
        let player = reader.player(userid).unwrap().unwrap();
        let export = reader
            .everything_of(&player, &server, chrono::Utc::now(), 1 << 20)
            .unwrap()
            .unwrap();
        assert_eq!(
            [WORD, SAID].map(|word| export.contains(word)),
            words,
            "{userid}: {export}"
        );
    }
    // Both have agreed, then one has not.
    ask(&stage, BOB, "Hex comment 101 bob oak4jay public").await;
    for (how, is_public) in [("", true), ("private", false)] {
        ask(&stage, BOB, &format!("Hex comment 101 bob oak4jay {how}")).await;
        let shown: String = ask(&stage, CAROL, "Hex show 101")
            .await
            .iter()
            .map(text)
            .collect();
        let record: String = ask(&stage, CAROL, "Hex record 101 --sgf")
            .await
            .iter()
            .map(text)
            .collect();
        assert_eq!(shown.contains(SAID), is_public, "{shown}");
        assert_eq!(
            record.contains(&format!("C[1. alice: {SAID}]")),
            is_public,
            "{record}"
        );
    }
    // All of it goes with its writer's account, and a note with that of whom it is on.
    say(&stage, CAROL, "mynotes carol zebra-41 bob", WORD).await;
    ask(&stage, ALICE, "delete alice fig7elk really").await;
    let count = |table: &str| database::count(stage.data(), &format!("SELECT COUNT(*) FROM {table}"));
    assert_eq!(
        ["own_notes", "turn_comments", "player_notes"].map(count),
        [0, 0, 1]
    );
    ask(&stage, BOB, "delete bob oak4jay really").await;
    assert_eq!(["open_comments", "player_notes"].map(count), [0, 0]);
    drop(reader);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_on_turns_have_bounds_and_a_refusal_changes_nothing() {
    let stage = alice_and_bob().await;
    let kept = || {
        database::count(
            stage.data(),
            "SELECT COALESCE(SUM(LENGTH(words)), 0) FROM turn_comments",
        )
    };
    ask(&stage, ALICE, "Hex challenge alice bob").await;
    for place in 0..10 {
        let column = char::from(b'a' + place);
        ask(&stage, ALICE, &format!("Hex move 101 alice fig7elk {column}1")).await;
        ask(&stage, BOB, &format!("Hex move 101 bob oak4jay {column}3")).await;
    }
    let line = "Hex comment 101 alice fig7elk";
    let refused = async |words: &str, why: &str| {
        let before = kept();
        let letters = say(&stage, ALICE, line, words).await;
        assert!(
            letters.len() == 1 && letters[0].text.contains(why),
            "{words}: {letters:?}"
        );
        assert_eq!(kept(), before, "{words}");
    };
    refused("1 too early", "is not over").await;
    ask(&stage, BOB, "Hex resign 101 bob oak4jay").await;
    for (words, why) in [
        ("0 nothing", "there is no turn 0"),
        ("21 nothing", "has 20 turns, alice: there is no turn 21"),
        ("4294967296 nothing", "Which turn is it"),
        ("-1 nothing", "Which turn is it"),
        ("here I was lost", "Which turn is it"),
        ("3", "Some words are missing"),
        ("3 off", "You have no words on turn 3"),
        ("private", "nothing was changed"),
        ("public", "Nothing is written"),
        ("1 fine\ncomment 30 not fine", "there is no turn 30"),
    ] {
        refused(words, why).await;
    }
    refused(&format!("3 {}", "x".repeat(1001)), "are too long").await;
    for turn in 1..=8 {
        say(&stage, ALICE, line, &format!("{turn} {}", "x".repeat(1000))).await;
    }
    assert_eq!(kept(), 8000);
    refused("9 x", "would be too long").await;
    refused(&format!("8 {}", "x".repeat(1000)), "the same already").await;
    // Another comment on the same turn takes the place of the first.
    say(&stage, ALICE, line, "8 short").await;
    assert_eq!(kept(), 7005);
    say(&stage, ALICE, line, "1 off\ncomment 2 OFF").await;
    assert_eq!(kept(), 5005);
    // Who is blocked writes nothing more, and is not read.
    say(&stage, BOB, "block bob oak4jay alice", "").await;
    refused("9 again", "alice").await;
    let read = ask(&stage, BOB, "Hex show 101").await;
    assert!(!read[0].text.contains("short"), "{}", read[0].text);
    stage.close().await;
}
