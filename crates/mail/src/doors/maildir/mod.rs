//! The Maildir door: takes messages that another program delivers into a folder, and moves each away after
//! the commit of its effects.
//!
//! Both `new/` and `cur/` are read: whether a person has seen a message does not matter. File system
//! notifications announce new files. The folder is also listed every half minute, because not every file
//! system notifies.
//!
//! After a crash between commit and move, the message is read again and recognized by its identity in the
//! database; [`Mark`](super::Mark) identifies messages without Message-ID and `Date`.

mod folder;

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;
use tracing::{info, warn};

use super::pause::{Pauses, PostponedMessages};
use super::{Intake, Message, Reporter, Verdict, stopped};
use crate::{Given, OwnAddresses, envelope_from_header};

pub use folder::{BadMaildir, Folder, NAME};
use folder::{Content, Entry, FRESH, MAX_IN_A_PASS, Shelf};

/// How often the folder is listed without any notification.
const POLL: Duration = Duration::from_secs(30);

/// The door.
struct Door<I> {
    folder: Folder,
    own: OwnAddresses,
    intake: Arc<I>,
    waiting: PostponedMessages<OsString>,
}

/// Takes mail from a Maildir until `stop` is true or its sender was dropped. A message that was begun is
/// finished before it returns.
///
/// `own` are the server's addresses, to find the recipient in the header.
pub async fn serve<I: Intake>(
    folder: Folder,
    own: OwnAddresses,
    intake: Arc<I>,
    reporter: Reporter,
    mut stop: watch::Receiver<bool>,
) {
    let wake = Arc::new(Notify::new());
    let mut watcher = None;
    let mut is_unwatched = false;
    let mut pauses = Pauses::default();
    let mut door = Door {
        folder,
        own,
        intake,
        waiting: PostponedMessages::default(),
    };
    loop {
        if watcher.is_none() {
            watcher = watch_folder(&door.folder, wake.clone())
                .map_err(|error| {
                    if !is_unwatched {
                        warn!(%error, "no notifications of new files; the Maildir is checked every {} seconds", POLL.as_secs());
                    }
                    is_unwatched = true;
                })
                .ok();
        }
        let pause = match door.pass(&stop).await {
            Ok(pause) => {
                pauses = Pauses::default();
                reporter.put_aside(door.waiting.aside(|name| format!("the file {name:?}")));
                if reporter.ok() {
                    info!("the Maildir can be read again");
                }
                pause
            }
            Err(error) => {
                if reporter.failed(&error.to_string()) {
                    warn!(%error, "the Maildir cannot be read; trying again until it can");
                }
                // Watch again: by then the path may lead to another folder.
                watcher = None;
                pauses.next()
            }
        };
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = wake.notified() => {}
            () = sleep(pause) => {}
        }
    }
}

/// Watches the folders for new files.
fn watch_folder(folder: &Folder, wake: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Our own listing causes an open event, which must not wake us again.
        let is_news = event.map_or(true, |event| {
            event.need_rescan()
                || matches!(
                    event.kind,
                    EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_))
                )
        });
        if is_news {
            wake.notify_one();
        }
    })?;
    for folder in folder.arrivals() {
        watcher.watch(&folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

impl<I: Intake> Door<I> {
    /// Handles all messages in order of arrival, because the second mail of a player may depend on the first.
    /// Returns the longest wait until the next pass.
    async fn pass(&mut self, stop: &watch::Receiver<bool>) -> io::Result<Duration> {
        let folder = self.folder.clone();
        let waiting = self.waiting.len();
        let found = blocking(move || folder.list(MAX_IN_A_PASS + waiting)).await?;
        let names: HashSet<_> = found.iter().map(Entry::unique).collect();
        self.waiting.keep(|name| names.contains(name.as_os_str()));
        let mut soon = POLL;
        for entry in &found {
            if *stop.borrow() {
                break;
            }
            let name = entry.unique().to_owned();
            if self.waiting.is_early(&name) {
                continue;
            }
            if entry.is_fresh() {
                soon = FRESH;
                continue;
            }
            match self.take(entry).await {
                Ok(()) => self.waiting.forget(&name),
                Err(why) => {
                    if self.waiting.put_off(name, &why) {
                        warn!(file = ?entry.unique(), why, "a mail in the Maildir was deferred; it stays there and is tried again");
                    }
                }
            }
        }
        Ok(self.waiting.until_due().map_or(soon, |due| due.min(soon)))
    }

    /// Hands a message in and moves it away. The error says why it stays in place.
    async fn take(&self, entry: &Entry) -> Result<(), String> {
        let (folder, named) = (self.folder.clone(), entry.clone());
        let content = blocking(move || folder.read(&named)).await;
        let bytes = match content.map_err(|error| error.to_string())? {
            Content::Gone => return Ok(()),
            Content::TooLong(bytes, length) => {
                info!(file = ?entry.unique(), length, "a mail in the Maildir is too long; only its beginning is read");
                bytes
            }
            Content::Message(bytes) => bytes,
        };
        let shelf = match self.submit(entry, bytes).await {
            Verdict::Accepted(_) => Shelf::Done,
            Verdict::Unusable(why) => {
                warn!(file = ?entry.unique(), why, "a mail in the Maildir cannot be used; it is moved to Refused");
                Shelf::Refused
            }
            Verdict::TryLater(why) => return Err(why),
        };
        let (folder, named) = (self.folder.clone(), entry.clone());
        let moved = blocking(move || folder.put_away(&named, shelf)).await;
        moved.map_err(|error| format!("it cannot be moved: {error}"))
    }

    async fn submit(&self, entry: &Entry, bytes: Vec<u8>) -> Verdict {
        match envelope_from_header(&bytes, &Given::default(), &self.own) {
            Ok(envelope) => {
                let mark = Some(entry.mark(&bytes));
                let bytes = bytes.into();
                self.intake
                    .submit(Message {
                        envelope,
                        bytes,
                        client: None,
                        mark,
                    })
                    .await
            }
            Err(bad) => Verdict::Unusable(bad.to_string()),
        }
    }
}

/// Runs file operations in a blocking thread: a disk or file server may be slow.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(io::Error::other(error)))
}

#[cfg(test)]
mod tests;
