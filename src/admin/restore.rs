//! `restore`: replaces the database with a backup, while no server runs.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use chrono::{DateTime, Utc};

use crate::config::Config;
use crate::engine::configured_folder::{data_folder, existing_folder};
use crate::engine::folder::{Folder, FolderError};
use crate::engine::{copies, permissions, place};
use pbmserv_core::store::{
    Audited, BOARDS_LEAP, Contents, Reader, Store, fold_log, newest_migration, open_copy,
};
use pbmserv_mail::Key;

use super::caller::Caller;
use super::interrupt::Unfinished;
use super::progress::Progress;

/// What to do with held mails.
pub(super) const HELD: &str =
    "look at them with `pbmserv queue list --state held`, send them with `pbmserv queue retry --state held`";

/// Replaces the database with the backup in this folder. Returns the differences, to print. The old database is kept
/// in a folder next to the new one. The audit log of the new one names the backup and the account that restored it.
///
/// The new database is prepared under another name and then renamed. A crash before that leaves the old database, a
/// crash after it the new one; an interrupt before it removes what was prepared.
///
/// # Errors
/// A server runs, the backup is damaged, or the disk is full. Then nothing is changed.
pub fn run(config: &Config, backup: &Path, now: DateTime<Utc>) -> anyhow::Result<String> {
    // Onto a new machine it is restored too, but nothing is made where nobody named a folder.
    let folder = match config.places.has("server.data") {
        true => data_folder(config)?,
        false => existing_folder(config)?,
    };
    folder.is_with_file(
        "bring it back by pg_restore into an empty database, or from a pg_basebackup; then run pbmserv adopt --hold, which checks what came back and holds the letters that wait, as they may have been sent",
    )?;
    let _lock = folder.lock().map_err(|error| match error {
        FolderError::InUse(path) => {
            anyhow::anyhow!("a pbmserv uses the data folder {path}: stop it before you restore")
        }
        other => other.into(),
    })?;
    permissions::close_to_others(&config.server.data).with_context(|| config.placed("server.data"))?;
    let (copy, key) = (backup.join("pbmserv.sqlite"), backup.join("key"));
    let progress = Progress::begin("checking the backup");
    copies::has_its_sums(backup).with_context(|| {
        format!(
            "the backup {} is damaged: use another, see pbmserv backup verify",
            backup.display()
        )
    })?;
    let saved = open_copy(&copy).with_context(|| format!("the backup {}", backup.display()))?;
    Key::load(&key).with_context(|| format!("the key of the backup, {}", key.display()))?;
    let kept = config
        .server
        .data
        .join(format!("before-restore-{}", now.format("%Y%m%d-%H%M%S%.3f")));
    let fresh = config.server.data.join("pbmserv.sqlite.restored");
    let files = ["", "-journal", "-wal", "-shm"].map(|tail| with_tail(&fresh, tail));
    let mut made = Unfinished::new(files.into_iter().chain([fresh_key(&folder.key())]));
    let old = keep_old(&folder, &kept, &mut made, &progress)?;

    remove_database(&fresh).with_context(|| shown(&fresh))?;
    let found = saved.migration()?;
    progress.say("copying the backup");
    saved
        .copy_to(&fresh, &mut |at| progress.copying(at))
        .with_context(|| shown(&fresh))?;
    progress.say("preparing the copy");
    let what = format!("restored from {}", std::path::absolute(backup)?.display());
    let entry = Caller::of_this_process().audited("restore", "all", what, String::new());
    let held = ready(&fresh, old.as_ref(), &entry, now)?;
    let after = {
        let fresh = open_copy(&fresh)?;
        fresh.contents()?
    };
    sync(&fresh).with_context(|| shown(&fresh))?;
    made.finish(|| replace(&folder, &fresh, &key))?;
    let mut out = report(&after, old.as_ref().map(|old| &old.contents), held, &kept);
    let newest = newest_migration();
    if found < newest {
        let _ = writeln!(
            out,
            "the backup is of an older version: its copy was brought from migration {found} to {newest}, the backup stays as it is"
        );
    }
    Ok(out)
}

/// Puts the prepared database and the key in the place of the old ones.
fn replace(folder: &Folder, fresh: &Path, key: &Path) -> anyhow::Result<()> {
    copy_key(key, &folder.key()).with_context(|| shown(&folder.key()))?;
    // SQLite must not take the WAL of the old database for the new one's. If it cannot be merged, `kept` has a copy.
    if folder.database().exists()
        && let Err(error) = fold_log(&folder.database())
    {
        tracing::warn!(%error, "the WAL file of the old database cannot be merged: it is kept as a copy");
    }
    let placed = remove_database_log(&folder.database())
        .and_then(|()| fs::rename(fresh, folder.database()))
        .and_then(|()| sync(folder.path()));
    placed.with_context(|| shown(&folder.database()))
}

