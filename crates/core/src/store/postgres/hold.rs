//! The name of the one writer, and the number of its last batch.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Longer than mail servers wait between two attempts.
const CAREFUL: Duration = Duration::from_secs(24 * 3600);

/// What the writer holds.
#[derive(Debug)]
pub(super) struct Hold {
    /// Its name, which no other has.
    pub(super) holder: String,
    /// The number of its last batch.
    pub(super) batch: Cell<i64>,
    /// When its session last answered.
    pub(super) heard: Cell<Instant>,
    /// Until when a message waits for its own statements.
    careful_until: Cell<Option<Instant>>,
}

impl Hold {
    pub(super) fn new() -> Self {
        let number: u128 = rand::random();
        Self {
            holder: format!("{number:032x}"),
            batch: Cell::new(0),
            heard: Cell::new(Instant::now()),
            careful_until: Cell::default(),
        }
    }

    /// A statement has failed when the message that it belongs to was over already. That message comes again, and then waits.
    pub(super) fn be_careful(&self) {
        tracing::error!(
            "a statement failed after its message was over: the batch is refused, and messages wait for theirs from now on"
        );
        self.careful_until.set(Some(Instant::now() + CAREFUL));
    }

    pub(super) fn is_careful(&self) -> bool {
        self.careful_until
            .get()
            .is_some_and(|until| Instant::now() < until)
    }
}
