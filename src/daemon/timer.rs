//! The one timer: it sleeps until something is due, and has the engine do it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::engine::Engine;
use crate::engine::clock::{SLACK, TimeSource};

/// The clock might be set while we sleep; so no sleep is longer.
const LONGEST_SLEEP: Duration = Duration::from_secs(3600);

/// How long to wait when what is due could not be done: the disk may be full.
const TROUBLE_PAUSE: Duration = Duration::from_secs(60);

/// The first pause between two looks whether a database in trouble can be written again, and the longest; each is twice
/// as long as the one before.
const LOOKS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// Has what is due done until `stop` is true, or the engine gone.
pub async fn run(engine: Engine, clock: TimeSource, mut stop: watch::Receiver<bool>) {
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
                () = well_again(&engine) => continue,
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
        // The engine has told why.
        Err(error) => {
            tracing::debug!(%error, "what is due was not done");
            TROUBLE_PAUSE
        }
    }
}

/// Returns when a database that is in trouble can be written again.
async fn well_again(engine: &Engine) {
    let mut writing = engine.writing();
    let is_over = is_down(engine)
        && writing
            .wait_for(|writing| writing.failing_since.is_none())
            .await
            .is_ok();
    if !is_over {
        std::future::pending::<()>().await;
    }
}

/// While the database cannot be written, has the engine look now and then whether it can: so that the end of the trouble
/// is known though no mail comes. It sleeps until there is a trouble.
pub async fn look_while_down(engine: Engine, mut stop: watch::Receiver<bool>) {
    let mut writing = engine.writing();
    let [first, longest] = LOOKS;
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            down = writing.wait_for(|writing| writing.failing_since.is_some()) => if down.is_err() { return },
        }
        let looks = async {
            let mut pause = first;
            while is_down(&engine) {
                sleep(pause).await;
                // What it finds is told by the engine.
                let _ = engine.look().await;
                pause = (pause * 2).min(longest);
            }
        };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = looks => {}
        }
    }
}

fn is_down(engine: &Engine) -> bool {
    engine.writing().borrow().failing_since.is_some()
}

/// Whether the time of day has gone another way than the sleep.
fn is_apart(passed: TimeDelta, slept: Duration) -> bool {
    TimeDelta::from_std(slept).is_ok_and(|slept| (passed - slept).abs() > SLACK)
}
