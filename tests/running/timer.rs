//! The timer of the real daemon: it wakes up by itself, and each due thing is done once, however often the daemon
//! is killed.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::daemon::mailbox::{self, Mailbox};
use crate::daemon::{self, Setup, count, until};
use rusqlite::Connection;

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

const DAY: i64 = 24 * 3600 * 1000;

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// A setup in which alice and bob have begun Pow2 Board 101; no daemon runs.
fn setup(folder: &std::path::Path) -> Setup {
    let setup = Setup::new(folder).with("PBMSERV_ACCOUNTS_CONFIRM", "false");
    let daemon = setup.serve();
    daemon::smtp::send(daemon.port, ALICE, "1", "signup alice fig7elk", "");
    daemon::smtp::send(daemon.port, BOB, "2", "signup bob oak4jay", "");
    daemon::smtp::send(daemon.port, ALICE, "3", "Pow2 challenge alice bob", "");
    setup.wait_for_delivery();
    daemon.stop_well();
    setup
}

fn write(setup: &Setup, sql: &str) {
    let conn = Connection::open(setup.database()).unwrap();
    conn.execute_batch(sql).unwrap();
}

#[test]
fn the_daemon_wakes_up_for_a_reminder_without_any_mail() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let mut alice = Mailbox::new(&setup.data.join("mail"), ALICE);
    alice.fetch();
    let due = now() + 4000;
    let begun = due - 7 * DAY;
    write(
        &setup,
        &format!("UPDATE boards SET clock_since = {begun}, moved_at = {begun}, due_at = {due}"),
    );
    let daemon = setup.serve();
    let is_early = now() < due;
    let mail = until("the reminder has come", || alice.fetch().pop());
    assert!(is_early && now() >= due, "it comes when it is due");
    assert!(
        mail.text
            .starts_with("It has been your turn on Pow2 Board 101 for 7 days"),
        "{}",
        mail.text
    );
    daemon.stop_well();
    let conn = setup.look();
    let next = count(&conn, "SELECT due_at FROM boards");
    assert_eq!(
        next,
        begun + count(&conn, "SELECT reminded FROM boards") + 3 * DAY
    );
    assert!(alice.fetch().is_empty());
}

#[test]
fn who_was_warned_before_the_daemon_was_killed_is_warned_again_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let begun = now() - 20 * DAY - DAY / 2;
    write(
        &setup,
        &format!("UPDATE boards SET clock_since = {begun}, moved_at = {begun}, due_at = {begun}"),
    );
    let warnings = || {
        setup.wait_for_delivery();
        let mails = mailbox::of(&setup.data.join("mail").join(ALICE));
        let is_warning = |mail: &&mailbox::Mail| mail.text.starts_with("One day is left, alice");
        mails.iter().filter(is_warning).count()
    };
    let warned_at = || count(&setup.look(), "SELECT warned_at FROM warnings");
    let daemon = setup.serve();
    until("the warning has come", || (warnings() == 1).then_some(()));
    let first = warned_at();
    daemon.kill();
    // Nobody knows for how long it was away: the end is a day after the start, and another warning names it.
    let daemon = setup.serve();
    until("the second has come", || (warnings() == 2).then_some(()));
    let second = warned_at();
    assert!(second > first);
    daemon.stop_well();
    // A clean stop of a moment moves no end.
    let daemon = setup.serve();
    daemon::smtp::send(daemon.port, ALICE, "4", "help", "");
    assert_eq!((warnings(), warned_at()), (2, second));
    let due = count(&setup.look(), "SELECT due_at FROM boards");
    assert!(due >= second + DAY, "{due} {second}");
    daemon.stop_well();
}

#[test]
fn each_of_many_boards_is_reminded_once_however_often_the_daemon_is_killed() {
    const BOARDS: i64 = 400;
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let begun = now() - 8 * DAY;
    write(
        &setup,
        &format!(
            "WITH RECURSIVE others (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM others WHERE n < {BOARDS} - 1)
             INSERT INTO boards (game, number, options, rules, first_player, second_player, rated, nag_days,
             forfeit_days, to_move, started_at, moved_at, clock_since, due_at)
             SELECT game, number + n, options, rules, first_player, second_player, rated, nag_days,
             forfeit_days, to_move, started_at, moved_at, clock_since, due_at FROM boards, others;
             UPDATE boards SET clock_since = {begun}, due_at = {begun} + 7 * {DAY};"
        ),
    );
    let reminded = || {
        count(
            &setup.look(),
            "SELECT COUNT(*) FROM boards WHERE reminded IS NOT NULL",
        )
    };
    for kill_at in [1, BOARDS / 8, BOARDS / 4] {
        let daemon = setup.serve();
        until("some are reminded", || (reminded() >= kill_at).then_some(()));
        daemon.kill();
    }
    assert!(reminded() < BOARDS, "it was killed in the middle");
    let daemon = setup.serve();
    until("all are reminded", || (reminded() == BOARDS).then_some(()));
    setup.wait_for_delivery();
    daemon.stop_well();
    let conn = setup.look();
    let most =
        "SELECT MAX(mails) FROM (SELECT COUNT(*) AS mails FROM outbox WHERE inbox IS NULL GROUP BY board)";
    assert_eq!(count(&conn, most), 1, "no board twice");
    assert_eq!(
        count(&conn, "SELECT COUNT(*) FROM outbox WHERE inbox IS NULL"),
        BOARDS
    );
    assert_eq!(
        count(&conn, "SELECT COUNT(*) FROM outbox WHERE state <> 'sent'"),
        0
    );
    let ids: std::collections::HashSet<_> = mailbox::all(&setup.data.join("mail"))
        .into_iter()
        .filter(|mail| mail.text.starts_with("It has been your turn"))
        .map(|mail| mail.message_id)
        .collect();
    assert_eq!(i64::try_from(ids.len()).unwrap(), BOARDS);
}
