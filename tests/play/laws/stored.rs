//! What is stored of a letter, and what is sent: the same at each attempt.

use chrono::TimeDelta;
use pbmserv_mail::outbox::{Outcome, Outgoing, Queue, SettledMail};

use super::{ALICE, BOB, Stage, alice_and_bob, mail};

/// The mails that are due, rendered, and whether each is to have HTML.
async fn rendered(stage: &Stage) -> Vec<Outgoing<bool>> {
    let rows = &stage.server.rows;
    let mut rendered = Vec::new();
    for letter in rows.due(stage.server.now(), 1000).await.unwrap() {
        let has_html = letter.draft.as_ref().unwrap().has_html;
        rendered.push(rows.render(letter).await.unwrap().with_draft(has_html));
    }
    rendered
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_letter_is_the_same_at_each_attempt() {
    let stage = alice_and_bob().await;
    let text = "Hello, bob\n";
    for (from, line, text) in [
        (ALICE, "Pow2 challenge alice bob", text),
        (ALICE, "Pow2 move 101 alice fig7elk m13-m5", text),
        (BOB, "Pow2 move 101 bob oak4jay m13-m5", ""),
        (BOB, "Pow2 mvoe 101", ""),
        (BOB, "Pow2 record 101", ""),
        (BOB, "set bob oak4jay digest on", ""),
        (ALICE, "message alice fig7elk bob", text),
        (ALICE, "add alice fig7elk new@home.example", ""),
        (ALICE, "forgot alice", ""),
        (BOB, "Pow2 games bob", ""),
        (BOB, "help", ""),
        (ALICE, "multiple", "Pow2 show 101\nwho\n"),
        ("carol@elsewhere.example", "signup carol bay5owl", ""),
    ] {
        let request = stage
            .server
            .read("smtp", &mail(from, line, text).message())
            .unwrap();
        stage.server.handle(request, false, false).await.unwrap();
    }
    let first = rendered(&stage).await;
    let mut kinds: Vec<_> = first.iter().map(|letter| letter.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in ["board", "done", "forgot", "help", "listing", "message", "notdone"] {
        assert!(kinds.contains(&kind), "{kind} is not among {kinds:?}");
    }
    let deferred = first.iter().map(|letter| SettledMail {
        id: letter.id,
        outcome: Outcome::Deferred {
            until: stage.server.now() + TimeDelta::days(4),
            why: "busy".into(),
        },
    });
    stage.server.rows.settle(deferred.collect()).await.unwrap();
    stage.pass(TimeDelta::days(4));
    let now = stage.server.now();
    let data = stage.close().await;
    // The next letters have other names, and it is another process.
    let stage = Stage::open_in(data, now, 2, |config| config.accounts.confirm = false);
    let mut second = Vec::new();
    // Of those that unproven mails have caused only a few are due at a time.
    loop {
        let some = rendered(&stage).await;
        if some.is_empty() {
            break;
        }
        stage.settle(&some).await;
        second.extend(some);
    }
    for first in &first {
        let again = second.iter().find(|again| again.id == first.id).unwrap();
        let again = Outgoing {
            attempts: first.attempts,
            ..again.clone()
        };
        assert_eq!(
            (&again.text, &again.page),
            (&first.text, &first.page),
            "{}",
            first.kind
        );
        assert_eq!(again, *first);
        assert_eq!(first.page.is_some(), first.draft);
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_whose_letter_or_address_is_damaged_fails_alone() {
    let stage = alice_and_bob().await;
    for line in ["help", "who", "games"] {
        let request = stage
            .server
            .read("smtp", &mail(ALICE, line, "").message())
            .unwrap();
        stage.server.handle(request, false, false).await.unwrap();
    }
    let now = stage.server.now();
    let data = stage.close().await;
    let waiting = "SELECT MIN(id) FROM outbox WHERE state = 'waiting'";
    // No letter begins so.
    let sql = format!("UPDATE outbox SET letter = substr(letter, 5) WHERE id = ({waiting})");
    assert_eq!(crate::stage::database::change(data.path(), &sql), 1);
    let waiting = waiting.replace("MIN", "MAX");
    let sql = format!("UPDATE outbox SET recipient = 'no address' WHERE id = ({waiting})");
    assert_eq!(crate::stage::database::change(data.path(), &sql), 1);
    let stage = Stage::open_in(data, now, 2, |config| config.accounts.confirm = false);
    let rows = &stage.server.rows;
    let due = rows.due(stage.server.now(), 10).await.unwrap();
    let [damaged, other, nowhere] = due.try_into().unwrap();
    let mut outcomes = Vec::new();
    for mail in [damaged, nowhere] {
        let id = mail.id;
        let why = rows.render(mail).await.unwrap_err();
        outcomes.push(SettledMail {
            id,
            outcome: Outcome::Failed { why },
        });
    }
    assert!(!rows.render(other).await.unwrap().text.is_empty());
    rows.settle(outcomes).await.unwrap();
    let left = rows.due(stage.server.now(), 10).await.unwrap();
    assert_eq!(left.len(), 1);
    stage.close().await;
}
