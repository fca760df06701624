//! Where the database of a server is: its machine, and its file there. The database knows this, so that a copy of a data
//! folder is told from the original, whose waiting mails it would send a second time.
//!
//! Known limits: a copy with equal machine id and equal inode (the clone of a virtual machine, a file system brought back to a
//! snapshot) is not told from the original.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit, Mac};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use pbmserv_core::store::{self, Reader, Store};

/// The note that holds the place, as JSON.
pub const PLACE: &str = "place";

/// The note that names the database into which this one was moved.
pub const MOVED: &str = "moved";

/// The machine's id (machine-id(5)); the second name is that of systems without systemd.
const MACHINE_IDS: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/// machine-id(5) asks programs to use the id hashed for themselves only.
const APPLICATION: &[u8] = b"pbmserv: the place of a data folder";

/// Two readings of the time of the boot differ by less, unless the clock was set between them.
const BOOT_SLACK_SECONDS: u64 = 5;

/// The place of a file. What is `None` cannot be known here, and differs from nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct DatabaseIdentity {
    machine: Option<String>,
    /// The inode.
    file: u64,
    /// Its file system. The number of a device may change at a reboot, so it counts within one boot only.
    disk: Option<String>,
    /// Seconds since 1970. The boot id would be exact, but the sandbox of the unit hides it (`ProcSubset=pid`).
    booted_at: i64,
}

/// How a database shows that it is a copy, or was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// It was in use on another machine.
    Machine,
    /// It was in use as another file.
    File,
    /// It was in use on another file system.
    Disk,
    /// It was moved into another database, which is in use instead.
    Moved {
        /// The other one.
        to: String,
    },
}

impl std::fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Machine => f.write_str("was in use on another machine"),
            Self::File => f.write_str("is a copy: its database was in use as another file"),
            Self::Disk => f.write_str("is a copy: its database was in use on another file system"),
            Self::Moved { to } => write!(f, "was left when its database was moved to {to}"),
        }
    }
}

impl DatabaseIdentity {
    /// `None` if the file cannot be looked at.
    fn of(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok()?;
        let machine = MACHINE_IDS
            .iter()
            .find_map(|name| machine(&fs::read_to_string(name).ok()?));
        Some(Self {
            machine,
            file: about.ino(),
            disk: disk(path, about.dev()),
            booted_at: booted_at(),
        })
    }

    fn is_of_the_boot_of(&self, other: &Self) -> bool {
        self.booted_at.abs_diff(other.booted_at) <= BOOT_SLACK_SECONDS
    }

    /// How the present place differs from this one.
    fn left_for(&self, now: &Self) -> Option<Elsewhere> {
        if differ(self.machine.as_ref(), now.machine.as_ref()) {
            return Some(Elsewhere::Machine);
        }
        if self.file != now.file {
            return Some(Elsewhere::File);
        }
        let is_moved = self.is_of_the_boot_of(now) && differ(self.disk.as_ref(), now.disk.as_ref());
        is_moved.then_some(Elsewhere::Disk)
    }
}

fn differ(known: Option<&String>, now: Option<&String>) -> bool {
    known.zip(now).is_some_and(|(known, now)| known != now)
}

/// Whether the database of this reader was last in use elsewhere. One that does not know its place yet was not.
///
/// # Errors
/// The database cannot be read.
pub fn elsewhere(reader: &Reader) -> store::Result<Option<Elsewhere>> {
    if let Some(to) = reader.note(MOVED)? {
        return Ok(Some(Elsewhere::Moved { to }));
    }
    let now = reader.file().and_then(DatabaseIdentity::of);
    Ok(known(reader)?
        .zip(now)
        .and_then(|(known, now)| known.left_for(&now)))
}

/// Records that the database is in use here. Writes only if it does not know that.
///
/// A file that takes the place of the database by a rename keeps its inode, and records its place before.
///
/// # Errors
/// The database cannot be written.
pub fn record(store: &Store) -> store::Result<()> {
    if store.note(MOVED)?.is_some() {
        store.remove_note(MOVED)?;
    }
    let Some(mut now) = store.file().and_then(DatabaseIdentity::of) else {
        return Ok(());
    };
    if let Some(known) = known(store)? {
        // A container without an id, on the same volume, is no reason to forget the machine.
        now.machine = now.machine.or_else(|| known.machine.clone());
        let is_known = DatabaseIdentity {
            booted_at: known.booted_at,
            ..now.clone()
        } == known;
        if is_known && known.is_of_the_boot_of(&now) {
            return Ok(());
        }
    }
    let note = serde_json::to_string(&now).unwrap_or_default();
    store.set_note(PLACE, &note)
}

/// Records that the database was moved into another one, so that no server uses both.
///
/// # Errors
/// The database cannot be written.
pub fn leave(store: &Store, to: &str) -> store::Result<()> {
    store.set_note(MOVED, to)
}

fn known(reader: &Reader) -> store::Result<Option<DatabaseIdentity>> {
    let note = reader.note(PLACE)?;
    Ok(note.and_then(|note| serde_json::from_str(&note).ok()))
}

