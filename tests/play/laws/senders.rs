//! Authenticated senders (`[auth] require = "dmarc"`): what a forged sender can do.

use pbmserv_core::command::{Argument, COMMANDS};
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_games::GAMES;

use super::{ALICE, BOB, database, examples, mail};
use crate::stage::{Mail, Stage};

/// The field that our mail server writes at the top.
fn word(verdict: &str, from: &str) -> String {
    let domain = from.split_once('@').unwrap().1;
    format!("Authentication-Results: mx.games.example; dmarc={verdict} header.from={domain}\r\n")
}

async fn open(confirm: bool) -> Stage {
    let stage = Stage::open(|config| {
        config.accounts.confirm = confirm;
        config.auth.require = "dmarc".into();
        config.auth.authserv_id = "mx.games.example".into();
    });
    for (from, line) in [(ALICE, "signup alice fig7elk"), (BOB, "signup bob oak4jay")] {
        assert_eq!(send(&stage, from, &word("pass", from), line).await.len(), 1);
    }
    stage
}

/// A mail with these fields above its own.
async fn send(stage: &Stage, from: &str, fields: &str, subject: &str) -> Vec<Outgoing> {
    let plain = mail(from, subject, "");
    let header = format!("{fields}{}", plain.header);
    let (handled, letters) = stage.send(&Mail { header, ..plain }).await;
    assert!(matches!(handled, Handled::Recorded(_)));
    letters
}

