//! The server's secret key, which authenticates tokens.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::iter;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// 32 secret random bytes, and those that were the key before. `Debug` does not print them.
///
/// Tags are made with the newest key; a tag of a former one agrees too, so that letters in players' mailboxes can be
/// answered after a rotation.
#[derive(Clone)]
pub struct Key {
    current: [u8; Key::BYTES],
    /// The newest first.
    former: Vec<[u8; Key::BYTES]>,
}

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
    #[error("{} is no key: restore it from a backup; if there is none, pbmserv key rotate --void makes a new one", path.display())]
    NotAKey {
        /// The path of the key file.
        path: PathBuf,
    },
    /// The system's random generator failed.
    #[error("the system gives no random bytes for a key: {0}")]
    NoRandomness(String),
}

impl Key {
    /// The length of one key in bytes.
    pub const BYTES: usize = 32;

    /// The most keys of a file: each tag of a stranger is compared with all.
    pub const MOST: usize = 4;

    /// The key with these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self {
            current: bytes,
            former: Vec::new(),
        }
    }

    /// The key as text, in which [`from_text`](Self::from_text) reads it.
    #[must_use]
    pub fn text(&self) -> String {
        let keys = iter::once(&self.current).chain(&self.former);
        keys.map(|key| data_encoding::HEXLOWER.encode(key))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Reads a key; `None`: the text is none.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let key = |word: &str| {
            let bytes = data_encoding::HEXLOWER.decode(word.as_bytes()).ok()?;
            bytes.try_into().ok()
        };
        let keys: Vec<[u8; Self::BYTES]> = text.split(' ').map(key).collect::<Option<_>>()?;
        match keys.as_slice() {
            [current, former @ ..] if former.len() < Self::MOST => Some(Self {
                current: *current,
                former: former.to_vec(),
            }),
            _ => None,
        }
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
        Ok(Self::from_bytes(bytes))
    }

    /// A new key, and this one as a former one. The oldest is dropped if there are more than [`MOST`](Self::MOST).
    ///
    /// # Errors
    /// [`KeyError::NoRandomness`].
    pub fn rotated(&self) -> Result<Self, KeyError> {
        let mut fresh = Self::generate()?;
        fresh.former.push(self.current);
        fresh.former.extend(&self.former);
        fresh.former.truncate(Self::MOST - 1);
        Ok(fresh)
    }

    /// How many former keys count.
    #[must_use]
    pub fn former(&self) -> usize {
        self.former.len()
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
        let longest = Self::BYTES * Self::MOST;
        let mut bytes = Vec::with_capacity(longest + 1);
        file.take(longest as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(in_file)?;
        let (keys, rest) = bytes.as_chunks();
        match keys {
            [current, former @ ..] if rest.is_empty() && former.len() < Self::MOST => Ok(Self {
                current: *current,
                former: former.to_vec(),
            }),
            _ => Err(KeyError::NotAKey {
                path: path.to_owned(),
            }),
        }
    }

    /// Writes the key in the place of the one in this file, which may be missing: mode 0600, atomically, and on the disk
    /// before this returns.
    ///
    /// # Errors
    /// [`KeyError::File`].
    pub fn replace(&self, path: &Path) -> Result<(), KeyError> {
        self.place(path, |temporary| fs::rename(temporary, path))
            .map_err(|source| KeyError::File {
                path: path.to_owned(),
                source,
            })
    }

    /// Writes the key to a new file. Unlike a rename, a link never replaces a file.
    fn write(&self, path: &Path) -> io::Result<()> {
        self.place(path, |temporary| {
            let linked = fs::hard_link(temporary, path);
            let removed = fs::remove_file(temporary);
            linked.and(removed)
        })
    }

    /// Writes a temporary file beside this one, which `give` gives the final name.
    fn place(&self, path: &Path, give: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
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
        let bytes = [&[self.current], self.former.as_slice()].concat();
        let written = file
            .write_all(bytes.as_flattened())
            .and_then(|()| file.sync_all());
        if let Err(error) = written {
            fs::remove_file(&temporary)?;
            return Err(error);
        }
        give(&temporary)?;
        File::open(folder)?.sync_all()
    }

    /// HMAC-SHA-256 of a message, truncated to 128 bits (RFC 2104, section 5, allows half).
    ///
    /// `domain` names the purpose of the tag: a tag for one purpose is never valid for another.
    #[must_use]
    pub fn tag(&self, domain: &str, message: &[u8]) -> [u8; 16] {
        tag(&self.current, domain, message)
    }

    /// The tags of a message under the key and its former ones, the present one first.
    pub fn tags(&self, domain: &str, message: &[u8]) -> impl Iterator<Item = [u8; 16]> {
        let keys = iter::once(&self.current).chain(&self.former);
        keys.map(move |key| tag(key, domain, message))
    }

    /// Compares this with the beginning of the message's tag under the key or a former one, over as many bytes as it
    /// has, in constant time.
    ///
    /// Fewer than ten bytes (80 bits, RFC 2104) never match.
    #[must_use]
    pub fn agrees(&self, domain: &str, message: &[u8], given: &[u8]) -> bool {
        let mut keys = iter::once(&self.current).chain(&self.former);
        keys.any(|key| {
            let right = tag(key, domain, message);
            (10..=right.len()).contains(&given.len()) && right[..given.len()].ct_eq(given).into()
        })
    }
}

fn tag(key: &[u8; Key::BYTES], domain: &str, message: &[u8]) -> [u8; 16] {
    // A key shorter than the block is padded with zeros (RFC 2104, section 2).
    let mut block = [0; 64];
    block[..Key::BYTES].copy_from_slice(key);
    let mut mac = Hmac::<Sha256>::new((&block).into());
    mac.update(&(domain.len() as u64).to_be_bytes());
    mac.update(domain.as_bytes());
    mac.update(message);
    let whole: [u8; 32] = mac.finalize().into_bytes().into();
    let mut tag = [0; 16];
    tag.copy_from_slice(&whole[..16]);
    tag
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
        assert_eq!(first.current, second.current);
        assert_ne!(first.current, [0; 32]);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_ne!(
            first.current,
            Key::load_or_create(&folder.path().join("other")).unwrap().current
        );
    }

    #[test]
    fn a_file_that_is_no_key_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        for bad in [&b""[..], &[7; 31], &[7; 33], &[7; 160]] {
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
        assert!(keys.iter().all(|k| k.current[..] == on_disk));
    }

    #[test]
    fn a_tag_agrees_until_its_key_was_rotated_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let mut key = Key::load_or_create(&path).unwrap();
        let tag = key.tag("reply", b"5");
        for former in 1..Key::MOST {
            key = key.rotated().unwrap();
            key.replace(&path).unwrap();
            key = Key::load(&path).unwrap();
            assert_eq!(key.former(), former);
            assert_ne!(key.tag("reply", b"5"), tag);
            assert!(key.agrees("reply", b"5", &tag));
            assert!(!key.agrees("reply", b"6", &tag));
        }
        key = key.rotated().unwrap();
        assert_eq!(key.former(), Key::MOST - 1);
        assert!(!key.agrees("reply", b"5", &tag));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
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
