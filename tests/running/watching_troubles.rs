//! A faulty daemon as monitoring sees it: each fault is reported, no page waits for it, and its end is reported.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::daemon::http::{ALICE, closed_port, play, watched};
use crate::daemon::smtp::{Client, message};
use crate::daemon::stuck::Stuck;
use crate::daemon::{self, until};
use rusqlite::Connection;

/// A relay that accepts every mail, at a port that was closed before.
fn relay(port: u16) {
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || converse(stream));
        }
    });
}

fn converse(mut stream: TcpStream) -> std::io::Result<()> {
    let lines = BufReader::new(stream.try_clone()?).lines();
    stream.write_all(b"220 relay\r\n")?;
    let mut is_text = false;
    for line in lines {
        let line = line?;
        let reply: &[u8] = match line.as_str() {
            "." => b"250 taken\r\n",
            _ if is_text => continue,
            "DATA" => b"354 go on\r\n",
            _ => b"250 fine\r\n",
        };
        is_text = line == "DATA";
        stream.write_all(reply)?;
    }
    Ok(())
}

#[test]
fn a_relay_that_is_down_is_seen_and_so_is_its_return() {
    let folder = tempfile::tempdir().unwrap();
    let port = closed_port();
    let setup = watched(folder.path())
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", &format!("smtp://127.0.0.1:{port}"));
    let daemon = setup.serve();
    play(&daemon);
    let health = daemon.health_when("the relay is missed", |_, health| {
        health["sender"]["down_since"].is_string()
    });
    assert_eq!(health["status"], "degraded", "{health}");
    assert_eq!(health["sender"]["state"], "degraded", "{health}");
    assert!(health["sender"]["last_error_at"].is_string(), "{health}");
    assert!(health["outbox"]["waiting"].as_u64().unwrap() > 0, "{health}");
    assert!(health["outbox"]["oldest"].is_string(), "{health}");
    assert_eq!(
        daemon.page("/healthz").status,
        200,
        "a restart of the relay is no alarm"
    );
    assert_eq!(daemon.metric("pbmserv_sender_alive"), 0.0);
    assert!(daemon.metric("pbmserv_mails_out_total{result=\"deferred\"}") >= 1.0);
    assert!(daemon.metric("pbmserv_queue_mails{queue=\"outbox\",state=\"waiting\"}") >= 1.0);
    relay(port);
    let health = daemon.health_when("the relay is back", |_, health| {
        health["sender"]["state"] == "ok" && health["sender"]["last_ok"].is_string()
    });
    assert!(health["sender"]["down_since"].is_null(), "{health}");
    assert_eq!(daemon.metric("pbmserv_sender_alive"), 1.0);
    until("what was sent is counted", || {
        (daemon.metric("pbmserv_mails_out_total{result=\"sent\"}") >= 1.0).then_some(())
    });
    daemon.stop_well();
}

#[test]
fn a_maildir_that_vanishes_is_seen_and_so_is_its_return() {
    let folder = tempfile::tempdir().unwrap();
    let maildir = folder.path().join("Maildir");
    for part in ["new", "cur", "tmp"] {
        fs::create_dir_all(maildir.join(part)).unwrap();
    }
    let setup = watched(folder.path()).with("PBMSERV_MAILDIR_PATH", &maildir.to_string_lossy());
    let daemon = setup.serve();
    daemon.health_when("it has looked", |_, health| {
        health["doors"]["maildir"]["last_ok"].is_string()
    });
    assert_eq!(daemon.metric("pbmserv_door_alive{door=\"maildir\"}"), 1.0);
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&maildir, &elsewhere).unwrap();
    let health = daemon.health_when("the Maildir is missed", |_, health| {
        health["doors"]["maildir"]["down_since"].is_string()
    });
    assert_eq!(health["status"], "degraded", "{health}");
    assert_eq!(daemon.metric("pbmserv_door_alive{door=\"maildir\"}"), 0.0);
    fs::rename(&elsewhere, &maildir).unwrap();
    let health = daemon.health_when("the Maildir is back", |_, health| health["status"] == "ok");
    assert!(
        health["doors"]["maildir"]["last_error_at"].is_string(),
        "{health}"
    );
    daemon.stop_well();
}

