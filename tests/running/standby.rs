//! Two servers on one database of PostgreSQL: one has the engine, the other waits and takes over. They run with
//! `tests/on-postgres`; without it they say that they were left out.

use std::time::{Duration, Instant};

use crate::daemon::browser::{Browser, form, with_pages};
use crate::daemon::http::{self, closed_port};
use crate::daemon::mailbox::Mailbox;
use crate::daemon::postgres::rows;
use crate::daemon::smtp::{self, Client};
use crate::daemon::{Daemon, SERVER, Setup, signal, until};

/// Two data folders, as on two machines, with one database.
struct Pair {
    servers: [Setup; 2],
    ports: [u16; 2],
    url: String,
    _folder: tempfile::TempDir,
}

impl Pair {
    /// `None`: there is no PostgreSQL.
    fn new(name: &str) -> Option<Self> {
        let Ok(server) = std::env::var("POSTGRES_OF_TESTS") else {
            eprintln!(
                "left out, since there is no PostgreSQL: tests/on-postgres cargo test --test running standby::"
            );
            return None;
        };
        let database = format!("standby_{name}_{}", std::process::id());
        rows(
            &format!("{server}/postgres"),
            &format!("CREATE DATABASE {database} TEMPLATE pattern"),
        );
        let url = format!("{server}/{database}");
        let folder = tempfile::tempdir().unwrap();
        let ports = [closed_port(), closed_port()];
        let server = |index: usize| {
            let place = folder.path().join(index.to_string());
            std::fs::create_dir(&place).unwrap();
            with_pages(&Setup::new(&place))
                .with("PBMSERV_WEB_LISTEN", &format!("127.0.0.1:{}", closed_port()))
                .with("PBMSERV_STORE_URL", &url)
                .with("PBMSERV_SMTP_LISTEN", &format!("127.0.0.1:{}", ports[index]))
                .with("PBMSERV_HTTP_LISTEN", &format!("127.0.0.1:{}", closed_port()))
        };
        Some(Self {
            servers: [server(0), server(1)],
            ports,
            url,
            _folder: folder,
        })
    }

    /// The first has the engine, and the second waits.
    fn start(&self) -> [Daemon; 2] {
        let first = self.servers[0].serve();
        let second = self.servers[1].begin();
        waits(&second, 1);
        [first, second]
    }

    /// Waits until this one takes mail; returns how long that took.
    fn takes_over(&self, index: usize, since: Instant) -> Duration {
        until("the other server takes mail", || {
            greeting(self.ports[index]).starts_with("220").then_some(())
        });
        since.elapsed()
    }

    fn count(&self, sql: &str) -> i64 {
        rows(&self.url, sql).parse().unwrap()
    }
}

/// Waits until it has said so often that it waits.
fn waits(daemon: &Daemon, times: usize) {
    until("the server waits", || {
        (daemon.log().matches("this server waits").count() >= times).then_some(())
    });
}

/// What a mail server is greeted with; empty if nobody listens.
fn greeting(port: u16) -> String {
    let reply = Client::open(port).and_then(|mut client| client.reply());
    reply.unwrap_or_default()
}

#[test]
fn a_second_server_waits_and_its_pages_read() {
    let Some(pair) = Pair::new("waits") else { return };
    let [first, second] = pair.start();
    http::play(&first);
    let greeted = greeting(pair.ports[1]);
    assert!(greeted.starts_with("421 4.3.2"), "{greeted}");
    // Monitoring says who has the engine, and a load balancer sends clicks to that one.
    let [has, waiting] = [&first, &second].map(|daemon| daemon.page("/healthz"));
    assert_eq!((has.status, waiting.status), (200, 503));
    let (has, waiting) = (has.json(), waiting.json());
    assert_eq!(
        (&has["status"], &waiting["status"]),
        (&"ok".into(), &"waiting".into())
    );
    let process = format!("(process {})", first.pid());
    for page in [&has, &waiting] {
        assert!(
            page["engine"]["at"].as_str().unwrap().ends_with(&process),
            "{page}"
        );
        assert!(page["engine"]["since"].is_string(), "{page}");
    }
    assert!(waiting["trouble"].as_array().unwrap().is_empty(), "{waiting}");
    assert_eq!(first.metric("pbmserv_has_engine"), 1.0);
    assert_eq!(second.metric("pbmserv_has_engine"), 0.0);
    // Its verbs read, and do not write.
    let [_, other] = &pair.servers;
    assert!(other.done(&["user", "list"]).contains("alice"));
    let wrote = other.run(&["user", "disable", "alice", "--why", "a test"]);
    let error = String::from_utf8_lossy(&wrote.stderr);
    assert!(
        !wrote.status.success() && error.contains("another one has the engine"),
        "{error}"
    );
    let (code, error) = other.ingest(http::ALICE, b"Subject: help\r\n\r\n");
    assert_eq!(code, 75, "{error}");
    let checked = other.run(&["check"]);
    let checked = String::from_utf8_lossy(&checked.stdout);
    assert!(
        checked.contains(&format!("{process} has the engine since")),
        "{checked}"
    );
    // Pages read; a form is refused in a sentence.
    let mut mailbox = Mailbox::new(&pair.servers[0].data.join("mail"), http::ALICE);
    let browser = Browser::linked(&second, &mut mailbox, "Pow2 Board 101");
    let board = format!("{}board/Pow2/101/turn", browser.home);
    let played = form(&browser.choose(&board, "m13-j7").body, "play");
    let refused = browser.post(&board, &played);
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.body.contains("Try again in a minute"), "{refused:?}");
    assert_eq!(pair.count("SELECT COUNT(*) FROM turns"), 0);
    // With a file nothing changes: a second server on the same folder does not start.
    drop([first, second]);
    let alone = tempfile::tempdir().unwrap();
    let alone = Setup::new(alone.path());
    let _first = alone.serve();
    assert!(alone.does_not_start().contains("in use"));
}

