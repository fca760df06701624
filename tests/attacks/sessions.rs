//! Bounds of one SMTP session and of one network; a disk that is nearly full.

use std::path::Path;

use crate::daemon::http::watched;
use crate::daemon::smtp::{Client, message};
use crate::daemon::{SERVER, Setup, count, until};

const MALLORY: [u8; 4] = [127, 0, 2, 1];
const EVIL: &str = "mallory@evil.example";

/// A setup for which no client is trusted, and that greets at once.
fn strict(folder: &Path) -> Setup {
    Setup::new(folder)
        .with("PBMSERV_SMTP_TRUSTED", "")
        .with("PBMSERV_SMTP_GREETING_SECONDS", "0")
}

fn messages(setup: &Setup) -> i64 {
    count(&setup.look(), "SELECT count(*) FROM inbox")
}

/// A message from Mallory.
fn help(number: usize) -> Vec<u8> {
    message(EVIL, &format!("{number}@evil.example"), "help", "")
}

/// A client from this address that was greeted and has said EHLO; otherwise the refusal.
fn greeted(address: [u8; 4], port: u16) -> Result<Client, String> {
    let mut client = Client::open_from(address, port).unwrap();
    let greeting = client.reply().unwrap();
    if !greeting.starts_with("220") {
        return Err(greeting);
    }
    client.say("EHLO evil.example").unwrap();
    Ok(client)
}

#[test]
fn after_a_bare_line_end_the_session_ends_and_what_follows_is_never_run() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = setup.serve();
    let behind = format!("MAIL FROM:<{EVIL}>\r\nRCPT TO:<{SERVER}>\r\nDATA\r\nSubject: help\r\n\r\n.\r\n");
    for hidden in ["\n.\n", "\r.\r", "\n.\r\n", "a\nb", "a\rb"] {
        let mut client = Client::connect(daemon.port).unwrap();
        client.begin(EVIL).unwrap();
        client
            .write(format!("Subject: help\r\n\r\n{hidden}\r\n.\r\n{behind}").as_bytes())
            .unwrap();
        let heard = client.rest();
        assert!(heard.starts_with("554 5.6.0 Lines must end in CRLF"), "{heard}");
        assert_eq!(heard.lines().count(), 1, "{hidden:?}: {heard}");
    }
    let mut client = Client::connect(daemon.port).unwrap();
    client.write(format!("NOOP\n{behind}").as_bytes()).unwrap();
    let heard = client.rest();
    assert!(
        heard.starts_with("500 5.5.2") && heard.lines().count() == 1,
        "{heard}"
    );
    assert_eq!(messages(&setup), 0);
    daemon.stop_well();
}

#[test]
fn the_postmaster_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = setup.serve();
    for (number, name) in ["Postmaster", "postmaster@localhost", "POSTMASTER@LOCALHOST"]
        .iter()
        .enumerate()
    {
        let mut client = Client::connect(daemon.port).unwrap();
        client.say(&format!("MAIL FROM:<{EVIL}>")).unwrap();
        let reply = client.say(&format!("RCPT TO:<{name}>")).unwrap();
        assert!(reply.starts_with("250"), "{name}: {reply}");
        client.say("DATA").unwrap();
        client.write(&help(number)).unwrap();
        let reply = client.say(".").unwrap();
        assert!(reply.starts_with("250"), "{name}: {reply}");
    }
    daemon.stop_well();
}

#[test]
fn one_network_has_its_share_and_others_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let setup = strict(folder.path())
        .with("PBMSERV_SMTP_MESSAGES_A_MINUTE", "5")
        .with("PBMSERV_SMTP_CONNECTIONS_A_MINUTE", "20")
        .with("PBMSERV_SMTP_REFUSALS_A_MINUTE", "8");
    let daemon = setup.serve();
    let mut client = greeted(MALLORY, daemon.port).unwrap();
    let mut taken = 0;
    let refusal = (0..20).find_map(|number| match client.send(EVIL, &help(number)) {
        Ok(_) => {
            taken += 1;
            None
        }
        Err(error) => Some(error.to_string()),
    });
    assert_eq!((taken, messages(&setup)), (5, 5));
    assert!(
        refusal
            .unwrap()
            .starts_with("450 4.7.1 Too many messages from your network")
    );
    // From its neighbours' addresses it can send four times as much, and no more.
    for last in 2..9 {
        if let Ok(mut client) = greeted([127, 0, 2, last], daemon.port) {
            taken += (0..20)
                .filter(|number| client.send(EVIL, &help(100 * usize::from(last) + number)).is_ok())
                .count();
        }
    }
    assert_eq!(taken, 20);
    let refused: Vec<_> = (0..30)
        .filter_map(|_| greeted(MALLORY, daemon.port).err())
        .collect();
    assert!(refused.len() >= 10, "{}", refused.len());
    assert!(
        refused[0].starts_with("421 4.7.0 Too many new connections from your network"),
        "{refused:?}"
    );
    // Junk is counted over all sessions.
    let junk = [127, 0, 3, 1];
    for _ in 0..2 {
        let mut client = greeted(junk, daemon.port).unwrap();
        for _ in 0..4 {
            client.say("JUNK").unwrap();
        }
    }
    let refused = greeted(junk, daemon.port).err().unwrap();
    assert!(
        refused.starts_with("421 4.7.0 Too many refused commands"),
        "{refused}"
    );
    let mut other = greeted([127, 0, 9, 1], daemon.port).unwrap();
    assert!(
        other
            .send("alice@home.example", &help(9999))
            .unwrap()
            .starts_with("250")
    );
    let log = daemon.stop_well();
    let lines = log
        .lines()
        .filter(|line| line.contains("connection refused"))
        .count();
    assert!((1..=7).contains(&lines), "{lines} lines:\n{log}");
}

