//! The contents of a disk after a power cut, computed from the changes of its files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use filelayer::Event;
use rand::RngExt;
use rand::rngs::StdRng;

/// Files by their names.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// An event, and the name of its file.
pub(crate) type Done = (String, Event);

/// What happens to unsynced writes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Manner {
    /// All are lost.
    Lost,
    /// All are kept, as when a process is killed.
    Kept,
    /// They are kept up to a random moment.
    UpTo,
    /// Each write is kept or lost at random.
    Some,
    /// Each sector of this many bytes, of each write, is kept or lost at random.
    Torn(usize),
}

impl Manner {
    pub(crate) const ALL: [Self; 6] = [
        Self::Lost,
        Self::Kept,
        Self::UpTo,
        Self::Some,
        Self::Torn(512),
        Self::Torn(4096),
    ];
}

/// The syncs that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syncs {
    /// All.
    All,
    /// Those of the WAL only before the database itself is written, as with `synchronous=NORMAL`.
    BeforeCheckpoints,
    /// None: `synchronous=OFF`.
    None,
}

/// A file, under any name.
#[derive(Default)]
struct Inode<'a> {
    synced: Vec<u8>,
    /// The changes since its last sync, with the number of the event.
    since: Vec<(usize, &'a Event)>,
}

/// The files after these events, the last of which is the last before the cut.
pub(crate) fn after_a_cut(
    before: &Files,
    events: &[Done],
    syncs: Syncs,
    manner: Manner,
    rng: &mut StdRng,
) -> Files {
    let mut inodes: Vec<Inode<'_>> = before
        .values()
        .map(|bytes| Inode {
            synced: bytes.clone(),
            since: Vec::new(),
        })
        .collect();
    let mut names: BTreeMap<&str, usize> = before.keys().map(String::as_str).zip(0..).collect();
    // The synced contents, and the changes since.
    let mut synced = names.clone();
    let mut since: Vec<(usize, &str, Option<usize>)> = Vec::new();
    for (at, (name, event)) in events.iter().enumerate() {
        let name = name.as_str();
        let mut are_names_synced = false;
        // The server itself creates the database, empty, before SQLite opens it.
        let is_new = matches!(event, Event::Created) || !names.contains_key(name);
        if is_new && !matches!(event, Event::Deleted(_)) {
            inodes.push(Inode::default());
            names.insert(name, inodes.len() - 1);
            since.push((at, name, Some(inodes.len() - 1)));
        }
        match event {
            Event::Created => {}
            Event::Deleted(is_synced) => {
                names.remove(name);
                since.push((at, name, None));
                are_names_synced = *is_synced;
            }
            Event::Wrote(..) | Event::Truncated(_) => {
                inodes[names[name]].since.push((at, event));
            }
            Event::Synced(folder) => {
                let counts = match syncs {
                    Syncs::All => true,
                    Syncs::BeforeCheckpoints => {
                        !name.ends_with("-wal") || writes_the_database(events.get(at + 1))
                    }
                    Syncs::None => false,
                };
                if counts {
                    inodes[names[name]].sync();
                    are_names_synced = *folder;
                }
            }
        }
        if are_names_synced && syncs != Syncs::None {
            synced.clone_from(&names);
            since.clear();
        }
    }
    let up_to = rng.random_range(0..=events.len());
    for (at, name, inode) in since {
        let is_kept = match manner {
            Manner::Lost => false,
            Manner::Kept => true,
            Manner::UpTo => at < up_to,
            Manner::Some | Manner::Torn(_) => rng.random(),
        };
        match inode.filter(|_| is_kept) {
            Some(inode) => _ = synced.insert(name, inode),
            None if is_kept => _ = synced.remove(name),
            None => {}
        }
    }
    synced
        .into_iter()
        .map(|(name, inode)| (name.to_owned(), inodes[inode].after(manner, up_to, rng)))
        .collect()
}

fn writes_the_database(event: Option<&Done>) -> bool {
    event.is_some_and(|(name, event)| {
        name.ends_with(".sqlite") && matches!(event, Event::Wrote(..) | Event::Truncated(_))
    })
}

impl Inode<'_> {
    fn sync(&mut self) {
        for (_, event) in std::mem::take(&mut self.since) {
            apply(&mut self.synced, event);
        }
    }

    /// The contents after the cut.
    fn after(&self, manner: Manner, up_to: usize, rng: &mut StdRng) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        for (at, event) in &self.since {
            match (manner, event) {
                (Manner::Lost, _) => {}
                (Manner::UpTo, _) if *at >= up_to => {}
                (Manner::Some, _) | (Manner::Torn(_), Event::Truncated(_)) if rng.random() => {}
                (Manner::Torn(sector), Event::Wrote(from, written)) => {
                    tear(&mut bytes, *from, written, sector, rng);
                }
                _ => apply(&mut bytes, event),
            }
        }
        bytes
    }
}

/// Writes some of the sectors that contain these bytes.
fn tear(bytes: &mut Vec<u8>, from: u64, written: &[u8], sector: usize, rng: &mut StdRng) {
    let from = usize::try_from(from).unwrap();
    let mut at = 0;
    while at < written.len() {
        let end = written.len().min((from + at) / sector * sector + sector - from);
        if rng.random() {
            apply(
                bytes,
                &Event::Wrote((from + at) as u64, written[at..end].to_vec()),
            );
        }
        at = end;
    }
}

fn apply(bytes: &mut Vec<u8>, event: &Event) {
    match event {
        Event::Wrote(from, written) => {
            let from = usize::try_from(*from).unwrap();
            let end = from + written.len();
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[from..end].copy_from_slice(written);
        }
        Event::Truncated(length) => bytes.resize(usize::try_from(*length).unwrap(), 0),
        Event::Created | Event::Synced(_) | Event::Deleted(_) => {}
    }
}

/// Writes the files into a folder.
pub(crate) fn put(files: &Files, folder: &Path) {
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}