#[test]
fn a_killed_server_is_replaced_within_ten_seconds() {
    let Some(pair) = Pair::new("killed") else { return };
    let [first, second] = pair.start();
    smtp::send(
        pair.ports[0],
        http::ALICE,
        "1@home.example",
        "signup alice fig7elk",
        "",
    );
    let since = Instant::now();
    first.kill();
    let took = pair.takes_over(1, since);
    eprintln!("kill -9: {took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    smtp::send(
        pair.ports[1],
        http::BOB,
        "2@home.example",
        "signup bob oak4jay",
        "",
    );
    assert_eq!(
        pair.count("SELECT COUNT(*) FROM players WHERE userid IN ('alice', 'bob')"),
        2
    );
    assert!(
        second.log().contains("this server has the engine now (since "),
        "{}",
        second.log()
    );
    // The first one is started again, and waits.
    let first = pair.servers[0].begin();
    waits(&first, 1);
    second.stop_well();
}

#[test]
fn a_stopped_server_is_replaced_at_once() {
    let Some(pair) = Pair::new("stopped") else { return };
    let [first, second] = pair.start();
    let since = Instant::now();
    first.stop_well();
    let took = pair.takes_over(1, since);
    eprintln!("SIGTERM: {took:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
    second.stop_well();
}

#[test]
fn a_server_that_hangs_is_replaced_and_writes_nothing_when_it_goes_on() {
    let Some(pair) = Pair::new("hangs") else { return };
    let [first, second] = pair.start();
    let mail = format!(
        "From: {}\r\nTo: {SERVER}\r\nMessage-ID: <once@home.example>\r\nSubject: signup alice fig7elk\r\n\r\n\r\n.\r\n",
        http::ALICE
    );
    let mut session = Client::connect(pair.ports[0]).unwrap();
    for line in [
        format!("MAIL FROM:<{}>", http::ALICE),
        format!("RCPT TO:<{SERVER}>"),
        "DATA".to_owned(),
    ] {
        let reply = session.say(&line).unwrap();
        assert!(reply.starts_with(['2', '3']), "{reply}");
    }
    let since = Instant::now();
    signal(first.pid(), "STOP");
    session.write(mail.as_bytes()).unwrap();
    let took = pair.takes_over(1, since);
    eprintln!("SIGSTOP: {took:?}");
    assert!(took < Duration::from_secs(30), "{took:?}");
    signal(first.pid(), "CONT");
    let reply = session.reply().unwrap();
    assert!(reply.starts_with('4'), "{reply}");
    assert_eq!(
        pair.count("SELECT COUNT(*) FROM players WHERE userid = 'alice'"),
        0
    );
    waits(&first, 1);
    assert!(greeting(pair.ports[0]).starts_with("421 4.3.2"));
    // The sender comes again, as mail servers do.
    smtp::send(
        pair.ports[1],
        http::ALICE,
        "once@home.example",
        "signup alice fig7elk",
        "",
    );
    assert_eq!(
        pair.count("SELECT COUNT(*) FROM players WHERE userid = 'alice'"),
        1
    );
    // And back.
    let (since, second_process) = (Instant::now(), second.pid());
    second.kill();
    let took = pair.takes_over(0, since);
    assert!(took < Duration::from_secs(10), "{took:?}");
    until("the first server says whose engine it was", || {
        let told = format!("(process {second_process})'s)");
        first.log().contains(&told).then_some(())
    });
    first.stop_well();
}