struct Old {
    path: PathBuf,
    contents: Contents,
    /// Not a copy, which knows nothing of what the original has sent since.
    is_original: bool,
}

/// Copies the old database and key into the folder `kept`. A database that cannot be read is copied file by file.
fn keep_old(
    folder: &Folder,
    kept: &Path,
    made: &mut Unfinished,
    progress: &Progress,
) -> anyhow::Result<Option<Old>> {
    let database = folder.database();
    if !database.exists() && !folder.key().exists() {
        return Ok(None);
    }
    let at_kept = || format!("{} cannot be written", kept.display());
    fs::DirBuilder::new()
        .mode(0o700)
        .create(kept)
        .with_context(at_kept)?;
    made.add(kept.to_owned());
    if folder.key().exists() {
        fs::copy(folder.key(), kept.join("key")).with_context(at_kept)?;
    }
    if !database.exists() {
        return Ok(None);
    }
    let path = kept.join("pbmserv.sqlite");
    let is_original = folder.is_no_copy().is_ok();
    progress.say("keeping a copy of the old database");
    let copied = Reader::open(&database).and_then(|old| {
        old.copy_to(&path, &mut |at| progress.copying(at))?;
        old.contents()
    });
    match copied {
        Ok(contents) => Ok(Some(Old {
            path,
            contents,
            is_original,
        })),
        Err(error) => {
            tracing::warn!(%error, "the old database cannot be read: it is kept file by file");
            for tail in ["", "-wal", "-shm"] {
                let from = with_tail(&database, tail);
                if from.exists() {
                    fs::copy(&from, with_tail(&path, tail)).with_context(at_kept)?;
                }
            }
            Ok(None)
        }
    }
}

/// Prepares the copy. Returns how many of its mails are held, because they may have been sent since the backup.
fn ready(fresh: &Path, old: Option<&Old>, entry: &Audited, now: DateTime<Utc>) -> anyhow::Result<usize> {
    // What follows writes columns of the newest migration, so the next start cannot be left to do this.
    let store = Store::migrate(fresh, &mut |_, _| ())?;
    store.leap(now)?;
    store.add_audited(now, entry)?;
    let is_known = match old {
        Some(old) => match store.settle_mails_as_in(&old.path) {
            Ok(_) => old.is_original,
            Err(error) => {
                tracing::warn!(%error, "the mails of the old database cannot be read");
                false
            }
        },
        None => false,
    };
    let held = if is_known { 0 } else { store.hold_mails()? };
    // The rename into its place keeps the file.
    place::record(&store)?;
    store.close_alone()?;
    Ok(held)
}

fn copy_key(from: &Path, to: &Path) -> io::Result<()> {
    let fresh = fresh_key(to);
    drop(fs::remove_file(&fresh));
    let mut file = File::options()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(&fresh)?;
    io::copy(&mut File::open(from)?, &mut file)?;
    file.sync_all()?;
    fs::rename(&fresh, to)
}

/// The name of the new key until it is complete.
fn fresh_key(key: &Path) -> PathBuf {
    with_tail(key, ".restored")
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

pub(super) fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn with_tail(path: &Path, tail: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(tail);
    name.into()
}

pub(super) fn remove_database(path: &Path) -> io::Result<()> {
    remove(path)?;
    remove_database_log(path)
}

fn remove_database_log(path: &Path) -> io::Result<()> {
    remove(&with_tail(path, "-wal"))?;
    remove(&with_tail(path, "-shm"))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn report(after: &Contents, before: Option<&Contents>, held: usize, kept: &Path) -> String {
    let mut out = format!(
        "restored: {} players, {} boards, {} turns, {} mails",
        after.players, after.boards, after.turns, after.mails
    );
    let until = after
        .last_mail()
        .map(|at| at.format("%Y-%m-%d %H:%M:%S UTC").to_string());
    let _ = match &until {
        Some(until) => writeln!(out, ", the last of {until}"),
        None => writeln!(out),
    };
    let since = until.unwrap_or_else(|| "the backup".to_owned());
    let _ = match before {
        Some(before) => writeln!(
            out,
            "lost since {since}: {} players, {} boards, {} turns, {} mails",
            before.players - after.players,
            before.boards - after.boards,
            before.turns - after.turns,
            before.mails - after.mails
        ),
        None => writeln!(out, "what came after {since} is lost"),
    };
    if held > 0 {
        let _ = writeln!(
            out,
            "{held} mails waited to be sent when the backup was made, and may have been sent since: they are held; {HELD}"
        );
    }
    let _ = writeln!(
        out,
        "the next boards are numbered {BOARDS_LEAP} further on, so that none has the number of a lost one"
    );
    if kept.exists() {
        let _ = writeln!(out, "what was there before is in {}", kept.display());
    }
    out
}
