//! What the server logs, kept in a file: no secret may stand in it, and no error.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// The file of the newest soak of this process.
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

/// From now on what is logged goes into this file.
pub(crate) fn keep(path: &Path) {
    *FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(File::create(path).unwrap()));
    // Only the first one of a process is taken.
    let log = tracing_subscriber::fmt().with_ansi(false).with_writer(Log);
    drop(log.with_max_level(tracing::Level::INFO).try_init());
}
