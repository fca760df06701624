//! SQLite. This is the only folder that names it: opening and settings, migrations, transactions, prepared statements
//! and their values, the check of the file, backup and restore.
//!
//! `store/database.rs` says what an engine does; `store/postgres/` is the other one.

mod compacting;
mod copies;
mod database;
mod error;
mod file_watch;
mod filling;
mod migrate;
mod open;
mod row;
mod tables;

pub use compacting::{Alone, Pages};
pub use copies::{Copying, fold_log};
pub(super) use database::Sqlite;
pub(super) use row::Row;
pub(super) use tables::{Table, tables};
