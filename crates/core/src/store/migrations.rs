//! What brings a database from the tables of one release to those of a later one. `migrations/` has the SQL.
//!
//! All missing migrations are one transaction: a database is at the migration at which a released program left it. So whatever
//! ends the work, the older program can go on with the database, and what the next attempt finds is not half of one schema and
//! half of another.

use std::fmt::Display;
use std::sync::OnceLock;

use super::{Error, Result};

/// One step, in the SQL of either engine. They leave the same tables.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// Its number, which is stored in the database.
    pub number: i64,
    /// What SQLite is to do.
    pub sqlite: &'static str,
    /// What PostgreSQL is to do.
    pub postgres: &'static str,
}

/// All migrations in their order. The first makes the tables. A released one never changes. Numbers below the first are those of
/// databases from before the first release.
pub static MIGRATIONS: &[Migration] = &[Migration {
    number: 100,
    sqlite: include_str!("../../../../migrations/0100_start.sql"),
    postgres: include_str!("../../../../migrations/postgres/0100_start.sql"),
}];

static LIST: OnceLock<&[Migration]> = OnceLock::new();

/// Makes this process a program with these migrations, as a later release is one. Has no effect once a database was looked at.
pub fn set_migrations(list: &'static [Migration]) {
    let _ = LIST.set(list);
}

/// The migrations of this process.
pub(super) fn migrations() -> &'static [Migration] {
    LIST.get_or_init(|| MIGRATIONS)
}

/// The number of the newest migration.
#[must_use]
pub fn newest_migration() -> i64 {
    newest(migrations())
}

pub(super) fn newest(list: &[Migration]) -> i64 {
    list.last().map_or(0, |migration| migration.number)
}

/// Whether this database is to be migrated: it has no tables (0), or those of an older release.
///
/// # Errors
/// This program cannot read it: [`Error::Newer`], [`Error::Unreleased`].
pub fn lacks_migrations(database: impl Display, found: i64) -> Result<bool> {
    lacks(migrations(), database, found)
}

pub(super) fn lacks(list: &[Migration], database: impl Display, found: i64) -> Result<bool> {
    let path = database.to_string();
    let known = newest(list);
    if found > known || found < 0 {
        return Err(Error::Newer { path, found, known });
    }
    if found > 0 && list.iter().all(|migration| migration.number != found) {
        return Err(Error::Unreleased { path });
    }
    Ok(found < known)
}

/// Refuses a database that lacks migrations.
///
/// # Errors
/// It lacks some ([`Error::Older`]), or this program cannot read it.
pub fn refuse_older(database: impl Display, found: i64) -> Result<()> {
    let (path, known) = (database.to_string(), newest_migration());
    match lacks_migrations(&path, found)? {
        true => Err(Error::Older { path, found, known }),
        false => Ok(()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What later releases may change. The last step fails.
    pub(in crate::store) static LATER: [Migration; 4] = [
        MIGRATIONS[0],
        Migration {
            number: 101,
            sqlite: "ALTER TABLE players ADD COLUMN motto TEXT NOT NULL DEFAULT 'none'",
            postgres: "ALTER TABLE players ADD COLUMN motto TEXT NOT NULL DEFAULT 'none'",
        },
        Migration {
            number: 103,
            sqlite: "CREATE TABLE mottos (motto TEXT PRIMARY KEY) STRICT; INSERT INTO mottos SELECT DISTINCT motto FROM players",
            postgres: "CREATE TABLE mottos (motto TEXT PRIMARY KEY); INSERT INTO mottos SELECT DISTINCT motto FROM players",
        },
        Migration {
            number: 104,
            sqlite: "CREATE TABLE wishes (wish TEXT PRIMARY KEY) STRICT; CREATE TABLE mottos (motto TEXT) STRICT",
            postgres: "CREATE TABLE wishes (wish TEXT PRIMARY KEY); CREATE TABLE mottos (motto TEXT)",
        },
    ];

    #[test]
    fn the_migrations_are_in_order() {
        for list in [MIGRATIONS, &LATER] {
            assert!(list.is_sorted_by(|one, other| one.number < other.number));
        }
    }

    #[test]
    fn a_database_is_of_a_release_or_is_refused() {
        let lacks = |found| lacks(&LATER, "x.sqlite", found);
        for (found, expected) in [(0, true), (100, true), (101, true), (103, true), (104, false)] {
            assert_eq!(lacks(found).unwrap(), expected, "{found}");
        }
        for found in [1, 34, 99, 102] {
            assert!(matches!(lacks(found), Err(Error::Unreleased { .. })), "{found}");
        }
        for found in [-1, 105] {
            assert!(matches!(lacks(found), Err(Error::Newer { .. })), "{found}");
        }
    }
}
