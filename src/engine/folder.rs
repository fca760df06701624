//! The data folder: its files, and the lock that keeps a second writer out.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, CWD, accessat};

use pbmserv_core::store::{self, Location, Reader, Server};

use super::place::{self, Elsewhere};

/// The data folder of a server.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// The server of the database, if that is not in the folder.
    server: Option<Arc<Server>>,
}

/// The lock on a data folder. Dropping it releases the lock; so does the death of the process.
#[derive(Debug)]
pub struct Lock {
    folder: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that was forked at this moment has the folder open until its
        // program begins, and with it the lock.
        if let Err(error) = self.folder.unlock() {
            tracing::debug!(%error, "the lock of the data folder");
        }
    }
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
        owner: u32,
    },
    /// There is none, and it is not to be made.
    #[error(
        "there is no data folder {0}: the first start of pbmserv serve makes it; if the server has another, name its configuration with --config"
    )]
    Missing(String),
    /// It has no database, and none is to be begun.
    #[error(
        "the data folder {0} has no database: the first start of pbmserv serve begins one; if the server has another folder, name its configuration with --config"
    )]
    NoDatabase(String),
    /// Its file system takes no writes.
    #[error(
        "the data folder {0} is on a file system that is mounted read-only: see the kernel's log for the cause, and mount it for writing"
    )]
    ReadOnly(String),
    /// Another process holds the lock.
    #[error("the data folder {0} is in use by another pbmserv")]
    InUse(String),
    /// Its file system knows no locks of folders, as NFS.
    #[error("the data folder {path} cannot be locked, so two servers could use it: put it on a local disk")]
    NoLock { path: String, source: io::Error },
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
    /// Another server may use the original, and send the mails that wait here too.
    #[error(
        "the data folder {path} {found}, so no mail is taken or sent: if the original is gone and this is the server now, pbmserv adopt; if this is a backup of it, pbmserv restore {path} into its folder"
    )]
    Copy {
        /// The folder.
        path: String,
        /// What shows it.
        found: Elsewhere,
    },
    /// Its database was moved into another one.
    #[error(
        "the database {database} was moved to {to}, so no mail is taken or sent here: let the configuration name that one; to go on with this one all the same, pbmserv adopt --hold"
    )]
    Moved {
        database: String,
        /// The other one.
        to: String,
    },
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
        let folder = Self::at(path);
        if !path.is_dir() {
            folder.make().map_err(|source| folder.fault(source))?;
        }
        Ok(folder)
    }

    /// Opens a folder that is there.
    ///
    /// # Errors
    /// It is missing, or cannot be looked at.
    pub fn existing(path: &Path) -> Result<Self, FolderError> {
        let folder = Self::at(path);
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => Ok(folder),
            Ok(_) => Err(folder.fault(io::ErrorKind::NotADirectory.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(FolderError::Missing(folder.whole_name()))
            }
            Err(error) => Err(folder.fault(error)),
        }
    }

    /// The folder at this path, which need not be there.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            server: None,
        }
    }

    /// The folder of a server with this database; `None`: it is in the folder.
    #[must_use]
    pub fn with(self, server: Option<Arc<Server>>) -> Self {
        Self { server, ..self }
    }

    /// Where the database is.
    #[must_use]
    pub fn location(&self) -> Location {
        match &self.server {
            Some(server) => Location::Server(server.clone()),
            None => Location::File(self.database()),
        }
    }

    /// Whether the database is a file in the folder.
    #[must_use]
    pub const fn has_database_file(&self) -> bool {
        self.server.is_none()
    }

    /// Checks that the database is a file, for a verb that works with files.
    ///
    /// # Errors
    /// It is not; the message says what does the same.
    pub fn is_with_file(&self, instead: &str) -> anyhow::Result<()> {
        match &self.server {
            Some(server) => anyhow::bail!("the database is at {server}: {instead}"),
            None => Ok(()),
        }
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

    /// Takes the lock. It is on the folder itself: a file for it could be removed, and the next process would lock another one.
    ///
    /// # Errors
    /// Another process has it.
    pub fn lock(&self) -> Result<Lock, FolderError> {
        self.is_ours()?;
        // Who locks it is about to write.
        self.may_be_written()?;
        let folder = File::open(&self.path).map_err(|source| self.fault(source))?;
        match folder.try_lock() {
            Ok(()) => Ok(Lock { folder }),
            Err(fs::TryLockError::WouldBlock) => Err(FolderError::InUse(self.path.display().to_string())),
            Err(fs::TryLockError::Error(source)) => Err(FolderError::NoLock {
                path: self.path.display().to_string(),
                source,
            }),
        }
    }

    /// Checks that it belongs to the account of this process.
    ///
    /// # Errors
    /// It belongs to another one, even if this is root, whose files the server could not read.
    pub fn is_ours(&self) -> Result<(), FolderError> {
        let about = fs::metadata(&self.path).map_err(|source| self.fault(source))?;
        if about.uid() == rustix::process::geteuid().as_raw() {
            return Ok(());
        }
        Err(FolderError::Foreign {
            path: self.path.display().to_string(),
            owner: about.uid(),
        })
    }

    /// Checks that this process may write into the folder, without writing.
    ///
    /// # Errors
    /// It may not.
    pub fn may_be_written(&self) -> Result<(), FolderError> {
        accessat(CWD, &self.path, Access::WRITE_OK, AtFlags::EACCESS)
            .map_err(|error| self.fault(error.into()))
    }

    /// Checks that this process may write into the database, without writing.
    ///
    /// # Errors
    /// It may not: [`store::ErrorKind::ReadOnly`].
    pub fn database_may_be_written(&self) -> store::Result<()> {
        if self.server.is_some() {
            // The server was asked when the connection was made.
            return Ok(());
        }
        accessat(CWD, self.database(), Access::WRITE_OK, AtFlags::EACCESS).map_err(|error| {
            store::Error::Database {
                kind: store::ErrorKind::ReadOnly,
                message: io::Error::from(error).to_string(),
            }
        })
    }

    /// Checks that the folder has a database, or that one was lost: then the start says so.
    ///
    /// # Errors
    /// No server has begun here yet.
    pub fn was_begun(&self) -> Result<(), FolderError> {
        // What may not be looked at is there: the start says what is wrong with it.
        let is_missing =
            |path: &Path| fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if self.server.is_some() || !is_missing(&self.database()) || !is_missing(&self.key()) {
            return Ok(());
        }
        Err(FolderError::NoDatabase(self.whole_name()))
    }

    /// Checks that the folder is new or still has its database, so that a lost database is never silently
    /// replaced by an empty one.
    ///
    /// # Errors
    /// There is a key, but the database is missing or empty.
    pub fn was_not_emptied(&self) -> Result<(), FolderError> {
        let is_there = fs::metadata(self.database()).is_ok_and(|about| about.len() > 0);
        if self.server.is_some() || is_there || !self.key().exists() {
            return Ok(());
        }
        Err(FolderError::Emptied(self.path.display().to_string()))
    }

    /// Checks that the key is there if the database needs one, so that a lost key is never silently replaced.
    ///
    /// # Errors
    /// It is missing.
    pub fn has_its_key(&self, is_database_new: bool) -> Result<(), FolderError> {
        if self.server.is_some() || is_database_new || self.key().exists() {
            return Ok(());
        }
        Err(FolderError::Keyless(self.key().display().to_string()))
    }

    /// Checks that the database is where it was in use last. One that cannot be read yet shows nothing; opening it says why.
    ///
    /// # Errors
    /// It is a copy, or was moved to another machine or file system.
    pub fn is_no_copy(&self) -> Result<(), FolderError> {
        let looked = Reader::open(self.location()).and_then(|reader| place::elsewhere(&reader));
        match looked {
            Ok(Some(found)) => Err(self.copy(found)),
            _ => Ok(()),
        }
    }

    /// The fault of a database that was in use elsewhere.
    #[must_use]
    pub fn copy(&self, found: Elsewhere) -> FolderError {
        let (database, path) = (self.location().to_string(), self.whole_name());
        match found {
            Elsewhere::Moved { to } => FolderError::Moved { database, to },
            found => FolderError::Copy { path, found },
        }
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

    /// A relative name says little to who ran the verb elsewhere than intended.
    fn whole_name(&self) -> String {
        let whole = std::path::absolute(&self.path);
        whole.as_ref().unwrap_or(&self.path).display().to_string()
    }

    fn fault(&self, source: io::Error) -> FolderError {
        if source.kind() == io::ErrorKind::ReadOnlyFilesystem {
            return FolderError::ReadOnly(self.path.display().to_string());
        }
        FolderError::Io {
            path: self.path.display().to_string(),
            source,
        }
    }
}
