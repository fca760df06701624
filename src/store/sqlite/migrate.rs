//! Applies the missing migrations in order, in one transaction: a database is at the migration at which an older program
//! left it, or at the newest. So whatever ends the work, the older program can go on with the database, and what the
//! next attempt finds is not half of one schema and half of another.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::store::{Error, Result};

/// All migrations by number, embedded in the program. A released migration never changes.
static MIGRATIONS: &[(i64, &str)] = &[
    (1, include_str!("../../../migrations/0001_start.sql")),
    (2, include_str!("../../../migrations/0002_ratings.sql")),
    (3, include_str!("../../../migrations/0003_accounts.sql")),
    (4, include_str!("../../../migrations/0004_offers.sql")),
    (5, include_str!("../../../migrations/0005_preferences.sql")),
    (6, include_str!("../../../migrations/0006_clocks.sql")),
    (7, include_str!("../../../migrations/0007_queue.sql")),
    (8, include_str!("../../../migrations/0008_seeking.sql")),
    (9, include_str!("../../../migrations/0009_subscribers.sql")),
    (10, include_str!("../../../migrations/0010_html.sql")),
    (11, include_str!("../../../migrations/0011_digest.sql")),
    (12, include_str!("../../../migrations/0012_bounces.sql")),
    (13, include_str!("../../../migrations/0013_numbers.sql")),
    (14, include_str!("../../../migrations/0014_operators.sql")),
    (15, include_str!("../../../migrations/0015_counts.sql")),
    (16, include_str!("../../../migrations/0016_settled.sql")),
    (17, include_str!("../../../migrations/0017_limited.sql")),
    (18, include_str!("../../../migrations/0018_expiry.sql")),
    (19, include_str!("../../../migrations/0019_proposals.sql")),
    (20, include_str!("../../../migrations/0020_turns.sql")),
    (21, include_str!("../../../migrations/0021_boards.sql")),
    (22, include_str!("../../../migrations/0022_inbox.sql")),
    (23, include_str!("../../../migrations/0023_events.sql")),
    (24, include_str!("../../../migrations/0024_digest_letters.sql")),
    (25, include_str!("../../../migrations/0025_presence.sql")),
    (26, include_str!("../../../migrations/0026_complaints.sql")),
    (27, include_str!("../../../migrations/0027_letters.sql")),
    (28, include_str!("../../../migrations/0028_forgotten.sql")),
    (29, include_str!("../../../migrations/0029_computers.sql")),
    (30, include_str!("../../../migrations/0030_pages.sql")),
    (31, include_str!("../../../migrations/0031_pages_settings.sql")),
    (32, include_str!("../../../migrations/0032_together.sql")),
    (33, include_str!("../../../migrations/0033_thoughts.sql")),
    (34, include_str!("../../../migrations/0034_causes.sql")),
];

/// The number of the newest migration.
#[must_use]
pub fn newest() -> i64 {
    MIGRATIONS.last().map_or(0, |(number, _)| *number)
}

/// Refuses a database in use that lacks migrations, or that a newer program wrote.
pub(super) fn refuse_older(conn: &Connection, path: &Path) -> Result<()> {
    match found(conn, path)? {
        found if (1..newest()).contains(&found) => Err(Error::Older {
            path: path.display().to_string(),
            found,
            known: newest(),
        }),
        _ => Ok(()),
    }
}

/// Applies the missing migrations; `applying` is called with the number of each, and that of the last.
pub(super) fn run(conn: &mut Connection, path: &Path, applying: &mut dyn FnMut(i64, i64)) -> Result<()> {
    let found = found(conn, path)?;
    if found == newest() {
        return Ok(());
    }
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (number, sql) in MIGRATIONS.iter().filter(|(number, _)| *number > found) {
        applying(*number, newest());
        transaction.execute_batch(sql)?;
    }
    transaction.pragma_update(None, "user_version", newest())?;
    Ok(transaction.commit()?)
}

