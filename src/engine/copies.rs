//! Copies of what a server has, with their sums: the database and the key, or a file of a database of PostgreSQL, in which the
//! key is.

use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use pbmserv_core::store::{Copying, Location, Reader};

use super::dump;
use super::folder::Folder;

/// The files of copies.
const FILES: [&str; 3] = ["pbmserv.sqlite", "key", dump::NAME];

/// The sums of them, as `sha256sum --check` reads them.
const SUMS: &str = "SHA256SUMS";

/// More bytes are no file of sums.
const MAX_SUMS_BYTES: u64 = 4096;

/// Copies database and key into an empty folder; syncs them and the folder. The caller renames the folder when it is
/// complete, and syncs its parent. The database may be one of an older version, and in use.
///
/// # Errors
/// For example, the disk is full. The message names the file.
pub fn write(from: &Folder, into: &Path, at: &mut dyn FnMut(Copying)) -> anyhow::Result<()> {
    let shown = |path: &Path| path.display().to_string();
    if let Location::Server(server) = from.location() {
        let file = into.join(dump::NAME);
        dump::write(&server, &file)?;
        dump::verify(&server.pg_dump, &file)?;
        sync(&file).with_context(|| shown(&file))?;
        return add_sums(into);
    }
    let database = into.join("pbmserv.sqlite");
    Reader::open(from.location())?
        .copy_to(&database, at)
        .with_context(|| shown(&database))?;
    sync(&database).with_context(|| shown(&database))?;
    let key = fs::read(from.key()).with_context(|| shown(&from.key()))?;
    let copy = into.join("key");
    create(&copy, &key).with_context(|| shown(&copy))?;
    add_sums(into)
}

fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The files of this copy.
fn files(copy: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> {
    let files = FILES.map(|name| (name, copy.join(name)));
    files.into_iter().filter(|(_, path)| path.exists())
}

fn add_sums(copy: &Path) -> anyhow::Result<()> {
    let mut sums = String::new();
    for (name, path) in files(copy) {
        let sum = sum(&path).with_context(|| path.display().to_string())?;
        sums += &format!("{sum}  {name}\n");
    }
    let path = copy.join(SUMS);
    let written = create(&path, sums.as_bytes()).and_then(|()| sync(copy));
    written.with_context(|| path.display().to_string())
}

/// Compares the files of a copy with its sums; false if it has none.
///
/// # Errors
/// A file has changed since it was written, or cannot be read. The message names it.
pub fn has_its_sums(copy: &Path) -> anyhow::Result<bool> {
    let path = copy.join(SUMS);
    let shown = path.display();
    let mut sums = String::new();
    match File::open(&path) {
        Ok(file) => file.take(MAX_SUMS_BYTES).read_to_string(&mut sums),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => Err(error),
    }
    .with_context(|| shown.to_string())?;
    for (name, path) in files(copy) {
        let mut lines = sums.lines().filter_map(|line| line.split_once("  "));
        let known = lines.find_map(|(sum, of)| (of == name).then_some(sum));
        let known = known.with_context(|| format!("{shown} has no sum of {name}"))?;
        let is_same = sum(&path).with_context(|| path.display().to_string())? == known;
        ensure!(
            is_same,
            "{} has changed since it was written: its sum is not that in {SUMS}",
            path.display()
        );
    }
    Ok(true)
}

/// The SHA-256 of a file, in hexadecimal digits.
fn sum(path: &Path) -> io::Result<String> {
    let (mut file, mut hash, mut piece) = (File::open(path)?, Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(HEXLOWER.encode(&hash.finalize())),
            length => hash.update(&piece[..length]),
        }
    }
}

/// Makes a file, or the names in a folder, durable.
///
/// # Errors
/// It cannot be opened or written.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
