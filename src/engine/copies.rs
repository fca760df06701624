//! Copies of the data folder that `restore` takes: the database and the key.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context as _;

use pbmserv_core::store::{Copying, Reader};

use super::folder::Folder;

/// Copies database and key into an empty folder; syncs them and the folder. The caller renames the folder when it is
/// complete, and syncs its parent. The database may be one of an older version, and in use.
///
/// # Errors
/// For example, the disk is full. The message names the file.
pub fn write(from: &Folder, into: &Path, at: &mut dyn FnMut(Copying)) -> anyhow::Result<()> {
    let shown = |path: &Path| path.display().to_string();
    let database = into.join("pbmserv.sqlite");
    Reader::open(from.location())?
        .copy_to(&database, at)
        .with_context(|| shown(&database))?;
    sync(&database).with_context(|| shown(&database))?;
    let key = fs::read(from.key()).with_context(|| shown(&from.key()))?;
    let copy = into.join("key");
    let written = || -> io::Result<()> {
        let mut copy = File::options()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&copy)?;
        copy.write_all(&key)?;
        copy.sync_all()?;
        sync(into)
    };
    written().with_context(|| shown(&copy))
}

/// Makes a file, or the names in a folder, durable.
///
/// # Errors
/// It cannot be opened or written.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
