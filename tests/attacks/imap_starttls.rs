//! A man in the middle between the server and its mailbox.

use std::fs;

use crate::daemon::imap::{Imap, answer};
use crate::daemon::middle::{Deed, Middle};
use crate::daemon::smtp::message;
use crate::daemon::{Setup, count, tls, until};

/// What the server is to take for the answers to its commands after the handshake, among them this mail.
fn answers(mail: &str) -> String {
    let commands = [
        "LOGIN",
        "CAPABILITY",
        "SELECT INBOX",
        "UID SEARCH",
        "UID FETCH 1 RFC822.SIZE",
        "UID FETCH 1 BODY",
        "UID STORE",
        "UID SEARCH",
    ];
    let numbered = commands.iter().enumerate();
    let answers = numbered
        .map(|(nth, command)| format!("{}A{:04} OK done\r\n", answer(command, mail, nth > 6), nth + 1));
    answers.collect()
}

#[test]
fn answers_from_before_the_handshake_are_not_believed_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    fs::write(&password, "open-sesame\n").unwrap();
    let real = message("alice@home.example", "real@home.example", "help tutorial", "");
    let forged = message("bob@home.example", "forged@home.example", "help tutorial", "");
    let server = Imap::with(&real);
    let added = answers(&String::from_utf8(forged).unwrap());
    let middle = Middle::before(server.port, Deed::Adds(added));
    let url = format!("imap://games@localhost:{}/INBOX?tls=required", middle.port);
    let setup = Setup::new(folder.path())
        .with("PBMSERV_IMAP_URL", &url)
        .with("PBMSERV_IMAP_PASSWORD_FILE", &password.to_string_lossy())
        .with("PBMSERV_IMAP_CA_FILE", &tls::certificate().to_string_lossy());
    let daemon = setup.serve();
    let messages = || count(&setup.look(), "SELECT COUNT(*) FROM inbox");
    // At the second connection it has given up the first.
    until("the server connects again", || {
        assert_eq!(messages(), 0, "the forged mail was handled");
        (middle.times() > 1).then_some(())
    });
    middle.does(Deed::Nothing);
    until("the mail of the mailbox is handled", || {
        server.is_marked().then_some(())
    });
    assert_eq!(messages(), 1);
    let log = daemon.stop_well();
    assert!(
        log.contains("the server sent more than its answer to STARTTLS"),
        "{log}"
    );
}
