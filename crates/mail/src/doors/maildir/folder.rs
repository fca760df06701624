//! The folder of the Maildir door: lists and reads messages within limits, and moves handled ones away.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::doors::Mark;

/// The name of the door.
pub const NAME: &str = "maildir";

/// The most messages in one pass that do not wait already, which bounds the memory that a flood of mail can take.
pub(super) const MAX_IN_A_PASS: usize = 20_000;

/// A file modified more recently may be incomplete. Mail programs move complete files in, but people copy
/// them.
pub(super) const FRESH: Duration = Duration::from_millis(200);

/// A Maildir with the two folders for handled messages.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    max_message_bytes: u64,
}

/// The Maildir cannot be used; the message says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadMaildir(String);

/// Where a handled message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shelf {
    /// Its effects are committed.
    Done,
    /// It is useless: no mail.
    Refused,
}

impl Shelf {
    /// Its name by the rules of Maildir++: Dovecot and Courier show it as `Done` and `Refused`.
    const fn folder(self) -> &'static str {
        match self {
            Self::Done => ".Done",
            Self::Refused => ".Refused",
        }
    }
}

/// A message in a listing.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// `new` or `cur`.
    part: &'static str,
    name: OsString,
    /// The modification time of its file, in seconds and nanoseconds since 1970. Moving does not change it.
    written: (i64, i64),
}

impl Entry {
    /// The part of the file name that stays when a mail program marks or moves the file: all before the flags
    /// and before the sizes that Dovecot adds.
    pub(super) fn unique(&self) -> &OsStr {
        unique(&self.name)
    }

    /// Whether the file may still be incomplete.
    pub(super) fn is_fresh(&self) -> bool {
        let seconds = Duration::from_secs(self.written.0.try_into().unwrap_or_default());
        let nanos = Duration::from_nanos(self.written.1.try_into().unwrap_or_default());
        // A time in the future comes from a wrong clock.
        (UNIX_EPOCH + seconds + nanos)
            .elapsed()
            .is_ok_and(|age| age < FRESH)
    }

    /// Its identity; see [`Mark`].
    pub(super) fn mark(&self, bytes: &[u8]) -> Mark {
        let written = [self.written.0.to_be_bytes(), self.written.1.to_be_bytes()].concat();
        Mark::new(NAME, &[self.unique().as_bytes(), &written], bytes)
    }
}

/// The stable part of a file name.
fn unique(name: &OsStr) -> &OsStr {
    let bytes = name.as_bytes();
    let end = bytes
        .iter()
        .position(|c| matches!(c, b':' | b','))
        .unwrap_or(bytes.len());
    OsStr::from_bytes(&bytes[..end])
}

/// Whether its flags say that somebody deleted it.
fn is_trashed(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let flags = name.windows(3).position(|part| part == b":2,");
    flags.is_some_and(|at| name[at + 3..].contains(&b'T'))
}

/// The content of a file.
pub(super) enum Content {
    /// The message.
    Message(Vec<u8>),
    /// The beginning of a message that is longer than allowed, and its length.
    TooLong(Vec<u8>, u64),
    /// It no longer exists: somebody else has moved it.
    Gone,
}

impl Folder {
    /// Opens the Maildir at this path, and creates its folders for handled messages.
    ///
    /// # Errors
    /// [`BadMaildir`]: it is no Maildir, or is not writable.
    pub fn open(path: &Path, max_message_bytes: usize) -> Result<Self, BadMaildir> {
        for part in ["new", "cur"] {
            if !path.join(part).is_dir() {
                return Err(BadMaildir(format!(
                    "{} is not a Maildir, or this account cannot see it: mkdir -p {0}/new {0}/cur {0}/tmp, as the \
                     account that pbmserv runs as",
                    path.display()
                )));
            }
        }
        let folder = Self {
            path: path.to_owned(),
            max_message_bytes: max_message_bytes as u64,
        };
        for shelf in [Shelf::Done, Shelf::Refused] {
            folder.make(shelf).map_err(|error| {
                BadMaildir(format!(
                    "{}: {error}: the Maildir must belong to the account that pbmserv runs as",
                    path.join(shelf.folder()).display()
                ))
            })?;
        }
        Ok(folder)
    }

