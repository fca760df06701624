//! The one timer: it sleeps until something is due, and has the engine do it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use tokio::time::sleep;

use super::clock::{Clock, SLACK};
use super::engine::Engine;

/// The clock might be set while we sleep; so no sleep is longer.
const LONGEST_SLEEP: Duration = Duration::from_secs(3600);

/// How long to wait when what is due could not be done: the disk may be full.
const TROUBLE_PAUSE: Duration = Duration::from_secs(60);

/// Has what is due done until `stop` is true, or the engine gone.
pub async fn run(engine: Engine, clock: Clock, mut stop: watch::Receiver<bool>) {
    let mut next = engine.next_due();
    let mut is_set = false;
    loop {
        let due = *next.borrow_and_update();
        let now = clock.now();
        if is_set || due.is_some_and(|due| due <= now) {
            is_set = false;
            let pause = act(&engine, due).await;
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = sleep(pause) => continue,
            }
        }
        let wait = due.and_then(|due| (due - now).to_std().ok());
        let wait = wait.map_or(LONGEST_SLEEP, |wait| wait.min(LONGEST_SLEEP));
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            changed = next.changed() => if changed.is_err() { return },
            // The engine is told of a clock that was set, so that what is due is known by the right one.
            () = sleep(wait) => is_set = is_apart(clock.now() - now, wait),
        }
    }
}

/// Has what is due done, and gives how long to wait before the next try.
async fn act(engine: &Engine, due: Option<DateTime<Utc>>) -> Duration {
    match engine.do_what_is_due().await {
        Ok(done) if done > 0 || *engine.next_due().borrow() != due => Duration::ZERO,
        Ok(_) => TROUBLE_PAUSE,
        Err(error) => {
            tracing::error!(%error, "what is due was not done");
            TROUBLE_PAUSE
        }
    }
}

/// Whether the time of day has gone another way than the sleep.
fn is_apart(passed: TimeDelta, slept: Duration) -> bool {
    TimeDelta::from_std(slept).is_ok_and(|slept| (passed - slept).abs() > SLACK)
}
