//! The failure of writes: what the log says, and how the data is saved when the database file was moved,
//! deleted or overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use chrono::{DateTime, Utc};

use pbmserv_core::store::{Error, FileFault, Store};
use pbmserv_mail::Key;
use pbmserv_mail::log_throttle::LogThrottle;

use super::place;

/// What the process has open of the data folder.
pub(super) struct Files<'a> {
    pub(super) store: &'a Store,
    /// The key, and its path.
    pub(super) key: (&'a Key, &'a Path),
}

/// State of an ongoing failure.
#[derive(Debug, Default)]
pub(super) struct WriteFailure {
    log: LogThrottle,
    save_log: LogThrottle,
    /// Messages refused since the failure began.
    pub(super) put_off: usize,
    /// What was done about a displaced file, so that it is done once.
    saved: Option<(FileFault, String)>,
}

/// Whether this process can continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The next batch tries again.
    Continue,
    /// The database is whole in its place, but this process still has the deleted file open. Only a restart opens the new one.
    Restart,
}

impl WriteFailure {
    /// A batch was rolled back.
    pub(super) fn failed(
        &mut self,
        files: &Files<'_>,
        error: &Error,
        messages: usize,
        now: DateTime<Utc>,
    ) -> After {
        let (done, after) = match error {
            Error::FileFault(what) => self.save(files, what, now),
            // What this process knows of the database is of before.
            Error::TakenOver => (String::new(), After::Restart),
            _ => (String::new(), After::Continue),
        };
        let why = format!("{error}{done}: {}", error.remedy());
        self.put_off += messages;
        if self.log.failed() {
            let put_off = self.put_off;
            tracing::error!(
                put_off,
                "the database cannot be written, so mail is deferred (451, exit code 75): {why}"
            );
        }
        after
    }

    /// A batch was committed.
    pub(super) fn recovered(&mut self) {
        let put_off = std::mem::take(&mut self.put_off);
        self.saved = None;
        self.save_log = LogThrottle::default();
        if self.log.recovered() {
            tracing::info!(put_off, "the database can be written again");
        }
    }

    /// Saves the open database, once for each kind of fault; returns a phrase for the log.
    fn save(&mut self, files: &Files<'_>, what: &FileFault, now: DateTime<Utc>) -> (String, After) {
        if let Some((known, done)) = &self.saved
            && known == what
        {
            return (done.clone(), After::Continue);
        }
        let (done, after) = match save(files, what, now) {
            Ok(done) => done,
            Err(why) => {
                if self.save_log.failed() {
                    let remedy = remedy(files.store);
                    tracing::error!(
                        "the open database could not be saved ({why:#}), and is only in this process{remedy}; trying again with every batch"
                    );
                }
                return (String::new(), After::Continue);
            }
        };
        self.saved = Some((what.clone(), done.clone()));
        (done, after)
    }
}

/// What the operator can do if the whole folder is gone.
fn remedy(store: &Store) -> String {
    match store.file().and_then(Path::parent) {
        Some(folder) if !folder.is_dir() => {
            let shown = folder.display();
            format!(": do not stop it, but make the folder again, as its account: mkdir -m 700 {shown}")
        }
        _ => String::new(),
    }
}

fn save(files: &Files<'_>, what: &FileFault, now: DateTime<Utc>) -> anyhow::Result<(String, After)> {
    let store = files.store;
    let path = store.file().context("it has no file")?;
    let name = now.format("%Y-%m-%d-%H%M%S%3f").to_string();
    if *what == FileFault::Overwritten {
        let aside = store.set_log_aside(&name)??;
        let done = format!("; its log was set aside as {}", aside.display());
        return Ok((done, After::Continue));
    }
    if *what == FileFault::LogLost {
        return Ok((save_log(store, path, &name)?, After::Restart));
    }
    // After a checkpoint the file alone holds all data, and no stale WAL file remains beside another
    // database.
    anyhow::ensure!(store.empty_log()?, "another process reads it");
    Ok(match what {
        FileFault::Deleted => {
            let copy = successor(store, path, &name)?;
            // A start without the key would void every token that was mailed.
            let (key, key_path) = files.key;
            key.put_back(key_path)?;
            // Unlike a rename, a hard link never replaces a file that somebody put there meanwhile.
            fs::hard_link(&copy, path)?;
            fs::remove_file(&copy)?;
            sync_folder(path)?;
            (", and was written back".to_owned(), After::Restart)
        }
        FileFault::Another { is_deleted: true } => {
            let copy = successor(store, path, &name)?;
            sync_folder(path)?;
            (
                format!("; the previous one is saved as {}", copy.display()),
                After::Continue,
            )
        }
        FileFault::Moved { to: Some(to) } => (format!(" to {}", to.display()), After::Continue),
        _ => (String::new(), After::Continue),
    })
}

/// Saves what was in a WAL that has no name any more; returns a phrase for the log.
///
/// The checkpoint comes first: it takes no room of the disk and the shortest time. Only a program that has opened the database
/// since then prevents it, for it would read or write on beside us: then the copy takes the place of the database.
fn save_log(store: &Store, path: &Path, name: &str) -> anyhow::Result<String> {
    let is_whole = !store.has_other_log()?
        && store.empty_log().unwrap_or_else(|error| {
            tracing::warn!(%error, "the log of the database, which was removed, cannot be written into it");
            false
        });
    if is_whole {
        // The copy is for the case that somebody else wrote meanwhile; the server can go on without it.
        return Ok(match copy(store, path, name) {
            Ok(copy) => format!(
                "; all of it is in the database again, and a copy is saved as {}, to be removed when all is well",
                copy.display()
            ),
            Err(error) => {
                format!("; all of it is in the database again, but no copy could be saved ({error:#})")
            }
        });
    }
    let copy = successor(store, path, name)?;
    let aside = path.with_extension(format!("sqlite.aside-{name}"));
    store.set_aside(&aside)??;
    fs::hard_link(&copy, path)?;
    fs::remove_file(&copy)?;
    sync_folder(path)?;
    Ok(format!(
        "; another program uses the database too, so that one is set aside as {}, and a copy with all that was accepted is in its place",
        aside.display()
    ))
}

/// Copies the open database, verified, to a new file in the same folder.
fn copy(store: &Store, path: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let path = path.with_extension(format!("saved-{name}.sqlite"));
    let shown = path.display();
    let copied = || -> anyhow::Result<()> {
        store.copy_to(&path, &mut |_| ())?;
        fs::File::open(&path)?.sync_all()?;
        Ok(sync_folder(&path)?)
    };
    copied().with_context(|| shown.to_string())?;
    Ok(path)
}

/// The same to be used in the place of the open one, which has no name any more.
fn successor(store: &Store, path: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let path = copy(store, path, name)?;
    let recorded = || -> anyhow::Result<()> {
        let copy = Store::open(&path)?;
        place::record(&copy)?;
        copy.close_alone()?;
        Ok(fs::File::open(&path)?.sync_all()?)
    };
    recorded().with_context(|| path.display().to_string())?;
    Ok(path)
}

/// Syncs the folder, so that the new name survives a power failure.
fn sync_folder(database: &Path) -> std::io::Result<()> {
    match database.parent() {
        Some(folder) => fs::File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
