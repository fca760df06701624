//! Migration of a database in use, for `serve` and `migrate`: after a copy that is kept, in one transaction.
//!
//! A kill while it is copied leaves a folder `.unfinished`, which the next attempt removes; a kill later leaves the database
//! as it was, and a copy more than needed.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use chrono::{DateTime, Utc};

use crate::config::Config;
use pbmserv_core::store::{self, Copying, Reader, Store, lacks_migrations, newest_migration};
use pbmserv_mail::Key;

use super::configured_folder::database_error;
use super::copies;
use super::disk;
use super::folder::{Folder, FolderError, Lock};
use super::permissions;

/// The name of a copy: this, from where to where, and the time.
const PREFIX: &str = "before-migration-";

/// The end of the name of a copy that is not complete.
const UNFINISHED: &str = ".unfinished";

/// How many copies stay: that of this migration, and that of the one before.
pub const KEPT: usize = 2;

/// The room that is needed, in sizes of the database: the copy, the WAL if each page changes, and new columns and indexes.
const ROOM: u64 = 3;

/// What a migration is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The copy is made.
    Copying(Copying),
    /// A migration is applied.
    Applying {
        /// The number of the one that is applied.
        number: i64,
        /// The number of the last one.
        last: i64,
    },
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Copying(Copying::Pages { done, total }) => {
                let percent = done.saturating_mul(100) / (*total).max(1);
                write!(f, "copying the database before its migration: {percent} %")
            }
            Self::Copying(Copying::Check) => f.write_str("checking the copy of the database"),
            Self::Applying { number, last } => {
                write!(f, "migrating the database: migration {number} of {last}")
            }
        }
    }
}

/// What was done.
#[derive(Debug)]
pub struct Migrated {
    /// The migration of the database before.
    pub from: i64,
    /// Its migration now.
    pub to: i64,
    /// Where the database of before is, with its key.
    pub copy: PathBuf,
    /// Older copies that were removed.
    pub removed: Vec<PathBuf>,
    /// How long it took, with the copy.
    pub took: Duration,
}

/// Whether the server was not opened because its database is to be migrated first.
#[must_use]
pub fn is_needed(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(store::Error::Older { .. }))
}

/// Brings the database of this folder to the newest migration, if it is not there.
///
/// # Errors
/// For example, the disk has too little room. The database is then as it was.
pub fn run(
    config: &Config,
    folder: &Folder,
    _lock: &Lock,
    now: DateTime<Utc>,
    at: &mut dyn FnMut(Stage),
) -> anyhow::Result<Option<Migrated>> {
    let began = Instant::now();
    let placed = || config.placed("server.data");
    let fault = |error| database_error(config, folder, error);
    if !folder.has_database_file() {
        // PostgreSQL does it in one transaction, and its operator has backups: nothing is copied.
        let mut applying = |number, last| at(Stage::Applying { number, last });
        drop(Store::migrate(folder.location(), &mut applying).map_err(fault)?);
        return Ok(None);
    }
    folder.was_begun().with_context(placed)?;
    folder.was_not_emptied().with_context(placed)?;
    permissions::close_to_others(folder.path()).with_context(placed)?;
    let reader = Reader::open(folder.location()).map_err(fault)?;
    let (from, to) = (reader.migration().map_err(fault)?, newest_migration());
    if !lacks_migrations(folder.location(), from).map_err(fault)? {
        return Ok(None);
    }
    if from == 0 {
        let none = FolderError::NoDatabase(folder.path().display().to_string());
        return Err(none).with_context(placed);
    }
    folder
        .has_its_key(reader.is_new().map_err(fault)?)
        .with_context(placed)?;
    // A copy without a key could not be restored. Only a database without any letter has none yet.
    Key::load_or_create(&folder.key())?;
    room(folder, reader.pages().map_err(fault)?.bytes).with_context(placed)?;
    drop(reader);
    tracing::info!(
        from,
        to,
        "the database is of an older version: it is copied, then migrated"
    );
    let name = format!("{PREFIX}{from}-to-{to}-{}", now.format("%Y%m%d-%H%M%S%.3f"));
    let copy = copied(folder, &name, at)
        .with_context(|| config.placed("server.data: the copy before the migration"))?;
    let removed = remove_older(folder.path(), &name);
    let mut applying = |number, last| at(Stage::Applying { number, last });
    drop(Store::migrate(folder.location(), &mut applying).map_err(fault)?);
    let took = began.elapsed();
    let (shown, seconds) = (copy.display(), took.as_secs_f64());
    tracing::info!(from, to, copy = %shown, seconds, "the database is migrated");
    Ok(Some(Migrated {
        from,
        to,
        copy,
        removed,
        took,
    }))
}

