//! Delivery into Maildirs: one folder for each address.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::Address;

use super::{Built, Failure, Outgoing};

/// `ROOT/ADDRESS/{tmp,new,cur}`, as mutt, Dovecot and others read them. Created when first needed, with mode
/// 0700.
///
/// A file is named after its row and Message-ID, so a second delivery after a crash replaces the first. Known
/// limit: once a reader has moved the file to `cur/`, a second delivery makes a second file with the same
/// Message-ID. Looking in `cur/` would cost a listing of the whole mailbox for each delivery.
#[derive(Clone, Debug)]
pub struct Maildirs {
    root: PathBuf,
    /// Mailboxes known to exist and to be synced.
    made: Arc<Mutex<HashSet<String>>>,
}

impl Maildirs {
    /// Mailboxes in this folder, which need not exist yet.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            made: Arc::default(),
        }
    }

    /// The Maildir of an address.
    #[must_use]
    pub fn mailbox(&self, address: &Address) -> PathBuf {
        self.root.join(folder_name(address))
    }

    pub(super) async fn deliver(&self, built: &Built, mail: &Outgoing) -> Result<(), Failure> {
        let maildirs = self.clone();
        let folder = folder_name(&mail.to);
        let file = file_name(mail);
        let bytes = as_file(built, &mail.to);
        let written = tokio::task::spawn_blocking(move || maildirs.store(folder, &file, &bytes)).await;
        match written {
            Ok(result) => result.map_err(|e| classify(&e)),
            Err(e) => Err(Failure::Temporary(format!("Maildir: {e}"))),
        }
    }

    fn store(&self, folder: String, file: &str, bytes: &[u8]) -> io::Result<()> {
        let mailbox = self.root.join(&folder);
        let is_made = self.made().contains(&folder);
        if is_made {
            match put(&mailbox, file, bytes) {
                // The mailbox was removed meanwhile; create it again.
                Err(e) if e.kind() == ErrorKind::NotFound => {
                    self.made().remove(&folder);
                }
                done => return done,
            }
        }
        self.make(&mailbox)?;
        self.made().insert(folder);
        put(&mailbox, file, bytes)
    }

    fn made(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the mailbox and syncs its name.
    fn make(&self, mailbox: &Path) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        for part in ["tmp", "new", "cur"] {
            builder.create(mailbox.join(part))?;
        }
        File::open(mailbox)?.sync_all()?;
        File::open(&self.root)?.sync_all()?;
        match self.root.parent() {
            Some(above) if !above.as_os_str().is_empty() => File::open(above)?.sync_all(),
            _ => Ok(()),
        }
    }
}

/// Writes to `tmp/`, then renames into `new/`; each step is synced before the next.
fn put(mailbox: &Path, file: &str, bytes: &[u8]) -> io::Result<()> {
    let tmp = mailbox.join("tmp").join(file);
    let new = mailbox.join("new");
    let mut open = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&tmp)?;
    let placed = open
        .write_all(bytes)
        .and_then(|()| open.sync_all())
        .and_then(|()| fs::rename(&tmp, new.join(file)));
    if placed.is_err() {
        // Half a mail only fills the disk further.
        let _ = fs::remove_file(&tmp);
    }
    placed?;
    File::open(&new)?.sync_all()
}

/// A full or read-only file system affects all mails. Any other error, such as a mailbox of another owner,
/// affects this mail only.
fn classify(e: &io::Error) -> Failure {
    let why = format!("Maildir: {e}");
    match e.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem => {
            Failure::Down(why)
        }
        _ => Failure::Temporary(why),
    }
}

/// The message with the fields that a final delivery adds (RFC 5321, section 4.4) and LF line ends, as usual
/// in a Maildir.
fn as_file(built: &Built, to: &Address) -> Vec<u8> {
    let mut bytes = format!(
        "Return-Path: <{}>\nDelivered-To: {}\n",
        built.envelope_sender,
        to.as_str()
    )
    .into_bytes();
    bytes.extend(built.with_lf());
    bytes
}

/// Seconds, row number, and a digest of the Message-ID, which stays unique even if the database is replaced
/// by a new one.
fn file_name(mail: &Outgoing) -> String {
    let digest = Sha256::digest(mail.message_id.as_bytes());
    let digest = HEXLOWER.encode(&digest[..8]);
    format!("{}.R{}M{digest}.pbmserv", mail.created_at.timestamp(), mail.id)
}

/// The address as a file name: lower case, unusual characters as `%XX`, also a leading dot or hyphen. A long
/// name is cut and ends in a digest.
fn folder_name(address: &Address) -> String {
    const LONGEST: usize = 200;
    let key = address.key();
    let mut name = String::new();
    for (at, byte) in key.bytes().enumerate() {
        let is_usual = byte.is_ascii_alphanumeric() || b"@_+".contains(&byte);
        if is_usual || (at > 0 && b".-=".contains(&byte)) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    if name.len() > LONGEST {
        name.truncate(LONGEST - 40);
        // A short name never contains a tilde.
        name.push('~');
        name.push_str(&HEXLOWER.encode(&Sha256::digest(key.as_bytes())[..16]));
    }
    name
}

#[cfg(test)]
#[path = "maildir_tests.rs"]
mod tests;
