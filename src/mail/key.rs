//! The server's secret key, which authenticates tokens.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// 32 secret random bytes. `Debug` does not print them.
#[derive(Clone)]
pub struct Key([u8; Key::BYTES]);

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file or its folder cannot be read or written.
    #[error("the key file {} cannot be used", path.display())]
    File {
        /// The path of the key file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file has other content. It is not replaced, because a new key would make all tokens in players' mailboxes
    /// invalid.
    #[error("{} is not a key, which has {} bytes: restore it from a backup, or remove it to get a new one", path.display(), Key::BYTES)]
    NotAKey {
        /// The path of the key file.
        path: PathBuf,
    },
    /// The system's random generator failed.
    #[error("the system gives no random bytes for a key: {0}")]
    NoRandomness(String),
}

impl Key {
    /// The length of a key file in bytes.
    pub const BYTES: usize = 32;

    /// The key with these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Generates a key from the system's random generator.
    ///
    /// # Errors
    /// [`KeyError::NoRandomness`].
    pub fn generate() -> Result<Self, KeyError> {
        let mut bytes = [0; Self::BYTES];
        SysRng
            .try_fill_bytes(&mut bytes)
            .map_err(|e| KeyError::NoRandomness(e.to_string()))?;
        Ok(Self(bytes))
    }

