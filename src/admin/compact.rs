//! `compact`: rewrites the database without the room that nothing uses, while no server runs.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::Args;

use crate::config::Config;
use crate::engine::configured_folder::{database_error, existing_folder};
use crate::engine::folder::{Folder, FolderError};
use crate::engine::{disk, permissions, place};
use pbmserv_core::store::{Alone, Audited, Pages, Reader, Store, open_copy, refuse_older};

use super::caller::Caller;
use super::progress::Progress;
use super::restore::{remove_database, sync};
use super::sure::Sure;

/// Bytes that are written and checked in a second, from a fast disk to a slow one.
const RATES: [u64; 2] = [120_000_000, 15_000_000];

/// Compacting helps much from here on: the share of the file that is not in use, and its least size.
const WORTH_SHARE_PERCENT: u64 = 30;
const WORTH_BYTES: u64 = 32 * 1024 * 1024;

/// The flags of `compact`.
#[derive(Clone, Copy, Debug, Args)]
pub struct Compact {
    #[command(flatten)]
    sure: Sure,
}

impl Compact {
    /// The same as a question, if the operator is to be asked on a terminal.
    #[must_use]
    pub fn rehearsal(&self) -> Option<Self> {
        self.sure.rehearsal().map(|sure| Self { sure })
    }

    /// Carries it out. Returns what to print.
    ///
    /// The new file is complete, synced and checked before it gets the name of the old one: a crash leaves one of the
    /// two, whole.
    ///
    /// # Errors
    /// A server runs, there is no database, it is damaged, or the disk has too little room. Then nothing is changed.
    pub fn run(&self, config: &Config, now: DateTime<Utc>) -> anyhow::Result<String> {
        let folder = existing_folder(config)?;
        folder
            .is_with_file("PostgreSQL gives room back by itself (autovacuum); VACUUM FULL does it at once")?;
        let _lock = folder.lock().map_err(|error| match error {
            FolderError::InUse(path) => anyhow::anyhow!(
                "a pbmserv uses the data folder {path}: stop it (systemctl stop pbmserv), and start it again afterwards"
            ),
            other => other.into(),
        })?;
        permissions::close_to_others(&config.server.data).with_context(|| config.placed("server.data"))?;
        let path = folder.database();
        anyhow::ensure!(
            path.exists(),
            "{}: there is no database here",
            folder.path().display()
        );
        // The new file would pass for the original.
        folder.is_no_copy()?;
        let reader = Reader::open(&path)?;
        refuse_older(path.display(), reader.migration()?)
            .map_err(|error| database_error(config, &folder, error))?;
        drop(reader);
        let mut alone = Alone::open(&path).with_context(|| {
            format!(
                "{}: close the program that has it open, such as sqlite3",
                path.display()
            )
        })?;
        let pages = alone.pages()?;
        let free = disk::free(folder.path())?;
        if self.sure.dry_run {
            return Ok(plan(&path, pages, free));
        }
        anyhow::ensure!(
            free >= needed(pages),
            "the new database needs up to {} beside the old one, and the disk has {} free: nothing was changed",
            disk::in_words(needed(pages)),
            disk::in_words(free)
        );
        let after = replace(&folder, &mut alone, pages, now)?;
        Ok(format!(
            "The database has {} now; it had {}.\n",
            disk::in_words(after),
            disk::in_words(pages.bytes)
        ))
    }
}

/// Puts a new file into the place of the old one; returns its size.
fn replace(folder: &Folder, alone: &mut Alone, pages: Pages, now: DateTime<Utc>) -> anyhow::Result<u64> {
    let fresh = folder.path().join("pbmserv.sqlite.compacted");
    remove_database(&fresh).with_context(|| shown(&fresh))?;
    let written = write(&fresh, alone, pages, now).with_context(|| shown(&fresh));
    let bytes = match written {
        Ok(bytes) => bytes,
        Err(error) => {
            // Its room may be what the operator needs.
            drop(remove_database(&fresh));
            return Err(error);
        }
    };
    // The old database has no WAL that SQLite could take for one of the new file.
    let placed = fs::rename(&fresh, folder.database()).and_then(|()| sync(folder.path()));
    placed.with_context(|| shown(&folder.database()))?;
    Ok(bytes)
}

/// Writes the new file and checks it; returns its size.
fn write(fresh: &Path, alone: &mut Alone, pages: Pages, now: DateTime<Utc>) -> anyhow::Result<u64> {
    let progress = Arc::new(Progress::begin("writing the new database"));
    let (written, shown) = (fresh.to_owned(), progress.clone());
    alone.write_anew(fresh, move || {
        let bytes = fs::metadata(&written).map_or(0, |about| about.len());
        shown.at(bytes.min(needed(pages)), needed(pages));
    })?;
    let what = format!(
        "{} of {} not in use",
        disk::in_words(pages.free_bytes),
        disk::in_words(pages.bytes)
    );
    ready(
        fresh,
        &Caller::of_this_process().audited("compact", "all", what, String::new()),
        now,
    )?;
    progress.say("checking the new database");
    drop(open_copy(fresh)?);
    sync(fresh)?;
    Ok(fs::metadata(fresh)?.len())
}

/// Records in the new database what was done. Whatever a database must know of its own file is written here.
fn ready(fresh: &Path, entry: &Audited, now: DateTime<Utc>) -> anyhow::Result<()> {
    let store = Store::open(fresh)?;
    place::record(&store)?;
    store.add_audited(now, entry)?;
    Ok(store.close_alone()?)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The room that the new file needs at most.
const fn needed(pages: Pages) -> u64 {
    pages.bytes.saturating_sub(pages.free_bytes)
}

/// What would be done.
fn plan(path: &Path, pages: Pages, free: u64) -> String {
    let [fast, slow] = RATES.map(|rate| duration(needed(pages) / rate));
    let time = match fast == slow {
        true => format!("about {fast}"),
        false => format!("between {fast} and {slow}, depending on the disk"),
    };
    let room = match free >= needed(pages) {
        true => String::new(),
        false => ", which is too little: make room first".to_owned(),
    };
    format!(
        "{} has {}, of which {} are not in use.\n\
         A new file of at most {} is written beside it and then replaces it; the disk has {} free{room}.\n\
         This takes {time}. The server must not be started meanwhile.\n",
        path.display(),
        disk::in_words(pages.bytes),
        disk::in_words(pages.free_bytes),
        disk::in_words(needed(pages)),
        disk::in_words(free),
    )
}

fn duration(seconds: u64) -> String {
    match seconds {
        0 => "a second".to_owned(),
        1..120 => format!("{} seconds", seconds + 1),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    }
}

/// What to tell an operator whose database has much room that nothing uses; `None` if it has little.
pub(super) fn advice(reader: &Reader) -> pbmserv_core::store::Result<Option<String>> {
    let Pages { bytes, free_bytes } = reader.pages()?;
    let is_much = free_bytes >= WORTH_BYTES && free_bytes * 100 >= bytes * WORTH_SHARE_PERCENT;
    Ok(is_much.then(|| {
        format!(
            "{} of {} are not in use: new letters will fill them, and pbmserv compact gives them back to the disk",
            disk::in_words(free_bytes),
            disk::in_words(bytes)
        )
    }))
}

#[cfg(test)]
#[path = "compact_tests.rs"]
mod tests;
