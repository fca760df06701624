//! Sessions of ordinary peers.

use super::*;

#[tokio::test]
async fn a_message_is_accepted_and_the_reply_has_its_number() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.connect().await;
    assert_eq!(client.reply().await, "220 host.example ESMTP pbmserv");
    assert_eq!(
        client.ask("EHLO me.example").await,
        "250-host.example\r\n250-PIPELINING\r\n250-SIZE 1048576\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 ENHANCEDSTATUSCODES"
    );
    client
        .expect("MAIL FROM:<alice@example.org> SIZE=20 BODY=8BITMIME", "250 2.1.0")
        .await;
    client
        .expect("RCPT TO:<PBMSERV+tok@host.example>", "250 2.1.5")
        .await;
    client.expect("DATA", "354 ").await;
    assert_eq!(
        client.ask("Subject: help\r\n\r\nh\0\u{e9}\r\n.").await,
        "250 2.0.0 Accepted, number 1"
    );
    assert_eq!(client.ask("QUIT").await, "221 2.0.0 Goodbye");
    assert_eq!(client.rest().await, "");
    assert_eq!(
        server.intake.seen(),
        ["alice@example.org>PBMSERV+tok@host.example:Subject: help\r\n\r\nh\0\u{e9}\r\n"]
    );
}

#[tokio::test]
async fn every_command_has_its_answer() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.reply().await;
    for (line, beginning) in [
        ("MAIL FROM:<a@b>", "503 5.5.1"),
        ("HELO me", "250 host.example"),
        ("RCPT TO:<pbmserv@host.example>", "503 5.5.1"),
        ("DATA", "503 5.5.1"),
        ("NOOP now", "250 "),
        ("VRFY alice", "252 "),
        ("HELP", "214 "),
        ("EXPN list", "502 "),
        ("STARTTLS", "502 "),
        ("AUTH PLAIN AGEAYg==", "502 "),
        ("TURN", "500 "),
        ("MAIL FROM:<a@b>", "250 "),
        ("MAIL FROM:<a@b>", "503 5.5.1"),
        ("DATA", "554 5.5.1"),
        ("RCPT TO:<someone@elsewhere.example>", "550 5.7.1"),
        ("RCPT TO:<someone@HOST.example>", "550 5.1.1"),
        ("RSET", "250 "),
        ("RCPT TO:<pbmserv@host.example>", "503 5.5.1"),
        ("MAIL FROM:<a@b>", "250 "),
        ("EHLO again", "250-"),
        ("DATA", "503 5.5.1"),
    ] {
        client.expect(line, beginning).await;
    }
    assert!(server.intake.seen().is_empty());
}

#[tokio::test]
async fn pipelined_messages_are_answered_in_order() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    // Text follows DATA immediately, and the next transaction follows the end of data.
    client
        .say(
            "MAIL FROM:<a@b>\r\nRCPT TO:<x@y>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\none\r\n.\r\n\
             MAIL FROM:<c@d>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\n..\r\n.\r\nQUIT\r\n",
        )
        .await;
    let codes: Vec<String> = client
        .rest()
        .await
        .lines()
        .map(|line| line[..9].to_owned())
        .collect();
    assert_eq!(
        codes,
        [
            "250 2.1.0",
            "550 5.7.1",
            "250 2.1.5",
            "354 Go ah",
            "250 2.0.0",
            "250 2.1.0",
            "250 2.1.5",
            "354 Go ah",
            "250 2.0.0",
            "221 2.0.0"
        ]
    );
    assert_eq!(
        server.intake.seen(),
        [
            "a@b>pbmserv@host.example:one\r\n",
            "c@d>pbmserv@host.example:.\r\n"
        ]
    );
}

#[tokio::test]
async fn bytes_may_come_one_by_one() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    let session =
        "MAIL FROM:<a@b>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\n..x\r\n.y\r\n\r\n.\r\nQUIT\r\n";
    for byte in session.bytes() {
        client.say([byte]).await;
        tokio::task::yield_now().await;
    }
    assert!(client.rest().await.contains("Accepted, number 1\r\n221 "));
    assert_eq!(server.intake.seen(), ["a@b>pbmserv@host.example:.x\r\ny\r\n\r\n"]);
}

#[tokio::test]
async fn the_null_sender_is_no_sender() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    client.expect("MAIL FROM:<>", "250 ").await;
    client.expect("RCPT TO:<pbmserv@host.example>", "250 ").await;
    client.expect("DATA", "354 ").await;
    client.expect(".", "250 2.0.0 Accepted").await;
    assert_eq!(server.intake.messages.lock().unwrap()[0].envelope.sender, None);
    assert_eq!(server.intake.seen(), [">pbmserv@host.example:"]);
}

#[tokio::test]
async fn a_recipient_named_twice_gets_one_message() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    client.expect("MAIL FROM:<a@b>", "250 ").await;
    for recipient in [
        "pbmserv+x@host.example",
        "pbmserv@host.example",
        "PBMSERV+X@Host.Example",
    ] {
        client.expect(&format!("RCPT TO:<{recipient}>"), "250 ").await;
    }
    client.expect("DATA", "354 ").await;
    client.expect(".", "250 2.0.0 Accepted, number").await;
    let seen = server.intake.seen();
    assert_eq!(seen, ["a@b>pbmserv+x@host.example,pbmserv@host.example:"]);
}

#[tokio::test]
async fn a_long_message_comes_whole() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    let text: String = (0..20_000).map(|n| format!("line {n} of many\r\n")).collect();
    for _ in 0..2 {
        client.begin().await;
        client.say(&text).await;
        client.expect(".", "250 2.0.0 Accepted").await;
    }
    let expected = format!("alice@example.org>pbmserv@host.example:{text}");
    assert!(server.intake.seen() == [expected.clone(), expected]);
}