/// Checks that the disk has the room to migrate a database of this size.
///
/// # Errors
/// It has not.
pub fn room(folder: &Folder, bytes: u64) -> anyhow::Result<()> {
    if !folder.has_database_file() {
        return Ok(());
    }
    let needed = bytes.saturating_mul(ROOM);
    let path = folder.path().display();
    // A file system that does not say is tried.
    match disk::free(folder.path()) {
        Ok(free) if free < needed => anyhow::bail!(
            "the disk of {path} has too little room to migrate the database, which was not touched: {} are free, and {} are needed for a copy and for the work: remove files, or give it a larger disk",
            disk::in_words(free),
            disk::in_words(needed)
        ),
        _ => Ok(()),
    }
}

/// Makes the copy, after it has removed what an attempt that was killed has left.
fn copied(folder: &Folder, name: &str, at: &mut dyn FnMut(Stage)) -> anyhow::Result<PathBuf> {
    let target = folder.path();
    let is_left = |name: &str| {
        name.strip_suffix(UNFINISHED)
            .is_some_and(|name| moment(name).is_some())
    };
    for left in named(target, is_left)? {
        fs::remove_dir_all(&left).with_context(|| left.display().to_string())?;
    }
    let finished = target.join(name);
    let unfinished = target.join(format!("{name}{UNFINISHED}"));
    let made = fs::DirBuilder::new().mode(0o700).create(&unfinished);
    made.with_context(|| unfinished.display().to_string())?;
    let written = copies::write(folder, &unfinished, &mut |copying| at(Stage::Copying(copying)));
    if let Err(error) = written {
        // It would only take up space.
        drop(fs::remove_dir_all(&unfinished));
        return Err(error);
    }
    let renamed = fs::rename(&unfinished, &finished).and_then(|()| copies::sync(target));
    renamed.with_context(|| finished.display().to_string())?;
    Ok(finished)
}

/// Removes all complete copies but the newest; this one stays in any case. Before the migration, so that a start that fails
/// again and again does not fill the disk.
fn remove_older(folder: &Path, newest: &str) -> Vec<PathBuf> {
    let is_older = |name: &str| name != newest && moment(name).is_some();
    let mut older = named(folder, is_older).unwrap_or_default();
    older.sort_by_key(|path| moment(&name_of(path)).map(str::to_owned));
    older.truncate((older.len() + 1).saturating_sub(KEPT));
    older.retain(|copy| match fs::remove_dir_all(copy) {
        Ok(()) => {
            tracing::info!(copy = %copy.display(), kept = KEPT, "an older copy is removed");
            true
        }
        Err(error) => {
            tracing::warn!(%error, copy = %copy.display(), "an older copy cannot be removed");
            false
        }
    });
    older
}

/// The folders here whose name is wanted.
fn named(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_wanted(&name_of(&path)) && path.is_dir() {
            found.push(path);
        }
    }
    Ok(found)
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The time in the name of a copy; `None` for another name, such as one that the operator gave it to keep it.
fn moment(name: &str) -> Option<&str> {
    let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let (from, rest) = name.strip_prefix(PREFIX)?.split_once("-to-")?;
    let (to, moment) = rest.split_once('-')?;
    let is_moment = moment.len() == "20260101-120000.000".len()
        && moment
            .bytes()
            .all(|c| c.is_ascii_digit() || c == b'-' || c == b'.');
    (is_number(from) && is_number(to) && is_moment).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_copies_stay_and_so_does_what_has_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            "before-migration-9-to-12-20260301-120000.000",
            "before-migration-12-to-25-20260401-120000.000",
            "before-migration-8-to-9-20260201-120000.000",
            "before-migration-8-to-9-20260201-120000.000.unfinished",
            "before-migration-8-to-9-of-spring",
            "before-restore-20260101-120000.000",
        ];
        for name in names {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let is_there = |name: &str| folder.path().join(name).exists();
        let removed = remove_older(folder.path(), names[1]);
        assert_eq!(removed, [folder.path().join(names[2])]);
        assert_eq!(names.map(is_there), [true, true, false, true, true, true]);
        // The clock was set back.
        remove_older(folder.path(), names[0]);
        assert_eq!(names.map(is_there), [true, true, false, true, true, true]);
    }
}
