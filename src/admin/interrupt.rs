//! Ctrl-C, or a SIGTERM, during a verb: an engine that the verb has started stops cleanly, the line of progress is cleared
//! and what is not finished is removed. Then the process dies of that signal, so that a shell ends its script, too. A second
//! signal does not wait for the engine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tokio::sync::watch;

use super::progress;

/// What an interrupt removes. While it is held, an interrupt waits.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The signal that has come.
static CAME: LazyLock<watch::Sender<Option<i32>>> = LazyLock::new(watch::Sender::default);

/// Watches for signals from now on. Not for `serve`, which stops in its own way.
///
/// # Errors
/// A system call failed.
pub fn begin() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        for signal in signals.forever() {
            let is_first = CAME.send_replace(Some(signal)).is_none();
            if !is_first || CAME.receiver_count() == 0 {
                end(signal);
            }
        }
    };
    thread::Builder::new()
        .name("interrupt".to_owned())
        .spawn(wait)
        .map(drop)
}

/// While there is one of these, a signal does not end the process by itself.
pub(super) struct Held(watch::Receiver<Option<i32>>);

/// Holds signals back from now on.
pub(super) fn hold() -> Held {
    Held(CAME.subscribe())
}

impl Held {
    /// Waits for a signal. Who does calls [`end`] when all is in order.
    pub(super) async fn came(&mut self) -> i32 {
        match self.0.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(signal)) => *signal,
            _ => std::future::pending().await,
        }
    }

    /// Holds no signal back any more, nor one that has come.
    pub(super) fn let_go(self) {
        drop(self);
        // What comes from now on ends the process by itself.
        let came = *CAME.borrow();
        if let Some(signal) = came {
            end(signal);
        }
    }
}

/// Removes what is not finished, and dies of the signal.
pub(super) fn end(signal: i32) -> ! {
    let unfinished = unfinished();
    progress::clear_and(|| {
        for path in unfinished.iter() {
            remove(path);
        }
        drop(emulate_default_handler(signal));
    });
    // Not reached: both signals end a process.
    exit(signal)
}

/// Files and folders of no use until all are finished. They are removed if this is dropped, or at an interrupt.
#[derive(Debug)]
pub(super) struct Unfinished(Vec<PathBuf>);

impl Unfinished {
    /// They need not exist yet.
    pub(super) fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let paths: Vec<_> = paths.into_iter().collect();
        unfinished().extend_from_slice(&paths);
        Self(paths)
    }

    /// This, too.
    pub(super) fn add(&mut self, path: PathBuf) {
        unfinished().push(path.clone());
        self.0.push(path);
    }

    /// Takes the last step, after which they stay, whether it succeeds or not. It should be short, since an interrupt
    /// waits for it.
    pub(super) fn finish<T>(mut self, last: impl FnOnce() -> T) -> T {
        let mut unfinished = unfinished();
        let finished = std::mem::take(&mut self.0);
        unfinished.retain(|path| !finished.contains(path));
        last()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.0.is_empty() {
            return;
        }
        let mut unfinished = unfinished();
        unfinished.retain(|path| !self.0.contains(path));
        for path in &self.0 {
            remove(path);
        }
    }
}

fn remove(path: &Path) {
    // It may not exist, and what cannot be removed only takes up space.
    drop(if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_finished_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [file, inner, missing] = ["file", "inner", "missing"].map(|name| folder.path().join(name));
        let make = || {
            fs::create_dir(&inner).unwrap();
            fs::write(inner.join("file"), "").unwrap();
            fs::write(&file, "").unwrap();
            Unfinished::new([file.clone(), inner.clone(), missing.clone()])
        };
        drop(make());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        assert!(make().finish(|| file.exists() && inner.exists()));
        assert!(file.exists() && inner.exists());
        assert!(!unfinished().contains(&file));
    }
}
