//! The checker finds what it looks for: a manipulated database, and letters that were not delivered as written.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rusqlite::Connection;

use super::disk::{Files, Manner, Syncs, after_a_cut, put};
use super::{DATABASE, PAIRS, Run, SERVER, pairs, play, scratch};
use crate::book::checker::Remains;
use crate::book::{Delivered, Entry};

/// A change of the database, and the fault that the checker must report.
const TAMPERED: &[(&str, &str, &str)] = &[
    (
        "a turn is lost",
        "DELETE FROM turns WHERE (board, ordinal) IN (SELECT board, MAX(ordinal) FROM turns GROUP BY board LIMIT 1)",
        ", not (Stand",
    ),
    (
        "a turn is another",
        "UPDATE turns SET turn = 'a1-a2' WHERE ordinal = 1",
        ", not (Stand",
    ),
    (
        "a turn is there twice",
        "INSERT INTO turns SELECT board, ordinal + 1, 1 - seat, turn, played_at, event FROM turns \
         WHERE (board, ordinal) IN (SELECT board, MAX(ordinal) FROM turns GROUP BY board LIMIT 1)",
        ", not (Stand",
    ),
    (
        "a game is over that is not",
        "UPDATE boards SET result = 'draw', result_by = 'rules', to_move = NULL, ended_at = 1 \
         WHERE id = (SELECT MIN(id) FROM boards WHERE ended_at IS NULL)",
        ", not (Stand",
    ),
    (
        "a turn is queued that nobody has queued",
        "UPDATE boards SET plan = '1' || char(10) || 'if any then a1', plan_by = 0",
        ", not (Stand",
    ),
    (
        "a board has begun twice",
        "INSERT INTO boards (game, number, options, rules, first_player, second_player, rated, nag_days, \
         forfeit_days, to_move, started_at, moved_at) SELECT game, number + 1000, options, rules, first_player, \
         second_player, rated, nag_days, forfeit_days, 0, started_at, moved_at FROM boards LIMIT 1",
        "the boards are",
    ),
    (
        "a mail is lost",
        "DELETE FROM outbox WHERE inbox = (SELECT MAX(id) FROM inbox); DELETE FROM inbox WHERE id = (SELECT MAX(id) FROM inbox)",
        "was accepted and is lost",
    ),
    (
        "a mail was taken twice",
        "INSERT INTO inbox (received_at, door, recipient, message_id, state) \
         SELECT received_at, door, recipient, message_id, state FROM inbox LIMIT 1",
        "was taken twice",
    ),
    (
        "a mail was taken that nobody sent",
        "INSERT INTO inbox (received_at, door, recipient, message_id, state) VALUES (1, 'smtp', 'x', 'x', 'done')",
        "x was taken and never sent",
    ),
    (
        "a good mail was set aside",
        "UPDATE inbox SET state = 'failed' WHERE id = 5",
        "is failed, not done",
    ),
    (
        "a letter is lost",
        "DELETE FROM outbox WHERE id = (SELECT MAX(id) FROM outbox)",
        "has letters to",
    ),
    (
        "a letter is there twice",
        "INSERT INTO outbox (inbox, kind, recipient, recipient_key, message_id, is_reply, subject, letter, created_at, \
         state, due_at) SELECT inbox, kind, recipient, recipient_key, 'another', is_reply, subject, letter, \
         created_at, 'waiting', due_at FROM outbox LIMIT 1",
        "has letters to",
    ),
    (
        "a letter is for somebody else",
        "UPDATE outbox SET recipient = 'mallory@home.example' WHERE id = 7",
        "has letters to",
    ),
    (
        "what a player said is lost",
        "UPDATE outbox SET letter = NULL",
        "no letter says",
    ),
    (
        "a letter was given up",
        "UPDATE outbox SET state = 'failed' WHERE id = (SELECT MAX(id) FROM outbox)",
        "is failed",
    ),
    (
        "a letter counts as sent that was not",
        "UPDATE outbox SET state = 'sent'",
        "was delivered to nobody",
    ),
    (
        "a rating is another",
        "INSERT INTO ratings VALUES (1, 'Forms', 1500, 350, 0.06, 1, 0, 0, 1, 1) \
         ON CONFLICT (player, game) DO UPDATE SET rating = rating + 0.01",
        "the ratings are",
    ),
    (
        "a game was counted that is not over",
        "INSERT INTO rated (board, first_after, second_after, gainless) SELECT MIN(id), 0, 0, 0 FROM boards WHERE ended_at IS NULL",
        "are rated, not",
    ),
    (
        "a player is lost",
        "UPDATE players SET userid = 'mallory' WHERE id = 2",
        "the players are",
    ),
    (
        "a preference is another",
        "UPDATE preferences SET html = 1",
        "want no HTML",
    ),
    ("a display is another", "DELETE FROM displays", "the displays are"),
    (
        "a mail that is done counts as begun",
        "INSERT INTO begun VALUES (zeroblob(32), 1, 0)",
        "is noted as begun",
    ),
    (
        "a row names another that is not there",
        "UPDATE addresses SET player = 999 WHERE id = 1",
        "that are not there",
    ),
    (
        "an index is not that of its table",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = \
         (SELECT rootpage FROM sqlite_schema WHERE name = 'inbox_by_state') WHERE name = 'outbox_by_inbox'",
        "integrity_check",
    ),
];

