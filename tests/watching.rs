//! A running daemon as a monitoring sees it: `/healthz` and `/metrics`, well, in trouble, and under the hands of
//! strangers.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test says what must hold by failing, and tells of its run"
)]

#[expect(dead_code, reason = "each file of tests uses its part")]
mod daemon;

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use daemon::http::rest;
use daemon::smtp::{Client, message, send};
use daemon::{Daemon, House, until};
use rusqlite::Connection;

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

/// A house whose daemon serves its pages.
fn house(folder: &Path) -> House {
    House::new(folder).with("PBMSERV_HTTP_LISTEN", "127.0.0.1:0")
}

/// Two players and a board, with a few refusals on the way.
fn play(daemon: &Daemon) {
    for (number, (from, subject)) in [
        (ALICE, "signup alice secret1"),
        (BOB, "signup bob secret2"),
        (ALICE, "Pow2 challenge alice bob"),
        (ALICE, "Pow2 move 101 alice wrong-guess a1"),
        (ALICE, "Pow2 chat 101 alice secret1"),
        (BOB, "Pow2 frobnicate zwiebel"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("{number}@home.example");
        send(daemon.port, from, &id, subject, "some words for bob");
    }
}

#[test]
fn nothing_is_served_unless_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = House::new(folder.path()).serve();
    assert_eq!(daemon.http(), None);
    assert!(daemon.log().contains(" http=nowhere"), "{}", daemon.log());
    daemon.stop_well();
}

#[test]
fn a_server_that_works_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    let daemon = house.serve();
    let page = daemon.page("/healthz");
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.header.contains("content-type: application/json"), "{page:?}");
    let health = page.json();
    assert_eq!(health["status"], "ok", "{health}");
    assert_eq!(health["doors"]["smtp"]["state"], "ok", "{health}");
    assert_eq!(health["doors"]["control"]["state"], "ok", "{health}");
    assert_eq!(health["parts"]["timer"]["state"], "ok", "{health}");
    assert_eq!(health["trouble"], serde_json::json!([]), "{health}");
    play(&daemon);
    house.wait_for_delivery();
    let health = daemon.health_when("a mail was sent", |_, health| {
        health["sender"]["last_ok"].is_string()
    });
    assert_eq!(health["status"], "ok", "{health}");
    assert!(health["database"]["last_write"].is_string(), "{health}");
    daemon.stop_well();
}

#[test]
fn what_is_done_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path());
    let daemon = house.serve();
    for line in [
        "pbmserv_mails_in_total{door=\"smtp\",result=\"done\"}",
        "pbmserv_commands_total{verb=\"signup\",result=\"done\"}",
        "pbmserv_mails_out_total{result=\"sent\"}",
    ] {
        assert!(
            daemon.page("/metrics").body.contains(&format!("{line} 0\n")),
            "{line} is there from the start"
        );
    }
    play(&daemon);
    house.wait_for_delivery();
    let page = daemon.page("/metrics");
    assert_eq!(page.status, 200);
    assert!(
        page.header.contains("text/plain; version=0.0.4"),
        "{}",
        page.header
    );
    eprintln!("{}", page.body);
    let metric = |line: &str| daemon.metric(line);
    assert_eq!(
        metric("pbmserv_mails_in_total{door=\"smtp\",result=\"done\"}"),
        4.0
    );
    assert_eq!(
        metric("pbmserv_mails_in_total{door=\"smtp\",result=\"refused\"}"),
        2.0
    );
    assert_eq!(
        metric("pbmserv_commands_total{verb=\"signup\",result=\"done\"}"),
        2.0
    );
    assert_eq!(
        metric("pbmserv_commands_total{verb=\"move\",result=\"refused\"}"),
        1.0
    );
    assert_eq!(
        metric("pbmserv_commands_total{verb=\"none\",result=\"refused\"}"),
        1.0
    );
    let refusals: f64 = ["unreadable", "impossible", "ambiguous"]
        .iter()
        .map(|kind| metric(&format!("pbmserv_refusals_total{{kind=\"{kind}\"}}")))
        .sum();
    assert_eq!(refusals, 2.0);
    let sent = daemon::count(&house.look(), "SELECT COUNT(*) FROM outbox WHERE state = 'sent'");
    assert!(sent > 5);
    assert_eq!(metric("pbmserv_mails_out_total{result=\"sent\"}"), sent as f64);
    assert_eq!(metric("pbmserv_batch_messages_sum"), 6.0);
    assert_eq!(metric("pbmserv_message_seconds_count"), 6.0);
    assert!(metric("pbmserv_transaction_seconds_count") >= 6.0);
    assert_eq!(
        metric("pbmserv_queue_mails{queue=\"outbox\",state=\"waiting\"}"),
        0.0
    );
    assert_eq!(metric("pbmserv_door_alive{door=\"smtp\"}"), 1.0);
    assert_eq!(metric("pbmserv_sender_alive"), 1.0);
    assert_eq!(metric("pbmserv_healthy"), 1.0);
    assert!(metric("pbmserv_database_bytes") > 10_000.0);
    // A second copy is told apart.
    let copy = message(
        ALICE,
        "0@home.example",
        "signup alice secret1",
        "some words for bob",
    );
    Client::connect(daemon.port).unwrap().send(ALICE, &copy).unwrap();
    assert_eq!(
        metric("pbmserv_mails_in_total{door=\"smtp\",result=\"duplicate\"}"),
        1.0
    );
    // How many there are is looked up once in a while.
    until("the board and the players are seen", || {
        let boards = metric("pbmserv_boards{game=\"Pow2\",state=\"running\"}");
        let found = boards == 1.0 && metric("pbmserv_players") == 2.0;
        std::thread::sleep(Duration::from_millis(100));
        found.then_some(())
    });
    daemon.stop_well();
}
