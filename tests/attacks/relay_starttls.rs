//! A man in the middle between the server and its relay.

use std::path::Path;

use crate::daemon::middle::{Deed, Middle};
use crate::daemon::relay::{Mood, Relay};
use crate::daemon::smtp::send;
use crate::daemon::{Daemon, Setup, count, tls, until};

/// What the server is to take for the relay's answers to EHLO, MAIL, RCPT, DATA and the message.
const ANSWERS: &str = "250 ok\r\n250 ok\r\n250 ok\r\n354 go ahead\r\n250 taken\r\n";

/// What the log says while no mail is sent.
const REFUSED: &str = "the transport accepts no mail";

/// A setup whose relay has this URL.
fn with_relay(folder: &Path, url: &str) -> Setup {
    Setup::new(folder)
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", url)
        .with("PBMSERV_DELIVERY_CA_FILE", &tls::certificate().to_string_lossy())
}

/// A setup whose relay stands at this port, and must encrypt.
fn encrypting(folder: &Path, port: u16) -> Setup {
    with_relay(folder, &format!("smtp://localhost:{port}?tls=required"))
}

fn ask_for_help(daemon: &Daemon) {
    send(
        daemon.port,
        "alice@home.example",
        "1@home.example",
        "help tutorial",
        "",
    );
}

fn in_state(setup: &Setup, state: &str) -> i64 {
    count(
        &setup.look(),
        &format!("SELECT COUNT(*) FROM outbox WHERE state = '{state}'"),
    )
}

/// The letter waits while there is a man in the middle, and is delivered once he has gone. Returns the log.
#[track_caller]
fn waits_until_he_is_gone(deed: Deed) -> String {
    let folder = tempfile::tempdir().unwrap();
    let relay = Relay::listen(0, Mood::Encrypts);
    let middle = Middle::before(relay.port, deed);
    let setup = encrypting(folder.path(), middle.port);
    let daemon = setup.serve();
    ask_for_help(&daemon);
    until("the letter was tried", || {
        let is_refused = daemon.log().contains(REFUSED);
        (is_refused || in_state(&setup, "waiting") == 0 && in_state(&setup, "sent") > 0).then_some(())
    });
    assert!(middle.times() > 0);
    assert_eq!((in_state(&setup, "sent"), in_state(&setup, "waiting")), (0, 1));
    middle.does(Deed::Nothing);
    setup.wait_for_delivery();
    assert_eq!(relay.message_ids().len(), 1);
    assert_eq!(in_state(&setup, "sent"), 1);
    daemon.stop_well()
}

#[test]
fn answers_from_before_the_handshake_are_not_believed_after_it() {
    let log = waits_until_he_is_gone(Deed::Adds(ANSWERS.to_owned()));
    assert!(
        log.contains("STARTTLS: the server sent more than its answer"),
        "{log}"
    );
}

#[test]
fn answers_in_place_of_the_handshake_are_not_believed() {
    waits_until_he_is_gone(Deed::AddsLater(ANSWERS.to_owned()));
}

#[test]
fn nothing_is_sent_where_the_offer_of_encryption_was_taken_out() {
    let log = waits_until_he_is_gone(Deed::Strips);
    assert!(log.contains("the relay does not offer encryption"), "{log}");
}

#[test]
fn a_relay_of_another_name_gets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let relay = Relay::listen(0, Mood::Encrypts);
    let setup = with_relay(
        folder.path(),
        &format!("smtp://127.0.0.1:{}?tls=required", relay.port),
    );
    let daemon = setup.serve();
    ask_for_help(&daemon);
    until("the letter was tried", || {
        daemon.log().contains(REFUSED).then_some(())
    });
    assert_eq!(relay.message_ids(), Vec::<String>::new());
    let log = daemon.stop_well();
    assert!(log.contains("its certificate is for another name"), "{log}");
}

#[test]
fn whatever_the_encryption_a_letter_goes_through() {
    for (scheme, query, mood) in [
        ("smtp", "", Mood::Well),
        ("smtp", "?tls=opportunistic", Mood::Well),
        ("smtp", "?tls=opportunistic", Mood::Encrypts),
        ("smtp", "?tls=required", Mood::Encrypts),
        ("smtps", "", Mood::Wrapped),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let relay = Relay::listen(0, mood);
        let middle = Middle::before(relay.port, Deed::Nothing);
        let url = format!("{scheme}://localhost:{}{query}", middle.port);
        let setup = with_relay(folder.path(), &url);
        let daemon = setup.serve();
        ask_for_help(&daemon);
        setup.wait_for_delivery();
        assert_eq!(relay.message_ids().len(), 1, "{url}");
        assert!(!daemon.stop_well().contains(REFUSED), "{url}");
    }
}

#[test]
fn a_relay_that_talks_without_end_is_left() {
    for words in ["2", "220-welcome\r\n"] {
        let folder = tempfile::tempdir().unwrap();
        let relay = Relay::listen(0, Mood::Babbles(words));
        let setup = encrypting(folder.path(), relay.port);
        let daemon = setup.serve();
        let before = daemon.kilobytes("VmHWM");
        ask_for_help(&daemon);
        until("the relay is left", || {
            daemon
                .log()
                .contains("the transport accepts no mail")
                .then_some(())
        });
        let grown = daemon.kilobytes("VmHWM") - before;
        assert!(grown < 30_000, "{grown} kB more");
        relay.is(Mood::Encrypts);
        setup.wait_for_delivery();
        let log = daemon.stop_well();
        assert!(log.contains("the relay's reply is too long"), "{log}");
    }
}
