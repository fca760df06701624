//! A database that cannot be written: what the operator is told, and what is saved of one whose file was taken away.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::log_throttle::LogThrottle;
use crate::store::{Error, FileFault, Store};

/// What the engine tells of its troubles.
#[derive(Debug, Default)]
pub(super) struct Troubles {
    told: LogThrottle,
    /// Messages put off since it began.
    pub(super) put_off: usize,
    /// What was saved, or where, once the file was taken away.
    saved: Option<(FileFault, String)>,
}

/// Whether the engine can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// It tries again with the next batch.
    GoOn,
    /// Only a new process can: the database has been written anew to its place.
    StartAnew,
}

impl Troubles {
    /// Nothing of a batch was kept.
    pub(super) fn failed(
        &mut self,
        store: &Store,
        error: &Error,
        messages: usize,
        now: DateTime<Utc>,
    ) -> After {
        let (done, after) = match error {
            Error::FileFault(what) => self.save(store, what, now),
            _ => (String::new(), After::GoOn),
        };
        let why = format!("{error}{done}: {}", error.remedy());
        self.put_off += messages;
        if self.told.trouble() {
            let put_off = self.put_off;
            tracing::error!(
                put_off,
                "nothing can be written, and mail is put off until it can (451, exit code 75): {why}"
            );
        }
        after
    }

    /// A batch was committed.
    pub(super) fn over(&mut self) {
        let put_off = std::mem::take(&mut self.put_off);
        self.saved = None;
        if self.told.over() {
            tracing::info!(put_off, "the database can be written again");
        }
    }

    /// Saves what is open, once for each thing that has become of its file; says what was done.
    fn save(&mut self, store: &Store, what: &FileFault, now: DateTime<Utc>) -> (String, After) {
        if let Some((known, done)) = &self.saved
            && known == what
        {
            return (done.clone(), After::GoOn);
        }
        let (done, after) = match save(store, what, now) {
            Ok(done) => done,
            Err(why) => {
                tracing::error!(%why, "what is still open of the database cannot be saved; it is tried again");
                return (String::new(), After::GoOn);
            }
        };
        self.saved = Some((what.clone(), done.clone()));
        (done, after)
    }
}

fn save(store: &Store, what: &FileFault, now: DateTime<Utc>) -> anyhow::Result<(String, After)> {
    let name = now.format("%Y-%m-%d-%H%M%S%3f").to_string();
    if *what == FileFault::Overwritten {
        let aside = store.set_log_aside(&name)??;
        let done = format!("; its log was set aside as {}", aside.display());
        return Ok((done, After::GoOn));
    }
    // Whoever finds the file finds all of it there, and nothing of it stays beside another one.
    anyhow::ensure!(store.empty_log()?, "another process reads it");
    Ok(match what {
        FileFault::Deleted => {
            let copy = copy(store, &name)?;
            // Unlike a rename it takes the place of nothing that came there meanwhile.
            fs::hard_link(&copy, store.path())?;
            fs::remove_file(&copy)?;
            sync_folder(store.path())?;
            (", and was written anew".to_owned(), After::StartAnew)
        }
        FileFault::Another { is_deleted: true } => {
            let copy = copy(store, &name)?;
            sync_folder(store.path())?;
            (
                format!("; the one before is saved as {}", copy.display()),
                After::GoOn,
            )
        }
        FileFault::Moved { to: Some(to) } => (format!(" to {}", to.display()), After::GoOn),
        _ => (String::new(), After::GoOn),
    })
}

/// Copies what is open, whole and checked, to a file beside the database's place.
fn copy(store: &Store, name: &str) -> anyhow::Result<PathBuf> {
    let path = store.path().with_extension(format!("saved-{name}.sqlite"));
    store.copy_to(&path)?;
    fs::File::open(&path)?.sync_all()?;
    Ok(path)
}

/// The folder of the database knows its new names even if the machine goes dark.
fn sync_folder(database: &Path) -> std::io::Result<()> {
    match database.parent() {
        Some(folder) => fs::File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
