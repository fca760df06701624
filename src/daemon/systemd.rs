//! What systemd is told: that the server is ready, reloads or stops; in a sentence, what it does; and, for the watchdog,
//! that its engine is alive (sd_notify(3), sd_watchdog_enabled(3)).
//!
//! The watchdog is for an engine that is stuck, which only a restart ends. A full disk or a locked database is no such
//! case: the engine answers each message, with 451.

use std::sync::Arc;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use super::monitoring::Monitor;
use crate::engine::Writing;

/// The longest pause between two looks at the engine for the watchdog.
const FEEDING: Duration = Duration::from_secs(30);

/// How often the sentence is made.
const SENTENCE: Duration = Duration::from_secs(60);

/// The pause after a fault began or ended, in case it does so many times a second.
const SETTLING: Duration = Duration::from_secs(1);

/// All parts run, or run again after a reload.
pub(super) fn ready() {
    report(sd_notify::notify(&[NotifyState::Ready]));
}

/// The configuration is read again. Until [`ready`], `systemctl` shows that.
///
/// The time is for `Type=notify-reload`, which Debian 12's systemd 252 does not know. Thus the unit is
/// `Type=notify` with an `ExecReload`, and a reload may end shortly after `systemctl reload` has returned.
pub(super) fn reloading() {
    let states = NotifyState::monotonic_usec_now().map(|now| [NotifyState::Reloading, now]);
    report(states.and_then(|states| sd_notify::notify(&states)));
}

/// The start is at this, and may take so much longer.
pub(super) fn starting(status: &str, patience: Duration) {
    let patience = u32::try_from(patience.as_micros()).unwrap_or(u32::MAX);
    report(sd_notify::notify(&[
        NotifyState::ExtendTimeoutUsec(patience),
        NotifyState::Status(status),
    ]));
}

/// The server stops.
pub(super) fn stopping() {
    report(sd_notify::notify(&[NotifyState::Stopping]));
}

/// Whether systemd, or something like it, has started the server and listens.
pub(super) fn listens() -> bool {
    std::env::var_os("NOTIFY_SOCKET").is_some()
}

/// Keeps systemd informed until `stop`.
pub(super) async fn inform(monitor: Arc<Monitor>, mut stop: watch::Receiver<bool>) {
    let news = Notify::new();
    // The watchdog does not wait for the database, which the sentence asks.
    tokio::select! {
        _ = stop.wait_for(|stop| *stop) => {}
        () = feed(&monitor, &news) => {}
        () = describe(&monitor, &news) => {}
    }
}

/// Feeds the watchdog while the engine is alive; `news` if it was not, or is again.
async fn feed(monitor: &Monitor, news: &Notify) {
    let Some(limit) = sd_notify::watchdog_enabled().filter(|limit| !limit.is_zero()) else {
        return std::future::pending().await;
    };
    let mut was_alive = true;
    loop {
        let is_alive = monitor.is_engine_alive();
        if is_alive {
            tell("WATCHDOG=1".to_owned()).await;
        }
        if is_alive != was_alive {
            was_alive = is_alive;
            news.notify_one();
            if is_alive {
                tracing::info!("the engine has ended its batch: systemd's watchdog is fed again");
            } else {
                tracing::error!(
                    "the engine is stuck in a batch: if it stays so, systemd's watchdog restarts the server within {} seconds",
                    limit.as_secs()
                );
            }
        }
        sleep(FEEDING.min(limit / 3)).await;
    }
}

/// Says what the server does, whenever that has changed.
async fn describe(monitor: &Monitor, news: &Notify) {
    let mut writing = monitor.writing();
    let mut said = String::new();
    loop {
        let was_failing = writing.borrow_and_update().failing_since.is_some();
        let sentence = monitor.sentence().await;
        if sentence != said {
            tell(format!("STATUS={sentence}")).await;
            said = sentence;
        }
        let turned = |writing: &Writing| writing.failing_since.is_some() != was_failing;
        let settled = async {
            drop(writing.wait_for(turned).await);
            sleep(SETTLING).await;
        };
        tokio::select! {
            () = sleep(SENTENCE) => {}
            () = settled => {}
            () = news.notified() => {}
        }
    }
}

/// Sends a state, in a thread that may wait: a systemd that hangs must not stop the server.
async fn tell(state: String) {
    let sent = tokio::task::spawn_blocking(move || sd_notify::notify(&[NotifyState::Custom(&state)]));
    if let Ok(sent) = sent.await {
        report(sent);
    }
}

fn report(sent: std::io::Result<()>) {
    if let Err(error) = sent {
        tracing::debug!(%error, "systemd could not be notified");
    }
}