/// The machine by the text of its id file, hashed. `None` if that has no id: it is empty in the image of a container, and
/// says `uninitialized` during a first boot.
fn machine(text: &str) -> Option<String> {
    let id = text.trim();
    if id.len() != 32 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(id.as_bytes()).ok()?;
    mac.update(APPLICATION);
    let hash = mac.finalize().into_bytes();
    Some(data_encoding::HEXLOWER.encode(hash.get(..16)?))
}

/// The number of the device. Without a device of its own (btrfs, overlayfs, NFS) a file system gets a number at each mount, so
/// there it is the id that the file system gives itself.
fn disk(path: &Path, device: u64) -> Option<String> {
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    if major != 0 {
        return Some(format!("{major}:{minor}"));
    }
    let id = rustix::fs::statvfs(path).ok()?.f_fsid;
    (id != 0).then(|| format!("{id:x}"))
}

fn booted_at() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    now - clock_gettime(ClockId::Boottime).tv_sec
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: &str = "0123456789abcdef0123456789abcdef";

    fn place() -> DatabaseIdentity {
        DatabaseIdentity {
            machine: machine(MACHINE),
            file: 7,
            disk: Some("8:1".to_owned()),
            booted_at: 1_800_000_000,
        }
    }

    #[test]
    fn a_copy_is_told_from_a_reboot() {
        let known = place();
        assert_eq!(known.left_for(&known), None);
        let elsewhere = |change: fn(&mut DatabaseIdentity)| {
            let mut now = place();
            change(&mut now);
            known.left_for(&now)
        };
        assert_eq!(elsewhere(|now| now.file = 8), Some(Elsewhere::File));
        let machine = elsewhere(|now| now.machine = machine("f123456789abcdef0123456789abcdef"));
        assert_eq!(machine, Some(Elsewhere::Machine));
        assert_eq!(
            elsewhere(|now| now.disk = Some("8:17".to_owned())),
            Some(Elsewhere::Disk)
        );
        let rebooted = elsewhere(|now| {
            now.disk = Some("8:17".to_owned());
            now.booted_at += 60;
        });
        assert_eq!(rebooted, None, "devices are counted anew at a reboot");
        let copied = elsewhere(|now| {
            now.file = 8;
            now.booted_at += 60;
        });
        assert_eq!(copied, Some(Elsewhere::File), "files are not");
        let unknown = elsewhere(|now| (now.machine, now.disk) = (None, None));
        assert_eq!(unknown, None);
        assert_eq!(
            elsewhere(|now| now.booted_at += 1),
            None,
            "the seconds are read apart"
        );
    }

    #[test]
    fn the_id_of_the_machine_is_hashed_and_may_be_missing() {
        // python3 -c "import hmac;print(hmac.digest(b'0123456789abcdef'*2,b'pbmserv: the place of a data folder','sha256').hex()[:32])"
        let hash = machine(&format!("{MACHINE}\n")).unwrap();
        assert_eq!(hash, "cc2cabaffc0a68437e9559fe4062f0bb");
        for none in ["", "uninitialized\n", "0123", &"x".repeat(32)] {
            assert_eq!(machine(none), None, "{none}");
        }
    }

    #[test]
    fn a_database_knows_its_place_and_a_copy_does_not_forget_it() {
        let folder = tempfile::tempdir().unwrap();
        let [path, copy] = ["one", "two"].map(|name| folder.path().join(name));
        let store = Store::open(&path).unwrap();
        assert_eq!(elsewhere(&store).unwrap(), None, "it knows of none");
        record(&store).unwrap();
        assert_eq!(elsewhere(&store).unwrap(), None);
        let written = store.rows_changed();
        record(&store).unwrap();
        assert_eq!(store.rows_changed(), written, "nothing has changed");
        store.copy_to(&copy, &mut |_| ()).unwrap();
        store.close_alone().unwrap();
        let moved = folder.path().join("moved");
        fs::rename(&path, &moved).unwrap();
        assert_eq!(elsewhere(&Reader::open(&moved).unwrap()).unwrap(), None);
        assert_eq!(
            elsewhere(&Reader::open(&copy).unwrap()).unwrap(),
            Some(Elsewhere::File)
        );
        let store = Store::open(&copy).unwrap();
        record(&store).unwrap();
        assert_eq!(elsewhere(&store).unwrap(), None);
    }

    #[test]
    fn a_reboot_is_recorded_and_a_machine_without_an_id_forgets_none() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("one")).unwrap();
        let now = DatabaseIdentity::of(store.file().unwrap()).unwrap();
        let before = DatabaseIdentity {
            machine: now.machine.clone().or_else(|| machine(MACHINE)),
            disk: Some("8:17".to_owned()),
            booted_at: now.booted_at - 3600,
            ..now.clone()
        };
        store
            .set_note(PLACE, &serde_json::to_string(&before).unwrap())
            .unwrap();
        assert_eq!(elsewhere(&store).unwrap(), None);
        record(&store).unwrap();
        let known = known(&store).unwrap().unwrap();
        assert!(known.is_of_the_boot_of(&now));
        assert_eq!((known.disk, known.machine), (now.disk, before.machine));
    }
}
