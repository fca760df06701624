//! The Maildir door of a real daemon: its state after a kill, and messages without any field that distinguishes a
//! copy from a new message.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::daemon::mailbox::files;
use crate::daemon::{Setup, count, integrity, seed, until};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A setup with a Maildir.
fn setup(folder: &Path) -> (Setup, PathBuf) {
    let maildir = folder.join("Maildir");
    for part in ["new", "cur", "tmp"] {
        fs::create_dir_all(maildir.join(part)).unwrap();
    }
    let setup = Setup::new(folder).with("PBMSERV_MAILDIR_PATH", &maildir.to_string_lossy());
    (setup, maildir)
}

/// A message with neither Message-ID nor Date, moved in as a delivering program does.
fn deliver(maildir: &Path, name: &str, sender: &str) {
    let text = format!("From: {sender}\nTo: pbmserv@localhost\nSubject: help tutorial\n\n");
    fs::write(maildir.join("tmp").join(name), text).unwrap();
    fs::rename(maildir.join("tmp").join(name), maildir.join("new").join(name)).unwrap();
}

/// The number of recorded messages and of letters, for each sender or all.
fn counts(setup: &Setup) -> (i64, i64) {
    let conn = setup.look();
    (
        count(&conn, "SELECT count(*) FROM inbox"),
        count(&conn, "SELECT count(*) FROM outbox"),
    )
}

#[test]
fn a_crash_between_the_commit_and_the_move_plays_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (setup, maildir) = setup(folder.path());
    deliver(&maildir, "1.a", "alice@players.example");
    let daemon = setup.serve();
    let (waiting, done) = (maildir.join("new/1.a"), maildir.join(".Done/new/1.a"));
    until("the mail is done", || done.exists().then_some(()));
    daemon.kill();
    // The state after a crash.
    fs::rename(&done, &waiting).unwrap();
    let daemon = setup.serve();
    until("the mail is moved again", || done.exists().then_some(()));
    assert_eq!(counts(&setup), (1, 1));
    // A mail program may have opened it since, which changes its name.
    fs::rename(&done, maildir.join("cur/1.a:2,S")).unwrap();
    let renamed = maildir.join(".Done/cur/1.a:2,S");
    until("the mail is moved once more", || renamed.exists().then_some(()));
    assert_eq!(counts(&setup), (1, 1));

    // The same text in another file is another message.
    deliver(&maildir, "2.b", "alice@players.example");
    until("the other mail is done", || {
        maildir.join(".Done/new/2.b").exists().then_some(())
    });
    assert_eq!(counts(&setup), (2, 2));
    let log = daemon.stop_well();
    assert_eq!(log.matches("duplicate").count(), 2, "{log}");
}

#[test]
fn killed_again_and_again_it_takes_each_mail_once() {
    const MAILS: usize = 60;
    let mut rng = StdRng::seed_from_u64(seed());
    let folder = tempfile::tempdir().unwrap();
    let (setup, maildir) = setup(folder.path());
    for number in 0..MAILS {
        deliver(
            &maildir,
            &format!("{number}.x"),
            &format!("p{number}@players.example"),
        );
    }
    let mut kills = 0;
    loop {
        let daemon = setup.serve();
        let before = counts(&setup).0;
        let few = before + rng.random_range(1..12);
        if few >= MAILS as i64 {
            until("all are done", || {
                files(&maildir.join("new")).is_empty().then_some(())
            });
            setup.wait_for_delivery();
            daemon.stop_well();
            break;
        }
        until("some are taken", || (counts(&setup).0 >= few).then_some(()));
        thread::sleep(Duration::from_micros(rng.random_range(0..5000)));
        daemon.kill();
        kills += 1;
    }
    assert!(kills >= 4, "{kills}");
    eprintln!("{kills} kills");
    let conn = setup.look();
    assert_eq!(integrity(&conn), "ok");
    let twice = "SELECT count(*) FROM (SELECT sender FROM inbox GROUP BY sender HAVING count(*) > 1)";
    assert_eq!(count(&conn, twice), 0);
    let answered_twice =
        "SELECT count(*) FROM (SELECT recipient FROM outbox GROUP BY recipient HAVING count(*) > 1)";
    assert_eq!(count(&conn, answered_twice), 0);
    assert_eq!(counts(&setup), (MAILS as i64, MAILS as i64));
    assert_eq!(files(&maildir.join(".Done/new")).len(), MAILS);
}

#[test]
fn what_is_no_mail_is_kept_aside_and_of_what_is_too_long_the_beginning_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (setup, maildir) = setup(folder.path());
    fs::write(maildir.join("new/1"), "this is no mail").unwrap();
    fs::write(maildir.join("new/2"), vec![b'x'; 1_048_577]).unwrap();
    let photo = format!("{}\n", "x".repeat(76)).repeat(1_400_000 / 77);
    let with_photo = format!(
        "From: alice@players.example\nTo: pbmserv@localhost\nMessage-ID: <photo@players.example>\n\
         Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nhelp tutorial\n--b\n\
         Content-Type: image/jpeg\nContent-Transfer-Encoding: base64\n\n{photo}--b--\n"
    );
    fs::write(maildir.join("new/3"), with_photo).unwrap();
    let daemon = setup.serve();
    until("all are moved", || {
        let is_moved =
            files(&maildir.join(".Refused/new")).len() == 2 && maildir.join(".Done/new/3").exists();
        is_moved.then_some(())
    });
    assert_eq!(counts(&setup), (1, 1));
    let helped = "SELECT count(*) FROM inbox WHERE state = 'done' AND commands LIKE 'help tutorial%'";
    assert_eq!(count(&setup.look(), helped), 1);
    let log = daemon.stop_well();
    assert!(
        log.contains("it has no header") && log.contains("too long"),
        "{log}"
    );
}

#[test]
fn a_wrong_configuration_stops_the_start_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let nowhere = folder.path().to_string_lossy().into_owned();
    for (name, value, remedy) in [
        ("PBMSERV_MAILDIR_PATH", nowhere.as_str(), "mkdir -p"),
        ("PBMSERV_IMAP_URL", "imap.example.org", "imaps://user@host/INBOX"),
        (
            "PBMSERV_IMAP_URL",
            "imaps://u@imap.example.org",
            "imap.password_file is missing",
        ),
    ] {
        let output = setup.with(name, value).run(&["serve"]);
        let sentence = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{sentence}");
        assert!(sentence.contains(remedy), "{sentence}");
    }
}
