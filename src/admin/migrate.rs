//! `migrate`: brings the database to the newest migration without starting the server.

use std::fmt::Write as _;
use std::os::unix::net::UnixStream;

use anyhow::Context as _;
use chrono::{DateTime, Utc};

use crate::config::Config;
use crate::engine::configured_folder::{database_error, existing_folder};
use crate::engine::folder::{Folder, FolderError};
use crate::engine::migration::{self, KEPT, Migrated, Stage};
use pbmserv_core::store::{Reader, newest_migration};

use super::progress::Progress;

/// Returns what to print.
///
/// # Errors
/// There is no database, another process has the folder, or the disk has too little room. Then nothing is changed.
pub fn run(config: &Config, now: DateTime<Utc>) -> anyhow::Result<String> {
    let folder = existing_folder(config)?;
    let lock = match folder.lock() {
        Err(error @ FolderError::InUse(_)) => {
            return in_use(config, &folder, error).with_context(|| config.placed("server.data"));
        }
        lock => lock.with_context(|| config.placed("server.data"))?,
    };
    let done = migration::run(config, &folder, &lock, now, &mut progress())?;
    Ok(done.map_or_else(nothing, |done| said(&done)))
}

/// The line of progress of a migration.
pub fn progress() -> impl FnMut(Stage) + Send + use<> {
    let line = Progress::begin("copying the database");
    move |stage| match stage {
        Stage::Copying(copying) => line.copying(copying),
        Stage::Applying { .. } => line.say(stage.to_string()),
    }
}

/// A server that runs has migrated the database, unless it is of an older version itself.
fn in_use(config: &Config, folder: &Folder, error: FolderError) -> anyhow::Result<String> {
    if UnixStream::connect(folder.socket()).is_err() {
        return Err(error)
            .context("a server that starts now, or a verb, uses the database: try again when it is done");
    }
    let found = Reader::open(folder.location()).and_then(|reader| reader.migration());
    let (found, newest) = (
        found.map_err(|error| database_error(config, folder, error))?,
        newest_migration(),
    );
    anyhow::ensure!(
        found == newest,
        "the server that runs is of another version, which has the database at migration {found}, and this program needs {newest}: restart the server, which migrates it"
    );
    Ok(format!(
        "a server runs, and has the database at migration {newest}, the newest: nothing is to be done\n"
    ))
}

fn nothing() -> String {
    let newest = newest_migration();
    format!("the database is at migration {newest}, the newest: nothing is to be done\n")
}

fn said(done: &Migrated) -> String {
    let Migrated {
        from,
        to,
        copy,
        removed,
        took,
    } = done;
    let mut out = format!(
        "the database was brought from migration {from} to {to} in {:.1} seconds\n\
         the database of before is in {}, for pbmserv restore; the last {KEPT} such copies are kept\n",
        took.as_secs_f64(),
        copy.display()
    );
    for old in removed {
        let _ = writeln!(out, "removed {}", old.display());
    }
    out
}
