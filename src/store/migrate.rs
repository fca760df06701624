//! Brings a database to the newest shape, one migration after the other, each in its own transaction.

use std::path::Path;

use rusqlite::Connection;

use super::{Error, Result};

/// The migrations, embedded; one that has landed is never changed.
static MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_start.sql"),
    include_str!("../../migrations/0002_ratings.sql"),
    include_str!("../../migrations/0004_offers.sql"),
];

/// The number of the newest migration.
#[must_use]
pub fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Runs what is missing. The number reached stands in `user_version`.
pub(super) fn run(conn: &mut Connection, path: &Path) -> Result<()> {
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let Some(missing) = usize::try_from(found)
        .ok()
        .and_then(|found| MIGRATIONS.get(found..))
    else {
        return Err(Error::Newer {
            path: path.display().to_string(),
            found,
            known: newest(),
        });
    };
    for (number, sql) in (found + 1..).zip(missing) {
        let transaction = conn.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(())
}
