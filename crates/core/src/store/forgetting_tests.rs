use super::*;
use crate::store::Location;
use crate::store::database::Database;
use crate::store::place_of_tests::place;

/// The day of the tests, in milliseconds.
const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 86_400_000;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(NOW).unwrap()
}

/// A store with two players, a board that runs (1) and one that is over (2).
fn store(folder: &std::path::Path) -> Store {
    filled(place(folder))
}

/// The same in a file of SQLite.
fn in_file(folder: &std::path::Path) -> Store {
    filled(Location::File(folder.join("test.sqlite")))
}

fn filled(at: Location) -> Store {
    let store = Store::open(at).unwrap();
    let rows = "INSERT INTO players (id, userid, userid_key, password_hash, created_at)
        VALUES (1, 'alice', 'alice', '', 1), (2, 'bob', 'bob', '', 1);
        INSERT INTO addresses (id, player, address, address_key, confirmed_at, created_at)
        VALUES (1, 1, 'a', 'a', 2, 1), (2, 2, 'b', 'b', NULL, 1);
        INSERT INTO boards (id, game, number, options, rules, first_player, second_player, rated, nag_days,
        forfeit_days, started_at, moved_at, ended_at)
        VALUES (1, 'Pow2', 101, '', 1, 1, 2, 1, 7, 21, 1, 1, NULL), (2, 'Pow2', 102, '', 1, 1, 2, 1, 7, 21, 1, 1, 1)";
    store.db.run(rows).unwrap();
    store
}

/// A message and its mail, both of so many days ago.
struct Old {
    days: i64,
    message: &'static str,
    mail: &'static str,
    kind: &'static str,
    board: Option<i64>,
    about: Option<i64>,
}

const OLD: Old = Old {
    days: 100,
    message: "done",
    mail: "sent",
    kind: "board",
    board: None,
    about: None,
};

/// Adds it under this number.
fn add(store: &Store, number: i64, old: &Old) {
    let at = NOW - old.days * DAY;
    let mut digest = [0; 32];
    digest[..8].copy_from_slice(&number.to_be_bytes());
    let sql = "INSERT INTO inbox (id, identity, received_at, door, recipient, header_from, commands, state) \
               VALUES ($1, $2, $3, 'smtp', 'r', 'f', 'said', $4)";
    store
        .db
        .execute(sql, &[&number, &digest, &at, &old.message])
        .unwrap();
    let sql = "INSERT INTO outbox (id, inbox, kind, board, about, recipient, recipient_key, message_id, is_reply, \
               subject, letter, created_at, state, due_at) \
               VALUES ($1, $1, $2, $3, $4, 'a', 'a', $5, 1, 's', $6, $7, $8, 0)";
    let id = number.to_string();
    store
        .db
        .execute(
            sql,
            &[
                &number,
                &old.kind,
                &old.board,
                &old.about,
                &id,
                &&b"{}"[..],
                &at,
                &old.mail,
            ],
        )
        .unwrap();
}

fn bounds(rows: usize) -> StepBounds {
    StepBounds {
        time: Duration::from_secs(60),
        rows,
    }
}

/// A whole round; returns its steps.
fn forget(store: &Store, rows: usize) -> Vec<Round> {
    let mut steps = vec![Round::default()];
    while let Some(last) = steps.last().filter(|last| !last.is_over()) {
        let next = store.forget(*last, bounds(rows), TimeDelta::days(7), now());
        steps.push(next.unwrap());
    }
    steps
}

fn numbers(db: &Database, sql: &str) -> Vec<i64> {
    db.all(sql, &[], |row| row.get(0)).unwrap()
}

/// Everything in the tables that forgetting changes, as text.
fn contents(store: &Store) -> Vec<String> {
    let mut lines = Vec::new();
    for sql in [
        "SELECT 'inbox ' || id || state || commands || COALESCE(header_from, '') FROM inbox ORDER BY id",
        "SELECT 'outbox ' || id || state || COALESCE(length(letter), 0) || COALESCE(inbox, 0) FROM outbox ORDER BY id",
        "SELECT 'remembered ' || length(digest) || inbox FROM remembered ORDER BY inbox",
        "SELECT 'tally ' || key FROM tallies ORDER BY key",
        "SELECT 'guess ' || id FROM guesses ORDER BY id",
        "SELECT 'proposal ' || id FROM proposals ORDER BY id",
    ] {
        let found: Vec<String> = store.db.all(sql, &[], |row| row.get(0)).unwrap();
        lines.extend(found);
    }
    lines
}

