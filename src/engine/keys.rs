//! Where the key of tokens is: in the data folder beside a database in a file; otherwise in the database, so that each server
//! that uses it has the same. `docs/security.md` says what that means.

use anyhow::Context as _;

use super::folder::Folder;
use pbmserv_core::store::{self, Reader, Store};
use pbmserv_mail::Key;

/// The note that holds the key.
pub const KEY: &str = "key";

/// The key. If there is none, a new one.
///
/// # Errors
/// It cannot be read or written.
pub fn load_or_create(folder: &Folder, store: &Store) -> anyhow::Result<Key> {
    if folder.has_database_file() {
        return Ok(Key::load_or_create(&folder.key())?);
    }
    if let Some(key) = noted(store)? {
        return Ok(key);
    }
    let key = Key::generate()?;
    set_in_database(store, &key)?;
    Ok(key)
}

/// The key.
///
/// # Errors
/// There is none, or it cannot be read.
pub fn load(folder: &Folder, reader: &Reader) -> anyhow::Result<Key> {
    match folder.has_database_file() {
        true => Ok(Key::load(&folder.key())?),
        false => of_database(reader),
    }
}

/// The key of a database that is at a server.
///
/// # Errors
/// There is none, or it cannot be read.
pub fn of_database(reader: &Reader) -> anyhow::Result<Key> {
    noted(reader)?.context("the database has no key")
}

/// Puts a key into the place of the one that is there.
///
/// # Errors
/// It cannot be written.
pub fn replace(folder: &Folder, store: &Store, key: &Key) -> anyhow::Result<()> {
    match folder.has_database_file() {
        true => key.replace(&folder.key())?,
        false => set_in_database(store, key)?,
    }
    Ok(())
}

/// The same in a database that is at a server.
///
/// # Errors
/// It cannot be written.
pub fn set_in_database(store: &Store, key: &Key) -> store::Result<()> {
    store.set_note(KEY, &key.text())
}

fn noted(reader: &Reader) -> anyhow::Result<Option<Key>> {
    let Some(note) = reader.note(KEY)? else {
        return Ok(None);
    };
    let key = Key::from_text(&note).context("the key in the database is no key: restore it from a backup")?;
    Ok(Some(key))
}