fn faults(files: &Files, sql: &str, book: &[Entry], delivered: &[Delivered]) -> Vec<String> {
    let folder = scratch();
    put(files, folder.path());
    let database = folder.path().join(DATABASE);
    let conn = Connection::open(&database).unwrap();
    conn.pragma_update(None, "foreign_keys", 0).unwrap();
    conn.execute_batch(sql).unwrap();
    drop(conn);
    let remains = Remains {
        conn: &Connection::open(&database).unwrap(),
        book,
        delivered: Some(delivered),
        server: SERVER,
        is_quiet: false,
    };
    remains.judge().1
}

#[tokio::test(flavor = "multi_thread")]
async fn the_checker_finds_what_somebody_has_tampered_with() {
    let mut rng = StdRng::seed_from_u64(7);
    let mut pairs = pairs(7);
    assert_eq!(pairs.len(), PAIRS);
    let run = play(Run::default(), Files::new(), 1, &mut pairs, &mut rng, 40).await;
    let end = run.events.len();
    let files = after_a_cut(&run.before, &run.events, Syncs::All, Manner::Kept, &mut rng);
    let (book, delivered) = run.at(end);
    assert_eq!(faults(&files, "", &book, &delivered), [""; 0]);
    for (what, sql, words) in TAMPERED {
        let faults = faults(&files, sql, &book, &delivered);
        assert!(
            faults.iter().any(|fault| fault.contains(words)),
            "{what}: not {words:?} but {faults:#?}"
        );
    }
    let with = |what: &str, change: &dyn Fn(&mut Vec<Delivered>), words: &str| {
        let mut letters = delivered.clone();
        change(&mut letters);
        let faults = faults(&files, "", &book, &letters);
        assert!(
            faults.iter().any(|fault| fault.contains(words)),
            "{what}: not {words:?} but {faults:#?}"
        );
    };
    with(
        "a copy has another Message-ID",
        &|letters| {
            let copy = Delivered {
                message_id: "another@games.example".into(),
                ..letters[0].clone()
            };
            letters.push(copy);
        },
        "was delivered and never written",
    );
    with(
        "a copy has another text",
        &|letters| {
            let copy = Delivered {
                digest: [0; 32],
                ..letters[0].clone()
            };
            letters.push(copy);
        },
        "another content",
    );
    with(
        "a letter was delivered to somebody else",
        &|letters| letters[0].to = "mallory@home.example".into(),
        "not delivered as it was written",
    );
    with(
        "a letter was not delivered",
        &|letters| _ = letters.pop(),
        "was delivered to nobody",
    );
    // An identical copy is no fault.
    let twice = [&delivered[..], &delivered[..3]].concat();
    assert_eq!(faults(&files, "", &book, &twice), [""; 0]);
}