#[test]
fn a_database_that_is_locked_is_seen_and_so_is_the_end_of_it_without_a_mail() {
    let folder = tempfile::tempdir().unwrap();
    let setup = watched(folder.path());
    let daemon = setup.serve();
    play(&daemon);
    setup.wait_for_delivery();
    let other = Connection::open(setup.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut client = Client::connect(daemon.port).unwrap();
    let text = message(ALICE, "late@home.example", "help", "");
    client.begin(ALICE).unwrap();
    client.write(&daemon::smtp::stuffed(&text)).unwrap();
    let health = daemon.health_when("nothing can be written", |page, _| page.status == 503);
    assert!(client.reply().unwrap().starts_with("451"));
    assert_eq!(health["status"], "down", "{health}");
    let database = &health["database"];
    assert_eq!(database["can_be_read"], true, "{health}");
    assert_eq!(database["can_be_written"], false, "{health}");
    assert_eq!(
        database["last_write_error"], "another process has locked it",
        "{health}"
    );
    assert!(database["writes_fail_since"].is_string(), "{health}");
    assert_eq!(daemon.metric("pbmserv_database_writable"), 0.0);
    assert_eq!(
        daemon.metric("pbmserv_mails_in_total{door=\"smtp\",result=\"deferred\"}"),
        1.0
    );
    other.execute_batch("ROLLBACK").unwrap();
    let health = daemon.health_when("it can be written again", |page, _| page.status == 200);
    assert_eq!(health["database"]["can_be_written"], true, "{health}");
    assert_eq!(daemon.metric("pbmserv_database_writable"), 1.0);
    daemon.stop_well();
}

#[test]
fn a_database_that_is_gone_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let setup = watched(folder.path());
    let daemon = setup.serve();
    assert_eq!(daemon.page("/healthz").status, 200);
    fs::rename(setup.database(), folder.path().join("elsewhere")).unwrap();
    let health = daemon.health_when("the database is missed", |page, health| {
        let database = &health["database"];
        page.status == 503 && database["can_be_read"] == false && database["can_be_written"] == false
    });
    assert!(
        !health.to_string().contains(&*folder.path().to_string_lossy()),
        "{health}"
    );
    assert!(daemon.page("/metrics").body.contains("pbmserv_players NaN"));
    fs::rename(folder.path().join("elsewhere"), setup.database()).unwrap();
    daemon.health_when("it is back", |page, _| page.status == 200);
    daemon.stop_well();
}

#[test]
fn an_engine_that_hangs_is_seen_and_no_page_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = watched(folder.path());
    let daemon = setup.serve();
    let stuck = Stuck::hold(&setup, &daemon);
    let health = daemon.health_when("the engine hangs", |page, health| {
        assert!(health["time"].is_string());
        page.status == 503
    });
    assert_eq!(health["engine"]["state"], "down", "{health}");
    assert!(
        health["engine"]["busy_seconds"].as_u64().unwrap() >= 15,
        "{health}"
    );
    for path in ["/healthz", "/metrics"] {
        let asked = Instant::now();
        let page = daemon.page(path);
        assert!(
            asked.elapsed() < Duration::from_secs(5),
            "{:?}: {page:?}",
            asked.elapsed()
        );
    }
    assert_eq!(daemon.metric("pbmserv_engine_alive"), 0.0);
    assert!(daemon.metric("pbmserv_engine_busy_seconds") >= 15.0);
    stuck.free();
    let health = daemon.health_when("the engine is back", |page, _| page.status == 200);
    assert_eq!(health["engine"]["state"], "ok", "{health}");
    daemon.stop_well();
}
