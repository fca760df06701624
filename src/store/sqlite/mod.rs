//! SQLite. This is the only folder that names it: opening and settings, migrations, transactions, prepared statements
//! and their values, the check of the file, backup and restore.
//!
//! The other files pass SQL to a [`Database`], in the subset that SQLite and PostgreSQL share: parameters `$1`, `$2` in
//! the order of their first use, integers for times and booleans, `ON CONFLICT`, `RETURNING`.

mod compacting;
mod copies;
mod database;
mod error;
mod file_watch;
mod migrate;
mod open;

pub use compacting::{Alone, Pages};
pub use copies::{Copying, fold_log};
pub(super) use database::{Database, Row};
pub use migrate::newest as newest_migration;
