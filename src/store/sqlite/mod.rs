//! SQLite: the one room that names it. Opening and its settings, the running of migrations, transactions, prepared
//! statements and the values in them, the watch over the file, copies for backups and their return.
//!
//! The files of tables speak SQL to a [`Database`], in the subset that SQLite and PostgreSQL share: parameters `$1`, `$2`
//! in the order of their first use, integers for times and truth, `ON CONFLICT`, `RETURNING`.

mod copies;
mod database;
mod error;
mod migrate;
mod open;
mod place;

pub use copies::fold_log;
pub(super) use database::{Database, Row};
pub use migrate::newest as newest_migration;
