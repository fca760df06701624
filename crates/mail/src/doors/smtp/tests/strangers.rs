//! Clients that are not trusted: counted by their network, and served with less patience while most connections
//! are in use. The postmaster and a full disk, which concern every client, are here too.

use super::*;

/// Limits without trusted clients and without a pause before the greeting.
fn strict() -> Settings {
    Settings {
        trusted: Vec::new().try_into().unwrap(),
        greeting_seconds: 0,
        ..Settings::default()
    }
}

/// How many of a hundred clients at this address are greeted, and the reply to the first that is not.
async fn greeted(server: &Server, address: [u8; 4]) -> (usize, String) {
    for greeted in 0..100 {
        let mut client = server.connect_from(address).await;
        let greeting = client.reply().await;
        if !greeting.starts_with("220 ") {
            return (greeted, greeting);
        }
    }
    (100, String::new())
}

#[tokio::test]
async fn new_connections_of_a_network_have_a_rate() {
    let settings = Settings {
        connections_a_minute: 5,
        ..strict()
    };
    let server = Server::start(settings).await;
    let (first, refusal) = greeted(&server, [127, 0, 2, 1]).await;
    assert_eq!(first, 5);
    assert_eq!(
        refusal,
        "421 4.7.0 Too many new connections from your network, please try again in a minute"
    );
    // Neighbours share four times the rate.
    let mut all = first;
    for last in 2..9 {
        all += greeted(&server, [127, 0, 2, last]).await.0;
    }
    assert_eq!(all, 20);
    assert_eq!(greeted(&server, [127, 0, 3, 1]).await.0, 5, "another network");
}

#[tokio::test]
async fn a_trusted_client_has_no_rate() {
    let settings = Settings {
        trusted: vec!["127.0.2.0/24".to_owned()].try_into().unwrap(),
        connections_a_minute: 1,
        messages_a_minute: 1,
        recipients_a_minute: 1,
        refusals_a_minute: 1,
        max_session_commands: 1,
        session_seconds: 0,
        ..strict()
    };
    let server = Server::start(settings).await;
    assert_eq!(greeted(&server, [127, 0, 2, 1]).await.0, 100);
    let mut client = server.connect_from([127, 0, 2, 1]).await;
    client.reply().await;
    client.expect("EHLO me.example", "250-").await;
    client.expect("NONSENSE", "500 ").await;
    client.expect("NONSENSE", "500 ").await;
    for _ in 0..3 {
        client.begin().await;
        client.expect(".", "250 ").await;
    }
}

#[tokio::test]
async fn messages_and_recipients_of_a_network_have_a_rate_over_all_its_sessions() {
    let settings = Settings {
        messages_a_minute: 4,
        recipients_a_minute: 5,
        ..strict()
    };
    let server = Server::start(settings).await;
    let mut one = server.client().await;
    let mut other = server.client().await;
    one.begin().await;
    one.expect(".", "250 ").await;
    other.expect("MAIL FROM:<a@b>", "250 ").await;
    for _ in 0..4 {
        other.expect("RCPT TO:<pbmserv@host.example>", "250 ").await;
    }
    other
        .expect(
            "RCPT TO:<pbmserv@host.example>",
            "450 4.7.1 Too many recipients from your network",
        )
        .await;
    other.expect("DATA", "354 ").await;
    other.expect(".", "250 ").await;
    one.expect("MAIL FROM:<a@b>", "250 ").await;
    other.expect("MAIL FROM:<a@b>", "250 ").await;
    other.expect("RSET", "250 ").await;
    other
        .expect("MAIL FROM:<a@b>", "450 4.7.1 Too many messages from your network")
        .await;
}

#[tokio::test]
async fn a_network_with_many_refused_commands_is_turned_away() {
    let settings = Settings {
        refusals_a_minute: 5,
        ..strict()
    };
    let server = Server::start(settings).await;
    for _ in 0..2 {
        let mut client = server.client().await;
        client.expect("NONSENSE", "500 ").await;
        client.expect("NONSENSE", "500 ").await;
    }
    let mut open = server.client().await;
    open.expect("NONSENSE", "500 ").await;
    open.expect("NONSENSE", "500 ").await;
    assert!(
        open.rest()
            .await
            .starts_with("421 4.7.0 Too many commands were refused")
    );
    let refusal = server.connect().await.rest().await;
    assert!(
        refusal.starts_with("421 4.7.0 Too many refused commands from your network"),
        "{refusal}"
    );
    assert_eq!(greeted(&server, [127, 0, 2, 1]).await.0, 60, "another network");
}

#[tokio::test]
async fn refusals_come_slower_after_half_of_those_allowed() {
    let settings = Settings {
        max_errors: 2,
        ..strict()
    };
    let server = Server::start(settings).await;
    let mut client = server.client().await;
    let start = std::time::Instant::now();
    client.expect("NONSENSE", "500 ").await;
    client.expect("NONSENSE", "500 ").await;
    let took = start.elapsed();
    assert!(
        took > Duration::from_millis(900) && took < Duration::from_secs(10),
        "{took:?}"
    );
}

#[tokio::test]
async fn a_client_that_speaks_before_the_greeting_is_refused() {
    let settings = Settings {
        greeting_seconds: 1,
        ..strict()
    };
    let server = Server::start(settings.clone()).await;
    let mut client = server.connect().await;
    client
        .say("EHLO me\r\nMAIL FROM:<a@b>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\nx\r\n.\r\n")
        .await;
    let heard = client.rest().await;
    assert!(
        heard.starts_with("554 5.5.1 The client spoke before") && heard.lines().count() == 1,
        "{heard}"
    );
    let mut patient = server.client().await;
    patient.begin().await;
    patient.expect(".", "250 ").await;
    // A trusted client may pipeline from the first byte.
    let trusting = Settings {
        trusted: Settings::default().trusted,
        ..settings
    };
    let server = Server::start(trusting).await;
    let mut client = server.connect().await;
    client.say("EHLO me\r\nQUIT\r\n").await;
    assert!(client.rest().await.contains("221 "));
}

