//! The data folder: its files, and the lock that keeps a second writer out.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::config::Config;

/// The data folder of a server.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// The lock on a data folder. Dropping it releases the lock; so does the death of the process.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It belongs to another account, which could not read the files that we would write.
    #[error(
        "the data folder {path} belongs to the account number {owner}: run this as that account, for example with sudo -u '#{owner}'"
    )]
    Foreign {
        /// The folder.
        path: String,
        /// Its owner.
        owner: u32,
    },
    /// Another process holds the lock.
    #[error("the data folder {0} is in use by another pbmserv")]
    InUse(String),
    /// A key exists, so there was a database once, but it is missing or empty.
    #[error(
        "the data folder {0} has a key and no database: was its disk not mounted, or the file moved? Put it back, or a backup by pbmserv restore; to start with an empty database, remove the key"
    )]
    Emptied(String),
    /// A database is in use, so letters with tokens were sent, but the key that made these is missing.
    #[error(
        "the key {0} is missing, and without it no letter that was sent can be answered: put it back, or a backup by pbmserv restore; if it is lost, pbmserv key rotate --void makes a new one, and tells what that means"
    )]
    Keyless(String),
    /// A system call failed.
    #[error(
        "the data folder {path} cannot be used: give it to the account that runs this, or name another folder"
    )]
    Io {
        /// The folder.
        path: String,
        /// The cause.
        source: io::Error,
    },
}

impl Folder {
    /// Opens the folder, or creates it with mode 0700.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let folder = Self {
            path: path.to_owned(),
        };
        if !path.is_dir() {
            folder.make().map_err(|source| folder.fault(source))?;
        }
        Ok(folder)
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the folder and its ancestors and syncs each parent. Without that a crash could lose the folder
    /// with everything later synced inside it.
    fn make(&self) -> io::Result<()> {
        let above: Vec<_> = self.path.ancestors().skip(1).collect();
        let is_new = above.iter().take_while(|folder| !folder.is_dir()).count();
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        for folder in above.into_iter().take(is_new + 1) {
            // The parent of a plain name is the current directory.
            let is_here = folder.as_os_str().is_empty();
            File::open(if is_here { Path::new(".") } else { folder })?.sync_all()?;
        }
        Ok(())
    }

    /// Takes the lock.
    ///
    /// # Errors
    /// Another process has it.
    pub fn lock(&self) -> Result<Lock, FolderError> {
        let owner = fs::metadata(&self.path)
            .map_err(|source| self.fault(source))?
            .uid();
        // The owner of this process, where /proc exists. Elsewhere the file permissions alone must do.
        if fs::metadata("/proc/self").is_ok_and(|own| own.uid() != owner) {
            return Err(FolderError::Foreign {
                path: self.path.display().to_string(),
                owner,
            });
        }
        let path = self.path.join("lock");
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(path);
        let file = file.map_err(|source| self.fault(source))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(fs::TryLockError::WouldBlock) => Err(FolderError::InUse(self.path.display().to_string())),
            Err(fs::TryLockError::Error(source)) => Err(self.fault(source)),
        }
    }

    /// Checks that the folder is new or still has its database, so that a lost database is never silently
    /// replaced by an empty one.
    ///
    /// # Errors
    /// There is a key, but the database is missing or empty.
    pub fn was_not_emptied(&self) -> Result<(), FolderError> {
        let is_there = fs::metadata(self.database()).is_ok_and(|about| about.len() > 0);
        if is_there || !self.key().exists() {
            return Ok(());
        }
        Err(FolderError::Emptied(self.path.display().to_string()))
    }

    /// Checks that the key is there if the database needs one, so that a lost key is never silently replaced.
    ///
    /// # Errors
    /// It is missing.
    pub fn has_its_key(&self, is_database_new: bool) -> Result<(), FolderError> {
        if is_database_new || self.key().exists() {
            return Ok(());
        }
        Err(FolderError::Keyless(self.key().display().to_string()))
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path.join("pbmserv.sqlite")
    }

    /// The secret key of the tokens.
    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.path.join("key")
    }

    /// The control socket of the running daemon.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.path.join("control.sock")
    }

    /// Keeps the bytes of a message whose handling failed, with mode 0600, for the operator.
    ///
    /// # Errors
    /// The file or its folder cannot be written.
    pub fn keep_failed(&self, id: i64, bytes: &[u8]) -> io::Result<()> {
        let folder = self.failed();
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let mut options = OpenOptions::new();
        let path = self.failed_message(id);
        let mut file = options
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        // The directory entries must be on disk too before the message counts as accepted.
        File::open(&folder)?.sync_all()?;
        File::open(&self.path)?.sync_all()
    }

    /// Removes kept messages older than this.
    pub fn forget_failed(&self, older_than: std::time::Duration) {
        let Ok(entries) = fs::read_dir(self.failed()) else {
            return;
        };
        for entry in entries.flatten() {
            let age = entry
                .metadata()
                .and_then(|meta| meta.modified())
                .ok()
                .and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > older_than)
                && let Err(error) = fs::remove_file(entry.path())
            {
                tracing::warn!(%error, "an old failed message could not be deleted");
            }
        }
    }

    /// The file that holds a failed message until [`forget_failed`](Self::forget_failed) removes it.
    #[must_use]
    pub fn failed_message(&self, id: i64) -> PathBuf {
        self.failed().join(format!("{id}.eml"))
    }

    fn failed(&self) -> PathBuf {
        self.path.join("failed")
    }

    fn fault(&self, source: io::Error) -> FolderError {
        FolderError::Io {
            path: self.path.display().to_string(),
            source,
        }
    }
}

/// Opens the data folder of a configuration.
///
/// # Errors
/// It cannot be created. The message names the configuration key and where it is set.
pub fn data_folder(config: &Config) -> anyhow::Result<Folder> {
    Folder::open(&config.server.data).with_context(|| config.placed("server.data"))
}
