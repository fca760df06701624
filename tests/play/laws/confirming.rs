//! What the answers to a confirmation question do: yes, no, nothing, and anything else.

use pbmserv_core::store::Outgoing;

use super::accounts::{asked, confirm, is_confirmed};
use super::{ALICE, BOB, ask, database, mail};
use crate::stage::{Mail, Stage};

/// The users and the confirmed addresses, each on a line.
fn accounts_of(stage: &Stage) -> Vec<String> {
    let sql = "SELECT userid, COALESCE(address, ''), CASE WHEN confirmed_at IS NULL THEN 0 ELSE 1 END FROM players \
               LEFT JOIN addresses ON player = players.id WHERE players.id > 0 AND deleted_at IS NULL ORDER BY players.id";
    let found = crate::stage::database::rows(stage.data(), sql);
    found.iter().map(|row| row.join(" ")).collect()
}

/// The answer with this text to the address of the token, as a reply.
fn said<'a>(from: &'a str, question: &Outgoing, body: &'a str) -> Mail<'a> {
    Mail {
        body,
        ..confirm(from, question, question.reply_detail.as_deref(), true)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_plain_yes_confirms_and_a_blank_reply_too() {
    for body in [
        "Yes",
        "ok\n",
        "Hi,\nconfirm\n",
        "Ja, das bin ich.",
        "",
        "\n\n> Somebody\n",
        "Sent from my iPhone\n",
    ] {
        let (stage, question) = asked().await;
        let (_, letters) = stage.send(&said(ALICE, &question, body)).await;
        assert!(is_confirmed(&stage), "{body:?}");
        assert_eq!((letters.len(), letters[0].to.as_str()), (1, ALICE), "{body:?}");
        stage.close().await;
    }
}

/// A blank mail confirms only as a person sends it: with the token, in reply to the question, and with nothing added.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blank_mail_that_is_no_persons_reply_confirms_nothing() {
    let (stage, question) = asked().await;
    let blank = |detail: Option<&str>, answers: bool| Mail {
        body: "",
        ..confirm(ALICE, &question, detail, answers)
    };
    let token = question.reply_detail.as_deref();
    for field in [
        "Auto-Submitted: auto-replied",
        "Precedence: bulk",
        "X-Autoreply: yes",
    ] {
        let mut mail = blank(token, true);
        mail.header.push_str(&format!("{field}\r\n"));
        stage.send(&mail).await;
        assert!(!is_confirmed(&stage), "{field}");
    }
    for kind in [
        "multipart/encrypted; boundary=b",
        "multipart/mixed; boundary=b",
        "image/png",
    ] {
        let mut message = blank(token, true).message();
        let text = String::from_utf8(message.bytes.to_vec()).unwrap();
        let text = text.replacen("text/plain; charset=utf-8", kind, 1);
        message.bytes = text.into_bytes().into();
        stage.take(&message).await;
        assert!(!is_confirmed(&stage), "{kind}");
    }
    stage.send(&blank(token, false)).await;
    assert!(!is_confirmed(&stage), "no reply");
    stage.send(&blank(None, true)).await;
    assert!(!is_confirmed(&stage), "no token");
    let below = "-----Original Message-----\nSomebody, we hope you\nI have not done that\n";
    stage.send(&said(ALICE, &question, below)).await;
    assert!(
        !is_confirmed(&stage),
        "an answer below a message that is repeated without marks"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_no_removes_the_account_at_once_and_says_so() {
    for body in ["no", "Not me!", "Nein, das war ich nicht."] {
        let (stage, question) = asked().await;
        let (_, letters) = stage.send(&said(ALICE, &question, body)).await;
        assert_eq!((letters.len(), letters[0].to.as_str()), (1, ALICE), "{body}");
        assert!(
            letters[0].text.starts_with("The account alice was removed"),
            "{}",
            letters[0].text
        );
        assert!(accounts_of(&stage).is_empty(), "{body}");
        let (_, late) = stage.send(&said(ALICE, &question, "Yes")).await;
        assert!(late[0].text.starts_with("There is nothing to confirm any more"));
        assert!(accounts_of(&stage).is_empty());
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_no_takes_nothing_that_is_confirmed() {
    let (stage, question) = asked().await;
    stage.send(&said(ALICE, &question, "no, wait, yes")).await;
    assert_eq!(accounts_of(&stage), ["alice alice@example.org 0"]);
    stage.send(&said(ALICE, &question, "yes")).await;
    let (_, letters) = stage.send(&said(BOB, &question, "no")).await;
    assert_eq!((letters.len(), letters[0].to.as_str()), (1, ALICE));
    assert!(
        letters[0].text.starts_with("Nothing was changed"),
        "{}",
        letters[0].text
    );
    assert_eq!(accounts_of(&stage), ["alice alice@example.org 1"]);
    // An address that was added goes alone, and the tokens of the account stay.
    let letters = ask(&stage, ALICE, "add alice fig7elk new@example.net").await;
    let new = letters
        .iter()
        .find(|letter| letter.to.as_str() == "new@example.net")
        .unwrap();
    let generation = || database::count(stage.data(), "SELECT generation FROM players WHERE id > 0");
    let before = generation();
    let (_, letters) = stage.send(&said("new@example.net", new, "no")).await;
    assert_eq!((letters.len(), letters[0].to.as_str()), (1, "new@example.net"));
    assert_eq!(accounts_of(&stage), ["alice alice@example.org 1"]);
    assert_eq!(generation(), before);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_no_without_a_proof_does_nothing() {
    let (stage, question) = asked().await;
    let plain = Mail {
        body: "no",
        ..confirm(ALICE, &question, None, false)
    };
    stage.send(&plain).await;
    let other = Mail {
        body: "no",
        ..confirm(BOB, &question, None, true)
    };
    stage.send(&other).await;
    assert_eq!(accounts_of(&stage), ["alice alice@example.org 0"]);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_director_is_not_removed_by_a_no() {
    let stage = Stage::open(|config| config.server.directors = vec!["Alice".into()]);
    let question = ask(&stage, ALICE, "signup alice fig7elk").await.remove(0);
    stage.send(&said(ALICE, &question, "no")).await;
    let users = database::users(stage.data());
    assert_eq!(users, ["alice".to_owned()].into());
    stage.close().await;
}

/// A program that marks its mails in no way ends with the questions of the day.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_other_answer_is_asked_again_and_the_last_question_of_the_day_says_so() {
    let (stage, question) = asked().await;
    let mut last = question;
    for is_last in [false, true] {
        let body = "I am in a meeting.";
        let (_, mut letters) = stage.send(&said(BOB, &last, body)).await;
        assert_eq!((letters.len(), letters[0].to.as_str()), (1, ALICE));
        last = letters.remove(0);
        assert!(
            last.text
                .starts_with("Nothing was done yet: an answer to this mail counts"),
            "{}",
            last.text
        );
        assert_eq!(last.text.contains("not answered today"), is_last, "{}", last.text);
    }
    let (_, letters) = stage.send(&said(ALICE, &last, "I am still there.")).await;
    assert!(letters.is_empty(), "{letters:?}");
    stage.send(&said(ALICE, &last, "Yes")).await;
    assert!(is_confirmed(&stage), "a yes counts always");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fresh_confirm_that_nothing_authenticates_has_the_question_asked_again() {
    let (stage, _) = asked().await;
    for (from, subject, body) in [
        (BOB, "confirm", ""),
        (ALICE, "yes", ""),
        (ALICE, "", "ok\n"),
        (ALICE, "Please confirm", ""),
        (ALICE, "confirm", "What is this?\n"),
    ] {
        stage.send(&mail(from, subject, body)).await;
        assert!(!is_confirmed(&stage), "{subject} {body}");
    }
    let mut doubted = mail(ALICE, "confirm", "").message();
    doubted.envelope.sender = Some("mallory@elsewhere.example".parse().unwrap());
    stage.take(&doubted).await;
    assert!(!is_confirmed(&stage), "its sender is not believed");
    let (_, letters) = stage.send(&mail(ALICE, "confirm", "")).await;
    assert!(!is_confirmed(&stage), "anybody can write that sender");
    let [again] = letters.as_slice() else {
        panic!("{letters:?}")
    };
    stage.send(&said(ALICE, again, "confirm")).await;
    assert!(is_confirmed(&stage));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fresh_confirm_with_two_open_questions_confirms_none() {
    let (stage, _) = asked().await;
    ask(&stage, ALICE, "signup alina oak4jay").await;
    let letters = ask(&stage, ALICE, "confirm").await;
    assert!(!is_confirmed(&stage));
    assert_eq!((letters.len(), letters[0].to.as_str()), (1, ALICE));
    assert!(
        letters[0].text.starts_with("Nothing was confirmed"),
        "{}",
        letters[0].text
    );
    stage.close().await;
}

/// Its writer has proven nothing but to receive mail at an address of whatever account.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_of_commands_to_the_address_of_a_question_is_a_strangers() {
    let (stage, question) = asked().await;
    stage.send(&said(ALICE, &question, "help\nlist\n")).await;
    let proven = database::count(stage.data(), "SELECT COUNT(*) FROM inbox WHERE proven = 1");
    assert_eq!((is_confirmed(&stage), proven), (false, 0));
    stage.close().await;
}
