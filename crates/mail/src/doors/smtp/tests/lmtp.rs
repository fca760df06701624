//! LMTP (RFC 2033): its greeting, and one reply for each recipient.

use super::*;

impl Server {
    async fn lmtp(settings: Settings, intake: Arc<Recorder>) -> Self {
        Self::speaking(Protocol::Lmtp, settings, intake).await
    }

    /// A client that has said LHLO.
    pub(super) async fn lmtp_client(&self) -> Client {
        let mut client = self.connect().await;
        assert_eq!(client.reply().await, "220 host.example LMTP pbmserv");
        client.expect("LHLO me.example", "250-host.example").await;
        client
    }
}

impl Client {
    /// A message from alice to these details of the server's address, up to 354.
    async fn begin_for(&mut self, details: &[&str]) {
        self.expect("MAIL FROM:<alice@example.org>", "250 2.1.0").await;
        for detail in details {
            self.expect(&format!("RCPT TO:<pbmserv+{detail}@host.example>"), "250 2.1.5")
                .await;
        }
        self.expect("DATA", "354 ").await;
    }
}

#[tokio::test]
async fn each_protocol_has_its_own_greeting() {
    let server = Server::lmtp(Settings::default(), Recorder::open()).await;
    let mut client = server.connect().await;
    client.reply().await;
    for (line, beginning) in [
        ("MAIL FROM:<a@b>", "503 5.5.1 Say LHLO"),
        ("HELO me", "500 5.5.1 This is LMTP"),
        ("EHLO me", "500 5.5.1 This is LMTP"),
        ("MAIL FROM:<a@b>", "503 "),
        ("HELP", "214 2.0.0 LHLO"),
    ] {
        client.expect(line, beginning).await;
    }
    assert_eq!(
        client.ask("LHLO me").await,
        "250-host.example\r\n250-PIPELINING\r\n250-SIZE 1048576\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 ENHANCEDSTATUSCODES"
    );
    client.expect("MAIL FROM:<a@b>", "250 ").await;
    client.expect("STARTTLS", "502 ").await;
    assert_eq!(client.ask("QUIT").await, "221 2.0.0 Goodbye");

    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    client.expect("LHLO me", "500 5.5.1 This is SMTP").await;
    client.expect("MAIL FROM:<a@b>", "250 ").await;
}

#[tokio::test]
async fn each_recipient_gets_the_verdict_of_the_one_message() {
    let server = Server::lmtp(Settings::default(), Recorder::open()).await;
    let mut client = server.lmtp_client().await;
    client.expect("MAIL FROM:<a@b>", "250 ").await;
    for (recipient, beginning) in [
        ("pbmserv@host.example", "250 "),
        ("someone@elsewhere.example", "550 5.7.1"),
        ("pbmserv+x@host.example", "250 "),
        // A repeated recipient gets a reply of its own.
        ("PBMSERV+X@host.example", "250 "),
    ] {
        client.expect(&format!("RCPT TO:<{recipient}>"), beginning).await;
    }
    client.expect("DATA", "354 ").await;
    client.say("hello\r\n.\r\nQUIT\r\n").await;
    let heard = client.rest().await;
    let heard: Vec<&str> = heard.lines().collect();
    let (first, rest) = heard.split_first().unwrap();
    assert_eq!(*first, "250 2.0.0 Accepted, number 1");
    assert_eq!(rest, [*first, *first, "221 2.0.0 Goodbye"]);
    assert_eq!(
        server.intake.seen(),
        ["a@b>pbmserv@host.example,pbmserv+x@host.example:hello\r\n"]
    );
}

#[tokio::test]
async fn without_a_recipient_there_is_no_message() {
    let server = Server::lmtp(Settings::default(), Recorder::open()).await;
    let mut client = server.lmtp_client().await;
    client.expect("DATA", "503 5.5.1").await;
    client.expect("MAIL FROM:<a@b>", "250 ").await;
    client.expect("RCPT TO:<x@y>", "550 ").await;
    client
        .expect("DATA", "503 5.5.1 There is no valid recipient")
        .await;
    client.expect("RCPT TO:<pbmserv@host.example>", "250 ").await;
    client.expect("DATA", "354 ").await;
    client.expect(".", "250 2.0.0").await;
}

#[tokio::test]
async fn nobody_is_answered_before_the_commit() {
    let server = Server::lmtp(Settings::default(), Recorder::with_gate(0)).await;
    let mut client = server.lmtp_client().await;
    client.begin_for(&["x", "y", "z"]).await;
    client.say(".\r\n").await;
    timeout(PATIENCE, async {
        while server.intake.seen().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    let mut byte = [0];
    let early = timeout(Duration::from_millis(100), client.stream.read(&mut byte)).await;
    assert!(early.is_err(), "an answer came before the message was handled");
    server.intake.gate.add_permits(1);
    for _ in 0..3 {
        assert!(client.reply().await.starts_with("250 2.0.0 Accepted, number "));
    }
    client.expect("NOOP", "250 2.0.0 Yes").await;
}

#[tokio::test]
async fn a_refused_message_is_refused_to_each_and_counts_as_one_error() {
    let settings = Settings {
        max_message_bytes: 50,
        max_errors: 2,
        ..Settings::default()
    };
    let server = Server::lmtp(settings, Recorder::open()).await;
    let mut client = server.lmtp_client().await;
    for (text, refusal) in [
        ("x".repeat(60), "552 5.3.4 A message has at most 50 bytes"),
        ("y".repeat(70), "552 5.3.4 A message has at most 50 bytes"),
    ] {
        client.begin_for(&["x", "y", "z"]).await;
        client.say(format!("{text}\r\n.\r\n")).await;
        for _ in 0..3 {
            let reply = client.reply().await;
            assert!(reply.starts_with(refusal), "{reply}");
        }
    }
    client.expect("NOOP", "250 ").await;
    client.expect("NONSENSE", "500 ").await;
    assert!(
        client
            .reply()
            .await
            .starts_with("421 4.7.0 Too many commands were refused")
    );
    assert!(server.intake.seen().is_empty());
}

#[tokio::test]
async fn recipients_have_the_same_limit() {
    let settings = Settings {
        max_recipients: 2,
        ..Settings::default()
    };
    let server = Server::lmtp(settings, Recorder::open()).await;
    let mut client = server.lmtp_client().await;
    client.expect("MAIL FROM:<a@b>", "250 ").await;
    for (detail, beginning) in [("x", "250 "), ("y", "250 "), ("z", "452 4.5.3"), ("y", "250 ")] {
        client
            .expect(&format!("RCPT TO:<pbmserv+{detail}@host.example>"), beginning)
            .await;
    }
    client.expect("DATA", "354 ").await;
    client.say(".\r\nNOOP\r\n").await;
    for beginning in ["250 2.0.0 Acc", "250 2.0.0 Acc", "250 2.0.0 Acc", "250 2.0.0 Yes"] {
        let reply = client.reply().await;
        assert!(reply.starts_with(beginning), "{reply}");
    }
}
