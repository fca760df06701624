//! Read-only connections for look-ups outside the engine's thread, and the one way to them from the threads of the event loop.
//!
//! A database at a server may say nothing for a minute. A thread of the event loop that waited for it would keep up mail, pages,
//! `/healthz`, the watchdog of systemd and the word to the database that keeps the engine here. So each look-up has a thread
//! that may wait, there are few at a time, and nobody waits for one longer than `PATIENCE`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use pbmserv_core::store::{Error, ErrorKind, Location, Reader, Result};
use pbmserv_mail::log_throttle::LogThrottle;

/// The most look-ups at a time. Each has a session, which is a process of a server of PostgreSQL, and a thread.
pub const SESSIONS: usize = 8;

/// How long a look-up may take, with the wait for its turn. A mail server waits for minutes, and a web server before this one for
/// one. What takes longer goes on in its thread until the database answers or is given up, and keeps its turn for so long.
const PATIENCE: Duration = Duration::from_secs(20);

/// Idle connections. Opening one costs more than a look-up.
#[derive(Clone, Debug)]
pub struct Readers {
    database: Location,
    patience: Duration,
    turns: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Reader>>>,
    log: Arc<Mutex<LogThrottle>>,
}

impl Readers {
    /// For this many look-ups at a time. No connection is open yet.
    #[must_use]
    pub fn new(database: impl Into<Location>, at_a_time: usize) -> Self {
        Self {
            database: database.into(),
            patience: PATIENCE,
            turns: Arc::new(Semaphore::new(at_a_time)),
            idle: Arc::default(),
            log: Arc::default(),
        }
    }

    /// Looks something up in a thread that may wait.
    ///
    /// # Errors
    /// Those of the query; the database cannot be opened, or has not answered in time. The caller must postpone its work:
    /// nothing is known then.
    pub async fn ask<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Reader) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let own = self.clone();
        let asked = async {
            let turn = self.turns.clone().acquire_owned().await;
            let look = move || {
                // Kept until the connection is idle again, even if nobody waits for the result any more.
                let _turn = turn;
                own.look(query)
            };
            match tokio::task::spawn_blocking(look).await {
                Ok(found) => found,
                Err(error) => Err(Error::Database {
                    kind: ErrorKind::Other,
                    message: error.to_string(),
                }),
            }
        };
        let found = timeout(self.patience, asked).await;
        let found = found.unwrap_or_else(|_| {
            Err(Error::Database {
                kind: match self.database.file() {
                    Some(_) => ErrorKind::Io,
                    None => ErrorKind::Unreachable,
                },
                message: "it did not answer in time".to_owned(),
            })
        });
        self.logged(found)
    }

    fn look<T>(&self, query: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let reader = match kept {
            Some(reader) => reader,
            None => Reader::open(&self.database)?,
        };
        // The connection of a query that fails is closed.
        let found = query(&reader)?;
        idle().push(reader);
        Ok(found)
    }

    /// Logs a failure when it begins and when it ends.
    fn logged<T>(&self, found: Result<T>) -> Result<T> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        match &found {
            Err(error) if log.failed() => {
                tracing::error!(
                    "the database cannot be read, so what needs it is put off: {error}: {}",
                    error.remedy()
                );
            }
            Ok(_) if log.recovered() => tracing::info!("the database can be read again"),
            _ => {}
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pbmserv_core::store::Store;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    fn readers(folder: &tempfile::TempDir, patience: Duration) -> Readers {
        let path = folder.path().join("one");
        drop(Store::open(&path).unwrap());
        Readers {
            patience,
            ..Readers::new(&path, 2)
        }
    }

    #[tokio::test]
    async fn no_more_than_the_most_look_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let readers = readers(&folder, PATIENCE);
        let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let looks = (0..40).map(|round| {
            let (readers, counts) = (readers.clone(), counts.clone());
            let fails = round % 5 == 2;
            tokio::spawn(async move {
                let looked = readers.ask(move |reader| {
                    let [now, highest] = &*counts;
                    highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(2));
                    now.fetch_sub(1, Ordering::SeqCst);
                    match fails {
                        true => Err(Error::NoFile),
                        false => reader.is_new(),
                    }
                });
                assert_eq!(looked.await.is_err(), fails);
            })
        });
        for look in looks.collect::<Vec<_>>() {
            look.await.unwrap();
        }
        assert_eq!(counts[1].load(Ordering::SeqCst), 2);
        assert!(readers.idle.lock().unwrap().len() <= 2);
    }

    /// The runtime of the test has one thread: a look-up that kept it would end the test by no answer.
    #[tokio::test]
    async fn a_database_that_says_nothing_keeps_nobody_waiting_and_few_threads() {
        let folder = tempfile::tempdir().unwrap();
        let readers = readers(&folder, Duration::from_millis(100));
        let begun = Arc::new(AtomicUsize::new(0));
        let mut hold = Vec::new();
        for _ in 0..5 {
            let (answer, answers) = mpsc::channel::<()>();
            hold.push(answer);
            let begun = begun.clone();
            let looked = readers.ask(move |_| {
                begun.fetch_add(1, Ordering::SeqCst);
                let _ = answers.recv();
                Ok(())
            });
            let error = looked.await.unwrap_err();
            assert!(error.to_string().contains("in time"), "{error}");
        }
        assert_eq!(begun.load(Ordering::SeqCst), 2, "the others never had a thread");
        drop(hold);
        // The patience is short for a machine that is busy.
        while readers.ask(Reader::is_new).await.is_err() {}
    }
}
