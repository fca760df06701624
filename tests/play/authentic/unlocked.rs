//! What a verified sender does without a password, and what nobody does without the yes to a letter that asked for exactly that.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::TimeDelta;
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::doors::Message;
use pbmserv_mail::{Address, Envelope};

use super::{ALICE, home, signed};
use crate::dns::Dns;
use crate::laws::database;
use crate::stage::{SERVER, Stage};

const BOB: &str = "bob@home.example";

async fn playing(dns: &Dns) -> Stage {
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        config.auth.verify = true;
        config.auth.dns = vec![dns.address.to_string()];
    });
    for (number, (from, line)) in [(ALICE, "signup alice fig7elk"), (BOB, "signup bob oak4jay")]
        .into_iter()
        .enumerate()
    {
        write(&stage, number, from, line, "").await;
    }
    stage
}

/// A verified mail; what it answers is its token and the letter.
async fn send(
    stage: &Stage,
    id: &str,
    (from, subject, body): (&str, &str, &str),
    answered: Option<&Outgoing>,
) -> Vec<Outgoing> {
    let to = Address::parse(SERVER).unwrap();
    let (to, reply) = match answered {
        Some(letter) => (
            to.with_detail(letter.reply_detail.as_deref().unwrap()),
            format!("In-Reply-To: <{}>\r\n", letter.message_id),
        ),
        None => (to, String::new()),
    };
    let text = format!(
        "From: {from}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{id}@home.example>\r\n{reply}\r\n{body}\r\n"
    );
    let message = Message {
        envelope: Envelope {
            sender: Some(Address::parse(from).unwrap()),
            recipients: vec![to],
        },
        client: None,
        bytes: Arc::from(signed("home.example", &text).as_bytes()),
        mark: None,
    };
    let (handled, letters) = stage.take(&message).await;
    assert!(matches!(handled, Handled::Recorded(_)), "{handled:?}");
    letters
}

async fn write(stage: &Stage, number: usize, from: &str, subject: &str, body: &str) -> Vec<Outgoing> {
    send(stage, &format!("new-{number}"), (from, subject, body), None).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_verified_sender_blocks_watches_and_writes_without_a_password() {
    let dns = home();
    let stage = playing(&dns).await;
    let carol = "carol@home.example";
    write(&stage, 10, carol, "signup carol bay5owl", "").await;
    write(&stage, 11, ALICE, "Hex challenge alice bob", "").await;
    for (number, (from, subject, body, said)) in [
        (
            carol,
            "Hex subscribe 101",
            "",
            "You watch Hex Board 101 from now on.",
        ),
        (
            carol,
            "Hex unsubscribe 101",
            "",
            "You do not watch Hex Board 101 any more.",
        ),
        (carol, "Hex notify", "", "You are told how each board of Hex ends"),
        (
            carol,
            "message bob",
            "Help me, please: who wants to play?",
            "Your message has gone to bob.",
        ),
        (carol, "", "message bob\n: Hello", "Your message has gone to bob."),
        (carol, "block bob", "", "You hear nothing of bob any more."),
        (carol, "unblock me bob", "", "bob may write to you again."),
        (carol, "Hex limit 3", "", "carol takes 3 boards of Hex at a time"),
        (carol, "Hex reject", "", "carol takes no boards of Hex"),
        (carol, "message bobby", "Hello", "There is no player"),
    ]
    .into_iter()
    .enumerate()
    {
        let letters = write(&stage, 20 + number, from, subject, body).await;
        let own = letters.iter().find(|letter| letter.to.as_str() == from).unwrap();
        let text = own.text.replace('\n', " ");
        assert!(text.contains(said), "{subject}: {text}");
        let heard = letters.iter().filter(|letter| letter.to.as_str() == BOB);
        let heard: Vec<_> = heard.map(|letter| letter.text.clone()).collect();
        let is_message = said.starts_with("Your message");
        assert_eq!(heard.len(), usize::from(is_message), "{subject}: {heard:?}");
        let words = body.trim_start_matches("message bob\n: ");
        assert!(heard.iter().all(|text| text.contains(words)), "{heard:?}");
    }
    // A word that may be a password is neither a name nor shown.
    let letters = write(&stage, 40, carol, "block bay5owl", "").await;
    assert!(letters.iter().all(|letter| !letter.text.contains("bay5owl")));
    assert!(letters.iter().all(|letter| !letter.subject.contains("bay5owl")));
    stage.close().await;
}

/// Whose account stands with which addresses, and whether it is away.
fn standing(stage: &Stage) -> (BTreeSet<String>, i64, i64) {
    let addresses = "SELECT COUNT(*) FROM addresses";
    let away = "SELECT COUNT(*) FROM players WHERE away_since IS NOT NULL";
    (
        database::users(stage.data()),
        database::count(stage.data(), addresses),
        database::count(stage.data(), away),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_and_the_account_need_the_yes_to_a_letter_that_asked_exactly_that() {
    let dns = home();
    let stage = playing(&dns).await;
    let before = standing(&stage);
    let [asked] = write(&stage, 10, ALICE, "add alice@elsewhere.example", "")
        .await
        .try_into()
        .unwrap();
    assert!(
        asked.text.starts_with("Is this what you want, alice?"),
        "{}",
        asked.text
    );
    let [other] = write(&stage, 11, ALICE, "page new", "").await.try_into().unwrap();
    // The token of another question gives nothing but that.
    for (number, line) in [
        "add home@elsewhere.example",
        "delete really",
        "signoff",
        "delete",
        "export",
    ]
    .into_iter()
    .enumerate()
    {
        for (which, letter) in [&asked, &other].into_iter().enumerate() {
            let id = format!("wrong-{number}-{which}");
            // Whoever asks so often within minutes may be a program.
            stage.pass(TimeDelta::minutes(11));
            let letters = send(
                &stage,
                &id,
                (ALICE, "Re: Help: what you can do now", line),
                Some(letter),
            )
            .await;
            assert!(
                letters[0].text.starts_with("Is this what you want, alice?"),
                "{line}: {}",
                letters[0].text
            );
            assert_eq!(standing(&stage), before, "{line}");
        }
    }
    let letters = send(
        &stage,
        "yes",
        (ALICE, "Re: Help: what you can do now", "Yes"),
        Some(&asked),
    )
    .await;
    assert!(
        letters[0].text.contains("alice@elsewhere.example"),
        "{}",
        letters[0].text
    );
    let addresses = "SELECT COUNT(*) FROM addresses";
    assert_eq!(database::count(stage.data(), addresses), 3);
    // Whoever wants to go is asked twice: that it is meant, and with what it costs.
    let [first] = write(&stage, 12, ALICE, "delete me", "")
        .await
        .try_into()
        .unwrap();
    let second = send(
        &stage,
        "delete-1",
        (ALICE, "Re: Help: what you can do now", "yes"),
        Some(&first),
    )
    .await;
    assert!(
        second[0].text.starts_with("Nothing is erased yet, alice"),
        "{}",
        second[0].text
    );
    send(
        &stage,
        "delete-2",
        (ALICE, "Re: Is alice to be erased?", "delete really"),
        Some(&second[0]),
    )
    .await;
    assert_eq!(database::users(stage.data()), ["bob".to_owned()].into());
    stage.close().await;
}
