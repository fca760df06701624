//! Creates the tables, and applies the missing migrations in one transaction.
//!
//! A migration has the number of the one of SQLite that leaves the same tables.

use super::engine::Postgres;
use crate::store::sqlite::newest_migration;
use crate::store::{Error, Result};

/// All migrations by number. The first creates all tables. A released migration never changes.
static MIGRATIONS: &[(i64, &str)] = &[
    (33, include_str!("../../../migrations/postgres/0033_start.sql")),
    (34, include_str!("../../../migrations/postgres/0034_causes.sql")),
];

/// Applies the missing migrations; `applying` is called with the number of each, and that of the last.
pub(super) fn run(writer: &Postgres, applying: &mut dyn FnMut(i64, i64)) -> Result<()> {
    let found = writer.migration()?;
    if found > newest_migration() {
        return is_current(writer);
    }
    if found == newest_migration() {
        return Ok(());
    }
    writer.run("BEGIN")?;
    let done = MIGRATIONS
        .iter()
        .filter(|(number, _)| *number > found)
        .try_for_each(|(number, sql)| {
            applying(*number, newest_migration());
            writer.run(sql)
        });
    let done = done.and_then(|()| {
        writer.execute("UPDATE engine SET migration = $1", &[&newest_migration()])?;
        writer.run("COMMIT")
    });
    if done.is_err() {
        // Without a session the server has done it.
        let _ = writer.run("ROLLBACK");
    }
    done
}

/// Refuses a database of another version.
pub(super) fn is_current(writer: &Postgres) -> Result<()> {
    let (found, known) = (writer.migration()?, newest_migration());
    let path = writer.server.to_string();
    match found.cmp(&known) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Less => Err(Error::Older { path, found, known }),
        std::cmp::Ordering::Greater => Err(Error::Newer { path, found, known }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_are_at_the_same_migration() {
        assert!(MIGRATIONS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert_eq!(
            MIGRATIONS.last().map(|(number, _)| *number),
            Some(newest_migration())
        );
    }
}
