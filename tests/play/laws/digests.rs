//! Answers to the daily mail: what its token may do, and that no turn is played on a position that its writer has not
//! seen.

use chrono::TimeDelta;
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::outbox::Queue;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail};
use crate::stage::{Mail, Stage};

/// Runs everything that is due, and gives the daily mail of bob.
async fn daily(stage: &Stage) -> Outgoing {
    stage.pass(TimeDelta::days(1));
    stage.server.engine.do_what_is_due().await.unwrap();
    let letters = stage.collect().await;
    let is_daily =
        |letter: &&Outgoing| letter.subject.starts_with("Your boards, ") && letter.to.as_str() == BOB;
    letters.iter().find(is_daily).unwrap().clone()
}

/// Bob wants daily mails, and is to move on a board of each of these games.
async fn waiting(games: &[&str]) -> (Stage, Outgoing) {
    let stage = alice_and_bob().await;
    ask(&stage, BOB, "set bob oak4jay digest on").await;
    for game in games {
        ask(&stage, ALICE, &format!("{game} challenge bob alice")).await;
    }
    let daily = daily(&stage).await;
    (stage, daily)
}

fn answer<'a>(from: &'a str, to: &Outgoing, body: &'a str) -> Mail<'a> {
    let mut mail = mail(from, &format!("Re: {}", to.subject), body);
    mail.to = mail.to.with_detail(to.reply_detail.as_ref().unwrap());
    mail
}

