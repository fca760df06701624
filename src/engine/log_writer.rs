//! The log of the server, written by a thread of its own: a full disk, a closed pipe, or a pipe that nobody reads never
//! stops the server. Lines that cannot be written are dropped and counted, and the log says how many when it works again.
//!
//! Each line is waited for, for a moment, so that it is out before what it announces; a crash then loses none. Once nothing was
//! written for so long, no further line is waited for until all are out.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The most bytes that wait to be written.
const MAX_BYTES: usize = 1024 * 1024;

/// Lines are written together until they are as many bytes.
const PIECE_BYTES: usize = 32 * 1024;

/// How long a line is waited for.
const PROMPT: Duration = Duration::from_millis(20);

/// How long the last lines are waited for before the process ends.
const LAST: Duration = Duration::from_secs(1);

/// The log of this process, as soon as it is begun.
static LOG: OnceLock<LogWriter> = OnceLock::new();

/// Writes lines by the thread. Each `write` is one whole line.
#[derive(Clone, Debug)]
pub struct LogWriter(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// A line was added.
    added: Condvar,
    /// A line is written or dropped.
    written: Condvar,
    /// Lines dropped since the start.
    dropped: AtomicU64,
}

#[derive(Debug, Default)]
struct Queue {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// How many lines were added, and how many of them are written or dropped.
    added: u64,
    done: u64,
    /// Nothing was written for a moment, and since then something has always waited.
    is_stuck: bool,
    /// Lines dropped since the log last said so.
    lost: u64,
    thread: Option<ThreadId>,
}

/// How the log is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogState {
    /// Lines dropped since the start.
    pub dropped: u64,
    /// Whether lines are being lost now.
    pub is_lost: bool,
}

/// Begins the log of this process.
///
/// # Errors
/// The system gives no thread.
pub fn begin(out: impl Write + Send + 'static) -> io::Result<LogWriter> {
    let writer = LogWriter::begin(out)?;
    Ok(LOG.get_or_init(|| writer).clone())
}

/// Writes a line that is no record of the log to standard error, by the thread if the log is begun.
pub fn say(line: &str) {
    let line = format!("{line}\n");
    // Without standard error there is nobody to read it.
    let _ = match LOG.get() {
        Some(log) => log.clone().write_all(line.as_bytes()),
        None => io::stderr().write_all(line.as_bytes()),
    };
}

/// Waits a moment for the last lines.
pub fn end() {
    if let Some(LogWriter(shared)) = LOG.get() {
        let queue = shared.lock();
        let last = queue.added;
        drop(shared.wait(queue, LAST, |queue| queue.done >= last));
    }
}

/// How the log of this process is.
#[must_use]
pub fn state() -> LogState {
    LOG.get().map(LogWriter::state).unwrap_or_default()
}

impl LogWriter {
    fn begin(out: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let writing = shared.clone();
        let thread = thread::Builder::new().name("log".to_owned());
        thread.spawn(move || writing.run(out))?;
        Ok(Self(shared))
    }

