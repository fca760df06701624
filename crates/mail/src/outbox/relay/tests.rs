use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::Address;
use crate::outbox::build;
use crate::outbox::tests::{identity, mail};

/// What the test relay does at a command.
#[derive(Clone, Copy, Debug)]
enum Act {
    Say(&'static str),
    Hang,
    HangUp,
}

/// A relay that speaks real SMTP over TCP, except for its scripted behaviour at one stage.
#[derive(Default)]
struct Log {
    connections: AtomicUsize,
    lines: Mutex<Vec<String>>,
    messages: Mutex<Vec<String>>,
}

struct Script {
    stage: &'static str,
    act: Act,
    /// How many times it follows the script; afterwards it behaves normally.
    times: AtomicUsize,
    /// Closes each connection after this many mails.
    hang_up_after: usize,
}

impl Script {
    fn at(stage: &'static str, act: Act) -> Self {
        Self {
            stage,
            act,
            times: AtomicUsize::new(usize::MAX),
            hang_up_after: usize::MAX,
        }
    }

    fn once(self) -> Self {
        self.times.store(1, Ordering::Relaxed);
        self
    }

    fn act(&self, stage: &str, usual: &'static str) -> Act {
        let is_now = stage == self.stage
            && self
                .times
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
                .is_ok();
        if is_now { self.act } else { Act::Say(usual) }
    }
}

async fn serve(script: Script) -> (String, Arc<Log>) {
    serve_with(script, "250-relay.example\r\n250 AUTH PLAIN LOGIN").await
}

/// With this answer to EHLO, where the script has no other.
async fn serve_with(script: Script, offer: &'static str) -> (String, Arc<Log>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let log = Arc::new(Log::default());
    let (script, kept) = (Arc::new(script), Arc::clone(&log));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            kept.connections.fetch_add(1, Ordering::Relaxed);
            let (script, log) = (Arc::clone(&script), Arc::clone(&kept));
            tokio::spawn(async move { converse(stream, &script, &log, offer).await });
        }
    });
    (host, log)
}

