//! The name of the one writer, and the number of its last batch.

use std::cell::Cell;
use std::time::Instant;

/// What the writer holds.
#[derive(Debug)]
pub(super) struct Hold {
    /// Its name, which no other has.
    pub(super) holder: String,
    /// The number of its last batch.
    pub(super) batch: Cell<i64>,
    /// When its session last answered.
    pub(super) heard: Cell<Instant>,
}

impl Hold {
    pub(super) fn new() -> Self {
        let number: u128 = rand::random();
        Self {
            holder: format!("{number:032x}"),
            batch: Cell::new(0),
            heard: Cell::new(Instant::now()),
        }
    }
}
