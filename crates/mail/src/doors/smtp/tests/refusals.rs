//! Limits and refusals: each gives one clear sentence, and nothing is handed in.

use super::*;

#[tokio::test]
async fn a_message_declared_too_long_is_refused_at_once() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    assert_eq!(
        client.ask("MAIL FROM:<a@b> SIZE=1048577").await,
        "552 5.3.4 A message has at most 1048576 bytes"
    );
    client.expect("MAIL FROM:<a@b> SIZE=1048576", "250 ").await;
}

#[tokio::test]
async fn a_message_found_too_long_is_read_to_its_end_and_refused() {
    let settings = Settings {
        max_message_bytes: 1000,
        ..Settings::default()
    };
    let server = Server::start(settings).await;
    let mut client = server.client().await;
    // The longest allowed, one byte more, and nearly ten times as much.
    for (length, beginning) in [
        (998, "250 "),
        (999, "552 5.3.4 A message has at most 1000 bytes"),
        (9900, "552 5.3.4"),
    ] {
        client.begin().await;
        client
            .expect(&format!("{}\r\n.", "x".repeat(length)), beginning)
            .await;
    }
    client.begin().await;
    client.say("x".repeat(10_001)).await;
    assert!(
        client
            .rest()
            .await
            .starts_with("552 5.3.4 The message is far too long")
    );
    assert_eq!(server.intake.seen().len(), 1);
}

#[tokio::test]
async fn all_messages_together_have_a_limit() {
    let settings = Settings {
        max_message_bytes: 40_000,
        max_held_bytes: 80_000,
        ..Settings::default()
    };
    let server = Server::over(settings, Recorder::with_gate(0)).await;
    let text = format!("{}\r\n", "x".repeat(39_000));
    let mut first = server.client().await;
    first.begin().await;
    first.say(format!("{text}.\r\n")).await;
    timeout(PATIENCE, async {
        while server.intake.seen().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    let mut second = server.client().await;
    second.begin().await;
    second
        .expect(&format!("{text}."), "452 4.3.1 Too much mail")
        .await;
    server.intake.gate.add_permits(2);
    assert!(first.reply().await.starts_with("250 "));
    second.begin().await;
    second.expect(&format!("{text}."), "250 ").await;
}

#[tokio::test]
async fn the_hundred_and_first_recipient_is_put_off_and_the_others_are_kept() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    client.expect("MAIL FROM:<a@b>", "250 ").await;
    for n in 0..100 {
        client
            .expect(&format!("RCPT TO:<pbmserv+{n}@host.example>"), "250 ")
            .await;
    }
    client
        .expect(
            "RCPT TO:<pbmserv+100@host.example>",
            "452 4.5.3 A message has at most 100",
        )
        .await;
    client.expect("RCPT TO:<pbmserv+7@host.example>", "250 ").await;
    client.expect("DATA", "354 ").await;
    client.expect("hello\r\n.", "250 2.0.0 Accepted, number 1").await;
    let seen = server.intake.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].matches("pbmserv+").count(), 100);
}

#[tokio::test]
async fn a_message_without_an_end_is_never_handed_in() {
    let server = Server::start(Settings::default()).await;
    for text in ["", "half a li", "a line\r\n", "a line\r\n.", "a line\r\n.\r"] {
        let mut client = server.client().await;
        client.begin().await;
        client.say(text).await;
        client.stream.shutdown().await.unwrap();
        assert_eq!(client.rest().await, "");
    }
    assert!(server.intake.seen().is_empty());
}

#[tokio::test]
async fn a_long_line_is_refused_and_an_endless_one_ends_the_session() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    client.expect(&format!("NOOP {}", "x".repeat(993)), "250 ").await;
    client
        .expect(
            &format!("NOOP {}", "x".repeat(994)),
            "500 5.5.2 The line is too long",
        )
        .await;
    client
        .expect(
            &format!("NOOP {}", "x".repeat(60_000)),
            "500 5.5.2 The line is too long",
        )
        .await;
    client.expect("NOOP", "250 ").await;
    client.say("x".repeat(80_000)).await;
    let heard = client.rest().await;
    assert!(
        heard.starts_with("500 5.5.2 The line has no end") && heard.lines().count() == 1,
        "{heard}"
    );
}

#[tokio::test]
async fn too_many_errors_end_the_session_unless_a_message_came_between() {
    let settings = Settings {
        max_errors: 3,
        ..Settings::default()
    };
    let server = Server::start(settings).await;
    let mut client = server.client().await;
    for _ in 0..3 {
        client.expect("NONSENSE", "500 ").await;
    }
    client.begin().await;
    client.expect(".", "250 ").await;
    client.say("NONSENSE\r\n".repeat(2000)).await;
    let heard = client.rest().await;
    let lines: Vec<&str> = heard.lines().collect();
    assert_eq!(lines.len(), 5, "{heard}");
    assert!(lines[4].starts_with("421 4.7.0 Too many commands were refused"));
}

