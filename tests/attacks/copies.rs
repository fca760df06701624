//! One message has one effect, however many copies come; a copy that was not carried out takes no other's place.

use crate::daemon::mailbox::{self, Mail};
use crate::daemon::smtp::{Client, send, stuffed};
use crate::daemon::{Daemon, SERVER, Setup, count, until};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@away.example";

/// A daemon on which alice and bob have begun Pow2 Board 101, and the address to which alice's answers go.
fn board(setup: &Setup) -> (Daemon, String) {
    let daemon = setup.serve();
    send(daemon.port, ALICE, "1@home.example", "signup alice fig7elk", "");
    send(daemon.port, BOB, "1@away.example", "signup bob oak4jay", "");
    send(
        daemon.port,
        ALICE,
        "2@home.example",
        "Pow2 challenge alice bob",
        "",
    );
    let token = until("alice has her board", || {
        let mails = mails(setup, ALICE);
        let board = mails.iter().find(|mail| mail.subject == "Pow2 Board 101 alice")?;
        Some(board.reply_to.clone())
    });
    assert!(token.contains('+'), "{token}");
    (daemon, token)
}

fn mails(setup: &Setup, address: &str) -> Vec<Mail> {
    mailbox::of(&setup.data.join("mail").join(address))
}

/// An answer of alice to her board.
fn answer(id: &str, text: &str) -> Vec<u8> {
    format!(
        "From: {ALICE}\r\nTo: {SERVER}\r\nMessage-ID: <{id}>\r\nSubject: Re: Pow2 Board 101 alice\r\n\r\n{text}\r\n"
    )
    .into_bytes()
}

/// How often alice's words have reached bob.
fn heard(setup: &Setup, words: &str) -> usize {
    setup.wait_for_delivery();
    let mails = mails(setup, BOB);
    mails.iter().filter(|mail| mail.text.contains(words)).count()
}

#[test]
fn an_answer_to_all_our_addresses_is_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (daemon, token) = board(&setup);
    let other_spelling = token.replacen('+', "+aaaaaaaa", 1);
    let in_capitals = token.to_ascii_uppercase();
    let mut client = Client::connect(daemon.port).unwrap();
    for (words, recipients) in [
        ("zebra", [SERVER, &token, &in_capitals]),
        ("okapi", [&token, SERVER, &other_spelling]),
        ("tapir", [&other_spelling, &in_capitals, SERVER]),
    ] {
        let message = answer(&format!("{words}@home.example"), &format!("chat {words}"));
        let reply = client.send_to(ALICE, &recipients, &message).unwrap();
        assert!(reply.starts_with("250"), "{reply}");
        for copy in recipients {
            let reply = client.send_to(ALICE, &[copy], &message).unwrap();
            assert!(reply.starts_with("250"), "{reply}");
        }
        assert_eq!(heard(&setup, words), 1, "{words}");
    }
    let mut client = Client::connect(daemon.port).unwrap();
    let message = answer("hyena@home.example", "chat hyena");
    client.send_to(ALICE, &[&other_spelling], &message).unwrap();
    assert_eq!(heard(&setup, "hyena"), 0, "a token has one spelling");
    daemon.stop_well();
}

#[test]
fn an_answer_to_an_older_letter_and_a_newer_one_is_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let lmtp = folder.path().join("lmtp.sock");
    let setup = Setup::new(folder.path()).with("PBMSERV_LMTP_LISTEN", &format!("unix:{}", lmtp.display()));
    let (daemon, older) = board(&setup);
    let turns = || count(&setup.look(), "SELECT COUNT(*) FROM turns");
    let newest = |sentence: &str| {
        until("alice has the newest board", || {
            let mails = mails(&setup, ALICE);
            let board = mails.iter().find(|mail| mail.text.starts_with(sentence))?;
            Some(board.reply_to.clone())
        })
    };
    let mut over_lmtp = lmtp::Client::connect(&lmtp);
    let mut client = Client::connect(daemon.port).unwrap();
    let reply = client
        .send_to(ALICE, &[&older], &answer("1@x", "m13-j7"))
        .unwrap();
    assert!(reply.starts_with("250"), "{reply}");
    assert_eq!(turns(), 1);
    send(
        daemon.port,
        BOB,
        "2@away.example",
        "Pow2 move 101 bob oak4jay a1-e1",
        "",
    );
    let newer = newest("bob played a1-e1");
    assert_ne!(older, newer);
    // At once: the older letter counts, whichever stands first.
    for (id, recipients) in [("2@x", [&older, &newer]), ("3@x", [&newer, &older])] {
        let recipients = recipients.map(String::as_str);
        let message = answer(id, "m1-m5");
        client.send_to(ALICE, &recipients, &message).unwrap();
        assert_eq!(over_lmtp.send(ALICE, &recipients, &message), ["250", "250"]);
        assert_eq!(turns(), 2, "{id}");
    }
    // A number of another letter with the tag of this one.
    let (number, _) = newer.split_once('-').unwrap();
    let (_, tag) = older.split_once('-').unwrap();
    let forged = format!("{number}-{tag}");
    client
        .send_to(ALICE, &[&forged], &answer("4@x", "m1-m5"))
        .unwrap();
    assert_eq!(turns(), 2);
    // Apart: the newer first, then it is a copy of what was played.
    let message = answer("5@x", "m1-m5");
    for recipient in [&newer, &older, &newer] {
        assert_eq!(over_lmtp.send(ALICE, &[recipient], &message), ["250"]);
        assert_eq!(turns(), 3);
    }
    daemon.stop_well();
}

