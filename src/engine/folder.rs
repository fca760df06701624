//! The data folder: what lasts, and the lock that keeps a second writer out.

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

/// The right to write in a data folder; given back when dropped, or by the system when the process dies.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// The folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It belongs to another account: what we wrote there, that account could not read.
    #[error(
        "the data folder {path} belongs to the account number {owner}: run this as that account, for example with sudo -u '#{owner}'"
    )]
    Foreign {
        /// The folder.
        path: String,
        /// Its owner.
        owner: u32,
    },
    /// Another process writes there.
    #[error("the data folder {0} is in use by another pbmserv")]
    InUse(String),
    /// There was a database once, by its key, and there is none.
    #[error(
        "the data folder {0} has a key and no database: was its disk not mounted, or the file moved? Put it back, or a backup by pbmserv restore; to begin anew, remove the key"
    )]
    Emptied(String),
    /// The system refuses.
    #[error("the data folder {path} cannot be used; let the account that runs this own it, or name another")]
    Io {
        /// The folder.
        path: String,
        /// What the system says.
        source: io::Error,
    },
}

impl Folder {
    /// The folder of this name, made if it is not there, readable by its owner only.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let folder = Self {
            path: path.to_owned(),
        };
        if !path.is_dir() {
            folder.make().map_err(|source| folder.fault(source))?;
        }
        Ok(folder)
    }

    /// Makes the folder and those above it, and sees to it that their names are on the disk: what is synced in it
    /// later would be lost with them.
    fn make(&self) -> io::Result<()> {
        let above: Vec<_> = self.path.ancestors().skip(1).collect();
        let is_new = above.iter().take_while(|folder| !folder.is_dir()).count();
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        for folder in above.into_iter().take(is_new + 1) {
            // The folder above a plain name is the one that we are in.
            let is_here = folder.as_os_str().is_empty();
            File::open(if is_here { Path::new(".") } else { folder })?.sync_all()?;
        }
        Ok(())
    }

    /// Takes the right to write.
    ///
    /// # Errors
    /// Another process has it.
    pub fn lock(&self) -> Result<Lock, FolderError> {
        let owner = fs::metadata(&self.path)
            .map_err(|source| self.fault(source))?
            .uid();
        // The owner of this process, as the kernel shows it; where it does not, the system's own checks must do.
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

    /// Whether it is new, or has its database: nobody's database is begun anew without a word.
    ///
    /// # Errors
    /// There is the key of a database, and the database is not there or empty.
    pub fn was_not_emptied(&self) -> Result<(), FolderError> {
        let is_there = fs::metadata(self.database()).is_ok_and(|about| about.len() > 0);
        if is_there || !self.key().exists() {
            return Ok(());
        }
        Err(FolderError::Emptied(self.path.display().to_string()))
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path.join("pbmserv.sqlite")
    }

    /// The key of tokens.
    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.path.join("key")
    }

    /// The socket of the running daemon.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.path.join("control.sock")
    }

    /// Keeps the bytes of a message whose handling failed, for the operator's eyes only.
    ///
    /// # Errors
    /// The disk's.
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
        // Their names too are on the disk before the message counts as taken.
        File::open(&folder)?.sync_all()?;
        File::open(&self.path)?.sync_all()
    }

    /// Removes the kept bytes that are older than this.
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
                tracing::warn!(%error, "a failed message could not be removed");
            }
        }
    }

    /// Where the bytes of a message are whose handling failed, for as long as they are kept.
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

/// The data folder of a configuration.
///
/// # Errors
/// It cannot be made; the sentence names the place of its key.
pub fn data_folder(config: &Config) -> anyhow::Result<Folder> {
    Folder::open(&config.server.data).with_context(|| config.placed("server.data"))
}