#[tokio::test]
async fn too_many_commands_end_the_session() {
    let settings = Settings {
        max_commands: 10,
        ..Settings::default()
    };
    let server = Server::start(settings).await;
    let mut client = server.client().await;
    client.say("NOOP\r\n".repeat(100)).await;
    let heard = client.rest().await;
    assert_eq!(heard.lines().count(), 10, "{heard}");
    assert!(heard.contains("\r\n421 4.7.0 Too many commands without a message"));
}

#[tokio::test]
async fn a_silent_peer_is_dropped_while_others_are_served() {
    let settings = Settings {
        silence_seconds: 1,
        ..Settings::default()
    };
    let server = Server::start(settings).await;
    let mut idle = server.client().await;
    let mut in_data = server.client().await;
    in_data.begin().await;
    in_data.say("half a li").await;
    // Single bytes now and then do not make a command.
    let mut dripping = server.client().await;
    let drip = async {
        for _ in 0..50 {
            if dripping.stream.write_all(b"x").await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let serve_another = async {
        let mut client = server.client().await;
        for _ in 0..8 {
            client.begin().await;
            client.expect(".", "250 ").await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    let (dripped, (), idled, cut) = tokio::join!(
        timeout(Duration::from_secs(4), drip),
        serve_another,
        idle.rest(),
        in_data.rest()
    );
    for heard in [idled, cut] {
        assert!(heard.starts_with("421 4.4.2"), "{heard}");
    }
    assert!(dripped.is_ok(), "the dripping peer was kept");
    assert_eq!(server.intake.seen().len(), 8);
}

#[tokio::test]
async fn a_peer_that_does_not_read_is_dropped() {
    let settings = Settings {
        silence_seconds: 1,
        max_commands: u32::MAX,
        ..Settings::default()
    };
    let server = Server::start(settings).await;
    let mut client = server.client().await;
    let flood = "HELP\r\n".repeat(10_000);
    let written = timeout(PATIENCE, async {
        while client.stream.write_all(flood.as_bytes()).await.is_ok() {}
    });
    assert!(written.await.is_ok(), "the peer was kept");
}

#[tokio::test]
async fn a_message_that_is_not_handled_in_time_should_be_repeated() {
    let settings = Settings {
        verdict_seconds: 1,
        ..Settings::default()
    };
    let server = Server::over(settings, Recorder::with_gate(0)).await;
    let mut client = server.client().await;
    client.begin().await;
    client
        .expect(".", "451 4.3.0 The message was not handled in time")
        .await;
    client.expect("NOOP", "250 ").await;
}

#[tokio::test]
async fn hundreds_of_connections_are_held_and_one_more_is_refused() {
    let settings = Settings {
        max_connections: 300,
        ..Settings::default()
    };
    let server = Server::start(settings).await;
    let mut clients = Vec::new();
    for _ in 0..300 {
        clients.push(server.client().await);
    }
    let mut refused = server.connect().await;
    assert!(
        refused
            .rest()
            .await
            .starts_with("421 4.7.0 Too many connections at the moment")
    );
    for client in &mut clients {
        client.begin().await;
    }
    for client in &mut clients {
        client.expect("hello\r\n.", "250 ").await;
    }
    let mut leaving = clients.pop().unwrap();
    leaving.expect("QUIT", "221 ").await;
    leaving.rest().await;
    // The slot is free as soon as the session has ended.
    let mut comes_again = server.connect().await;
    let mut greeting = comes_again.reply().await;
    for _ in 0..100 {
        if greeting.starts_with("220 ") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        comes_again = server.connect().await;
        greeting = comes_again.reply().await;
    }
    assert!(greeting.starts_with("220 "), "{greeting}");
    assert_eq!(server.intake.seen().len(), 300);
}

#[tokio::test]
async fn changed_limits_hold_for_the_next_session() {
    let server = Server::start(Settings::default()).await;
    let mut before = server.client().await;
    server
        .settings
        .send_modify(|settings| settings.max_message_bytes = 5000);
    let mut after = server.client().await;
    before.expect("MAIL FROM:<a@b> SIZE=5001", "250 ").await;
    after
        .expect(
            "MAIL FROM:<a@b> SIZE=5001",
            "552 5.3.4 A message has at most 5000 bytes",
        )
        .await;
}
