//! The server's log, kept in a file: it must contain no secret and no error.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// The log file of the newest soak of this process.
static FILE: Mutex<Option<Arc<File>>> = Mutex::new(None);

/// Writes into that file.
struct Log;

impl<'a> MakeWriter<'a> for Log {
    type Writer = Box<dyn std::io::Write>;

    fn make_writer(&'a self) -> Self::Writer {
        match FILE.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            Some(file) => Box::new(file),
            None => Box::new(std::io::sink()),
        }
    }
}

/// Sends the log to this file from now on.
pub(crate) fn keep(path: &Path) {
    *FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(File::create(path).unwrap()));
    // Only the first call in a process has an effect.
    let log = tracing_subscriber::fmt().with_ansi(false).with_writer(Log);
    drop(log.with_max_level(tracing::Level::INFO).try_init());
}
