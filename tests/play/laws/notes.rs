//! Private notes: kept as they were written, and read by nobody else.

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::stage::SERVER;

/// A word of the note that stands nowhere else.
const WORD: &str = "hippogriff";

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
