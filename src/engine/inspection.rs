//! Once a day the whole database is read, since a disk changes what it holds without a word. A step at a time, so that nobody
//! waits, with a twentieth of the time of one look-up.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio::sync::watch;

use pbmserv_core::store::{Error, ErrorKind, Result, Scan};

use super::Engine;
use super::clock::TimeSource;
use super::readers::Readers;

/// The pause after a step, as a multiple of the time that it took.
const PAUSE: u32 = 19;

/// Faults that are named in the log.
const NAMED: usize = 10;

/// What the last whole reading has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inspected {
    /// When it ended; `None`: not since the start.
    pub at: Option<DateTime<Utc>>,
    /// How many faults, those of a reading that goes on too.
    pub faults: usize,
}

/// Reads the database.
#[derive(Debug)]
pub struct Inspection {
    engine: Engine,
    readers: Readers,
    clock: TimeSource,
    found: watch::Sender<Inspected>,
}

impl Inspection {
    pub(super) fn new(engine: Engine, readers: Readers, clock: TimeSource) -> Self {
        Self {
            engine,
            readers,
            clock,
            found: watch::Sender::default(),
        }
    }

    /// What was found.
    #[must_use]
    pub fn found(&self) -> watch::Receiver<Inspected> {
        self.found.subscribe()
    }

    /// Reads the whole database, and logs what is wrong with it.
    ///
    /// # Errors
    /// It could not be read to its end now.
    pub async fn run(&self) -> Result<()> {
        let mut scan = self.readers.ask(Scan::begin).await?;
        let mut faults = 0;
        while !scan.is_over() {
            let step = move |reader: &_| {
                let begun = Instant::now();
                let found = scan.step(reader)?;
                Ok((scan, found, begun.elapsed()))
            };
            let (next, found, took) = self.readers.ask(step).await?;
            scan = next;
            // What cannot be read because its file was taken away is no damage, and the engine says it.
            if !found.is_empty() && self.engine.write(|_, _| Ok(())).await.is_err() {
                return Err(Error::Database {
                    kind: ErrorKind::Io,
                    message: "the database is not in its place".to_owned(),
                });
            }
            for fault in found {
                faults += 1;
                if faults <= NAMED {
                    tracing::error!("a fault in the database: {fault}");
                }
                // Seen at once, and until a whole reading has found none.
                self.found
                    .send_modify(|known| known.faults = known.faults.max(faults));
            }
            tokio::time::sleep((took * PAUSE).max(Duration::from_millis(1))).await;
        }
        let at = Some(self.clock.now());
        self.found.send_replace(Inspected { at, faults });
        let (rows, boards) = (scan.rows, scan.boards);
        match faults {
            0 => tracing::info!(
                rows,
                boards,
                "the whole database was read, and nothing is wrong with it"
            ),
            _ => tracing::error!(
                faults,
                "the whole database was read, and parts of it are damaged: pbmserv check --deep names them; restore a backup with \
                 pbmserv restore, and see whether the disk is broken"
            ),
        }
        Ok(())
    }
}
