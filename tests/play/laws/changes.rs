//! Changes of an account while boards, questions and tokens are open.

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::stage::{Mail, Stage};

/// The answer to a list of commands, without blank lines.
async fn list(stage: &Stage, from: &str, commands: &str) -> String {
    let letters = say(stage, from, "batch", commands).await;
    let answer = letters
        .iter()
        .find(|letter| letter.subject.contains("command"))
        .unwrap();
    answer
        .text
        .lines()
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_may_change_a_password_and_go_on_with_the_new_one() {
    let stage = alice_and_bob().await;
    let reply = list(
        &stage,
        ALICE,
        "set alice other2 small\nchange password alice fig7elk other2\nset alice fig7elk\nset alice other2 small\n\
         change password alice other2 other3\nchange password alice other2 other4\nchange password alice other3 \
         example\nset alice example\nset alice other3 large\n",
    )
    .await;
    let refused = reply.matches("That is not the password of alice.").count();
    assert_eq!(refused, 4, "{reply}");
    assert_eq!(reply.matches("You have a new password.").count(), 2, "{reply}");
    assert!(reply.contains("The password is a part of your userid or address"));
    assert!(
        reply.ends_with("You will now get the large board of all games."),
        "{reply}"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_may_erase_an_account_and_begin_it_anew() {
    let stage = alice_and_bob().await;
    let reply = list(
        &stage,
        ALICE,
        "delete alice fig7elk really\nsignup alice fig7elk alice@example.org\nset alice fig7elk small\nsignoff alice fig7elk\n\
         signup alice fig7elk\n",
    )
    .await;
    assert!(
        reply.contains("The 5 commands in your mail were done."),
        "{reply}"
    );
    let players = "SELECT COUNT(*) FROM players WHERE id > 0 AND deleted_at IS NULL AND away_since IS NULL";
    assert_eq!(database::count(stage.data(), players), 2);
    assert_eq!(
        database::count(stage.data(), "SELECT COUNT(*) FROM players WHERE id > 0"),
        3
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_game_that_a_signoff_gives_up_counts() {
    let stage = alice_and_bob().await;
    for number in 101..104 {
        ask(&stage, ALICE, "Pow2 challenge alice bob").await;
        ask(&stage, ALICE, &format!("Pow2 move {number} alice fig7elk m13-m5")).await;
        ask(&stage, BOB, &format!("Pow2 move {number} bob oak4jay a1-e1")).await;
    }
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let letters = ask(&stage, BOB, "signoff bob oak4jay").await;
    assert_eq!(letters.len(), 5);
    assert!(
        letters[4]
            .text
            .contains("3 boards are resigned, and one board is")
            && letters.iter().all(|letter| !letter.text.contains("fault")),
        "{}",
        letters[4].text
    );
    let data = stage.data();
    assert_eq!(
        database::count(data, "SELECT won FROM ratings WHERE player = 1"),
        3
    );
    assert_eq!(
        database::count(data, "SELECT lost FROM ratings WHERE player = 2"),
        3
    );
    assert_eq!(
        database::count(data, "SELECT COUNT(*) FROM boards WHERE ended_at IS NULL"),
        0
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mailbox_that_was_taken_from_an_account_answers_for_it_no_more() {
    for has_token in [true, false] {
        let stage = alice_and_bob().await;
        ask(&stage, ALICE, "add alice fig7elk old@example.net").await;
        let letters = ask(&stage, BOB, "Pow2 challenge alice bob").await;
        let old = letters
            .iter()
            .find(|letter| letter.to.as_str() == "old@example.net")
            .unwrap();
        ask(&stage, ALICE, "remove alice fig7elk old@example.net").await;
        let mut to = mail(ALICE, "", "").to;
        if has_token {
            to = to.with_detail(old.reply_detail.as_deref().unwrap());
        }
        let mut header = mail("", "Re: Pow2 Board 101 alice", "").header;
        header.push_str(&format!("In-Reply-To: <{}>\r\n", old.message_id));
        let answer = Mail {
            from: "old@example.net",
            to,
            header,
            body: "m13-m5\n",
        };
        stage.send(&answer).await;
        assert_eq!(
            database::count(stage.data(), "SELECT COUNT(*) FROM turns"),
            0,
            "{has_token}"
        );
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_tells_nobody_whether_there_is_such_a_player() {
    let stage = alice_and_bob().await;
    let here = list(&stage, "stranger@example.net", "forgot alice\nlist\n").await;
    let nowhere = list(&stage, "stranger@example.net", "forgot nobody\nlist\n").await;
    assert_eq!(here, nowhere);
    stage.close().await;
}
