//! Notices of turns at another place: nothing before its code came back, and then a line for each turn.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::TimeDelta;
use pbmserv::engine::notices::post_due;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::outbox::{Found, Poster};
use pbmserv_mail::stream::roots_of;

use super::{ALICE, BOB, alice_and_bob, ask};
use crate::returned::bounce;
use crate::stage::{Stage, database};
use crate::tls;

const TOPIC: &str = "https://ntfy.example/alices-topic";
const PHONE: &str = "phone@example.net";

/// A server of HTTPS on this machine.
struct Hook {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    /// What it answers; nothing: it never does.
    answer: Arc<Mutex<&'static str>>,
}

impl Hook {
    fn open() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let hook = Self {
            port: listener.local_addr().unwrap().port(),
            requests: Arc::default(),
            answer: Arc::new(Mutex::new("HTTP/1.1 200 OK\r\n\r\n")),
        };
        let (requests, answer) = (hook.requests.clone(), hook.answer.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (requests, answer) = (requests.clone(), answer.clone());
                std::thread::spawn(move || {
                    let mut stream = tls::encrypted_by(stream.unwrap(), &tls::hooks());
                    let mut bytes = [0; 4096];
                    let count = stream.read(&mut bytes).unwrap_or_default();
                    let request = String::from_utf8_lossy(&bytes[..count]).into_owned();
                    requests.lock().unwrap().push(request);
                    let answer = *answer.lock().unwrap();
                    if answer.is_empty() {
                        let _ = stream.read(&mut bytes);
                    }
                    let _ = stream.write_all(answer.as_bytes());
                });
            }
        });
        hook
    }

    /// Brings all names to the server of the test.
    fn poster(&self) -> Poster {
        let names = |_: &str| -> Found { Box::pin(async { Ok(vec![Ipv4Addr::new(9, 9, 9, 9).into()]) }) };
        let here = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), self.port);
        Poster::with(names, move |_| Some(here), roots_of(&tls::hooks()).unwrap())
    }

    /// Posts all that is due; returns the bodies of what came.
    async fn due(&self, stage: &Stage) -> Vec<String> {
        while post_due(&stage.server, &self.poster()).await.unwrap() > 0 {}
        self.bodies()
    }

    fn bodies(&self) -> Vec<String> {
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        let body = |request: &String| request.split_once("\r\n\r\n").unwrap().1.to_owned();
        requests.iter().map(body).collect()
    }
}

/// The code in a text.
fn code_in(text: &str) -> String {
    let (_, rest) = text.split_once("set notify ").unwrap();
    rest.chars().take(8).collect()
}

/// Alice has the topic confirmed.
async fn confirmed(stage: &Stage, hook: &Hook) {
    ask(stage, ALICE, &format!("set alice fig7elk notify {TOPIC}")).await;
    let [code] = hook.due(stage).await.try_into().unwrap();
    let letters = ask(
        stage,
        ALICE,
        &format!("set alice fig7elk notify {}", code_in(&code)),
    )
    .await;
    assert!(
        letters[0]
            .text
            .starts_with("Notices of your turns go to ntfy.example"),
        "{}",
        letters[0].text
    );
}

