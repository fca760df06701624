//! Mails that come in unusual ways, and words that people use for a time zone, by a real session.

use crate::daemon::mailbox::{Mail, files, of};
use crate::daemon::smtp::{Client, send};
use crate::daemon::{Daemon, SERVER, Setup, count, until};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@away.example";

/// A daemon on which alice and bob have begun Pow2 Board 101, and alice's letter about it.
fn board(setup: &Setup) -> (Daemon, Mail) {
    let daemon = setup.serve();
    for (who, id, subject) in [
        (ALICE, "1@home.example", "signup alice fig7elk"),
        (BOB, "1@away.example", "signup bob oak4jay"),
        (ALICE, "2@home.example", "Pow2 challenge alice bob"),
    ] {
        send(daemon.port, who, id, subject, "");
    }
    let letter = until("alice has her board", || {
        let mut mails = mails(setup, ALICE).into_iter();
        mails.find(|mail| mail.subject == "Pow2 Board 101 alice")
    });
    assert!(letter.reply_to.contains('+'), "{}", letter.reply_to);
    (daemon, letter)
}

fn mails(setup: &Setup, address: &str) -> Vec<Mail> {
    of(&setup.data.join("mail").join(address))
}

/// How many of alice's letters begin with this.
fn letters(setup: &Setup, begin: &str) -> usize {
    setup.wait_for_delivery();
    let mails = mails(setup, ALICE);
    let begins = |mail: &&Mail| mail.text.replace('\n', " ").starts_with(begin);
    let count = mails.iter().filter(begins).count();
    if count == 0 {
        eprintln!("{mails:#?}");
    }
    count
}

/// Hands in a mail of alice with these fields, which says this.
fn hand_in(daemon: &Daemon, sender: &str, recipient: &str, fields: &str, text: &str) {
    let message = format!(
        "From: {ALICE}\r\nTo: {SERVER}\r\nSubject: Re: Pow2 Board 101 alice\r\n{fields}\r\n{text}\r\n"
    );
    let mut client = Client::connect(daemon.port).unwrap();
    let reply = client.send_to(sender, &[recipient], message.as_bytes()).unwrap();
    assert!(reply.starts_with("250"), "{reply}");
}

fn turns(setup: &Setup) -> i64 {
    count(&setup.look(), "SELECT COUNT(*) FROM turns")
}

#[test]
fn an_answer_that_came_by_a_mailing_list_is_not_played_and_its_player_hears_so_once_a_week() {
    const SENTENCE: &str = "Nothing was done on Pow2 Board 101, alice: your answer came by a mailing list";
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (daemon, letter) = board(&setup);
    let list =
        "Precedence: list\r\nMailing-list: list games@lists.example\r\nList-ID: <games.lists.example>\r\n";
    for number in 0..3 {
        let fields = format!("{list}Message-ID: <list{number}@home.example>\r\n");
        hand_in(
            &daemon,
            "games+bncB@lists.example",
            &letter.reply_to,
            &fields,
            "m13-m5",
        );
        assert_eq!(letters(&setup, SENTENCE), 1, "{number}");
    }
    assert_eq!(turns(&setup), 0);
    let mailboxes = files(&setup.data.join("mail"));
    let names = mailboxes
        .iter()
        .map(|mailbox| mailbox.file_name().unwrap().to_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), [ALICE, BOB], "the list gets nothing");
    daemon.stop_well();
}

#[test]
fn an_envelope_sender_longer_than_a_local_part_may_be_is_no_reason_to_refuse_a_token() {
    const FORWARDED: &str = "SRS0=3Ypr33=QM=department-of-mathematics.university-of-somewhere.example=maximiliane.mustermann@forwarder.example";
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (daemon, letter) = board(&setup);
    hand_in(
        &daemon,
        FORWARDED,
        &letter.reply_to,
        "Message-ID: <srs@home.example>\r\n",
        "m13-m5",
    );
    assert_eq!(turns(&setup), 1);
    assert_eq!(letters(&setup, "You played m13-m5"), 1, "at her own address");
    assert!(mails(&setup, FORWARDED).is_empty());
    // What is refused is said there too.
    hand_in(
        &daemon,
        FORWARDED,
        &letter.reply_to,
        "Message-ID: <srs2@home.example>\r\n",
        "m1-m5",
    );
    assert_eq!(turns(&setup), 1);
    assert_eq!(letters(&setup, "Not played on Pow2 Board 101, alice"), 1);
    assert!(mails(&setup, FORWARDED).is_empty());
    daemon.stop_well();
}

#[test]
fn a_mail_that_only_references_names_is_an_answer_to_its_board() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (daemon, letter) = board(&setup);
    let fields = format!(
        "Message-ID: <r1@home.example>\r\nReferences: <{}>\r\n",
        letter.message_id
    );
    hand_in(&daemon, ALICE, SERVER, &fields, "m13-m5");
    assert_eq!(turns(&setup), 1);
    assert_eq!(letters(&setup, "You played m13-m5"), 1);
    daemon.stop_well();
}

#[test]
fn a_time_zone_is_found_by_what_people_call_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (daemon, _) = board(&setup);
    for (number, (word, near)) in [
        ("Berlin", "Europe/Berlin"),
        ("PST", "America/Los_Angeles"),
        ("EST", "America/New_York"),
        ("europe/berlin", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let subject = format!("set alice fig7elk zone {word}");
        send(
            daemon.port,
            ALICE,
            &format!("zone{number}@home.example"),
            &subject,
            "",
        );
        setup.wait_for_delivery();
        let mails = mails(&setup, ALICE);
        let newest = mails
            .iter()
            .find(|mail| mail.in_reply_to.starts_with(&format!("zone{number}@")));
        let text = &newest.unwrap().text;
        assert_eq!(text.contains("Nothing was changed."), !near.is_empty(), "{text}");
        assert!(text.contains(near), "{text}");
    }
    let zone = "SELECT COUNT(*) FROM preferences WHERE zone = 'Europe/Berlin'";
    assert_eq!(count(&setup.look(), zone), 1);
    daemon.stop_well();
}