#[test]
fn many_connections_cost_everybody_patience_and_leave_room_for_the_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let setup = strict(folder.path())
        .with("PBMSERV_SMTP_TRUSTED", "127.0.0.1")
        .with("PBMSERV_SMTP_MAX_CONNECTIONS", "20");
    let daemon = setup.serve();
    let mut held: Vec<_> = (0..18)
        .map(|number| greeted([127, 0, 10 + number, 1], daemon.port).unwrap())
        .collect();
    let refused = greeted(MALLORY, daemon.port).err().unwrap();
    assert!(
        refused.starts_with("421 4.7.0 Too many connections at the moment"),
        "{refused}"
    );
    let mut relay = Client::connect(daemon.port).unwrap();
    assert!(relay.send(EVIL, &help(1)).unwrap().starts_with("250"));
    // A silent stranger is held for 10 seconds now, not for five minutes; one that is refused twice goes at once.
    let junk = held.last_mut().unwrap();
    junk.write(b"JUNK\r\nJUNK\r\nNOOP\r\n").unwrap();
    let heard = junk.rest();
    assert!(
        heard.contains("421 4.7.0 Too many commands were refused"),
        "{heard}"
    );
    daemon.stop_well();
}

#[test]
fn a_program_that_does_not_listen_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let setup = strict(folder.path()).with("PBMSERV_SMTP_GREETING_SECONDS", "1");
    let daemon = setup.serve();
    let mut client = Client::open_from(MALLORY, daemon.port).unwrap();
    client
        .write(format!("EHLO evil.example\r\nMAIL FROM:<{EVIL}>\r\nRCPT TO:<{SERVER}>\r\nDATA\r\nSubject: help\r\n\r\n.\r\nQUIT\r\n").as_bytes())
        .unwrap();
    let heard = client.rest();
    assert!(
        heard.starts_with("554 5.5.1 The client spoke before the greeting"),
        "{heard}"
    );
    let mut patient = greeted(MALLORY, daemon.port).unwrap();
    assert!(patient.send(EVIL, &help(1)).unwrap().starts_with("250"));
    assert_eq!(messages(&setup), 1);
    daemon.stop_well();
}

#[test]
fn below_the_floor_of_free_disk_mail_is_put_off_at_every_door() {
    let folder = tempfile::tempdir().unwrap();
    let maildir = folder.path().join("mailbox");
    for sub in ["new", "cur", "tmp"] {
        std::fs::create_dir_all(maildir.join(sub)).unwrap();
    }
    let setup = watched(folder.path())
        .with("PBMSERV_SERVER_MIN_FREE_BYTES", "1000000000000000000")
        .with("PBMSERV_MAILDIR_PATH", &maildir.to_string_lossy());
    let mail = maildir.join("new/1.mail");
    std::fs::write(&mail, help(0)).unwrap();
    let daemon = setup.serve();
    let mut client = Client::connect(daemon.port).unwrap();
    for _ in 0..3 {
        let refusal = client.send(EVIL, &help(1)).unwrap_err().to_string();
        assert!(
            refusal.starts_with("452 4.3.1 The disk is nearly full"),
            "{refusal}"
        );
    }
    let (code, sentence) = setup.ingest(EVIL, &help(2));
    assert_eq!(code, 75, "{sentence}");
    until("the Maildir is looked at", || {
        (daemon.metric("pbmserv_mails_in_total{door=\"maildir\",result=\"deferred\"}") > 0.0).then_some(())
    });
    assert!(mail.exists());
    let page = daemon.page("/healthz");
    assert_eq!(page.status, 503);
    let health = page.json();
    assert_eq!(health["disk"]["state"], "down", "{health}");
    assert!(daemon.metric("pbmserv_disk_free_bytes") > 0.0);
    assert_eq!(daemon.metric("pbmserv_disk_min_free_bytes"), 1e18);
    assert_eq!(messages(&setup), 0);
    let log = daemon.stop_well();
    assert_eq!(log.matches("server.min_free_bytes").count(), 1, "{log}");
    // Without a daemon the pipe says the same.
    assert_eq!(setup.ingest(EVIL, &help(2)).0, 75);
    let daemon = setup.with("PBMSERV_SERVER_MIN_FREE_BYTES", "1").serve();
    until("the Maildir is emptied", || (!mail.exists()).then_some(()));
    daemon.stop_well();
}
