//! Moments of rest for a thread that works long at the lowest priority.
//!
//! On Linux a thread that waits for a processor gets another one when that one falls idle. A thread of the policy for idle work
//! keeps it from falling idle, so who waits elsewhere waits to the end of a time slice, some three milliseconds. If the thread
//! rests now and then, the wait is no longer than its work between two rests. `BENCHMARKS.md` has what came of it.

use std::cell::Cell;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pbmserv_games::kit::cpu_yield;

/// How long a thread works between two rests.
const WORK: Duration = Duration::from_micros(500);

/// The shortest rest there is. The kernel makes some 50 microseconds of it.
const REST: Duration = Duration::from_micros(1);

thread_local! {
    /// When the thread rested last. `None`: not yet.
    static RESTED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// From now on this thread rests while it thinks.
pub(super) fn begin() {
    RESTED.set(Some(Instant::now()));
    cpu_yield::set(rest);
}

/// Rests if this thread has worked long enough.
fn rest() {
    if RESTED.get().is_some_and(|rested| rested.elapsed() >= WORK) {
        sleep(REST);
        RESTED.set(Some(Instant::now()));
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::sync::atomic::AtomicBool;

    use pbmserv_games::bots::{Level, think};
    use pbmserv_games::{Options, find};

    use super::*;

    /// How often this thread has waited for something.
    fn waits() -> u64 {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("voluntary_ctxt_switches"));
        line.unwrap().split_whitespace().last().unwrap().parse().unwrap()
    }

    fn thinks(rests: bool) -> u64 {
        let work = move || {
            if rests {
                begin();
            }
            let before = waits();
            let game = find("Pow2").unwrap();
            let position = game.start(&Options::none(game.facts)).unwrap();
            let begun = Instant::now();
            while begun.elapsed() < 20 * WORK {
                think(position.as_ref(), Level::Medium, 1, &AtomicBool::new(false)).unwrap();
            }
            waits() - before
        };
        std::thread::spawn(work).join().unwrap()
    }

    #[test]
    fn only_a_thread_that_has_begun_to_rests() {
        assert!(thinks(true) >= thinks(false) + 2);
    }
}
