//! The one timer: it sleeps until something is due, and has the engine do it.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::engine::{Clock, Engine};

/// The clock might be set while we sleep; so no sleep is longer.
const LONGEST_SLEEP: Duration = Duration::from_secs(3600);

/// How long to wait when what is due could not be done: the disk may be full.
const TROUBLE_PAUSE: Duration = Duration::from_secs(60);

/// Has what is due done until `stop` is true, or the engine gone.
pub async fn run(engine: Engine, clock: Clock, mut stop: watch::Receiver<bool>) {
    let mut next = engine.next_due();
    loop {
        let due = *next.borrow_and_update();
        let wait = due.map(|due| (due - clock()).to_std().unwrap_or_default());
        if wait == Some(Duration::ZERO) {
            let pause = match engine.do_what_is_due().await {
                Ok(done) if done > 0 => Duration::ZERO,
                Ok(_) => TROUBLE_PAUSE,
                Err(error) => {
                    tracing::error!(%error, "what is due was not done");
                    TROUBLE_PAUSE
                }
            };
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = sleep(pause) => continue,
            }
        }
        let slept = async {
            match wait {
                Some(wait) => sleep(wait.min(LONGEST_SLEEP)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            changed = next.changed() => if changed.is_err() { return },
            () = slept => {}
        }
    }
}
