//! Read-only connections for look-ups outside the engine's thread.

use std::sync::Mutex;

use crate::store::{Location, Reader, Result};

/// Idle connections. Opening one costs more than a look-up; there are at most as many as concurrent look-ups.
#[derive(Debug)]
pub struct Readers {
    database: Location,
    idle: Mutex<Vec<Reader>>,
}

impl Readers {
    /// No connection is open yet.
    #[must_use]
    pub fn new(database: impl Into<Location>) -> Self {
        Self {
            database: database.into(),
            idle: Mutex::default(),
        }
    }

    /// Looks something up.
    ///
    /// # Errors
    /// Those of the query; the database cannot be opened.
    pub fn look<T>(&self, query: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let reader = match idle {
            Some(reader) => reader,
            None => Reader::open(&self.database)?,
        };
        let found = query(&reader)?;
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(reader);
        }
        Ok(found)
    }
}