/// The number of the last migration that was applied is stored in `user_version`; 0 if the database is new.
fn found(conn: &Connection, path: &Path) -> Result<i64> {
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if (0..=newest()).contains(&found) {
        return Ok(found);
    }
    Err(Error::Newer {
        path: path.display().to_string(),
        found,
        known: newest(),
    })
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::store::{RateLimit, Store};
    use crate::table::{BoardId, PlayerId};

    #[test]
    fn the_migrations_are_in_order() {
        assert!(MIGRATIONS.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn an_older_database_keeps_its_players_and_gets_the_new_shape() {
        let folder = tempfile::tempdir().unwrap();
        for (at, (older, _)) in MIGRATIONS.iter().enumerate() {
            let path = folder.path().join(format!("{older}.sqlite"));
            let conn = Connection::open(&path).unwrap();
            for (number, sql) in &MIGRATIONS[..=at] {
                conn.execute_batch(sql).unwrap();
                conn.pragma_update(None, "user_version", number).unwrap();
            }
            let rows = "INSERT INTO players (userid, userid_key, password_hash, created_at) VALUES ('Alice', 'alice', 'hash', 1);
                INSERT INTO addresses (player, address, address_key, confirmed_at, created_at)
                VALUES (1, 'alice@example.org', 'alice@example.org', 2, 1);";
            conn.execute_batch(rows).unwrap();
            drop(conn);
            let open = Store::open(&path);
            match *older == newest() {
                true => drop(open.unwrap()),
                false => assert!(matches!(open, Err(Error::Older { found, .. }) if found == *older)),
            }
            let mut applied = Vec::new();
            drop(Store::migrate(&path, &mut |number, of| applied.push((number, of))).unwrap());
            let expected = MIGRATIONS.iter().filter(|(number, _)| number > older);
            assert!(
                applied
                    .into_iter()
                    .eq(expected.map(|(number, _)| (*number, newest())))
            );
            for _ in 0..2 {
                let store = Store::open(&path).unwrap();
                let player = store.player("alice").unwrap().unwrap();
                assert_eq!((player.userid.as_str(), player.away_since), ("Alice", None));
                let addresses = store.addresses(player.id).unwrap();
                assert_eq!(addresses.len(), 1, "from {older}");
                assert!(addresses[0].confirmed_at.is_some() && !addresses[0].is_replaced);
            }
        }
    }

    #[test]
    fn a_board_that_runs_at_the_migration_to_clocks_gets_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.sqlite");
        let conn = Connection::open(&path).unwrap();
        for (number, sql) in MIGRATIONS.iter().filter(|(number, _)| *number < 6) {
            conn.execute_batch(sql).unwrap();
            conn.pragma_update(None, "user_version", number).unwrap();
        }
        let rows = "INSERT INTO players (userid, userid_key, password_hash, created_at)
            VALUES ('alice', 'alice', 'hash', 1), ('bob', 'bob', 'hash', 1);
            INSERT INTO boards (game, number, options, rules, first_player, second_player, rated, nag_days,
            forfeit_days, to_move, started_at, moved_at, ended_at)
            VALUES ('Pow2', 101, '', 1, 1, 2, 1, 7, 21, 0, 1000, 2000, NULL),
            ('Pow2', 102, '', 1, 1, 2, 1, 7, 21, NULL, 1000, 2000, 3000);";
        conn.execute_batch(rows).unwrap();
        drop(conn);
        let store = Store::migrate(&path, &mut |_, _| {}).unwrap();
        let (at, row) = store.first_due_board().unwrap().unwrap();
        assert_eq!(
            (at.timestamp_millis(), row),
            (2000, 1),
            "it is looked at first of all"
        );
        let game = pbmserv_games::find("Pow2").unwrap();
        let clock = store.board(game, 101).unwrap().unwrap().clock;
        assert_eq!(clock, crate::table::Clock::started(at));
        let over = store.board(game, 102).unwrap().unwrap().clock;
        assert_eq!(over.since, None);
    }

    #[test]
    fn a_database_of_the_first_migration_is_brought_up_to_date_and_its_games_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.sqlite");
        {
            let old = Connection::open(&path).unwrap();
            old.execute_batch(include_str!("../../../migrations/0001_start.sql"))
                .unwrap();
            old.execute_batch(
                "PRAGMA user_version = 1;
                 INSERT INTO players (id, userid, userid_key, password_hash, created_at)
                 VALUES (1, 'alice', 'alice', '', 0), (2, 'bob', 'bob', '', 0);
                 INSERT INTO boards (game, number, options, rules, first_player, second_player, rated, nag_days,
                   forfeit_days, turns, second_moved, result, result_by, started_at, moved_at, ended_at)
                 VALUES ('Pow2', 101, '', 1, 1, 2, 1, 7, 21, 2, 1, 'second', 'resignation', 0, 0, 86400000),
                        ('Pow2', 102, '', 1, 2, 1, 0, 7, 21, 2, 1, 'second', 'resignation', 0, 0, 86400000),
                        ('Pow2', 103, '', 1, 2, 1, 1, 7, 21, 0, 0, 'removed', 'declined', 0, 0, 86400000);",
            )
            .unwrap();
        }
        let store = Store::migrate(&path, &mut |_, _| {}).unwrap();
        let game = pbmserv_games::find("Pow2").unwrap();
        let [alice, bob] = [1, 2].map(|id| store.standing(PlayerId(id), game).unwrap());
        assert_eq!(
            (alice.won, alice.lost, alice.rating.shown()),
            (0, 1, "1338".into())
        );
        assert_eq!((bob.won, bob.lost, bob.rating.shown()), (1, 0, "1662".into()));
        assert!(store.board(game, 103).unwrap().is_some());
        drop(store);
        let again = Store::open(&path).unwrap();
        assert_eq!(again.standing(PlayerId(1), game).unwrap(), alice);
    }

    #[test]
    fn turns_and_counts_from_before_they_stood_together_are_kept_in_one_tree_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.sqlite");
        let conn = Connection::open(&path).unwrap();
        for (number, sql) in MIGRATIONS.iter().filter(|(number, _)| *number < 32) {
            conn.execute_batch(sql).unwrap();
            conn.pragma_update(None, "user_version", number).unwrap();
        }
        let rows = "INSERT INTO players (id, userid, userid_key, password_hash, created_at)
            VALUES (1, 'alice', 'alice', '', 1), (2, 'bob', 'bob', '', 1);
            INSERT INTO boards (id, game, number, options, rules, first_player, second_player, rated, nag_days,
            forfeit_days, to_move, started_at, moved_at) VALUES (7, 'Pow2', 101, '', 1, 1, 2, 1, 7, 21, 0, 1000, 2000);
            INSERT INTO turns (board, ordinal, seat, turn, played_at, event) VALUES (7, 2, 1, 'a1-e1', 3, 4), (7, 1, 0, 'm13-m5', 1, 2);
            INSERT INTO tallies (what, key, day, count) VALUES ('said', '1>2', 20000, 5), ('asked', 'alice', 19999, 6);";
        conn.execute_batch(rows).unwrap();
        drop(conn);
        let store = Store::migrate(&path, &mut |_, _| {}).unwrap();
        let turns = store.turns(BoardId(7)).unwrap();
        let turns: Vec<_> = turns
            .iter()
            .map(|turn| (turn.text.as_str(), turn.event))
            .collect();
        assert_eq!(turns, [("m13-m5", 2), ("a1-e1", 4)]);
        let day = DateTime::from_timestamp(20_000 * 86_400, 0).unwrap();
        assert_eq!(store.tally(RateLimit::Said, "1>2", day).unwrap(), 5);
        let sql =
            "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('turns', 'tallies')";
        let conn = Connection::open(&path).unwrap();
        let indexes: i64 = conn.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(indexes, 0);
    }

    #[test]
    fn a_database_of_a_newer_program_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("newer.sqlite");
        let conn = Connection::open(&path).unwrap();
        conn.pragma_update(None, "user_version", newest() + 1).unwrap();
        drop(conn);
        assert!(matches!(Store::open(&path), Err(Error::Newer { .. })));
        let migrated = Store::migrate(&path, &mut |_, _| {});
        assert!(matches!(migrated, Err(Error::Newer { .. })));
    }

    #[test]
    fn a_migration_that_fails_undoes_those_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.sqlite");
        let mut conn = Connection::open(&path).unwrap();
        conn.execute_batch(MIGRATIONS[0].1).unwrap();
        // The table of a later migration.
        conn.execute_batch("PRAGMA user_version = 1; CREATE TABLE digest_letters (id INTEGER) STRICT;")
            .unwrap();
        let shape = |conn: &Connection| -> String {
            let sql = "SELECT group_concat(sql, ';') || (SELECT user_version FROM pragma_user_version) FROM sqlite_schema";
            conn.query_row(sql, [], |row| row.get(0)).unwrap()
        };
        let before = shape(&conn);
        let mut last = 0;
        let run = run(&mut conn, &path, &mut |number, _| last = number);
        assert!(run.is_err());
        assert_eq!((last, shape(&conn)), (24, before));
    }
}
