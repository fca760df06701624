//! Moments of rest for a thread that works long at the lowest priority.
//!
//! On Linux a thread that waits for a processor gets another one when that one falls idle. A thread of the policy for idle work
//! keeps it from falling idle, so who waits elsewhere waits to the end of a time slice, some three milliseconds. If the thread
//! rests now and then, the wait is no longer than its work between two rests. `BENCHMARKS.md` has what came of it.

use std::cell::Cell;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a thread works between two rests.
const WORK: Duration = Duration::from_micros(500);

/// The shortest rest there is. The kernel makes some 50 microseconds of it.
const REST: Duration = Duration::from_micros(1);

/// The clock is looked at when the thread has asked so often.
const ASKED: u32 = 16;

thread_local! {
    /// When the thread rested last. `None`: it does not rest.
    static RESTED: Cell<Option<Instant>> = const { Cell::new(None) };
    static ASKED_SINCE: Cell<u32> = const { Cell::new(0) };
}

/// From now on this thread rests.
pub fn begin() {
    RESTED.set(Some(Instant::now()));
}

/// Rests if this thread does so and has worked long enough. To be called every few microseconds.
#[inline]
pub fn now_and_then() {
    if RESTED.get().is_some() {
        ask();
    }
}

#[cold]
fn ask() {
    let asked = (ASKED_SINCE.get() + 1) % ASKED;
    ASKED_SINCE.set(asked);
    if asked == 0 && RESTED.get().is_some_and(|rested| rested.elapsed() >= WORK) {
        sleep(REST);
        RESTED.set(Some(Instant::now()));
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// How often this thread has waited for something.
    fn waits() -> u64 {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("voluntary_ctxt_switches"));
        line.unwrap().split_whitespace().last().unwrap().parse().unwrap()
    }

    fn works(rests: bool) -> u64 {
        let work = move || {
            if rests {
                begin();
            }
            let before = waits();
            let begun = Instant::now();
            while begun.elapsed() < 20 * WORK {
                now_and_then();
            }
            waits() - before
        };
        std::thread::spawn(work).join().unwrap()
    }

    #[test]
    fn only_a_thread_that_has_begun_to_rests() {
        assert!(works(true) >= works(false) + 2);
    }
}
