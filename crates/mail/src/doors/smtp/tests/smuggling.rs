//! SMTP smuggling: only `<CRLF>.<CRLF>` ends the data, so no message can hide in another.

use super::*;

#[tokio::test]
async fn bare_line_ends_are_refused_at_the_true_end_and_the_session_ends() {
    let server = Server::start(Settings::default()).await;
    for hidden in [
        "\n",
        "\r",
        "\n.\n",
        "\n.\r\n",
        "\r\n.\n",
        "\r.\r",
        "\r\n.\r",
        "\r.\r\n",
        "\n.\r",
        "\r\n.\r\r\n",
        "\r\r\n.\n",
        "\n\n.\n\n",
    ] {
        let mut client = server.client().await;
        client.begin().await;
        let text = format!(
            "Subject: x{hidden}MAIL FROM:<evil@b>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\nhidden\r\n.\r\n\
             MAIL FROM:<evil@b>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\nbehind\r\n.\r\n"
        );
        client.say(&text).await;
        let heard = client.rest().await;
        assert!(
            heard.starts_with("554 5.6.0 Lines must end in CRLF") && heard.lines().count() == 1,
            "{hidden:?}: {heard}"
        );
    }
    assert!(server.intake.seen().is_empty());
}

#[tokio::test]
async fn by_lmtp_each_recipient_is_refused_first() {
    let server = Server::speaking(Protocol::Lmtp, Settings::default(), Recorder::open()).await;
    let mut client = server.connect().await;
    client
        .say(
            "LHLO me\r\nMAIL FROM:<a@b>\r\nRCPT TO:<pbmserv@host.example>\r\nRCPT TO:<pbmserv+x@host.example>\r\n\
             DATA\r\na\nb\r\n.\r\nNOOP\r\n",
        )
        .await;
    let heard = client.rest().await;
    let (_, after) = heard.split_once("\r\n354 ").unwrap();
    let after: Vec<_> = after.lines().skip(1).collect();
    assert!(
        after.len() == 2 && after.iter().all(|line| line.starts_with("554 5.6.0")),
        "{heard}"
    );
}

#[tokio::test]
async fn command_lines_must_end_in_crlf_too() {
    let server = Server::start(Settings::default()).await;
    for line in [
        "MAIL FROM:<a@b>\nRCPT TO:<pbmserv@host.example>\r\n",
        "NOOP\rNOOP\r\n",
    ] {
        let mut client = server.client().await;
        client.say(format!("{line}NOOP\r\n")).await;
        let heard = client.rest().await;
        assert!(
            heard.starts_with("500 5.5.2") && heard.lines().count() == 1,
            "{line:?}: {heard}"
        );
    }
}

#[tokio::test]
async fn a_form_posted_by_a_browser_is_no_mail() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.reply().await;
    client
        .say(
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:2525\r\n\r\nEHLO x\r\nMAIL FROM:<a@b>\r\n\
             RCPT TO:<pbmserv@host.example>\r\nDATA\r\nevil\r\n.\r\n",
        )
        .await;
    let heard = client.rest().await;
    assert!(
        heard.starts_with("502 5.5.1") && heard.lines().count() == 1,
        "{heard}"
    );
    assert!(server.intake.seen().is_empty());
}

#[tokio::test]
async fn the_text_of_an_unoffered_bdat_is_not_taken_for_commands() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    client
        .say("BDAT 90 LAST\r\nMAIL FROM:<a@b>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\nevil\r\n.\r\n")
        .await;
    let heard = client.rest().await;
    assert!(
        heard.starts_with("502 5.5.1") && heard.lines().count() == 1,
        "{heard}"
    );
    assert!(server.intake.seen().is_empty());
}
