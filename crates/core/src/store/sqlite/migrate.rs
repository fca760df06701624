//! Applies the missing migrations. The number of the last one is stored in `user_version`; 0 if the database is new.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::store::Result;
use crate::store::migrations::{self, Migration};

/// Applies the missing migrations; `applying` is called with the number of each, and that of the last.
pub(super) fn run(
    conn: &mut Connection,
    path: &Path,
    list: &[Migration],
    applying: &mut dyn FnMut(i64, i64),
) -> Result<()> {
    let (found, newest) = (found(conn)?, migrations::newest(list));
    if !migrations::lacks(list, path.display(), found)? {
        return Ok(());
    }
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for migration in list.iter().filter(|migration| migration.number > found) {
        applying(migration.number, newest);
        transaction.execute_batch(migration.sqlite)?;
    }
    transaction.pragma_update(None, "user_version", newest)?;
    Ok(transaction.commit()?)
}

pub(super) fn found(conn: &Connection) -> Result<i64> {
    Ok(conn.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrations::tests::LATER;
    use crate::store::{Error, Store, newest_migration};

    /// All of the schema, with its number.
    fn shape(conn: &Connection) -> String {
        let sql = "SELECT group_concat(sql, ';') || (SELECT user_version FROM pragma_user_version) FROM sqlite_schema";
        conn.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    fn made_by(list: &[Migration], path: &Path) -> Connection {
        let mut conn = Connection::open(path).unwrap();
        run(&mut conn, path, list, &mut |_, _| {}).unwrap();
        conn
    }

    #[test]
    fn a_database_of_each_release_keeps_its_players_and_gets_the_newest_shape() {
        let folder = tempfile::tempdir().unwrap();
        let newest = &LATER[..3];
        let new = shape(&made_by(newest, &folder.path().join("new.sqlite")));
        for released in 1..=newest.len() {
            let path = folder.path().join(format!("{released}.sqlite"));
            let mut conn = made_by(&newest[..released], &path);
            conn.execute_batch(
                "INSERT INTO players (userid, userid_key, password_hash, created_at) VALUES ('Alice', 'alice', 'hash', 1)",
            )
            .unwrap();
            for expected in [&newest[released..], &[]] {
                let mut applied = Vec::new();
                run(&mut conn, &path, newest, &mut |number, of| {
                    applied.push((number, of));
                })
                .unwrap();
                let expected = expected.iter().map(|migration| (migration.number, 103));
                assert!(applied.into_iter().eq(expected), "from {released}");
                let motto: String = conn
                    .query_row("SELECT motto FROM players", [], |row| row.get(0))
                    .unwrap();
                assert_eq!((motto.as_str(), shape(&conn)), ("none", new.clone()));
            }
        }
    }

    #[test]
    fn a_database_of_another_program_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.sqlite");
        for found in [newest_migration() + 1, 34, 1, -1] {
            let conn = Connection::open(&path).unwrap();
            conn.pragma_update(None, "user_version", found).unwrap();
            drop(conn);
            let before = std::fs::read(&path).unwrap();
            for refused in [Store::open(&path), Store::migrate(&path, &mut |_, _| {})] {
                match found {
                    1 | 34 => assert!(matches!(refused, Err(Error::Unreleased { .. }))),
                    _ => assert!(matches!(refused, Err(Error::Newer { .. }))),
                }
            }
            assert!(std::fs::read(&path).unwrap() == before, "{found}");
        }
    }

    #[test]
    fn a_migration_that_fails_undoes_those_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.sqlite");
        let mut conn = made_by(&LATER[..1], &path);
        let before = shape(&conn);
        let mut last = 0;
        let run = run(&mut conn, &path, &LATER, &mut |number, _| last = number);
        assert!(run.is_err());
        assert_eq!((last, shape(&conn)), (104, before));
    }
}