/// Rows of every kind, old and young.
fn fill(store: &Store) {
    for number in 1..=300 {
        let board = [None, Some(1), Some(2)][number as usize % 3];
        let message = ["done", "refused", "ignored", "dropped", "failed"][number as usize % 5];
        let mail = ["sent", "failed", "dropped", "waiting", "held", "sent", "sent"][number as usize % 7];
        let (kind, about) = match number {
            7 => ("question", Some(1)),
            14 => ("question", Some(2)),
            _ => ("board", None),
        };
        let days = 301 - number;
        add(
            store,
            number,
            &Old {
                days,
                message,
                mail,
                kind,
                board,
                about,
            },
        );
        let today = NOW / DAY;
        let sql = format!(
            "INSERT INTO tallies (what, key, day, count) VALUES ('said', 'key{number}', {}, 1);
             INSERT INTO guesses (player, sender_key, at) VALUES (1, 's', {});
             INSERT INTO proposals (id, player, opponent, line, asked_at) VALUES ({number}, 1, 2, 'l{number}', {})",
            today - number % 2,
            NOW - number * 60_000,
            NOW - number * DAY / 24
        );
        store.db.run(&sql).unwrap();
    }
}

#[test]
fn a_step_has_an_index_for_each_of_its_statements() {
    let folder = tempfile::tempdir().unwrap();
    let store = in_file(folder.path());
    for (sql, found_by) in [
        (delete_mails().as_str(), "SEARCH outbox USING INTEGER PRIMARY KEY"),
        (EMPTY_MAILS, "SEARCH outbox USING INTEGER PRIMARY KEY"),
        (&remember_messages(), "SEARCH inbox USING INTEGER PRIMARY KEY"),
        (&delete_messages(), "SEARCH inbox USING INTEGER PRIMARY KEY"),
        (EMPTY_MESSAGES, "SEARCH inbox USING INTEGER PRIMARY KEY"),
        (NEXT_MAILS, "SEARCH outbox USING INTEGER PRIMARY KEY"),
        (NEXT_MESSAGES, "SEARCH inbox USING INTEGER PRIMARY KEY"),
        (DELETE_TALLIES, "SEARCH tallies USING PRIMARY KEY (day<?)"),
        (DELETE_GUESSES, "guesses_by_time"),
        (DELETE_PROPOSALS, "proposals_by_time"),
    ] {
        let plan = store.db.plan(sql);
        let scans = plan.replace("SCAN next", "").contains("SCAN ");
        assert!(plan.contains(found_by) && !scans, "{sql}: {plan}");
    }
}

#[test]
fn what_is_old_goes_and_what_somebody_needs_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let cases = [
        ("an old message and its mail", OLD, false, false),
        (
            "a mail that waits",
            Old {
                mail: "waiting",
                ..OLD
            },
            true,
            true,
        ),
        ("a mail that is held", Old { mail: "held", ..OLD }, true, true),
        (
            "a mail that failed",
            Old {
                mail: "failed",
                ..OLD
            },
            false,
            false,
        ),
        (
            "a message that failed",
            Old {
                message: "failed",
                ..OLD
            },
            true,
            false,
        ),
        (
            "an older letter about a board",
            Old {
                board: Some(1),
                ..OLD
            },
            false,
            false,
        ),
        (
            "the newest about one that runs",
            Old {
                board: Some(1),
                ..OLD
            },
            false,
            true,
        ),
        (
            "the newest about one that is over",
            Old {
                board: Some(2),
                ..OLD
            },
            false,
            false,
        ),
        (
            "a question about a confirmed address",
            Old {
                kind: "question",
                about: Some(1),
                ..OLD
            },
            false,
            false,
        ),
        (
            "an open question",
            Old {
                kind: "question",
                about: Some(2),
                ..OLD
            },
            false,
            true,
        ),
        (
            "a message and a mail of last month",
            Old { days: 30, ..OLD },
            true,
            true,
        ),
    ];
    for (number, (_, old, ..)) in (1..).zip(&cases) {
        add(&store, number, old);
    }
    forget(&store, 1000);
    let (messages, mails) = ("SELECT id FROM inbox", "SELECT id FROM outbox");
    let (messages, mails) = (numbers(&store.db, messages), numbers(&store.db, mails));
    for (number, (what, _, message, mail)) in (1..).zip(cases) {
        assert_eq!(messages.contains(&number), message, "the message: {what}");
        assert_eq!(mails.contains(&number), mail, "the mail: {what}");
    }
    let with_text = numbers(&store.db, "SELECT id FROM outbox WHERE letter IS NOT NULL");
    assert_eq!(
        with_text,
        [2, 3, 11],
        "those that may still be sent, and the young one"
    );
    let said = numbers(&store.db, "SELECT id FROM inbox WHERE commands <> ''");
    assert_eq!(said, [11]);
    // The PostgreSQL of the tests need not survive the end of the machine.
    let faults = store.faults().unwrap();
    assert!(faults.iter().all(|fault| fault.contains("= off")), "{faults:?}");
}

#[test]
fn steps_of_any_size_come_to_the_same() {
    let [one, other] = [1, 1_000_000].map(|rows| {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        fill(&store);
        let steps = forget(&store, rows);
        let bound = usize::try_from(ROWS_AT_ONCE).unwrap() + rows;
        for pair in steps.windows(2) {
            assert!(pair[1].rows - pair[0].rows <= bound);
        }
        let before = contents(&store);
        forget(&store, rows);
        assert_eq!(contents(&store), before, "a second round finds nothing");
        (steps.len(), before)
    });
    assert!(one.0 > 40 && other.0 == 2, "{} and {}", one.0, other.0);
    assert_eq!(one.1, other.1);
    let left = |what: &str| one.1.iter().filter(|line| line.starts_with(what)).count();
    assert_eq!(left("tally"), 150);
    assert_eq!(left("guess"), 59);
    assert_eq!(left("proposal"), 168);
}

