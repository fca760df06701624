//! What one player may have others read, and how long others wait behind it. `FLOOD_WATCHERS` changes how many watch.

use std::time::Instant;

use rusqlite::Connection;

use crate::daemon::smtp::send;
use crate::daemon::{Daemon, Setup, count, until};
use crate::flood::number;

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@away.example";
const CAROL: &str = "carol@third.example";

/// How many watch the board.
fn watchers() -> usize {
    usize::try_from(number("FLOOD_WATCHERS", 6)).unwrap()
}

/// Mails of one run, each with its own Message-ID.
pub(crate) struct Post {
    pub(crate) daemon: Daemon,
    sent: usize,
}

impl Post {
    fn send(&mut self, from: &str, subject: &str, text: &str) {
        self.sent += 1;
        let id = format!("{}@letters.example", self.sent);
        send(self.daemon.port, from, &id, subject, text);
    }
}

fn watcher(number: usize) -> String {
    format!("w{number}@watch{number}.example")
}

/// A daemon with Pow2 Board 101 of alice and bob, which others watch. It is bob's turn.
pub(crate) fn watched(setup: &Setup) -> Post {
    let mut post = Post {
        daemon: setup.serve(),
        sent: 0,
    };
    post.send(ALICE, "signup alice fig7elk", "");
    post.send(BOB, "signup bob oak4jay", "");
    post.send(ALICE, "Pow2 challenge alice bob", "");
    for number in 0..watchers() {
        let from = watcher(number);
        post.send(&from, &format!("signup w{number} oak6jay{number}"), "");
        post.send(
            &from,
            &format!("Pow2 subscribe 101 w{number} oak6jay{number}"),
            "",
        );
    }
    post.send(ALICE, "Pow2 move 101 alice fig7elk m13-m5", "");
    setup.wait_for_delivery();
    post
}

/// How many letters were written to an address, or to all but one.
fn letters(look: &Connection, rule: &str) -> i64 {
    count(look, &format!("SELECT COUNT(*) FROM outbox WHERE {rule}"))
}

#[test]
fn fifty_offers_in_one_mail_make_one_letter_for_each_reader() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let mut post = watched(&setup);
    post.send(CAROL, "signup carol bay5owl", "");
    setup.wait_for_delivery();
    let look = setup.look();
    let last = count(&look, "SELECT MAX(id) FROM outbox");
    let lines = "Pow2 move 101 alice fig7elk propose\nPow2 move 101 alice fig7elk reject\n".repeat(25);
    let sent = Instant::now();
    post.send(ALICE, "multiple", &lines);
    let taken = sent.elapsed();
    post.send(CAROL, "set carol bay5owl", "");
    let answer = format!("recipient_key = '{CAROL}' AND state = 'sent' AND id > {last}");
    until("carol has her answer", || {
        (letters(&look, &answer) > 0).then_some(())
    });
    let answered = sent.elapsed();
    setup.wait_for_delivery();
    let more = format!("id > {last} AND recipient_key <> '{CAROL}'");
    let bytes = count(
        &look,
        &format!("SELECT SUM(LENGTH(letter)) FROM outbox WHERE {more}"),
    );
    eprintln!(
        "fifty offers in one mail made {} letters, whose facts take {bytes} bytes; it was taken after {taken:.2?}, and another \
         player had her answer after {answered:.2?}",
        letters(&look, &more)
    );
    let readers = i64::try_from(watchers()).unwrap() + 2;
    assert_eq!(letters(&look, &more), readers);
    let own = format!("recipient_key = '{ALICE}' AND kind = 'transcript'");
    assert_eq!(letters(&look, &own), 1);
    post.daemon.stop_well();
}

#[test]
fn offers_in_many_mails_are_bounded_for_every_reader_and_a_block_ends_them() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).with("PBMSERV_LIMITS_MESSAGES_A_DAY", "5");
    let mut post = watched(&setup);
    let before = letters(&setup.look(), &format!("recipient_key <> '{ALICE}'"));
    for _ in 0..10 {
        for word in ["propose", "reject"] {
            post.send(ALICE, &format!("Pow2 move 101 alice fig7elk {word}"), "");
        }
        post.send(ALICE, "vacation alice fig7elk 1", "");
        post.send(ALICE, "vacation alice fig7elk off", "");
    }
    let look = setup.look();
    let more = letters(&look, &format!("recipient_key <> '{ALICE}'")) - before;
    // The watchers have had alice's turn too.
    let most = 5 + 4 * i64::try_from(watchers()).unwrap();
    assert_eq!(more, most);
    let of_bob = format!("recipient_key = '{BOB}'");
    let had = letters(&look, &of_bob);
    post.send(BOB, "block bob oak4jay alice", "");
    post.send(ALICE, "Pow2 move 101 alice fig7elk propose", "");
    assert_eq!(letters(&look, &of_bob), had + 1, "the receipt for the block");
    post.send(BOB, "Pow2 move 101 bob oak4jay a1-e1", "");
    post.send(ALICE, "Pow2 move 101 alice fig7elk m1-g1", "");
    assert_eq!(letters(&look, &of_bob), had + 3, "a receipt, and the turn");
    post.daemon.stop_well();
}

