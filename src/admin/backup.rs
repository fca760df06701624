//! `backup`: a copy of the database and the key, made while the server runs.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::service::office::Office;

/// Copies database and key into a new folder below `target`, named after the moment. The folder gets its name
/// only when all is written and checked.
pub(super) fn run(office: &Office, target: &Path) -> anyhow::Result<String> {
    let name = format!("pbmserv-{}", office.now().format("%Y%m%d-%H%M%S%.3f"));
    let (unfinished, finished) = (target.join(format!("{name}.unfinished")), target.join(name));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&unfinished)?;
    let copied = copy(office, &unfinished);
    if let Err(error) = copied {
        // What is left behind would only take room.
        drop(fs::remove_dir_all(&unfinished));
        return Err(error);
    }
    fs::rename(&unfinished, &finished)?;
    File::open(target)?.sync_all()?;
    Ok(format!("{}\n", finished.display()))
}

fn copy(office: &Office, folder: &Path) -> anyhow::Result<()> {
    let database: PathBuf = folder.join("pbmserv.sqlite");
    File::options()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(&database)?;
    office.reader()?.copy_to(&database)?;
    File::open(&database)?.sync_all()?;
    let key = fs::read(office.folder.key())?;
    let mut copy = File::options()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(folder.join("key"))?;
    copy.write_all(&key)?;
    copy.sync_all()?;
    Ok(File::open(folder)?.sync_all()?)
}