#[test]
fn copies_that_come_apart_by_several_doors_have_one_effect() {
    let folder = tempfile::tempdir().unwrap();
    let lmtp = folder.path().join("lmtp.sock");
    let setup = Setup::new(folder.path()).with("PBMSERV_LMTP_LISTEN", &format!("unix:{}", lmtp.display()));
    let (daemon, token) = board(&setup);
    // The first copy shows nothing of the token. It is no command, and does not take the place of the answer.
    let message = answer("apart@home.example", "chat apart");
    let ingest = |recipient: &str| {
        let words = ["ingest", "--sender", ALICE, "--recipient", recipient];
        let output = setup.run_with(&words, &message);
        assert!(output.status.success(), "{output:?}");
    };
    ingest(SERVER);
    assert_eq!(heard(&setup, "apart"), 0);
    ingest(&token);
    assert_eq!(heard(&setup, "apart"), 1);
    ingest(SERVER);
    ingest(&token.to_ascii_uppercase());
    let mut over_lmtp = lmtp::Client::connect(&lmtp);
    assert_eq!(over_lmtp.send(ALICE, &[SERVER, &token], &message), ["250", "250"]);
    assert_eq!(heard(&setup, "apart"), 1);
    // The header shows the token: whichever copy comes first, the token speaks.
    let to_all = String::from_utf8(answer("shown@home.example", "chat shown")).unwrap();
    let to_all = to_all.replacen(SERVER, &format!("{SERVER}, <{token}>"), 1);
    for recipient in [SERVER, &token] {
        assert_eq!(over_lmtp.send(ALICE, &[recipient], to_all.as_bytes()), ["250"]);
    }
    assert_eq!(heard(&setup, "shown"), 1);
    let refused = count(
        &setup.look(),
        "SELECT COUNT(*) FROM inbox WHERE state = 'refused'",
    );
    assert_eq!(refused, 1, "only the copy that showed nothing of the token");
    daemon.stop_well();
}

#[test]
fn a_forged_copy_makes_the_real_message_no_duplicate() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .with("PBMSERV_AUTH_REQUIRE", "dmarc")
        .with("PBMSERV_AUTH_AUTHSERV_ID", "mx.host.example");
    let daemon = setup.serve();
    for (who, subject) in [(ALICE, "signup alice fig7elk"), (BOB, "signup bob oak4jay")] {
        real(daemon.port, who, subject);
    }
    let challenge = "Pow2 challenge alice bob";
    let forged = format!("From: {ALICE}\r\nMessage-ID: <{challenge}@x>\r\nSubject: {challenge}\r\n\r\n");
    let mut client = Client::connect(daemon.port).unwrap();
    let reply = client.send(ALICE, forged.as_bytes()).unwrap();
    assert!(reply.starts_with("250"), "{reply}");
    let boards = || count(&setup.look(), "SELECT COUNT(*) FROM boards");
    assert_eq!(boards(), 0);
    real(daemon.port, ALICE, challenge);
    assert_eq!(boards(), 1);
    real(daemon.port, ALICE, challenge);
    assert_eq!(boards(), 1);
    daemon.stop_well();
}

/// A message whose sender the mail server before us has authenticated. The same subject is the same message.
fn real(port: u16, who: &str, subject: &str) {
    let (_, domain) = who.split_once('@').unwrap();
    let message = format!(
        "Authentication-Results: mx.host.example; dmarc=pass header.from={domain}\r\n\
         From: {who}\r\nMessage-ID: <{subject}@x>\r\nSubject: {subject}\r\n\r\n"
    );
    let mut client = Client::connect(port).unwrap();
    let reply = client.send(who, message.as_bytes()).unwrap();
    assert!(reply.starts_with("250"), "{reply}");
}

#[test]
fn a_refused_copy_makes_the_real_message_no_duplicate() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (daemon, token) = board(&setup);
    let message = answer("turn@home.example", "m13-j7");
    let mut client = Client::connect(daemon.port).unwrap();
    for forger in ["mallory@evil.example", ALICE] {
        client.send_to(forger, &[SERVER], &message).unwrap();
    }
    let turns = || count(&setup.look(), "SELECT COUNT(*) FROM turns");
    assert_eq!(turns(), 0);
    client.send_to(ALICE, &[&token], &message).unwrap();
    assert_eq!(turns(), 1);
    daemon.stop_well();
}