    /// Loads the key from this file. If there is no file, generates a key and writes it first: mode 0600, atomically,
    /// and on the disk before this returns.
    ///
    /// # Errors
    /// [`KeyError`]. A file that is not a key is never overwritten.
    pub fn load_or_create(path: &Path) -> Result<Self, KeyError> {
        let in_file = |source| KeyError::File {
            path: path.to_owned(),
            source,
        };
        match File::open(path) {
            Ok(file) => Self::read(file, path),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let key = Self::generate()?;
                match key.write(path) {
                    Ok(()) => Ok(key),
                    // Another process was faster; use its key.
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                        Self::read(File::open(path).map_err(in_file)?, path)
                    }
                    Err(e) => Err(in_file(e)),
                }
            }
            Err(e) => Err(in_file(e)),
        }
    }

    /// Writes the key to its file again if that was deleted under the running server.
    ///
    /// # Errors
    /// [`KeyError::File`].
    pub fn put_back(&self, path: &Path) -> Result<(), KeyError> {
        match self.write(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(KeyError::File {
                path: path.to_owned(),
                source: error,
            }),
            _ => Ok(()),
        }
    }

    /// Loads the key from this file, which must exist.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let in_file = |source| KeyError::File {
            path: path.to_owned(),
            source,
        };
        Self::read(File::open(path).map_err(in_file)?, path)
    }

    fn read(file: File, path: &Path) -> Result<Self, KeyError> {
        let in_file = |source| KeyError::File {
            path: path.to_owned(),
            source,
        };
        let mut bytes = Vec::with_capacity(Self::BYTES + 1);
        file.take(Self::BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(in_file)?;
        let bytes = bytes.try_into().map_err(|_| KeyError::NotAKey {
            path: path.to_owned(),
        })?;
        Ok(Self(bytes))
    }

    /// Writes a temporary file and links it to the final name: unlike a rename, a link never replaces a file.
    fn write(&self, path: &Path) -> io::Result<()> {
        let folder = path
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        // The name is unique among the threads and processes that make a key at the same time.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let nth = MADE.fetch_add(1, Ordering::Relaxed);
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(format!(".{}.{nth}.new", std::process::id()));
        let temporary = PathBuf::from(temporary);
        // Left by a killed process with the same process id.
        let _ = fs::remove_file(&temporary);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)?;
        let written = file
            .write_all(&self.0)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::hard_link(&temporary, path));
        let removed = fs::remove_file(&temporary);
        written?;
        removed?;
        File::open(folder)?.sync_all()
    }

    /// HMAC-SHA-256 of a message, truncated to 128 bits (RFC 2104, section 5, allows half).
    ///
    /// `domain` names the purpose of the tag: a tag for one purpose is never valid for another.
    #[must_use]
    pub fn tag(&self, domain: &str, message: &[u8]) -> [u8; 16] {
        // A key shorter than the block is padded with zeros (RFC 2104, section 2).
        let mut block = [0; 64];
        block[..Self::BYTES].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new((&block).into());
        mac.update(&(domain.len() as u64).to_be_bytes());
        mac.update(domain.as_bytes());
        mac.update(message);
        let whole: [u8; 32] = mac.finalize().into_bytes().into();
        let mut tag = [0; 16];
        tag.copy_from_slice(&whole[..16]);
        tag
    }

    /// Compares this with the beginning of the message's tag, over as many bytes as it has, in constant time.
    ///
    /// Fewer than ten bytes (80 bits, RFC 2104) never match.
    #[must_use]
    pub fn agrees(&self, domain: &str, message: &[u8], tag: &[u8]) -> bool {
        let right = self.tag(domain, message);
        (10..=right.len()).contains(&tag.len()) && right[..tag.len()].ct_eq(tag).into()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let first = Key::load_or_create(&path).unwrap();
        let second = Key::load_or_create(&path).unwrap();
        assert_eq!(first.0, second.0);
        assert_ne!(first.0, [0; 32]);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_ne!(
            first.0,
            Key::load_or_create(&folder.path().join("other")).unwrap().0
        );
    }

    #[test]
    fn a_file_that_is_no_key_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        for bad in [&b""[..], &[7; 31], &[7; 33]] {
            fs::write(&path, bad).unwrap();
            assert!(matches!(
                Key::load_or_create(&path),
                Err(KeyError::NotAKey { .. })
            ));
            assert_eq!(fs::read(&path).unwrap(), bad);
        }
        assert!(matches!(
            Key::load_or_create(&folder.path().join("no/such/key")),
            Err(KeyError::File { .. })
        ));
    }

    #[test]
    fn of_several_that_make_a_key_at_once_all_have_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let keys: Vec<_> = std::thread::scope(|s| {
            let threads: Vec<_> = (0..8).map(|_| s.spawn(|| Key::load_or_create(&path))).collect();
            threads.into_iter().map(|t| t.join().unwrap().unwrap()).collect()
        });
        let on_disk = fs::read(&path).unwrap();
        assert!(keys.iter().all(|k| k.0[..] == on_disk));
    }

    #[test]
    fn tags_differ_by_key_domain_and_message_and_are_recognised() {
        let key = Key::from_bytes([1; 32]);
        let tag = key.tag("bounce", b"5");
        assert!(key.agrees("bounce", b"5", &tag));
        assert!(key.agrees("bounce", b"5", &tag[..10]));
        assert!(!key.agrees("bounce", b"5", &tag[..9]));
        assert!(!key.agrees("bounce", b"5", &[]));
        assert!(!key.agrees("bounce", b"5", &[tag.as_slice(), &[0]].concat()));
        assert!(!key.agrees("bounce5", b"", &tag));
        assert!(!key.agrees("reply", b"5", &tag));
        assert!(!key.agrees("bounce", b"6", &tag));
        assert!(!Key::from_bytes([2; 32]).agrees("bounce", b"5", &tag));
        for byte in 0..16 {
            let mut wrong = tag;
            wrong[byte] ^= 1;
            assert!(!key.agrees("bounce", b"5", &wrong));
        }
    }

    #[test]
    fn the_tag_is_the_hmac_that_others_compute() {
        // python3 -c "import hmac;print(hmac.digest(bytes(range(32)),(5).to_bytes(8,'big')+b'tests'+b'hello','sha256').hex()[:32])"
        let mut bytes = [0; 32];
        for (byte, value) in bytes.iter_mut().zip(0..) {
            *byte = value;
        }
        let tag = Key::from_bytes(bytes).tag("tests", b"hello");
        assert_eq!(
            data_encoding::HEXLOWER.encode(&tag),
            "433a3160d8d9f13d1e4d139a87c17911"
        );
    }

    #[test]
    fn debug_output_tells_nothing_of_the_key() {
        assert_eq!(format!("{:?}", Key::from_bytes([65; 32])), "Key(..)");
    }
}
