//! SMTPUTF8 (RFC 6531): addresses and header fields outside ASCII, by SMTP and by LMTP.

use super::*;

#[tokio::test]
async fn a_message_with_smtputf8_is_taken_as_it_is() {
    for protocol in [Protocol::Smtp, Protocol::Lmtp] {
        let server = Server::speaking(protocol, Settings::default(), Recorder::open()).await;
        let mut client = match protocol {
            Protocol::Smtp => server.client().await,
            Protocol::Lmtp => server.lmtp_client().await,
        };
        for (line, beginning) in [
            (
                "MAIL FROM:<пример@ПОЧТА.example> BODY=8BITMIME SMTPUTF8",
                "250 2.1.0",
            ),
            ("RCPT TO:<pbmserv@host.example>", "250 2.1.5"),
            ("RCPT TO:<игры@host.example>", "550 5.1.1"),
            ("RCPT TO:<p\u{430}bmserv@host.example>", "553 5.1.3"),
            ("DATA", "354 "),
            (
                "From: Иван <пример@почта.example>\r\n\r\nhelp\r\n.",
                "250 2.0.0 Accepted",
            ),
            ("VRFY пример@почта.example SMTPUTF8", "252 "),
        ] {
            client.expect(line, beginning).await;
        }
        assert_eq!(
            server.intake.seen(),
            ["пример@почта.example>pbmserv@host.example:From: Иван <пример@почта.example>\r\n\r\nhelp\r\n"]
        );
    }
}

#[tokio::test]
async fn without_smtputf8_all_addresses_are_ascii() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    for (line, beginning) in [
        ("MAIL FROM:<пример@почта.example>", "553 5.6.7"),
        ("MAIL FROM:<bob@почта.example>", "553 5.6.7"),
        ("MAIL FROM:<bob@xn--80a1acny.example>", "250 "),
        ("RCPT TO:<pbmserv+é@host.example>", "553 5.6.7"),
        ("RCPT TO:<pbmserv@host.example>", "250 "),
    ] {
        client.expect(line, beginning).await;
    }
}

#[tokio::test]
async fn a_sender_who_cannot_be_answered_is_told() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    for (line, beginning) in [
        ("MAIL FROM:<нет@почта.example> SMTPUTF8", "250 "),
        (
            "RCPT TO:<pbmserv@host.example>",
            "550 5.6.7 This server cannot answer an address outside US-ASCII",
        ),
        ("DATA", "554 5.5.1"),
        // A token is answered at the addresses of its account.
        ("RCPT TO:<pbmserv+token@host.example>", "250 "),
    ] {
        client.expect(line, beginning).await;
    }
}