    fn make(&self, shelf: Shelf) -> io::Result<()> {
        let folder = self.path.join(shelf.folder());
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        for part in ["tmp", "new", "cur"] {
            builder.create(folder.join(part))?;
        }
        // This file marks the folder as part of a mailbox (Maildir++).
        let sign = folder.join("maildirfolder");
        if !sign.exists() {
            File::options().append(true).create(true).mode(0o600).open(sign)?;
        }
        Ok(())
    }

    /// Checks the Maildir at this path without creating anything.
    ///
    /// # Errors
    /// [`BadMaildir`], as from [`Folder::open`].
    pub fn look(path: &Path) -> Result<(), BadMaildir> {
        for part in ["new", "cur"] {
            let part = path.join(part);
            let listed = fs::read_dir(&part).and_then(|_| {
                rustix::fs::access(&part, rustix::fs::Access::WRITE_OK).map_err(io::Error::from)
            });
            if let Err(error) = listed {
                let (shown, part) = (path.display(), part.display());
                return Err(BadMaildir(format!(
                    "{part}: {error}: mkdir -p {shown}/new {shown}/cur {shown}/tmp, as the account that pbmserv runs as, and \
                     let it own them"
                )));
            }
        }
        Ok(())
    }

    /// The two folders in which mail arrives.
    pub(super) fn arrivals(&self) -> [PathBuf; 2] {
        ["new", "cur"].map(|part| self.path.join(part))
    }

