//! The server gets another address, and its letters bear the former one.

use crate::checks::check;
use crate::daemon::mailbox::of;
use crate::daemon::smtp::{Client, message};
use crate::daemon::{Daemon, SERVER, Setup, count};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";
const NEW: &str = "play@new.example";

/// A board; returns the address to which alice's answer goes, and that to which a bounce of her letter goes.
fn with_letters(setup: &Setup) -> (String, String) {
    let daemon = setup.serve();
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup.done(&["mail", BOB, "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    setup.wait_for_delivery();
    daemon.stop_well();
    let folder = setup.data.join("mail").join(ALICE);
    let letters = of(&folder);
    let board = letters.iter().find(|letter| letter.subject.contains("Board 101"));
    (board.unwrap().reply_to.clone(), return_path(&folder))
}

/// The envelope sender of a letter in this Maildir.
fn return_path(folder: &std::path::Path) -> String {
    let mut files = std::fs::read_dir(folder.join("new")).unwrap();
    let text = std::fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("Return-Path: <"));
    line.unwrap().trim_end_matches('>').to_owned()
}

/// The reply to RCPT with this address, and to the message if that was 250.
fn sent_to(daemon: &Daemon, from: &str, to: &str, bytes: &str) -> String {
    let mut client = Client::connect(daemon.port).unwrap();
    client.say(&format!("MAIL FROM:<{from}>")).unwrap();
    let taken = client.say(&format!("RCPT TO:<{to}>")).unwrap();
    if !taken.starts_with("250") {
        return taken;
    }
    client.say("DATA").unwrap();
    client.say(&format!("{bytes}\r\n.")).unwrap()
}

fn is_advised(printed: &str) -> bool {
    let begins = format!("NOTE   addresses: letters of the last 90 days bear {SERVER}");
    printed.lines().any(|line| {
        line.starts_with(&begins) && line.contains(&format!("server.former_addresses = [\"{SERVER}\"]"))
    })
}

#[test]
fn the_check_asks_for_the_former_address_while_letters_bear_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    // An address that no letter bears needs no care.
    setup
        .with("PBMSERV_SERVER_ADDRESS", "trial@nowhere.example")
        .begun();
    with_letters(&setup);
    let (printed, _) = check(&setup, &["--offline"]);
    assert!(
        printed.contains(&format!("mail is taken for {SERVER}\n")),
        "{printed}"
    );

    let moved = setup.with("PBMSERV_SERVER_ADDRESS", NEW);
    let (printed, code) = check(&moved, &["--offline"]);
    assert!(is_advised(&printed), "before the start: {printed}");
    moved.clone().begun();
    let (printed, code_after) = check(&moved, &["--offline"]);
    assert!(is_advised(&printed), "after it: {printed}");
    assert_eq!((code, code_after), (0, 0), "it is no fault");
    assert!(
        printed.ends_with("no fault; read the lines that begin with NOTE\n"),
        "{printed}"
    );

    let named = moved.with("PBMSERV_SERVER_FORMER_ADDRESSES", SERVER);
    let (printed, code) = check(&named, &["--offline"]);
    assert!(
        printed.contains(&format!("mail is taken for {NEW}, {SERVER}\n")),
        "{printed}"
    );
    assert!(code == 0 && printed.ends_with("all is well\n"), "{printed}");
}

#[test]
fn mail_to_a_former_address_is_taken_and_answered_from_the_present_one() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (to, bounce) = with_letters(&setup);
    let moved = setup.with("PBMSERV_SERVER_ADDRESS", NEW);

    let daemon = moved.serve();
    let turn = message(ALICE, "1@home.example", "Re: hello", "m1-m7");
    let turn = String::from_utf8(turn.clone()).unwrap();
    let refused = sent_to(&daemon, ALICE, &to, &turn);
    assert!(refused.starts_with("550"), "without former_addresses: {refused}");
    daemon.stop_well();

    let named = moved.with("PBMSERV_SERVER_FORMER_ADDRESSES", SERVER);
    let daemon = named.serve();
    for (from, to, text) in [
        (ALICE, to.as_str(), turn.as_str()),
        (
            "",
            bounce.as_str(),
            "From: MAILER-DAEMON@home.example\r\nMessage-ID: <2@home.example>\r\n\r\nBack.",
        ),
        (
            "carol@home.example",
            SERVER,
            "From: carol@home.example\r\nMessage-ID: <3@home.example>\r\nSubject: help\r\n\r\n",
        ),
        (
            "carol@home.example",
            "postmaster@localhost",
            "From: carol@home.example\r\nMessage-ID: <4@home.example>\r\n\r\nHello?",
        ),
    ] {
        let reply = sent_to(&daemon, from, to, text);
        assert!(reply.starts_with("250"), "{to}: {reply}");
    }
    let refused = sent_to(&daemon, ALICE, "other@localhost", &turn);
    assert!(refused.starts_with("550"), "{refused}");
    named.wait_for_delivery();
    assert_eq!(count(&named.look(), "SELECT COUNT(*) FROM turns"), 1);
    let answer = of(&named.data.join("mail").join(BOB)).pop().unwrap();
    assert!(answer.reply_to.ends_with("@new.example"), "{answer:?}");
    // The pipe without its envelope finds the address in the header.
    let piped = turn
        .replace("1@home.example", "5@home.example")
        .replace("m1-m7", "show");
    let to_former = format!("To: {to}\r\n{}", piped.replace(&format!("To: {SERVER}\r\n"), ""));
    let output = named.run_with(&["ingest", "--sender", ALICE], to_former.as_bytes());
    assert!(output.status.success(), "{output:?}");
    let last = "SELECT COUNT(*) FROM inbox WHERE door = 'pipe' AND state = 'done' AND id = (SELECT MAX(id) FROM inbox)";
    assert_eq!(count(&named.look(), last), 1, "its token was read");
    daemon.stop_well();
}

#[test]
fn the_lines_for_the_mail_server_can_be_printed_again() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let file = folder.path().join("pbmserv.toml");
    let server = format!("[server]\naddress = \"{NEW}\"\nformer_addresses = [\"pbmserv@old.example\"]\n");
    let init = ["--config", file.to_str().unwrap(), "init", "--lines"];
    let behind_postfix = [&init[..], &["--mta", "postfix"]].concat();
    std::fs::write(&file, &server).unwrap();
    let output = setup.run(&behind_postfix);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && error.contains("lmtp.listen is empty"),
        "{error}"
    );

    let text = format!("{server}[lmtp]\nlisten = \"127.0.0.1:2424\"\n");
    std::fs::write(&file, &text).unwrap();
    let said = setup.done(&behind_postfix);
    for line in [
        "play@new.example  lmtp:inet:[127.0.0.1]:2424",
        "pbmserv@old.example  lmtp:inet:[127.0.0.1]:2424",
        "relay_domains = new.example, old.example",
        "local_recipient_maps = $transport_maps, proxy:unix:passwd.byname, $alias_maps",
    ] {
        assert!(said.lines().any(|found| found == line), "{line}: {said}");
    }
    assert!(!said.contains("mydestination"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    assert!(!setup.data.exists(), "nothing is made");
    let output = setup.run(&init);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("--mta"),
        "{output:?}"
    );
}
