//! `backup`: a copy of the database and the key while the server runs.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use crate::engine::folder::Folder;
use crate::engine::server::Server;
use crate::engine::{copies, dump};
use pbmserv_core::store::Store;

use super::interrupt::Unfinished;
use super::progress::CopyReporter;

/// The name of a backup is this prefix and the time.
const PREFIX: &str = "pbmserv-";

// Comments of these fields are lines of the help.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[command(subcommand_negates_reqs = true)]
#[expect(missing_docs, reason = "what is documented here is printed by --help")]
pub struct Backup {
    #[serde(skip)]
    #[command(subcommand)]
    pub verb: Option<BackupVerb>,
    /// The folder in which the new one is created.
    #[arg(required = true)]
    pub folder: Option<PathBuf>,
    /// Keep the newest N backups there, and remove the others.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub keep: Option<u64>,
}

// A doc comment of a verb or an argument is a line of the help.
#[derive(Clone, Debug, Subcommand)]
pub enum BackupVerb {
    /// List the backups in a folder, the oldest first.
    List {
        /// The folder in which `backup` creates them.
        folder: PathBuf,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check backups as restore does: their sums, the whole database, and the key.
    Verify {
        /// A backup, or the folder in which `backup` creates them, for all of them.
        folder: PathBuf,
    },
}

impl Backup {
    /// The daemon has another current folder.
    pub(super) fn make_absolute(&mut self) -> anyhow::Result<()> {
        if let Some(folder) = &mut self.folder {
            *folder = std::path::absolute(&folder)?;
            anyhow::ensure!(folder.to_str().is_some(), "the folder's name is not UTF-8");
        }
        Ok(())
    }

    pub(super) async fn run(self, server: &Arc<Server>, at: CopyReporter) -> anyhow::Result<String> {
        let folder = self.folder.context("the folder is missing")?;
        run(server, folder, self.keep, at).await
    }

    /// The same without a server, of a database that an older version wrote.
    pub(super) fn run_here(self, from: &Folder, now: DateTime<Utc>) -> anyhow::Result<String> {
        let _lock = from.lock()?;
        let folder = self.folder.context("the folder is missing")?;
        back_up(from, now, &folder, self.keep, &CopyReporter::default())
    }
}

/// Makes the copy below `target` in a blocking thread, since a large database takes minutes.
async fn run(
    server: &Arc<Server>,
    target: PathBuf,
    keep: Option<u64>,
    at: CopyReporter,
) -> anyhow::Result<String> {
    // The thread does not hold the server, which could not stop before it.
    let (folder, now) = (server.folder.clone(), server.now());
    let out = tokio::task::spawn_blocking(move || back_up(&folder, now, &target, keep, &at)).await??;
    // For `/metrics`. The backup is good without it.
    if let Err(error) = server.engine.write(Store::set_backed_up).await {
        tracing::warn!(%error, "the time of the backup could not be recorded");
    }
    Ok(out)
}

/// Copies database and key into a new folder named after the time. The folder gets its name only when everything is
/// written and checked. Then all backups but the newest `keep` are removed, if there is such a bound.
fn back_up(
    folder: &Folder,
    now: DateTime<Utc>,
    target: &Path,
    keep: Option<u64>,
    at: &CopyReporter,
) -> anyhow::Result<String> {
    let name = format!("{PREFIX}{}", now.format("%Y%m%d-%H%M%S%.3f"));
    let (unfinished, finished) = (target.join(format!("{name}.unfinished")), target.join(name));
    let made = Unfinished::new([unfinished.clone()]);
    let created = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&unfinished);
    created.with_context(|| format!("{} cannot be made", unfinished.display()))?;
    copies::write(folder, &unfinished, &mut |copying| {
        at.send_replace(Some(copying));
    })?;
    let rename = || fs::rename(&unfinished, &finished).and_then(|()| copies::sync(target));
    made.finish(rename)
        .with_context(|| format!("{} cannot be made", finished.display()))?;
    let mut out = format!("{}\n", finished.display());
    if let Some(keep) = keep.and_then(|keep| usize::try_from(keep).ok()) {
        for old in too_old(target, keep)? {
            let removed = fs::remove_dir_all(&old);
            removed.with_context(|| format!("{} cannot be removed", old.display()))?;
            out.push_str(&format!("removed {}\n", old.display()));
        }
    }
    Ok(out)
}

/// All backups but the newest `keep`.
fn too_old(target: &Path, keep: usize) -> anyhow::Result<Vec<PathBuf>> {
    let mut backups = all(target)?;
    backups.truncate(backups.len().saturating_sub(keep.max(1)));
    Ok(backups)
}

/// All backups in this folder, the oldest first. A folder is a backup if it has a backup's name and holds a database.
pub(super) fn all(target: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut backups = Vec::new();
    let at_target = || format!("{} cannot be read", target.display());
    for entry in fs::read_dir(target).with_context(at_target)? {
        let path = entry.with_context(at_target)?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let moment = name.strip_prefix(PREFIX).unwrap_or_default();
        let is_moment = moment.len() == "20260101-120000.000".len()
            && moment
                .bytes()
                .all(|c| c.is_ascii_digit() || c == b'-' || c == b'.');
        if is_moment && database_in(&path).is_some() {
            backups.push(path);
        }
    }
    backups.sort();
    Ok(backups)
}

/// The database in a backup: a file of SQLite, or one that `pg_dump` wrote.
pub(super) fn database_in(backup: &Path) -> Option<PathBuf> {
    let files = ["pbmserv.sqlite", dump::NAME];
    files
        .iter()
        .map(|name| backup.join(name))
        .find(|file| file.is_file())
}