/// The first lines of the letters to bob.
async fn told(stage: &Stage, mail: &Mail<'_>) -> Vec<String> {
    let (_, letters) = stage.send(mail).await;
    let to_bob = letters.iter().filter(|letter| letter.to.as_str() == BOB);
    to_bob
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

fn turns(stage: &Stage) -> i64 {
    database::count(stage.data(), "SELECT COUNT(*) FROM turns")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_board_needs_no_name_and_several_do() {
    let (stage, daily) = waiting(&["Pow2"]).await;
    let said = told(&stage, &answer(BOB, &daily, "m13-j7\nGood luck!")).await;
    assert_eq!(said, ["You played m13-j7 on Pow2 Board 101."]);
    stage.close().await;

    for (line, played) in [
        ("Pow2 101 m13-j7", "You played m13-j7 on Pow2 Board 101."),
        ("pow2 board 101: m13-j7.", "You played m13-j7 on Pow2 Board 101."),
        (
            "The power of two 101 - m13-j7",
            "You played m13-j7 on Pow2 Board 101.",
        ),
        (
            "Pow2 Board 101 bob m13-j7",
            "You played m13-j7 on Pow2 Board 101.",
        ),
        (
            "Hi Alice,\n\nPow2 101 m13-j7",
            "You played m13-j7 on Pow2 Board 101.",
        ),
        ("101 m13-j7", "Nothing was done, bob: your answer does not say"),
        ("m13-j7", "Nothing was done, bob: your answer does not say"),
        (
            "Thanks for the mail!",
            "Nothing was done, bob: your answer does not say",
        ),
        (
            "b1-a1\nPow2 101 m13-j7",
            "Nothing was done, bob: your answer does not say",
        ),
        (
            "Pow2 109 m13-j7",
            "Nothing was done, bob: your answer does not say",
        ),
        (
            "set bob oak4jay digest off",
            "You will now get a mail for each thing that happens",
        ),
    ] {
        let (stage, daily) = waiting(&["Pow2", "Forms"]).await;
        let said = told(&stage, &answer(BOB, &daily, line)).await.join(" ");
        assert!(said.contains(played), "{line}: {said}");
        let is_played = i64::from(played.starts_with("You played"));
        assert_eq!(turns(&stage), is_played, "{line}: {said}");
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_subject_of_a_board_names_it_as_the_links_do() {
    let (stage, daily) = waiting(&["Pow2", "Forms"]).await;
    let dressed = stage.server.rows.render(daily.clone()).await.unwrap();
    let page = dressed.page.unwrap();
    assert_eq!(page.pictures.len(), 2);
    assert!(page.pictures.iter().all(|png| png.len() < 48 * 1024));
    assert!(page.html.contains("?subject=Pow2%20Board%20101%20bob\""));
    let mut mail = mail(BOB, "Pow2 Board 101 bob", "m13-j7\n");
    mail.to = mail.to.with_detail(daily.reply_detail.as_ref().unwrap());
    assert_eq!(
        told(&stage, &mail).await,
        ["You played m13-j7 on Pow2 Board 101."]
    );
    stage.close().await;
}

/// The turn of an older mail, and one for a position that was taken back since, are not played.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_is_played_only_on_the_position_that_the_mail_showed() {
    let (stage, first) = waiting(&["Pow2"]).await;
    let mail = answer(BOB, &first, "m13-j7");
    assert_eq!(
        told(&stage, &mail).await,
        ["You played m13-j7 on Pow2 Board 101."]
    );
    let (handled, _) = stage.send(&mail).await;
    assert!(matches!(handled, Handled::Duplicate(_)), "{handled:?}");
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk a1-e1").await;
    let second = daily(&stage).await;
    let late = |since: &str| {
        [format!(
            "Not played on Pow2 Board 101, bob: your mail answers an older letter, from before {since}. This is the board \
             now."
        )]
    };
    for text in ["m1-k3", "Pow2 101 m1-k3", "101 m1-k3"] {
        let said = told(&stage, &answer(BOB, &first, text)).await;
        assert_eq!(said, late("your turn m13-j7"), "{text}");
    }
    assert_eq!(turns(&stage), 2);
    // As many turns, and another position.
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk undo").await;
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay accept").await;
    stage.pass(TimeDelta::minutes(1));
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk a13-e13").await;
    assert_eq!(turns(&stage), 2);
    let said = told(&stage, &answer(BOB, &second, "m1-k3")).await;
    assert_eq!(said, late("alice's turn a13-e13"));
    assert_eq!(turns(&stage), 2);
    // Words do not depend on the position.
    let said = told(&stage, &answer(BOB, &second, "chat Hello")).await;
    assert_eq!(said, ["You wrote on Pow2 Board 101."]);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_token_acts_for_its_reader_on_its_boards_alone() {
    let (stage, daily) = waiting(&["Pow2"]).await;
    ask(&stage, "carol@example.org", "signup carol bay5owl").await;
    ask(&stage, ALICE, "Forms challenge bob alice").await;
    ask(&stage, ALICE, "Pow2 challenge carol alice").await;
    // Begun after it, and of others.
    for text in ["Forms 101 b1-a1", "Pow2 102 m13-j7", "Pow2 102 resign"] {
        told(&stage, &answer(BOB, &daily, text)).await;
    }
    // Of another player: the board's name is no right.
    told(&stage, &answer(ALICE, &daily, "Pow2 101 alice a1-e1")).await;
    // The account needs its password.
    for subject in [
        "change password bob rye2cod rye2cod",
        "delete bob",
        "vacation bob 30",
    ] {
        let mut mail = mail(BOB, subject, "");
        mail.to = mail.to.with_detail(daily.reply_detail.as_ref().unwrap());
        told(&stage, &mail).await;
    }
    assert_eq!(turns(&stage), 0);
    let open = database::count(stage.data(), "SELECT COUNT(*) FROM boards WHERE ended_at IS NULL");
    assert_eq!(open, 3);
    // From any address; the answer goes to the account's.
    let mail = answer("phone@elsewhere.example", &daily, "m13-j7");
    assert_eq!(
        told(&stage, &mail).await,
        ["You played m13-j7 on Pow2 Board 101."]
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_password_ends_it_and_without_a_token_only_its_reader_answers() {
    let (stage, daily) = waiting(&["Pow2"]).await;
    let without_token = |from| {
        let mut mail = mail(from, &format!("Re: {}", daily.subject), "m13-j7");
        mail.header
            .push_str(&format!("In-Reply-To: <{}>\r\n", daily.message_id));
        mail
    };
    stage.send(&without_token(ALICE)).await;
    assert_eq!(turns(&stage), 0);
    ask(&stage, BOB, "change password bob oak4jay rye2cod").await;
    let said = told(&stage, &answer(BOB, &daily, "m13-j7")).await;
    assert!(
        said.concat()
            .starts_with("Nothing was done: the address that you answered to is no longer valid"),
        "{said:?}"
    );
    assert_eq!(turns(&stage), 0);
    stage.send(&without_token(BOB)).await;
    assert_eq!(turns(&stage), 1);
    stage.close().await;
}

/// Some programs quote without a mark. The examples in the mail are legal turns.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_examples_of_the_mail_itself_are_not_played() {
    let (stage, daily) = waiting(&["Pow2", "Forms"]).await;
    let text = format!("Thank you, later.\n\n{}", daily.text);
    told(&stage, &answer(BOB, &daily, &text)).await;
    assert_eq!(turns(&stage), 0);
    stage.close().await;
}