/// Ends when the client disconnects or the script says so.
async fn converse(stream: TcpStream, script: &Script, log: &Log, offer: &'static str) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut taken = 0;
    reply(&mut stream, script.act("CONNECT", "220 relay.example ESMTP")).await?;
    loop {
        if taken == script.hang_up_after {
            return None;
        }
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.strip_suffix("\r\n").expect("lines end in CRLF").to_owned();
        log.lines.lock().unwrap().push(line.clone());
        let verb = line.split([' ', ':']).next().unwrap().to_owned();
        let usual = match verb.as_str() {
            "EHLO" => offer,
            "AUTH" => "235 welcome",
            // The answer to the challenge in which a token is refused (RFC 7628, section 3.2.3).
            "" | "AQ==" => "535 5.7.8 expired",
            "DATA" => "354 go ahead",
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        let act = script.act(&verb, usual);
        let is_data = matches!(act, Act::Say(text) if verb == "DATA" && text.starts_with('3'));
        reply(&mut stream, act).await?;
        if is_data {
            let mut message = String::new();
            while !message.ends_with("\r\n.\r\n") {
                if stream.read_line(&mut message).await.ok()? == 0 {
                    return None;
                }
            }
            log.messages.lock().unwrap().push(message);
            reply(&mut stream, script.act("MESSAGE", "250 taken")).await?;
            taken += 1;
        }
    }
}

async fn reply(stream: &mut BufReader<TcpStream>, act: Act) -> Option<()> {
    match act {
        Act::Say(text) => stream.write_all(format!("{text}\r\n").as_bytes()).await.ok(),
        Act::Hang => std::future::pending().await,
        Act::HangUp => None,
    }
}

fn relay(host: &str) -> Relay {
    let url = format!("smtp://{host}/games.example");
    Relay::new(&url, None)
        .unwrap()
        .with_timeout(Duration::from_secs(5))
}

async fn deliver(relay: &Relay, id: i64) -> Result<(), Failure> {
    let mail = mail(id);
    relay.deliver(&build(&mail, &identity()).unwrap(), &mail).await
}

#[tokio::test]
async fn a_mail_arrives_as_it_was_built_with_its_envelope() {
    let (host, log) = serve(Script::at("", Act::Hang)).await;
    let relay = relay(&host);
    deliver(&relay, 7).await.unwrap();
    relay.rest().await;
    let sender = identity().envelope_sender(7);
    assert_eq!(
        *log.lines.lock().unwrap(),
        [
            "EHLO games.example".to_owned(),
            format!("MAIL FROM:<{sender}>"),
            "RCPT TO:<Alice@example.org>".to_owned(),
            "DATA".to_owned(),
            "QUIT".to_owned()
        ]
    );
    let built = String::from_utf8(build(&mail(7), &identity()).unwrap().bytes).unwrap();
    assert!(built.contains("\r\n.\r\n"), "the text has a line of one dot");
    let messages = log.messages.lock().unwrap();
    assert_eq!(messages.len(), 1);
    let undone = messages[0]
        .strip_suffix(".\r\n")
        .unwrap()
        .replace("\r\n..", "\r\n.");
    assert_eq!(undone, built);
}

fn to(address: &str) -> Outgoing {
    Outgoing {
        to: Address::parse(address).unwrap(),
        ..mail(7)
    }
}

async fn deliver_to(relay: &Relay, address: &str) -> Result<(), Failure> {
    let mail = to(address);
    relay.deliver(&build(&mail, &identity()).unwrap(), &mail).await
}

#[tokio::test]
async fn an_address_in_another_script_goes_by_smtputf8() {
    let offer = "250-relay.example\r\n250-8BITMIME\r\n250 SMTPUTF8";
    let (host, log) = serve(Script::at("EHLO", Act::Say(offer))).await;
    let reach = Reach::default();
    let relay = relay(&host).reporting_to(&reach);
    deliver_to(&relay, "Пример@ПОЧТА.example").await.unwrap();
    deliver_to(&relay, "bob@ПОЧТА.example").await.unwrap();
    let sender = identity().envelope_sender(7);
    assert_eq!(
        log.lines.lock().unwrap()[1..],
        [
            format!("MAIL FROM:<{sender}> BODY=8BITMIME SMTPUTF8"),
            "RCPT TO:<Пример@почта.example>".to_owned(),
            "DATA".to_owned(),
            format!("MAIL FROM:<{sender}>"),
            "RCPT TO:<bob@xn--80a1acny.example>".to_owned(),
            "DATA".to_owned(),
        ]
    );
    let messages = log.messages.lock().unwrap();
    assert!(messages[0].contains("\r\nTo: Пример@почта.example\r\n"));
    assert!(messages[1].contains("\r\nTo: bob@xn--80a1acny.example\r\n") && messages[1].is_ascii());
    assert!(reach.may_take(&to("пример@почта.example").to));
}

#[tokio::test]
async fn a_relay_without_smtputf8_is_not_asked_to_take_such_an_address() {
    let (host, log) = serve(Script::at("", Act::Hang)).await;
    let reach = Reach::default();
    let relay = relay(&host).reporting_to(&reach);
    let refused = deliver_to(&relay, "пример@почта.example").await;
    assert!(
        matches!(&refused, Err(Failure::Unsupported(why)) if why.contains("SMTPUTF8")),
        "{refused:?}"
    );
    assert!(!reach.may_take(&to("пример@почта.example").to));
    deliver_to(&relay, "bob@почта.example").await.unwrap();
    assert_eq!(log.connections.load(Ordering::Relaxed), 1, "it is still good");
    let lines = log.lines.lock().unwrap().join("\n");
    assert!(lines.is_ascii() && lines.matches("MAIL").count() == 1, "{lines}");
}

#[tokio::test]
async fn an_old_connection_does_not_say_what_the_relay_offers_now() {
    let old = Script::at("EHLO", Act::Say("250 relay.example")).once();
    let offer = "250-relay.example\r\n250 SMTPUTF8";
    let (host, log) = serve_with(old, offer).await;
    let relay = relay(&host);
    deliver(&relay, 1).await.unwrap();
    deliver_to(&relay, "пример@почта.example").await.unwrap();
    assert_eq!(log.connections.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_relay_is_asked_for_smtputf8_when_somebody_waits_to_know() {
    let (host, log) = serve(Script::at("", Act::Hang)).await;
    let reach = Reach::default();
    let relay = relay(&host).reporting_to(&reach);
    let answering = tokio::spawn(async move { relay.answer().await });
    let ivan = to("пример@почта.example").to;
    assert!(!reach.takes(&ivan).await && !reach.takes(&ivan).await);
    assert_eq!(log.connections.load(Ordering::Relaxed), 1);
    answering.abort();
}

#[tokio::test]
async fn consecutive_mails_share_a_connection_until_it_has_carried_many() {
    let (host, log) = serve(Script::at("", Act::Hang)).await;
    let relay = relay(&host);
    for id in 0..95 {
        deliver(&relay, id).await.unwrap();
    }
    assert_eq!(log.connections.load(Ordering::Relaxed), 2);
    assert_eq!(log.messages.lock().unwrap().len(), 95);
}

#[tokio::test]
async fn a_kept_connection_that_the_relay_has_closed_is_replaced() {
    let mut script = Script::at("", Act::Hang);
    script.hang_up_after = 1;
    let (host, log) = serve(script).await;
    let relay = relay(&host);
    for id in 0..3 {
        deliver(&relay, id).await.unwrap();
    }
    assert_eq!(log.connections.load(Ordering::Relaxed), 3);
    assert_eq!(log.messages.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn after_a_refused_recipient_the_connection_serves_the_next_mail() {
    let (host, log) = serve(Script::at("RCPT", Act::Say("550 no such user")).once()).await;
    let relay = relay(&host);
    assert_eq!(
        deliver(&relay, 1).await,
        Err(Failure::Permanent("relay, RCPT: 550 no such user".to_owned()))
    );
    deliver(&relay, 2).await.unwrap();
    assert_eq!(log.connections.load(Ordering::Relaxed), 1);
    assert!(log.lines.lock().unwrap().contains(&"RSET".to_owned()));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Permanent,
    Temporary,
    Down,
    Unsupported,
}

fn kind(failure: &Failure) -> Kind {
    match failure {
        Failure::Permanent(_) => Kind::Permanent,
        Failure::Temporary(_) => Kind::Temporary,
        Failure::Down(_) => Kind::Down,
        Failure::Unsupported(_) => Kind::Unsupported,
    }
}

#[tokio::test]
async fn a_failure_is_judged_by_where_it_happened() {
    let cases: &[(&'static str, Act, Kind)] = &[
        ("CONNECT", Act::Say("554 go away"), Kind::Down),
        ("CONNECT", Act::Say("421 too busy"), Kind::Down),
        ("CONNECT", Act::Say("nonsense"), Kind::Down),
        ("CONNECT", Act::Hang, Kind::Down),
        ("CONNECT", Act::HangUp, Kind::Down),
        ("EHLO", Act::Say("502 what?"), Kind::Down),
        ("EHLO", Act::Hang, Kind::Down),
        ("MAIL", Act::Say("451 later"), Kind::Down),
        ("MAIL", Act::Say("530 log in first"), Kind::Down),
        ("MAIL", Act::Say("553 not your address"), Kind::Down),
        ("MAIL", Act::HangUp, Kind::Down),
        ("MAIL", Act::Hang, Kind::Down),
        (
            "RCPT",
            Act::Say("450-greylisted\r\n450 come back"),
            Kind::Temporary,
        ),
        ("RCPT", Act::Say("421 closing"), Kind::Temporary),
        ("RCPT", Act::Say("550 no such user"), Kind::Permanent),
        ("RCPT", Act::Say("501 5.1.3 bad address"), Kind::Permanent),
        ("RCPT", Act::Say("503 MAIL first"), Kind::Temporary),
        ("RCPT", Act::Say("530 log in first"), Kind::Temporary),
        ("RCPT", Act::HangUp, Kind::Temporary),
        ("RCPT", Act::Hang, Kind::Temporary),
        ("DATA", Act::Say("452 disk full"), Kind::Temporary),
        ("DATA", Act::Say("554 no valid recipients"), Kind::Permanent),
        ("DATA", Act::Say("250 ok"), Kind::Temporary),
        ("DATA", Act::HangUp, Kind::Temporary),
        ("DATA", Act::Hang, Kind::Temporary),
        ("MESSAGE", Act::Say("552 too large"), Kind::Permanent),
        ("MESSAGE", Act::Say("451 local error"), Kind::Temporary),
        ("MESSAGE", Act::Say("354 more?"), Kind::Temporary),
        ("MESSAGE", Act::HangUp, Kind::Temporary),
        ("MESSAGE", Act::Hang, Kind::Temporary),
    ];
    for &(stage, act, wanted) in cases {
        let (host, log) = serve(Script::at(stage, act).once()).await;
        let patience = if matches!(act, Act::Hang) { 200 } else { 5000 };
        let relay = relay(&host).with_timeout(Duration::from_millis(patience));
        let failure = deliver(&relay, 1).await.unwrap_err();
        assert_eq!(kind(&failure), wanted, "{failure}");
        assert!(!failure.to_string().contains(['\r', '\n']));
        // From here on the relay answers normally, and we wait long enough.
        let relay = relay.with_timeout(Duration::from_secs(5));
        deliver(&relay, 2).await.unwrap();
        assert!(log.connections.load(Ordering::Relaxed) <= 2);
    }
}

#[tokio::test]
async fn a_relay_that_is_not_there_is_down_and_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    drop(listener);
    let failure = deliver(&relay(&host), 1).await.unwrap_err();
    assert_eq!(kind(&failure), Kind::Down, "{failure}");
    assert!(failure.to_string().contains("refused"), "{failure}");
}

#[tokio::test]
async fn a_login_goes_first_and_its_refusal_is_the_operators_matter() {
    let (host, log) = serve(Script::at("AUTH", Act::Say("535 wrong password")).once()).await;
    let url = format!("smtp://us%40er@{host}");
    let relay = Relay::new(&url, Some(Login::with_password("delivery", "hunter2"))).unwrap();
    let failure = deliver(&relay, 1).await.unwrap_err();
    assert_eq!(
        failure,
        Failure::Down("relay, AUTH: 535 wrong password".to_owned())
    );
    deliver(&relay, 2).await.unwrap();
    let plain = data_encoding::BASE64.encode(b"\0us@er\0hunter2");
    assert_eq!(log.lines.lock().unwrap()[1], format!("AUTH PLAIN {plain}"));
    assert!(!format!("{relay:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_token_that_has_expired_is_replaced_at_once() {
    for (auth, mechanism, answer) in [("xoauth2", "XOAUTH2", ""), ("oauthbearer", "OAUTHBEARER", "AQ==")] {
        let (host, log) = serve(Script::at("AUTH", Act::Say("334 eyJzdGF0dXMiOiI0MDAifQ==")).once()).await;
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let command = format!("echo x >> {0}; wc -l < {0}", count.display());
        let login = Login::configured("delivery", auth, Path::new(""), &command).unwrap();
        let relay = Relay::new(&format!("smtp://us%40er@{host}"), login).unwrap();
        deliver(&relay, 1).await.unwrap();
        let lines = log.lines.lock().unwrap().clone();
        let begins: Vec<_> = lines
            .iter()
            .map(|line| line.split(' ').take(2).collect::<Vec<_>>())
            .collect();
        let auth = vec!["AUTH", mechanism];
        assert_eq!(begins[1..4], [auth.clone(), vec![answer], auth], "{lines:?}");
        assert_ne!(lines[1], lines[3]);
    }
}

#[tokio::test]
async fn a_refusal_that_repeats_the_token_is_logged_without_it() {
    let (host, _) = serve(Script::at("AUTH", Act::Say("535 no eyJ token-4711 \u{1}")).once()).await;
    let login = Login::configured("delivery", "xoauth2", Path::new(""), "echo token-4711").unwrap();
    let relay = Relay::new(&format!("smtp://us%40er@{host}"), login).unwrap();
    let failure = deliver(&relay, 1).await.unwrap_err();
    assert_eq!(kind(&failure), Kind::Down);
    assert!(failure.to_string().contains("535 no eyJ ******"), "{failure}");
}

#[tokio::test]
async fn a_long_token_does_not_stand_in_the_command() {
    let (host, log) = serve(Script::at("AUTH", Act::Say("334 ")).once()).await;
    let login = Login::configured("delivery", "xoauth2", Path::new(""), "printf %0600d 7").unwrap();
    let relay = Relay::new(&format!("smtp://u@{host}"), login).unwrap();
    // The relay of this test does not expect the line of the token.
    deliver(&relay, 1).await.unwrap();
    let lines = log.lines.lock().unwrap().clone();
    assert_eq!(lines[1], "AUTH XOAUTH2");
    assert!(lines[2].len() > 600, "{lines:?}");
}

#[tokio::test]
async fn where_encryption_is_required_nothing_is_said_without_it() {
    let (host, log) = serve(Script::at("", Act::Hang)).await;
    let relay = Relay::new(
        &format!("smtp://u@{host}?tls=required"),
        Some(Login::with_password("delivery", "hunter2")),
    )
    .unwrap();
    let failure = deliver(&relay, 1).await.unwrap_err();
    assert_eq!(kind(&failure), Kind::Down);
    let lines = log.lines.lock().unwrap();
    assert!(
        lines.iter().all(|l| l.starts_with("EHLO") || l == "QUIT"),
        "{lines:?}"
    );
}

#[test]
fn a_wrong_configuration_is_refused_and_tells_no_password() {
    let refusal = |url: &str, password: Option<&str>| {
        let error = Relay::new(
            url,
            password.map(|password| Login::with_password("delivery", password)),
        )
        .unwrap_err()
        .to_string();
        assert!(!error.contains("hunter2"), "{error}");
        error
    };
    assert!(refusal("smtps://u@relay.example", None).contains("no password"));
    assert!(refusal("smtps://relay.example", Some("hunter2")).contains("no user"));
    assert!(refusal("smtp://u@relay.example", Some("hunter2")).contains("unencrypted"));
    assert!(refusal("smtps://u:hunter2@relay.example", None).contains("password file"));
}

#[test]
fn the_operator_reads_one_bounded_line() {
    let reply = format!("5.1.1 no\r\nsuch \u{1b}[31muser {}", "x".repeat(10_000));
    let Failure::Permanent(why) = StepError::new(Stage::Rcpt, Some(550), &reply).into() else {
        panic!("a refused recipient is permanent");
    };
    assert!(why.starts_with("relay, RCPT: 550 5.1.1 no  such  [31muser xxx"));
    assert!(why.len() < 350 && !why.contains(char::is_control));
}

#[test]
fn dots_are_doubled_and_the_end_is_unmistakable() {
    let over = |text: &str| session::transparent(text.as_bytes());
    assert_eq!(over("a\r\n.\r\n..b\r\n"), "a\r\n..\r\n...b\r\n.\r\n");
    assert_eq!(over(".a"), "..a\r\n.\r\n");
    assert_eq!(over("a.\r\n"), "a.\r\n.\r\n");
}
