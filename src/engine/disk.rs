//! The room on the disk of the data folder. While little is left, no new mail is taken, so that what was
//! accepted can still be handled, sent and recorded.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pbmserv_mail::log_throttle::LogThrottle;

use super::probe::Probe;

/// How long an answer of the file system is reused.
const FRESH: Duration = Duration::from_secs(2);

/// How long a message waits for the file system.
const PATIENCE: Duration = Duration::from_secs(1);

/// The disk of the data folder.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    /// Free bytes below which mail is put off; 0: never.
    pub floor: u64,
    free: Probe<Option<u64>>,
    log: Mutex<LogThrottle>,
}

impl Disk {
    pub(super) fn new(folder: &Path, floor: u64) -> Self {
        Self {
            folder: folder.to_owned(),
            floor,
            free: Probe::default(),
            log: Mutex::default(),
        }
    }

    /// The bytes that this account may still write; `None` if the file system does not say so at once.
    pub async fn free(&self) -> Option<u64> {
        let folder = self.folder.clone();
        self.free
            .get(FRESH, PATIENCE, move || free(&folder).ok())
            .await
            .flatten()
    }

    /// Whether mail may be taken. An unknown disk counts as one with room: a failure to write is noticed anyway.
    pub(super) async fn has_room(&self) -> bool {
        if self.floor == 0 {
            return true;
        }
        let Some(free) = self.free().await else {
            return true;
        };
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = free >= self.floor;
        if has_room && log.recovered() {
            tracing::info!(
                "the disk has room again ({}), and mail is accepted",
                in_words(free)
            );
        } else if !has_room && log.failed() {
            tracing::error!(
                "the disk of {} has {} free, less than server.min_free_bytes ({}), so mail is deferred (452, exit code 75): remove files, or give it a larger disk",
                self.folder.display(),
                in_words(free),
                in_words(self.floor)
            );
        }
        has_room
    }
}

/// A size as people say it.
#[must_use]
pub fn in_words(bytes: u64) -> String {
    let mut size = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if size < 1000.0 {
            return match unit {
                "bytes" => format!("{bytes} bytes"),
                unit => format!("{size:.1} {unit}"),
            };
        }
        size /= 1000.0;
    }
    format!("{size:.1} TB")
}

/// The bytes that this account may still write there.
///
/// # Errors
/// The file system does not say.
pub fn free(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_said_in_its_unit() {
        for (bytes, words) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (64 * 1024 * 1024, "67.1 MB"),
            (1_500_000_000, "1.5 GB"),
            (u64::MAX, "18446744.1 TB"),
        ] {
            assert_eq!(in_words(bytes), words);
        }
    }

    #[tokio::test]
    async fn mail_is_taken_while_there_is_more_room_than_the_floor() {
        let folder = tempfile::tempdir().unwrap();
        let has_room = async |floor| Disk::new(folder.path(), floor).has_room().await;
        assert!(has_room(0).await);
        assert!(has_room(1).await);
        assert!(!has_room(u64::MAX).await);
        let gone = folder.path().join("gone");
        assert!(Disk::new(&gone, u64::MAX).has_room().await, "unknown");
    }
}