    fn state(&self) -> LogState {
        LogState {
            dropped: self.0.dropped.load(Ordering::Relaxed),
            is_lost: self.0.lock().lost > 0,
        }
    }
}

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let shared = &self.0;
        let mut queue = shared.lock();
        // The thread cannot wait for itself.
        let is_own = queue.thread == Some(thread::current().id());
        let has_room = |queue: &Queue| queue.bytes + line.len() <= MAX_BYTES;
        if !is_own {
            queue = shared.wait_for(queue, has_room);
        }
        if !has_room(&queue) {
            shared.lose(&mut queue, 1);
            return Ok(line.len());
        }
        queue.bytes += line.len();
        queue.lines.push_back(line.to_vec());
        queue.added += 1;
        let own = queue.added;
        shared.added.notify_one();
        if !is_own {
            queue = shared.wait_for(queue, |queue| queue.done >= own);
        }
        drop(queue);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        queue: MutexGuard<'a, Queue>,
        patience: Duration,
        is_so: impl Fn(&Queue) -> bool,
    ) -> MutexGuard<'a, Queue> {
        let waited = self
            .written
            .wait_timeout_while(queue, patience, |queue| !is_so(queue));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits a moment for this, unless writing has come to a halt: then nobody waits until all is written.
    fn wait_for<'a>(
        &self,
        mut queue: MutexGuard<'a, Queue>,
        is_so: impl Fn(&Queue) -> bool,
    ) -> MutexGuard<'a, Queue> {
        if !queue.is_stuck {
            let before = queue.done;
            queue = self.wait(queue, PROMPT, &is_so);
            queue.is_stuck |= !is_so(&queue) && queue.done == before;
        }
        queue
    }

    fn lose(&self, queue: &mut Queue, lines: u64) {
        queue.lost += lines;
        self.dropped.fetch_add(lines, Ordering::Relaxed);
    }

    /// The thread. It lasts as long as the process.
    fn run(&self, mut out: impl Write) {
        self.lock().thread = Some(thread::current().id());
        // A full disk may take half a line.
        let mut is_torn = false;
        loop {
            let (lines, bytes) = self.next();
            let written = match is_torn {
                true => out.write_all(b"\n").and_then(|()| out.write_all(&bytes)),
                false => out.write_all(&bytes),
            };
            is_torn = written.is_err();
            let mut queue = self.lock();
            queue.bytes -= bytes.len();
            if is_torn {
                self.lose(&mut queue, lines);
            }
            let has_room = queue.bytes < MAX_BYTES / 2;
            let lost = match is_torn || !has_room {
                true => 0,
                false => std::mem::take(&mut queue.lost),
            };
            drop(queue);
            if lost > 0 {
                tracing::error!(
                    lost,
                    "lines of the log were lost, since they could not be written to standard error: is the disk of the log full, \
                     or its reader stuck?"
                );
            }
            let mut queue = self.lock();
            queue.done += lines;
            queue.is_stuck &= !queue.lines.is_empty();
            drop(queue);
            self.written.notify_all();
        }
    }

    /// Waits for lines; returns how many, and their bytes. They are written together, or a busy server would have to drop some.
    fn next(&self) -> (u64, Vec<u8>) {
        let waited = self.added.wait_while(self.lock(), |queue| queue.lines.is_empty());
        let mut queue = waited.unwrap_or_else(PoisonError::into_inner);
        let (mut lines, mut bytes) = (0, Vec::new());
        while bytes.len() < PIECE_BYTES
            && let Some(line) = queue.lines.pop_front()
        {
            bytes.extend_from_slice(&line);
            lines += 1;
        }
        (lines, bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver, Sender};

    use super::*;

    /// Writes when the test says so: what then becomes of the line.
    struct Gate {
        says: Receiver<io::Result<()>>,
        took: Sender<Vec<u8>>,
    }

    impl Write for Gate {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            self.says.recv().map_err(io::Error::other)??;
            let _ = self.took.send(line.to_vec());
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn gate() -> (LogWriter, Sender<io::Result<()>>, Receiver<Vec<u8>>) {
        let ((say, says), (took, taken)) = (mpsc::channel(), mpsc::channel());
        let log = LogWriter::begin(Gate { says, took }).unwrap();
        (log, say, taken)
    }

    fn all_done(log: &LogWriter) {
        let queue = log.0.lock();
        let last = queue.added;
        drop(
            log.0
                .wait(queue, Duration::from_secs(60), |queue| queue.done >= last),
        );
    }

    #[test]
    fn what_does_not_fit_is_dropped_and_counted_and_the_rest_is_written_in_order() {
        let (mut log, say, taken) = gate();
        let line = |number: usize| format!("{number:>1023}\n").into_bytes();
        for number in 0..2000 {
            log.write_all(&line(number)).unwrap();
        }
        let state = log.state();
        assert!(state.is_lost);
        assert_eq!(state.dropped, 2000 - 1024);
        let expected: Vec<u8> = (0..1024).flat_map(line).collect();
        let mut written = Vec::new();
        while written.len() < expected.len() {
            say.send(Ok(())).unwrap();
            written.extend(taken.recv().unwrap());
        }
        assert!(written == expected);
        all_done(&log);
        assert!(!log.state().is_lost, "it was said");
    }

    #[test]
    fn a_line_that_cannot_be_written_is_counted_and_the_next_begins_a_line() {
        let (mut log, say, taken) = gate();
        say.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        log.write_all(b"one\n").unwrap();
        all_done(&log);
        assert_eq!(
            log.state(),
            LogState {
                dropped: 1,
                is_lost: true
            }
        );
        say.send(Ok(())).unwrap();
        say.send(Ok(())).unwrap();
        log.write_all(b"two\n").unwrap();
        assert_eq!(
            [taken.recv().unwrap(), taken.recv().unwrap()],
            [&b"\n"[..], b"two\n"]
        );
    }
}
