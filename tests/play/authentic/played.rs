//! What a player notices: a verified sender is one for whom the mail server before this one vouches, and who proves himself by a
//! password or a token waits for no name server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::doors::Message;
use pbmserv_mail::{Address, Envelope};

use super::{ALICE, home, signed};
use crate::dns::{Dns, Mood};
use crate::stage::{SERVER, Stage, database};

fn stage(dns: &Dns) -> Stage {
    Stage::open(|config| {
        config.accounts.confirm = false;
        config.auth.verify = true;
        config.auth.dns = vec![dns.address.to_string()];
    })
}

/// A mail with this subject, signed by the domain of its `From` or not.
fn mail(number: u32, from: &str, to: &str, subject: &str, is_signed: bool) -> Message {
    let text = format!(
        "From: {from}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{number}@players.example>\r\n\r\n"
    );
    let text = match is_signed {
        true => signed(from.split_once('@').unwrap().1, &text),
        false => text,
    };
    Message {
        envelope: Envelope {
            sender: Some(Address::parse(from).unwrap()),
            recipients: vec![Address::parse(to).unwrap()],
        },
        client: None,
        bytes: Arc::from(text.as_bytes()),
        mark: None,
    }
}

async fn send(stage: &Stage, message: &Message) -> Vec<Outgoing> {
    let (handled, letters) = stage.take(message).await;
    assert!(matches!(handled, Handled::Recorded(_)), "{handled:?}");
    letters
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signed_mail_plays_and_a_forged_one_is_dropped() {
    let dns = home();
    let stage = stage(&dns);
    // A forged copy comes first, with the same Message-ID: the real one is no duplicate of it.
    let forged = mail(1, ALICE, SERVER, "signup alice fig7elk", false);
    assert!(send(&stage, &forged).await.is_empty());
    let letters = send(&stage, &mail(1, ALICE, SERVER, "signup alice fig7elk", true)).await;
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].to.as_str(), ALICE);
    // Without a password: what only an authenticated sender may do.
    assert!(
        send(&stage, &mail(2, ALICE, SERVER, "set width 60", false))
            .await
            .is_empty()
    );
    let letters = send(&stage, &mail(3, ALICE, SERVER, "help", true)).await;
    assert_eq!(letters.len(), 1);
    assert!(
        send(&stage, &mail(4, ALICE, SERVER, "help", false))
            .await
            .is_empty()
    );
    // The same again is a duplicate, as it is without the DNS.
    let (handled, _) = stage.take(&mail(3, ALICE, SERVER, "help", true)).await;
    assert!(matches!(handled, Handled::Duplicate(_)), "{handled:?}");
    stage.close().await;
}

/// An address to which mail has failed works again when a mail comes from it: here the proof of its owner shows that, since the
/// sender is not verified.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proof_from_an_own_address_shows_that_it_works_again() {
    let dns = home();
    let stage = stage(&dns);
    let bob = "bob@home.example";
    for (number, from, subject) in [(1, ALICE, "signup alice fig7elk"), (2, bob, "signup bob oak4jay")] {
        assert_eq!(
            send(&stage, &mail(number, from, SERVER, subject, true))
                .await
                .len(),
            1
        );
    }
    database::change(
        stage.data(),
        "UPDATE addresses SET failed_days = 3, failed_on = 1",
    );
    let failing = || {
        let sql = "SELECT address_key FROM addresses WHERE failed_days > 0";
        let rows = database::rows(stage.data(), sql);
        rows.into_iter().flatten().collect::<Vec<_>>()
    };
    dns.asked();
    // Another's password says nothing about this address.
    send(&stage, &mail(3, ALICE, SERVER, "set bob oak4jay width 60", false)).await;
    assert_eq!(failing().len(), 2);
    let letters = send(
        &stage,
        &mail(4, ALICE, SERVER, "set alice fig7elk width 60", false),
    )
    .await;
    assert_eq!(failing(), [bob]);
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].to.as_str(), ALICE);
    assert!(dns.asked().is_empty());
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_proves_himself_waits_for_no_name_server() {
    let dns = home();
    let stage = stage(&dns);
    for (number, from, subject) in [
        (1, ALICE, "signup alice fig7elk"),
        (2, "bob@home.example", "signup bob oak4jay"),
    ] {
        assert_eq!(
            send(&stage, &mail(number, from, SERVER, subject, true))
                .await
                .len(),
            1
        );
    }
    assert_eq!(
        send(&stage, &mail(3, ALICE, SERVER, "Pow2 challenge alice bob", true))
            .await
            .len(),
        2
    );
    dns.asked();
    for name in [
        "ed._domainkey.home.example",
        "_dmarc.home.example",
        "home.example",
        "ed._domainkey.away.example",
    ] {
        dns.is(name, Mood::Silent);
    }
    // By a password, then by a token.
    let letters = send(
        &stage,
        &mail(4, ALICE, SERVER, "Pow2 move 101 alice fig7elk m13-m5", false),
    )
    .await;
    let letter = letters
        .iter()
        .find(|letter| letter.to.as_str() == "bob@home.example")
        .unwrap();
    let token = letter.reply_detail.clone().unwrap();
    let to = SERVER.replace('@', &format!("+{token}@"));
    let answered = send(&stage, &mail(5, "bob@home.example", &to, "resign", false)).await;
    assert!(!answered.is_empty());
    assert!(dns.asked().is_empty(), "a name server was asked");
    // Who proves nothing waits, in bounds, and is not believed.
    let began = Instant::now();
    assert!(
        send(&stage, &mail(6, "carol@away.example", SERVER, "help", true))
            .await
            .is_empty()
    );
    assert!(began.elapsed() < Duration::from_secs(30));
    stage.close().await;
}
