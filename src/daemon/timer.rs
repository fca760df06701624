//! The timer: sleeps until scheduled work is due and lets the engine do it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::engine::Engine;
use crate::engine::clock::{SLACK, TimeSource};

/// No sleep is longer, because the clock may be set meanwhile.
const MAX_SLEEP: Duration = Duration::from_secs(3600);

/// The pause after due work failed, for example because the disk is full.
const TROUBLE_PAUSE: Duration = Duration::from_secs(60);

/// The first and the longest pause between write tests while the database cannot be written. Each pause is
/// twice as long as the one before.
const LOOKS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// Has due work done until `stop` is true or the engine has ended.
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
        let wait = wait.map_or(MAX_SLEEP, |wait| wait.min(MAX_SLEEP));
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            changed = next.changed() => if changed.is_err() { return },
            // The clock was set. Tell the engine, so that it judges by the new time what is due.
            () = sleep(wait) => is_set = is_apart(clock.now() - now, wait),
        }
    }
}

/// Has due work done; returns the pause before the next attempt.
async fn act(engine: &Engine, due: Option<DateTime<Utc>>) -> Duration {
    match engine.do_what_is_due().await {
        Ok(done) if done > 0 || *engine.next_due().borrow() != due => Duration::ZERO,
        Ok(_) => TROUBLE_PAUSE,
        // The engine has logged the cause.
        Err(error) => {
            tracing::debug!(%error, "scheduled work was not done");
            TROUBLE_PAUSE
        }
    }
}

/// Returns when the database can be written again.
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

/// While the database cannot be written, tests now and then whether it can, so that the recovery is noticed
/// even without mail. Sleeps while all is well.
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
                // The engine logs the result.
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

/// Whether the time of day and the sleep differ: the clock was set.
fn is_apart(passed: TimeDelta, slept: Duration) -> bool {
    TimeDelta::from_std(slept).is_ok_and(|slept| (passed - slept).abs() > SLACK)
}
