//! The key that opens the pages. It is a text in a file of the data folder, so whoever can read the database can read it, and
//! nobody else.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context as _;
use data_encoding::BASE32_NOPAD;
use pbmserv_mail::Key;

const FILE: &str = "operator.key";

/// Shorter texts are no keys: somebody could guess them.
const MIN_CHARS: usize = 20;

/// No more of the file is read, in bytes.
const MAX_BYTES: u64 = 1024;

/// What the tags are for.
const DOMAIN: &str = "operator's key";

/// The key, of which only a tag is kept: no picture of the memory shows it.
pub(super) struct OperatorKey {
    seal: Key,
    tag: [u8; 16],
}

impl OperatorKey {
    /// The key in this folder; if there is none, a new one.
    ///
    /// # Errors
    /// The file cannot be read or written, or holds no key.
    pub(super) fn load_or_create(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let mut text = String::new();
        match File::open(&path) {
            Ok(file) => {
                let read = file.take(MAX_BYTES).read_to_string(&mut text);
                read.with_context(|| format!("{} cannot be read", path.display()))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                text = BASE32_NOPAD.encode(&rand::random::<[u8; 16]>()).to_lowercase();
                write(folder, &text).with_context(|| format!("{} cannot be written", path.display()))?;
                tracing::info!(
                    "the key of the operator's pages is new: it is in {}",
                    path.display()
                );
            }
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
        }
        let is_key = text.trim().chars().count() >= MIN_CHARS;
        anyhow::ensure!(
            is_key,
            "{} holds no key: remove it, and the next start makes a new one",
            path.display()
        );
        let seal = Key::generate()?;
        let tag = seal.tag(DOMAIN, text.trim().as_bytes());
        Ok(Self { seal, tag })
    }

    /// Whether this is the key. How long the comparison takes says nothing.
    pub(super) fn is(&self, typed: &str) -> bool {
        self.seal.agrees(DOMAIN, typed.trim().as_bytes(), &self.tag)
    }
}

/// Writes the file whole or not at all, readable for the account of the server alone.
fn write(folder: &Path, text: &str) -> io::Result<()> {
    let unfinished = folder.join("operator.key.unfinished");
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true).mode(0o600);
    let mut file = options.open(&unfinished)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    fs::rename(&unfinished, folder.join(FILE))?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_key_is_made_once_and_nothing_else_opens() {
        let folder = tempfile::tempdir().unwrap();
        let key = OperatorKey::load_or_create(folder.path()).unwrap();
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        for typed in ["", "x", &text[..20], &text.to_uppercase()] {
            assert!(!key.is(typed), "{typed}");
        }
        let again = OperatorKey::load_or_create(folder.path()).unwrap();
        assert!(key.is(&text) && again.is(text.trim()));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        fs::write(&path, "short\n").unwrap();
        assert!(OperatorKey::load_or_create(folder.path()).is_err());
    }
}