fn last_fate(stage: &Stage) -> String {
    let sql = "SELECT state || ': ' || COALESCE(reason, '') FROM inbox ORDER BY id DESC LIMIT 1";
    database::text(stage.data(), sql)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sender_for_whom_nobody_vouches_gets_no_answer_and_changes_nothing() {
    let stage = open(false).await;
    let (pass, fail) = (word("pass", ALICE), word("fail", ALICE));
    let theirs = pass.replace("mx.games.example", "mx.evil.example");
    for fields in [
        String::new(),
        fail.clone(),
        theirs.clone(),
        // A forged field is below the one that our server wrote.
        format!("{fail}{pass}"),
        word("pass", "alice@elsewhere.example"),
    ] {
        for line in [
            "Forms challenge alice bob",
            "help",
            "list",
            "nonsense",
            "signup carol bay5owl",
            "forgot bob",
            "message alice mistaken bob",
            "",
        ] {
            let mut letters = send(&stage, ALICE, &fields, line).await;
            // The owner of an account is told of guesses.
            letters.retain(|letter| letter.subject != "Wrong passwords for alice");
            assert!(letters.is_empty(), "{line}: {letters:?}");
            assert_eq!(last_fate(&stage), "dropped: its sender is not authenticated");
        }
    }
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM boards"), 0);
    assert_eq!(
        database::count(stage.data(), "SELECT COUNT(*) FROM players WHERE id > 0"),
        2
    );
    assert_eq!(
        send(
            &stage,
            ALICE,
            &format!("{theirs}{pass}{fail}"),
            "Forms challenge alice bob"
        )
        .await
        .len(),
        2,
        "only the topmost of our own server counts"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passwords_and_tokens_count_whoever_sends_them() {
    let stage = open(false).await;
    // Wrong passwords are counted even if no answer is sent.
    let letters = send(&stage, ALICE, "", "set alice fig7elk small").await;
    assert_eq!(
        letters[0].to.as_str(),
        ALICE,
        "the answer goes to the player's own address"
    );
    let begun = send(
        &stage,
        ALICE,
        &word("pass", ALICE),
        "Forms challenge alice bob -size=4",
    )
    .await;
    let to_bob = begun.iter().find(|letter| letter.to.as_str() == BOB).unwrap();
    let header = format!(
        "Message-ID: <by-id@x>\r\nSubject: Re: {}\r\nIn-Reply-To: <{}>\r\n",
        to_bob.subject, to_bob.message_id
    );
    let by_id = Mail {
        header,
        ..mail(BOB, "", "resign\n")
    };
    assert!(
        stage.send(&by_id).await.1.is_empty(),
        "a Message-ID is no secret of bob's"
    );
    let by_token = Mail {
        to: stage
            .server
            .address
            .with_detail(to_bob.reply_detail.as_deref().unwrap()),
        ..mail(BOB, "", "resign\n")
    };
    let letters = stage.send(&by_token).await.1;
    assert!(letters[0].text.starts_with("bob declined"), "{}", letters[0].text);
    for _ in 0..6 {
        let letters = send(&stage, "forged@example.net", "", "set alice mistaken small").await;
        assert!(letters.iter().all(|letter| letter.to.as_str() == ALICE));
    }
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM guesses"), 5);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long: make long"]
async fn every_command_with_a_right_password_is_heard_whoever_sends_it() {
    for command in COMMANDS.iter() {
        if !command.arguments.contains(&Argument::Password) {
            continue;
        }
        let stage = open(false).await;
        send(&stage, ALICE, &word("pass", ALICE), "Pow2 challenge alice bob").await;
        let line = &examples(command, &GAMES[0])[0];
        send(&stage, ALICE, "", line).await;
        let fate = last_fate(&stage);
        assert!(!fate.starts_with("dropped"), "{line}: {fate}");
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_confirmation_needs_its_token_or_an_authenticated_sender() {
    let stage = open(true).await;
    let question = |letters: Vec<Outgoing>| letters.into_iter().next().unwrap();
    let asked = question(
        send(
            &stage,
            "carol@example.org",
            &word("pass", ALICE),
            "signup carol bay5owl",
        )
        .await,
    );
    let header = |fields: &str, id: u32| {
        format!(
            "{fields}Message-ID: <confirm-{id}@x>\r\nIn-Reply-To: <{}>\r\n",
            asked.message_id
        )
    };
    let confirmed = || {
        let sql = "SELECT COUNT(*) FROM addresses WHERE confirmed_at IS NOT NULL";
        database::count(stage.data(), sql)
    };
    let carol = mail("carol@example.org", "", "confirm\n");
    let forged = Mail {
        header: header("", 1),
        to: carol.to.clone(),
        ..carol
    };
    assert!(stage.send(&forged).await.1.is_empty());
    assert_eq!(confirmed(), 0);
    let genuine = Mail {
        header: header(&word("pass", ALICE), 2),
        ..forged
    };
    assert_eq!(stage.send(&genuine).await.1.len(), 1);
    assert_eq!(confirmed(), 1);
    let dan = "dan@example.org";
    send(&stage, dan, &word("pass", ALICE), "signup dan fir3yak").await;
    let welcome = send(&stage, dan, &word("pass", ALICE), "confirm").await;
    assert!(welcome[0].subject.starts_with("Welcome to "), "{welcome:?}");
    assert_eq!(confirmed(), 2, "a new mail, from the address with the question");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_goes_to_the_sender_who_is_authenticated_and_to_no_other() {
    let stage = open(false).await;
    // Mallory's domain passes, and the envelope names a victim.
    let mut message = Mail {
        header: format!(
            "{}Message-ID: <victim@x>\r\nSubject: help\r\n",
            word("pass", "m@evil.example")
        ),
        ..mail("victim@example.org", "", "")
    }
    .message();
    let text = String::from_utf8(message.bytes.to_vec()).unwrap();
    message.bytes = text
        .replacen("From: victim@example.org", "From: m@evil.example", 1)
        .into_bytes()
        .into();
    let (_, letters) = stage.take(&message).await;
    let to: Vec<_> = letters.iter().map(|letter| letter.to.as_str()).collect();
    assert_eq!(to, ["m@evil.example"]);
    let recorded = database::text(
        stage.data(),
        "SELECT sender || ' ' || header_from FROM inbox ORDER BY id DESC LIMIT 1",
    );
    assert_eq!(recorded, "victim@example.org m@evil.example");
    // An unauthenticated envelope sender is not a player.
    let text = text.replacen("From: victim@example.org", "From: m@evil.example", 1);
    message.envelope.sender = Some(ALICE.parse().unwrap());
    message.bytes = text
        .replace("Subject: help", "Subject: Forms challenge alice bob")
        .into_bytes()
        .into();
    let (_, letters) = stage.take(&message).await;
    let to: Vec<_> = letters.iter().map(|letter| letter.to.as_str()).collect();
    assert_eq!(to, [ALICE, "m@evil.example"], "alice is asked first");
    let boards = database::count(stage.data(), "SELECT COUNT(*) FROM boards");
    assert_eq!(boards, 0);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_asked_for_is_confirmed_by_the_token_of_its_question_only() {
    let stage = open(false).await;
    let boards = || database::count(stage.data(), "SELECT COUNT(*) FROM boards");
    let mallory = "m@evil.example";
    let asked = async |line: &str| {
        let letters = send(&stage, mallory, &word("pass", mallory), line).await;
        let question = letters.into_iter().find(|letter| letter.to.as_str() == ALICE);
        question.unwrap().reply_detail.unwrap()
    };
    let answer = async |token: &str, id: &str| {
        let header = format!("Message-ID: <{id}@x>\r\nSubject: Re: A game in your name, alice?\r\n");
        let plain = mail("alice@work.example", "", "confirm\n");
        let to = plain.to.with_detail(token);
        let (_, letters) = stage.send(&Mail { header, to, ..plain }).await;
        letters
    };
    let token = asked("Forms challenge alice bob -size=4").await;
    let another = format!("{}a", &token[..token.len() - 1]);
    if another != token {
        assert!(answer(&another, "another").await.is_empty());
    }
    assert_eq!(boards(), 0);
    // Nobody vouches for the sender, but the token proves it.
    assert_eq!(answer(&token.to_ascii_uppercase(), "first").await.len(), 2);
    assert_eq!(boards(), 1);
    let again = answer(&token, "second").await;
    assert_eq!((again.len(), again[0].to.as_str()), (1, ALICE));
    assert!(
        again[0].text.starts_with("Nothing was begun"),
        "{}",
        again[0].text
    );
    // A new password makes the tokens before it invalid.
    let token = asked("Forms challenge alice bob").await;
    send(&stage, ALICE, "", "change password alice fig7elk fir3yak").await;
    assert!(answer(&token, "third").await.is_empty());
    assert_eq!(boards(), 1);
    stage.close().await;
}