/// The same message as it comes by another way.
fn forwarded(message: &[u8], number: u32) -> Vec<u8> {
    [
        format!("Received: from relay{number}.example\r\n").as_bytes(),
        message,
    ]
    .concat()
}

/// The same message as a mail program sends it again, marked with this number.
fn sent_again(message: &[u8], number: u32) -> Vec<u8> {
    let fields = format!(
        "Resent-From: {ALICE}\r\nResent-Date: Fri, 27 Nov 2026 12:00:00 +0100\r\nResent-Message-ID: <{number}@home.example>\r\n"
    );
    [fields.as_bytes(), message].concat()
}

#[test]
fn a_refused_mail_that_its_writer_sends_again_is_carried_out_when_it_can_be_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (daemon, token) = board(&setup);
    let done = || count(&setup.look(), "SELECT COUNT(*) FROM inbox WHERE state = 'done'");
    let told = || {
        setup.wait_for_delivery();
        let mails = mails(&setup, ALICE);
        let is_told = |mail: &&Mail| mail.text.contains("This mail came before");
        mails.iter().filter(is_told).count()
    };
    let mut client = Client::connect(daemon.port).unwrap();
    let message = answer("again@home.example", "rematch");
    let mut come = |sender: &str, recipient: &str, message: &[u8]| {
        let reply = client.send_to(sender, &[recipient], message).unwrap();
        assert!(reply.starts_with("250"), "{reply}");
    };
    // Refused, since the game goes on. Whoever else has the mail learns nothing by a copy.
    come(ALICE, &token, &message);
    assert_eq!((done(), told()), (3, 0));
    come(ALICE, &token, &message);
    assert_eq!(told(), 0, "a delivery whose 250 was not heard");
    come("mallory@evil.example", &token, &forwarded(&message, 1));
    assert_eq!(told(), 1, "at her own address");
    for number in [1, 2, 3] {
        come(ALICE, &token, &forwarded(&message, number));
    }
    assert_eq!(told(), 1);
    come(ALICE, &token, &sent_again(&message, 1));
    assert_eq!((done(), told()), (3, 1), "it was read again, and refused again");
    for (who, id, turn) in [
        (ALICE, "3", "alice fig7elk m13-j7"),
        (BOB, "2", "bob oak4jay a1-e1"),
        (BOB, "3", "bob oak4jay resign"),
    ] {
        let id = format!("{id}@players.example");
        send(daemon.port, who, &id, &format!("Pow2 move 101 {turn}"), "");
    }
    // What does not act: a copy without new fields, and one without a token.
    come(ALICE, &token, &message);
    come(ALICE, &token, &sent_again(&message, 1));
    come(ALICE, SERVER, &sent_again(&message, 2));
    assert_eq!(done(), 6);
    for number in [2, 2, 3] {
        come(ALICE, &token, &sent_again(&message, number));
        assert_eq!(done(), 7, "{number}");
    }
    come(ALICE, &token, &message);
    assert_eq!((done(), told()), (7, 1));
    assert!(mails(&setup, "mallory@evil.example").is_empty());
    daemon.stop_well();
}

#[test]
fn what_was_carried_out_in_part_is_never_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (daemon, token) = board(&setup);
    let mut client = Client::connect(daemon.port).unwrap();
    let message = answer("part@home.example", "chat ibis\r\n\r\nrematch");
    for message in [&message, &sent_again(&message, 1), &sent_again(&message, 2)] {
        client.send_to(ALICE, &[&token], message).unwrap();
    }
    assert_eq!(heard(&setup, "ibis"), 1);
    daemon.stop_well();
}

mod lmtp {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::net::UnixStream;
    use std::path::Path;

    use super::stuffed;

    pub(super) struct Client(BufReader<UnixStream>);

    impl Client {
        pub(super) fn connect(socket: &Path) -> Self {
            let mut client = Self(BufReader::new(UnixStream::connect(socket).unwrap()));
            client.reply();
            client.say("LHLO mx.example");
            client
        }

        fn say(&mut self, line: &str) -> String {
            write!(self.0.get_mut(), "{line}\r\n").unwrap();
            self.reply()
        }

        /// The code of the next reply.
        fn reply(&mut self) -> String {
            loop {
                let mut line = String::new();
                self.0.read_line(&mut line).unwrap();
                if line.as_bytes()[3] != b'-' {
                    return line[..3].to_owned();
                }
            }
        }

        /// Sends a message, and returns the code of the reply for each recipient.
        pub(super) fn send(&mut self, sender: &str, recipients: &[&str], message: &[u8]) -> Vec<String> {
            self.say(&format!("MAIL FROM:<{sender}>"));
            for recipient in recipients {
                self.say(&format!("RCPT TO:<{recipient}>"));
            }
            self.say("DATA");
            self.0.get_mut().write_all(&stuffed(message)).unwrap();
            recipients.iter().map(|_| self.reply()).collect()
        }
    }
}
