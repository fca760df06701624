//! Read-only connections for look-ups outside the engine's thread.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::store::{Error, ErrorKind, Location, Reader, Result};

/// The most sessions with a server of PostgreSQL, each of which is a process there. A connection to a file costs little.
pub const SESSIONS: usize = 8;

/// How long a look-up waits for a session of another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// Idle connections. Opening one costs more than a look-up.
#[derive(Debug)]
pub struct Readers {
    database: Location,
    most: usize,
    open: Mutex<Open>,
    given_back: Condvar,
}

#[derive(Debug, Default)]
struct Open {
    idle: Vec<Reader>,
    /// Those of look-ups that go on.
    lent: usize,
}

/// The place of one look-up, which is free again when this is dropped.
struct Lent<'a>(&'a Readers);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.0.open().lent -= 1;
        self.0.given_back.notify_one();
    }
}

impl Readers {
    /// No connection is open yet.
    #[must_use]
    pub fn new(database: impl Into<Location>) -> Self {
        let database = database.into();
        let most = match database.file() {
            Some(_) => usize::MAX,
            None => SESSIONS,
        };
        Self {
            database,
            most,
            open: Mutex::default(),
            given_back: Condvar::new(),
        }
    }

    /// Looks something up.
    ///
    /// # Errors
    /// Those of the query; the database cannot be opened; too many others look something up at once.
    pub fn look<T>(&self, query: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        let (idle, lent) = self.borrow()?;
        let reader = match idle {
            Some(reader) => reader,
            None => Reader::open(&self.database)?,
        };
        // The connection of a query that fails is closed.
        let found = query(&reader)?;
        self.open().idle.push(reader);
        drop(lent);
        Ok(found)
    }

    fn borrow(&self) -> Result<(Option<Reader>, Lent<'_>)> {
        let waited = self
            .given_back
            .wait_timeout_while(self.open(), PATIENCE, |open| open.lent >= self.most);
        let (mut open, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(Error::Database {
                kind: ErrorKind::Locked,
                message: format!("all {} sessions for look-ups are in use", self.most),
            });
        }
        open.lent += 1;
        Ok((open.idle.pop(), Lent(self)))
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_than_the_most_look_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one");
        drop(Store::open(&path).unwrap());
        let readers = Readers {
            most: 2,
            ..Readers::new(&path)
        };
        let (now, highest) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let look = |fails: bool| {
            readers.look(|reader| {
                highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(2));
                now.fetch_sub(1, Ordering::SeqCst);
                match fails {
                    true => Err(Error::NoFile),
                    false => reader.is_new(),
                }
            })
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for round in 0..5 {
                        assert_eq!(look(round == 2).is_err(), round == 2);
                    }
                });
            }
        });
        assert_eq!(highest.load(Ordering::SeqCst), 2);
        let open = readers.open();
        assert!(open.lent == 0 && open.idle.len() <= 2);
    }
}