/// It becomes Alice's turn.
async fn turn_of_alice(stage: &Stage) -> Vec<Outgoing> {
    ask(stage, ALICE, "Hex challenge alice bob").await;
    ask(stage, ALICE, "Hex move 101 alice fig7elk d4").await;
    ask(stage, BOB, "Hex move 101 bob oak4jay e5").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_web_address_hears_of_turns_after_its_code_came_back() {
    let (stage, hook) = (alice_and_bob().await, Hook::open());
    let asked = ask(&stage, ALICE, &format!("set alice fig7elk notify {TOPIC}")).await;
    assert!(
        asked[0].text.starts_with("A code is on its way to ntfy.example."),
        "{}",
        asked[0].text
    );
    turn_of_alice(&stage).await;
    let [code] = hook.due(&stage).await.try_into().unwrap();
    assert!(code.starts_with("pbmserv code "), "{code}");
    assert!(
        hook.due(&stage).await.is_empty(),
        "nothing else before the code came back"
    );
    let wrong = ask(&stage, ALICE, "set alice fig7elk notify AAAABBBB").await;
    assert!(wrong[0].text.contains("not the code"), "{}", wrong[0].text);
    let others = ask(&stage, BOB, &format!("set bob oak4jay notify {}", code_in(&code))).await;
    assert!(
        others[0].text.contains("No code is awaited"),
        "{}",
        others[0].text
    );
    ask(
        &stage,
        ALICE,
        &format!("set alice fig7elk notify {}", code_in(&code)),
    )
    .await;
    ask(&stage, ALICE, "Hex move 101 alice fig7elk f6").await;
    assert!(hook.due(&stage).await.is_empty());
    ask(&stage, BOB, "Hex move 101 bob oak4jay g7").await;
    let [line] = hook.due(&stage).await.try_into().unwrap();
    assert!(line.starts_with("Your turn: Hex 101, until "), "{line}");
    assert!(!line.contains("bob"), "{line}");
    assert!(hook.due(&stage).await.is_empty(), "once a turn");
    let off = ask(&stage, ALICE, "set alice fig7elk notify off").await;
    assert!(off[0].text.starts_with("No more notices"), "{}", off[0].text);
    let again = ask(&stage, ALICE, "set alice fig7elk notify off").await;
    assert!(
        again[0].text.contains("there are none to end"),
        "{}",
        again[0].text
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_expires_and_few_are_sent() {
    let (stage, hook) = (alice_and_bob().await, Hook::open());
    let ask_for = async || ask(&stage, ALICE, &format!("set alice fig7elk notify {TOPIC}")).await;
    ask_for().await;
    let [code] = hook.due(&stage).await.try_into().unwrap();
    stage.pass(TimeDelta::days(1));
    let late = ask(
        &stage,
        ALICE,
        &format!("set alice fig7elk notify {}", code_in(&code)),
    )
    .await;
    assert!(late[0].text.contains("has expired"), "{}", late[0].text);
    for _ in 0..3 {
        ask_for().await;
        stage.pass(TimeDelta::minutes(1));
    }
    let refused = ask_for().await;
    assert!(
        refused[0].text.contains("enough codes sent today"),
        "{}",
        refused[0].text
    );
    let bobs = ask(&stage, BOB, &format!("set bob oak4jay notify {TOPIC}")).await;
    assert!(
        bobs[0].text.contains("codes went there today"),
        "{}",
        bobs[0].text
    );
    assert_eq!(hook.due(&stage).await.len(), 1, "only the newest place is asked");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_that_comes_too_late_is_dropped() {
    let (stage, hook) = (alice_and_bob().await, Hook::open());
    confirmed(&stage, &hook).await;
    turn_of_alice(&stage).await;
    ask(&stage, ALICE, "Hex move 101 alice fig7elk f6").await;
    assert!(hook.due(&stage).await.is_empty(), "she has played");
    ask(&stage, BOB, "Hex move 101 bob oak4jay g7").await;
    stage.pass(TimeDelta::days(1));
    assert!(hook.due(&stage).await.is_empty(), "it is a day old");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_ten_failures_it_is_off_and_a_mail_says_so() {
    let (stage, hook) = (alice_and_bob().await, Hook::open());
    confirmed(&stage, &hook).await;
    *hook.answer.lock().unwrap() = "HTTP/1.1 500 Oh no\r\n\r\n";
    turn_of_alice(&stage).await;
    for failure in 1..=10 {
        assert_eq!(hook.due(&stage).await.len(), 1, "failure {failure}");
        assert!(
            hook.due(&stage).await.is_empty(),
            "it waits after failure {failure}"
        );
        stage.pass(TimeDelta::minutes(1 << (failure - 1)));
    }
    let letters = stage.collect().await;
    let [said] = letters.as_slice() else {
        panic!("{letters:?}")
    };
    assert_eq!(said.to.as_str(), ALICE);
    assert!(
        said.text
            .starts_with("No more notices of your turns go to ntfy.example"),
        "{}",
        said.text
    );
    assert!(said.text.contains("it answered 500"), "{}", said.text);
    stage.pass(TimeDelta::hours(2));
    assert!(hook.due(&stage).await.is_empty());
    let now = ask(&stage, ALICE, "set alice fig7elk notify").await;
    assert!(
        now[0].text.starts_with("No notices of your turns are sent."),
        "{}",
        now[0].text
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_crash_leaves_is_posted_again() {
    let (stage, hook) = (alice_and_bob().await, Hook::open());
    *hook.answer.lock().unwrap() = "";
    ask(&stage, ALICE, &format!("set alice fig7elk notify {TOPIC}")).await;
    let (server, poster) = (stage.server.clone(), hook.poster());
    let posting = tokio::spawn(async move { post_due(&server, &poster).await });
    while hook.requests.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // It was sent, and nothing of that was written.
    posting.abort();
    assert!(posting.await.unwrap_err().is_cancelled());
    let first = hook.bodies();
    let now = *stage.now.lock().unwrap();
    let stage = Stage::open_in(stage.close().await, now, 2, |_| {});
    *hook.answer.lock().unwrap() = "HTTP/1.1 204 No Content\r\n\r\n";
    assert_eq!(hook.due(&stage).await, first, "the same code");
    assert!(hook.due(&stage).await.is_empty());
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_mail_address_gets_a_line_and_nothing_that_plays() {
    let stage = alice_and_bob().await;
    let asked = ask(&stage, ALICE, &format!("set alice fig7elk notify {PHONE}")).await;
    let to_phone = |letters: &[Outgoing]| -> Vec<Outgoing> {
        letters
            .iter()
            .filter(|letter| letter.to.as_str() == PHONE)
            .cloned()
            .collect()
    };
    let [code] = to_phone(&asked).try_into().unwrap();
    assert!(code.subject.starts_with("pbmserv code "), "{}", code.subject);
    assert!(to_phone(&turn_of_alice(&stage).await).is_empty());
    ask(
        &stage,
        ALICE,
        &format!("set alice fig7elk notify {}", code_in(&code.text)),
    )
    .await;
    ask(&stage, ALICE, "Hex move 101 alice fig7elk f6").await;
    let letters = ask(&stage, BOB, "Hex move 101 bob oak4jay g7").await;
    assert!(letters.iter().any(|letter| letter.to.as_str() == ALICE));
    let [notice] = to_phone(&letters).try_into().unwrap();
    assert!(
        notice.subject.starts_with("Your turn: Hex 101, until "),
        "{}",
        notice.subject
    );
    assert!(
        notice.text.starts_with("Your turn: Hex 101, until "),
        "{}",
        notice.text
    );
    for letter in [&code, &notice] {
        assert_eq!((&letter.reply_detail, &letter.unsubscribe_detail), (&None, &None));
        assert!(
            !letter.text.contains("/k/") && !letter.text.contains("bob"),
            "{}",
            letter.text
        );
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_that_comes_back_as_undeliverable_ends_it() {
    let stage = alice_and_bob().await;
    let asked = ask(&stage, ALICE, &format!("set alice fig7elk notify {PHONE}")).await;
    let code = asked.iter().find(|letter| letter.to.as_str() == PHONE).unwrap();
    let (_, letters) = stage.take(&bounce(&stage, code.id, PHONE, "5.1.1")).await;
    assert!(
        letters[0]
            .text
            .starts_with("The code could not be brought to phone@example.net"),
        "{}",
        letters[0].text
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_address_is_the_players_alone() {
    let (stage, hook) = (alice_and_bob().await, Hook::open());
    confirmed(&stage, &hook).await;
    turn_of_alice(&stage).await;
    let count = |table: &str| database::value(stage.data(), &format!("SELECT COUNT(*) FROM {table}"));
    assert_eq!(
        (count("notice_targets"), count("notices")),
        ("1".into(), "1".into())
    );
    for (table, rows) in super::database::dump(stage.data()) {
        let shows = rows.iter().any(|value| value.contains("alices-topic"));
        assert_eq!(shows, table == "notice_targets", "{table}");
    }
    let now = stage.server.now();
    let alice = stage.server.reader().unwrap().player("alice").unwrap().unwrap();
    let server = stage.server.address.clone();
    let export = stage
        .server
        .reader()
        .unwrap()
        .everything_of(&alice, &server, now, 1 << 20)
        .unwrap()
        .unwrap();
    assert!(export.contains(TOPIC));
    ask(&stage, ALICE, "signoff alice fig7elk erase").await;
    let asked = stage
        .server
        .engine
        .write(move |store, now| store.erase_player(alice.id, now))
        .await;
    asked.unwrap();
    assert_eq!(
        (count("notice_targets"), count("notices")),
        ("0".into(), "0".into())
    );
    assert!(hook.due(&stage).await.is_empty());
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_place_is_refused_and_changes_nothing() {
    let stage = alice_and_bob().await;
    for (words, said) in [
        ("http://ntfy.example/a", "begins with https://"),
        ("https://127.0.0.1/a", "full name of a host"),
        ("https://a:b@ntfy.example/", "no userid and no password"),
        ("https://ntfy.example:444/", "has no port"),
        ("nonsense-here", "After notify stands"),
        ("xml https://ntfy.example/a", "After notify stands"),
        ("pbmserv@games.example", "address of this server"),
        ("alice@example.org", "go to that address already"),
        ("off", "none to end"),
        ("AAAABBBB", "No code is awaited"),
        ("https://ntfy.example/a digest on", "After notify stands"),
    ] {
        let letters = ask(&stage, ALICE, &format!("set alice fig7elk notify {words}")).await;
        assert!(letters[0].text.contains(said), "{words}: {}", letters[0].text);
    }
    let mixed = ask(&stage, ALICE, "set alice fig7elk digest on notify off").await;
    assert!(mixed[0].text.contains("sets nothing else"), "{}", mixed[0].text);
    assert_eq!(
        database::value(stage.data(), "SELECT COUNT(*) FROM notice_targets"),
        "0"
    );
    stage.close().await;
}