#[test]
fn who_causes_thousands_of_letters_makes_others_wait_for_a_few() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let mut post = watched(&setup);
    post.send(CAROL, "signup carol bay5owl", "");
    setup.wait_for_delivery();
    post.daemon.stop_well();
    waiting(&setup, 3000);
    post.daemon = setup.serve();
    post.send(CAROL, "set carol bay5owl", "");
    let look = setup.look();
    let between = until("carol has her answer", || {
        let sql = format!(
            "SELECT c.settled_at, (SELECT COUNT(*) FROM outbox f WHERE f.message_id LIKE 'flood-%' \
             AND f.settled_at > c.created_at AND f.settled_at < c.settled_at) \
             FROM outbox c WHERE c.recipient_key = '{CAROL}' AND c.state = 'sent' ORDER BY c.id DESC LIMIT 1"
        );
        let (settled, between): (i64, i64) = look
            .query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .ok()?;
        let sql = "SELECT MAX(created_at) FROM outbox WHERE recipient_key = 'carol@third.example'";
        (settled >= count(&look, sql)).then_some(between)
    });
    let left = letters(&look, "message_id LIKE 'flood-%' AND state = 'waiting'");
    eprintln!("{between} letters of the flood were sent before hers, {left} waited still");
    // Two batches may have been on their way, and what is sent is written down four times a second.
    assert!(between <= 60, "{between}");
    assert!(left > 0, "the flood was over before");
    post.daemon.stop_well();
}

/// How many letters wait that alice has caused.
pub(crate) fn waiting(setup: &Setup, letters: usize) {
    let conn = Connection::open(setup.database()).unwrap();
    let columns =
        "kind, player, board, recipient, recipient_key, refs, is_reply, subject, letter, created_at, cause";
    let sql = format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {letters}) \
         INSERT INTO outbox ({columns}, message_id, state, due_at) \
         SELECT {columns}, 'flood-' || n || '@games.example', 'waiting', created_at FROM n JOIN (SELECT * FROM outbox \
         WHERE kind = 'board' AND recipient_key = '{}' ORDER BY id DESC LIMIT 1)",
        watcher(0)
    );
    assert_eq!(conn.execute(&sql, []).unwrap(), letters);
}

#[test]
fn wins_against_fresh_accounts_raise_no_rating() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let mut post = Post {
        daemon: setup.serve(),
        sent: 0,
    };
    post.send(ALICE, "signup alice fig7elk", "");
    post.daemon.stop_well();
    let conn = Connection::open(setup.database()).unwrap();
    let older = "UPDATE players SET created_at = created_at - 2592000000 WHERE userid = 'alice'";
    assert_eq!(conn.execute(older, []).unwrap(), 1);
    drop(conn);
    post.daemon = setup.serve();
    for number in 0..10 {
        let (board, from) = (101 + number, watcher(number));
        post.send(&from, &format!("signup w{number} oak6jay{number}"), "");
        post.send(ALICE, &format!("Pow2 challenge alice w{number}"), "");
        post.send(ALICE, &format!("Pow2 move {board} alice fig7elk m13-m5"), "");
        post.send(
            &from,
            &format!("Pow2 move {board} w{number} oak6jay{number} a1-e1"),
            "",
        );
        post.send(
            &from,
            &format!("Pow2 resign {board} w{number} oak6jay{number}"),
            "",
        );
    }
    let look = setup.look();
    let games = "SELECT won FROM ratings JOIN players ON players.id = player WHERE userid = 'alice'";
    assert_eq!(count(&look, games), 10);
    let rating =
        "SELECT CAST(rating AS INTEGER) FROM ratings JOIN players ON players.id = player WHERE userid = ";
    assert_eq!(count(&look, &format!("{rating}'alice'")), 1500);
    assert!(count(&look, &format!("{rating}'w1'")) < 1500, "a loss is one");
    post.daemon.stop_well();
}
