//! Accounts: who owns an address, and what authenticates a command.

use pbmserv::engine::Job;
use pbmserv_core::command::{Proof, Proofs, Secret};
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_games::GAMES;
use pbmserv_mail::doors::{Intake, Verdict};
use std::sync::Arc;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail};
use crate::stage::{Mail, Stage};

/// A server on which alice has signed up, and the question that she was asked.
pub(super) async fn asked() -> (Stage, Outgoing) {
    let stage = Stage::open(|_| ());
    let mut letters = ask(&stage, ALICE, "signup alice fig7elk").await;
    assert_eq!(letters.len(), 1);
    (stage, letters.remove(0))
}

pub(super) fn is_confirmed(stage: &Stage) -> bool {
    database::count(stage.data(), "SELECT COUNT(confirmed_at) FROM addresses") > 0
}

/// The answer `confirm`, to the question's Reply-To if `detail` is there.
pub(super) fn confirm<'a>(
    from: &'a str,
    question: &Outgoing,
    detail: Option<&str>,
    answers: bool,
) -> Mail<'a> {
    let mut mail = mail(
        from,
        &format!("Re: {}", question.subject),
        "Confirm!\n\n> Somebody, we hope you\n",
    );
    if let Some(detail) = detail {
        mail.to = mail.to.with_detail(detail);
    }
    if answers {
        mail.header
            .push_str(&format!("In-Reply-To: <{}>\r\n", question.message_id));
    }
    mail
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_owner_of_an_address_confirms_it() {
    let (stage, question) = asked().await;
    let token = question.reply_detail.clone().unwrap();
    let mut automatic = confirm(ALICE, &question, Some(&token), true);
    automatic.header.push_str("Auto-Submitted: auto-replied\r\n");
    stage.send(&automatic).await;
    assert!(!is_confirmed(&stage), "an automatic answer");
    stage.send(&confirm(BOB, &question, None, true)).await;
    assert!(!is_confirmed(&stage), "from another address without the token");
    stage.send(&confirm(BOB, &question, None, false)).await;
    assert!(!is_confirmed(&stage), "a fresh mail from another address");
    let (number, tag) = token.split_once('-').unwrap();
    let other = if tag.starts_with('a') { "b" } else { "a" };
    let forged = [
        format!("{number}-{other}{}", &tag[1..]),
        format!("{number}-"),
        format!("{number}-{}", &tag[..8]),
        format!("x{}-{tag}", &number[1..]),
        format!("cai-{tag}"),
        "-".to_owned(),
        "c".to_owned(),
    ];
    for forged in forged {
        stage.send(&confirm(BOB, &question, Some(&forged), false)).await;
        assert!(!is_confirmed(&stage), "{forged}");
    }
    let mut unsaid = confirm(ALICE, &question, Some(&token), true);
    unsaid.body = "I will not confirm this\n";
    stage.send(&unsaid).await;
    assert!(!is_confirmed(&stage), "the word is missing");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_confirms_in_any_case_and_twice_is_once() {
    let (stage, question) = asked().await;
    let token = question.reply_detail.clone().unwrap().to_uppercase();
    let (_, letters) = stage
        .send(&confirm("elsewhere@example.net", &question, Some(&token), false))
        .await;
    assert!(is_confirmed(&stage));
    assert_eq!((letters.len(), letters[0].to.as_str()), (1, ALICE));
    assert!(letters[0].subject.starts_with("Welcome to "));
    let before = database::lasting(stage.data());
    let (_, letters) = stage.send(&confirm(ALICE, &question, Some(&token), true)).await;
    assert!(
        letters[0]
            .text
            .starts_with("This address is confirmed already, alice.")
    );
    assert_eq!(database::lasting(stage.data()), before);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_whose_token_was_dropped_confirms_by_what_it_answers() {
    let (stage, question) = asked().await;
    let (_, letters) = stage.send(&confirm(ALICE, &question, None, true)).await;
    assert!(is_confirmed(&stage) && letters[0].subject.starts_with("Welcome to "));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_not_confirmed_gets_no_board_and_cannot_be_challenged() {
    let (stage, _) = asked().await;
    let letters = ask(
        &stage,
        ALICE,
        &format!("{} challenge alice alice", GAMES[0].facts.name),
    )
    .await;
    assert!(
        letters[0].text.contains("has not confirmed an address"),
        "{}",
        letters[0].text
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stored_password_is_an_argon2id_hash() {
    let stage = alice_and_bob().await;
    let hash = database::text(
        stage.data(),
        "SELECT password_hash FROM players WHERE userid = 'alice'",
    );
    assert!(hash.starts_with("$argon2id$v=19$m="), "{hash}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proof_against_another_hash_proves_nothing_and_is_made_again() {
    let stage = alice_and_bob().await;
    let before = database::dump(stage.data());
    let bobs = database::text(
        stage.data(),
        "SELECT password_hash FROM players WHERE userid = 'bob'",
    );
    let proof = |checked, fresh| Proof {
        userid_key: "alice".into(),
        password: Secret("oak4jay".into()),
        checked,
        fresh,
    };
    let stale = [
        Proofs::default(),
        Proofs(vec![proof(Some((bobs.clone(), true)), None)]),
        Proofs(vec![proof(None, Some(bobs))]),
    ];
    for proofs in stale {
        let message = mail(ALICE, "set alice oak4jay small", "").message();
        let request = Arc::new(stage.server.read("smtp", &message).unwrap());
        let job = Job {
            request,
            proofs,
            is_rehearsal: false,
            wants_letters: false,
        };
        let handled = stage.server.engine.handle(job).await.unwrap().handled;
        assert!(matches!(handled, Handled::Check(_)), "{handled:?}");
    }
    assert_eq!(
        database::dump(stage.data()),
        before,
        "a mail that is checked again is not recorded yet"
    );
    let refused = ask(&stage, ALICE, "set alice oak4jay small").await;
    assert!(refused[0].text.starts_with("That is not the password of alice."));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_stays_wrong_beside_the_right_one() {
    let stage = alice_and_bob().await;
    for (password, is_right) in [
        ("fig7elk", true),
        ("Fig7elk", false),
        ("fig7elk", true),
        ("oak4jay", false),
        ("fig7elk1", false),
    ] {
        let letters = ask(&stage, ALICE, &format!("set alice {password}")).await;
        let is_proven = letters[0].text.starts_with("These are your settings");
        assert_eq!(is_proven, is_right, "{password}");
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_who_want_one_userid_at_once_one_gets_it_and_the_other_is_told() {
    let stage = Stage::open(|config| config.accounts.confirm = false);
    for round in 0..4 {
        let lines = [
            format!("signup carol{round} mistaken"),
            format!("signup CAROL{round} bay5owl3"),
        ];
        let door = stage.server.door("smtp");
        let [one, other] = [ALICE, BOB].map(|from| from);
        let (a, b) = tokio::join!(
            door.submit(mail(one, &lines[0], "").message()),
            door.submit(mail(other, &lines[1], "").message())
        );
        assert!(matches!((a, b), (Verdict::Accepted(_), Verdict::Accepted(_))));
        drop(door);
        let letters = stage.collect().await;
        let count = |begin: &str| {
            letters
                .iter()
                .filter(|letter| letter.text.starts_with(begin))
                .count()
        };
        assert_eq!((count("Welcome, "), count("The userid ")), (1, 1));
    }
    assert_eq!(
        database::count(stage.data(), "SELECT COUNT(*) FROM players WHERE id > 0"),
        4
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signup_and_a_command_with_its_password_may_come_together() {
    let stage = Stage::open(|config| config.accounts.confirm = false);
    for round in 0..4 {
        let door = stage.server.door("smtp");
        let (signup, set) = (
            format!("signup dave{round} fir3yak4"),
            format!("set dave{round} fir3yak4 small"),
        );
        let (a, b) = tokio::join!(
            door.submit(mail(ALICE, &signup, "").message()),
            door.submit(mail(ALICE, &set, "").message())
        );
        assert!(matches!((a, b), (Verdict::Accepted(_), Verdict::Accepted(_))));
    }
    let letters = stage.collect().await;
    assert_eq!(letters.len(), 8);
    assert_eq!(
        letters
            .iter()
            .filter(|letter| letter.text.starts_with("Welcome, "))
            .count(),
        4
    );
    assert!(
        letters
            .iter()
            .all(|letter| !letter.text.contains("not the password"))
    );
    stage.close().await;
}
