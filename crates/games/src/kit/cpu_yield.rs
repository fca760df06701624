//! What a thread does now and then while it searches. A search knows no time and waits for nothing; who has it search may want to.

use std::cell::Cell;

/// How many positions are tried between two pauses: some tens of microseconds.
const POSITIONS: u32 = 16;

thread_local! {
    /// What this thread does. `None`: nothing.
    static PAUSE: Cell<Option<fn()>> = const { Cell::new(None) };
    static SINCE: Cell<u32> = const { Cell::new(0) };
}

/// From now on a search in this thread calls this after every few positions.
pub fn set(pause: fn()) {
    PAUSE.set(Some(pause));
}

/// To be called for each position that is tried.
#[inline]
pub(crate) fn tick() {
    if let Some(pause) = PAUSE.get() {
        count(pause);
    }
}

#[cold]
fn count(pause: fn()) {
    let since = (SINCE.get() + 1) % POSITIONS;
    SINCE.set(since);
    if since == 0 {
        pause();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static PAUSES: Cell<u32> = const { Cell::new(0) };
    }

    fn pauses_of(set: impl FnOnce() + Send + 'static) -> u32 {
        let work = || {
            set();
            for _ in 0..3 * POSITIONS {
                tick();
            }
            PAUSES.get()
        };
        std::thread::spawn(work).join().unwrap()
    }

    #[test]
    fn only_a_thread_that_was_given_a_pause_makes_it() {
        assert_eq!(pauses_of(|| set(|| PAUSES.set(PAUSES.get() + 1))), 3);
        assert_eq!(pauses_of(|| ()), 0);
    }
}