#[test]
fn a_step_ends_when_its_time_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    fill(&store);
    let none = StepBounds {
        time: Duration::ZERO,
        rows: 1000,
    };
    let step = store.forget(Round::default(), none, TimeDelta::days(7), now());
    assert_eq!(step.unwrap(), Round::default());
}

#[test]
fn a_copy_is_known_when_the_message_is_gone_and_no_number_is_given_twice() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    for number in 1..=4 {
        let message = ["done", "refused", "ignored", "dropped"][number as usize - 1];
        add(&store, number, &Old { message, ..OLD });
    }
    add(&store, 5, &OLD);
    forget(&store, 10);
    assert_eq!(numbers(&store.db, "SELECT id FROM inbox"), [5]);
    assert_eq!(numbers(&store.db, "SELECT id FROM outbox"), [5]);
    let seen = [1_i64, 2, 3, 4].map(|number| {
        let mut digest = [0; 32];
        digest[..8].copy_from_slice(&number.to_be_bytes());
        store.seen([&[1; 32], &digest]).unwrap()
    });
    assert_eq!(
        seen,
        [Some(1), Some(2), None, None],
        "what was not answered comes anew"
    );
}

#[test]
fn rows_of_a_clock_that_was_set_hold_up_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    add(&store, 1, &Old { days: -400, ..OLD });
    for number in 2..=100 {
        add(&store, number, &OLD);
    }
    // Written an hour before the clock was set back by two.
    add(&store, 101, &Old { days: 90, ..OLD });
    store
        .db
        .run("UPDATE outbox SET created_at = created_at + 3600000 WHERE id = 101")
        .unwrap();
    add(&store, 102, &Old { days: 91, ..OLD });
    add(&store, 103, &Old { days: 1, ..OLD });
    forget(&store, 10);
    let left = numbers(&store.db, "SELECT id FROM outbox ORDER BY id");
    assert_eq!(left, [1, 101, 103]);
}

#[test]
fn a_mail_that_was_sent_and_forgotten_is_held_by_a_restore() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [now, backup] = [&folders[0], &folders[1]].map(|folder| in_file(folder.path()));
    for number in 1..=3 {
        add(&now, number, &OLD);
        add(
            &backup,
            number,
            &Old {
                mail: "waiting",
                ..OLD
            },
        );
    }
    forget(&now, 10);
    let other = now.file().unwrap().to_owned();
    drop(now);
    assert_eq!(backup.settle_mails_as_in(&other).unwrap(), 3);
    let states: Vec<String> = (backup.db)
        .all("SELECT state FROM outbox ORDER BY id", &[], |row| row.get(0))
        .unwrap();
    assert_eq!(states, ["held", "held", "sent"]);
}

/// Ten years of a town, with a mail for each of a thousand in a real one: the file does not grow beyond its contents.
#[test]
fn in_balance_the_file_is_little_larger_than_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let store = in_file(folder.path());
    store.db.run("PRAGMA synchronous = OFF").unwrap();
    let (mut number, mut sizes) = (0, Vec::new());
    for week in 0..520_i64 {
        let at = NOW + week * 7 * DAY;
        store.begin().unwrap();
        // The seasons of a town: twice as many mails in one as in the other.
        for _ in 0..40 + 20 * (week / 13 % 2) {
            number += 1;
            add(
                &store,
                number,
                &Old {
                    days: -7 * week,
                    ..OLD
                },
            );
            let sql = "UPDATE inbox SET identity = randomblob(32) WHERE id = $1";
            store.db.execute(sql, &[&number]).unwrap();
            let sql = "UPDATE outbox SET letter = CAST($1 AS BLOB) WHERE id = $2";
            let letter = "x".repeat(500 + usize::try_from(number * 997 % 3000).unwrap());
            store.db.execute(sql, &[&letter, &number]).unwrap();
        }
        let mut round = Round::default();
        while !round.is_over() {
            let now = DateTime::from_timestamp_millis(at).unwrap();
            let next = store.forget(round, bounds(256), TimeDelta::days(7), now);
            round = next.unwrap();
        }
        store.commit().unwrap();
        if week % 52 == 51 {
            sizes.push(store.pages().unwrap().bytes);
        }
    }
    let copy = folder.path().join("copy.sqlite");
    let sql = format!("VACUUM INTO '{}'", copy.display());
    store.db.run(&sql).unwrap();
    let holds = std::fs::metadata(copy).unwrap().len();
    let has = *sizes.last().unwrap();
    assert!(has * 10 <= holds * 13, "{has} bytes for {holds}: {sizes:?}");
}