    /// Lists at most this many messages, in order of arrival.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(super) fn list(&self, most: usize) -> io::Result<Vec<Entry>> {
        let mut found = Vec::new();
        for part in ["new", "cur"] {
            for entry in fs::read_dir(self.path.join(part))? {
                let entry = entry?;
                let name = entry.file_name();
                if name.as_bytes().starts_with(b".") || is_trashed(&name) {
                    continue;
                }
                // Metadata of the entry itself, not of the target of a link.
                let written = match entry.metadata() {
                    Ok(about) if about.is_file() => (about.mtime(), about.mtime_nsec()),
                    Ok(_) => continue,
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    // Reading it says why, and stops no other file.
                    Err(_) => (0, 0),
                };
                found.push(Entry { part, name, written });
                if found.len() >= most {
                    break;
                }
            }
        }
        found.sort_by(|a, b| (a.written, &a.name).cmp(&(b.written, &b.name)));
        Ok(found)
    }

    /// Reads a message, up to the maximum length. What a person wrote stands before a photo that makes it longer.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(&self, entry: &Entry) -> io::Result<Content> {
        let file = match File::open(self.path.join(entry.part).join(&entry.name)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Content::Gone),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        let mut bytes = Vec::new();
        file.take(self.max_message_bytes + 1).read_to_end(&mut bytes)?;
        let length = length.max(bytes.len() as u64);
        if length > self.max_message_bytes {
            bytes.truncate(usize::try_from(self.max_message_bytes).unwrap_or(usize::MAX));
            return Ok(Content::TooLong(bytes, length));
        }
        Ok(Content::Message(bytes))
    }

    /// Moves a message away. If it was renamed meanwhile, as mail programs do when they show a message, it is
    /// found by the stable part of its name. If it no longer exists, nothing happens.
    ///
    /// # Errors
    /// It cannot be moved.
    pub(super) fn put_away(&self, entry: &Entry, shelf: Shelf) -> io::Result<()> {
        match self.shift(entry.part, &entry.name, shelf) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            done => return done,
        }
        // The target folder may have been removed.
        self.make(shelf)?;
        let now = self.list(usize::MAX)?;
        match now.iter().find(|other| other.unique() == entry.unique()) {
            Some(renamed) => self.shift(renamed.part, &renamed.name, shelf),
            None => Ok(()),
        }
    }

    fn shift(&self, part: &str, name: &OsStr, shelf: Shelf) -> io::Result<()> {
        let from = self.path.join(part).join(name);
        let folder = self.path.join(shelf.folder()).join(part);
        let mut to = folder.join(name);
        // Names given by hand may repeat. The older message is not overwritten.
        let mut number = 0;
        while to.symlink_metadata().is_ok() {
            number += 1;
            let unique = unique(name);
            let mut other = unique.to_owned();
            other.push(format!("_{number}"));
            other.push(OsStr::from_bytes(&name.as_bytes()[unique.len()..]));
            to = folder.join(other);
        }
        fs::rename(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maildir() -> (tempfile::TempDir, Folder) {
        let temporary = tempfile::tempdir().unwrap();
        for part in ["new", "cur", "tmp"] {
            fs::create_dir(temporary.path().join(part)).unwrap();
        }
        let folder = Folder::open(temporary.path(), 100).unwrap();
        (temporary, folder)
    }

    fn names(path: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_no_maildir_is_refused_with_the_remedy() {
        let temporary = tempfile::tempdir().unwrap();
        let refusal = Folder::open(temporary.path(), 100).unwrap_err().to_string();
        assert!(refusal.contains("mkdir -p "), "{refusal}");
    }

    #[test]
    fn messages_are_listed_by_arrival_and_only_messages() {
        let (temporary, folder) = maildir();
        let at = |name: &str| temporary.path().join(name);
        for (name, seconds) in [("cur/2:2,S", 20), ("new/9", 10), ("cur/3:2,ST", 1), ("new/.x", 1)] {
            fs::write(at(name), name).unwrap();
            let file = File::options().write(true).open(at(name)).unwrap();
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            file.set_modified(time).unwrap();
        }
        fs::create_dir(at("new/folder")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", at("new/link")).unwrap();
        let listed: Vec<_> = folder
            .list(100)
            .unwrap()
            .into_iter()
            .map(|entry| entry.name)
            .collect();
        assert_eq!(listed, ["9", "2:2,S"]);
    }

    #[test]
    fn of_a_message_that_is_too_long_the_beginning_is_read() {
        let (temporary, folder) = maildir();
        fs::write(temporary.path().join("new/1"), vec![b'x'; 100]).unwrap();
        fs::write(temporary.path().join("new/2"), vec![b'x'; 101]).unwrap();
        let listed = folder.list(100).unwrap();
        assert!(matches!(folder.read(&listed[0]).unwrap(), Content::Message(bytes) if bytes.len() == 100));
        assert!(
            matches!(folder.read(&listed[1]).unwrap(), Content::TooLong(bytes, 101) if bytes.len() == 100)
        );
    }

    #[test]
    fn a_message_is_put_away_even_if_a_reader_has_renamed_it() {
        let (temporary, folder) = maildir();
        let at = |name: &str| temporary.path().join(name);
        fs::write(at("new/1.a.host,S=4"), "text").unwrap();
        let entry = folder.list(100).unwrap().remove(0);
        let mark = entry.mark(b"text");
        fs::rename(at("new/1.a.host,S=4"), at("cur/1.a.host,S=4:2,S")).unwrap();
        let renamed = folder.list(100).unwrap().remove(0);
        assert_eq!(renamed.mark(b"text"), mark);
        assert!(matches!(folder.read(&entry).unwrap(), Content::Gone));
        folder.put_away(&entry, Shelf::Done).unwrap();
        assert_eq!(names(&at(".Done/cur")), ["1.a.host,S=4:2,S"]);
        // A second time there is nothing to do.
        folder.put_away(&entry, Shelf::Done).unwrap();
        assert!(at(".Done/maildirfolder").exists());
    }

    #[test]
    fn the_older_of_two_messages_of_one_name_is_not_overwritten() {
        let (temporary, folder) = maildir();
        for text in ["first", "second", "third"] {
            fs::write(temporary.path().join("new/mail:2,S"), text).unwrap();
            let entry = folder.list(100).unwrap().remove(0);
            folder.put_away(&entry, Shelf::Refused).unwrap();
        }
        let shelf = temporary.path().join(".Refused/new");
        assert_eq!(names(&shelf), ["mail:2,S", "mail_1:2,S", "mail_2:2,S"]);
        assert_eq!(fs::read_to_string(shelf.join("mail:2,S")).unwrap(), "first");
    }

    #[test]
    fn a_removed_target_folder_is_created_again() {
        let (temporary, folder) = maildir();
        fs::remove_dir_all(temporary.path().join(".Done")).unwrap();
        fs::write(temporary.path().join("new/1"), "text").unwrap();
        let entry = folder.list(100).unwrap().remove(0);
        folder.put_away(&entry, Shelf::Done).unwrap();
        assert_eq!(names(&temporary.path().join(".Done/new")), ["1"]);
    }
}