#[tokio::test]
async fn a_session_that_brings_no_message_ends_however_busy_it_is() {
    let settings = Settings {
        message_within_seconds: 1,
        max_commands: u32::MAX,
        ..Settings::default()
    };
    let server = Server::start(settings).await;
    let mut idle = server.client().await;
    let mut busy = server.client().await;
    let mut useful = server.client().await;
    let chat = async {
        loop {
            let reply = busy.ask("NOOP").await;
            if !reply.starts_with("250 ") {
                return reply;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let work = async {
        for _ in 0..6 {
            useful.begin().await;
            useful.expect(".", "250 ").await;
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    };
    let (heard, (), idled) = tokio::join!(timeout(PATIENCE, chat), work, idle.rest());
    for reply in [heard.unwrap(), idled] {
        assert!(
            reply.starts_with("421 4.4.2 No message was accepted for too long"),
            "{reply}"
        );
    }
}

#[tokio::test]
async fn a_session_has_a_number_of_commands_and_a_time_in_all() {
    let settings = Settings {
        max_session_commands: 9,
        ..strict()
    };
    let server = Server::start(settings).await;
    let mut client = server.client().await;
    for _ in 0..2 {
        client.begin().await;
        client.expect(".", "250 ").await;
    }
    client.expect("NOOP", "250 ").await;
    client.expect("NOOP", "250 ").await;
    client
        .expect("NOOP", "421 4.7.0 Too many commands in one session")
        .await;
    let settings = Settings {
        session_seconds: 1,
        ..strict()
    };
    let server = Server::start(settings).await;
    let mut client = server.client().await;
    client.begin().await;
    client.expect(".", "250 ").await;
    let heard = client.rest().await;
    assert!(
        heard.starts_with("421 4.4.2 The session has lasted too long"),
        "{heard}"
    );
}

#[tokio::test]
async fn a_message_that_trickles_is_cut_off() {
    let settings = Settings {
        silence_seconds: 1,
        min_bytes_a_second: 1000,
        ..Settings::default()
    };
    let server = Server::start(settings).await;
    let mut client = server.client().await;
    client.begin().await;
    let trickle = async {
        for _ in 0..200 {
            if client.stream.write_all(b"x").await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the trickle is taken");
    };
    timeout(Duration::from_secs(5), trickle).await.unwrap();
    assert!(server.intake.seen().is_empty());
}

#[tokio::test]
async fn under_stress_a_stranger_gets_little_patience_and_a_trusted_client_all() {
    let settings = Settings {
        trusted: vec!["127.0.0.1".to_owned()].try_into().unwrap(),
        max_connections: 8,
        ..strict()
    };
    let server = Server::start(settings).await;
    let mut before = server.connect_from([127, 0, 2, 1]).await;
    before.reply().await;
    before.expect("NONSENSE", "500 ").await;
    before.expect("NONSENSE", "500 ").await;
    let mut held = Vec::new();
    for last in 2..7 {
        let mut client = server.connect_from([127, 0, last, 1]).await;
        client.reply().await;
        held.push(client);
    }
    before.say("NOOP\r\nNONSENSE\r\n").await;
    assert!(before.reply().await.starts_with("250 "));
    assert!(
        before
            .rest()
            .await
            .contains("421 4.7.0 Too many commands were refused")
    );
    let mut trusted = server.client().await;
    for _ in 0..5 {
        trusted.expect("NONSENSE", "500 ").await;
    }
}

#[tokio::test]
async fn the_postmaster_is_taken_however_it_is_written() {
    for protocol in [Protocol::Smtp, Protocol::Lmtp] {
        let server = Server::named(
            "mx.other.example",
            protocol,
            Settings::default(),
            Recorder::open(),
        )
        .await;
        let mut client = server.connect().await;
        client.reply().await;
        let hello = if protocol == Protocol::Smtp {
            "EHLO me"
        } else {
            "LHLO me"
        };
        client.expect(hello, "250-").await;
        client.expect("MAIL FROM:<>", "250 ").await;
        for name in [
            "postmaster",
            "PostMaster",
            "postmaster@host.example",
            "Postmaster@HOST.example",
            "POSTMASTER@mx.other.example",
        ] {
            client.expect(&format!("RCPT TO:<{name}>"), "250 2.1.5").await;
        }
        for name in [
            "postmaster@elsewhere.example",
            "webmaster@mx.other.example",
            "webmaster",
        ] {
            client.expect(&format!("RCPT TO:<{name}>"), "5").await;
        }
        client.expect("DATA", "354 ").await;
        client.say("hello\r\n.\r\n").await;
        assert!(client.reply().await.starts_with("250 2.0.0 Accepted"));
        assert_eq!(server.intake.seen(), [">postmaster@host.example:hello\r\n"]);
    }
}

#[tokio::test]
async fn a_nearly_full_disk_puts_mail_off_before_it_is_sent() {
    let server = Server::start(Settings::default()).await;
    server.intake.is_full.store(true, Ordering::Relaxed);
    let mut client = server.client().await;
    client
        .expect("MAIL FROM:<a@b>", "452 4.3.1 The disk is nearly full")
        .await;
    server.intake.is_full.store(false, Ordering::Relaxed);
    client.expect("MAIL FROM:<a@b>", "250 ").await;
}
