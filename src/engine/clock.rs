//! The time of day as the engine sees it, and detection of a clock that was set.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};

use pbmserv_core::store::{self, Store};

/// Reads the time of day.
type WallClock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// Tolerated difference between elapsed time of day and elapsed uptime. More means that the clock was set.
pub(crate) const SLACK: TimeDelta = TimeDelta::minutes(1);

/// A clean stop of at most this length, such as a restart for an update, does not count as an outage.
const SHORT_STOP: TimeDelta = TimeDelta::minutes(15);

/// The note that holds the time of the last clean stop, in milliseconds since 1970; empty while the server
/// runs.
const STOPPED_AT: &str = "stopped_at";

/// The note that holds the start of the current steady period, in milliseconds since 1970.
const STEADY_SINCE: &str = "steady_since";

/// The time of day, which can be set, and the uptime of this process, which cannot. Tests replace both.
#[derive(Clone)]
pub struct TimeSource {
    now: WallClock,
    uptime: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl std::fmt::Debug for TimeSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimeSource").finish_non_exhaustive()
    }
}

impl TimeSource {
    /// The clock of the machine.
    #[must_use]
    pub fn machine() -> Self {
        let start = Instant::now();
        Self::new(Utc::now, move || start.elapsed())
    }

    /// A clock made of these two functions.
    pub fn new(
        now: impl Fn() -> DateTime<Utc> + Send + Sync + 'static,
        uptime: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        Self {
            now: Arc::new(now),
            uptime: Arc::new(uptime),
        }
    }

    /// The time of day.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        (self.now)()
    }

    /// The function that reads the time of day.
    #[must_use]
    pub fn wall_clock(&self) -> WallClock {
        self.now.clone()
    }

    fn uptime(&self) -> TimeDelta {
        TimeDelta::from_std((self.uptime)()).unwrap_or(TimeDelta::MAX)
    }
}

/// Compares the time of day with the uptime, and knows since when both have agreed.
///
/// On Linux the uptime stops while the machine sleeps: waking up looks like a clock set forward.
#[derive(Debug)]
pub(super) struct ClockGuard {
    clock: TimeSource,
    last: (DateTime<Utc>, TimeDelta),
    /// The start of the current steady period: the server was up and nobody set the clock.
    pub(super) since: DateTime<Utc>,
    /// How far the clock was set, summed, until the clocks of the boards have been shifted by it.
    pub(super) jump: TimeDelta,
}

impl ClockGuard {
    /// Starts a steady period, or continues the previous one after a short clean stop. If the newest time in
    /// the database lies in the future, the clock was set back, and the clocks of the boards are corrected.
    pub(super) fn begin(store: &Store, clock: TimeSource) -> store::Result<Self> {
        let last = (clock.now(), clock.uptime());
        let now = last.0;
        let noted = |name| {
            let note = store.note(name)?;
            Ok::<_, store::Error>(note.and_then(|note| DateTime::from_timestamp_millis(note.parse().ok()?)))
        };
        let (stopped_at, before) = (noted(STOPPED_AT)?, noted(STEADY_SINCE)?);
        let is_short = stopped_at.is_some_and(|at| (TimeDelta::zero()..=SHORT_STOP).contains(&(now - at)));
        let since = before.filter(|before| is_short && *before <= now).unwrap_or(now);
        let latest = stopped_at.max(store.latest_time()?);
        if let Some(latest) = latest.filter(|latest| *latest > now + SLACK) {
            tracing::warn!(%now, %latest, "the clock was set back: the clocks of the boards continue from now");
            store.mend_clocks(now)?;
        }
        if since == now {
            store.look_at_warned(now)?;
        }
        store.set_note(STEADY_SINCE, &store::millis(since).to_string())?;
        store.set_note(STOPPED_AT, "")?;
        Ok(Self {
            clock,
            last,
            since,
            jump: TimeDelta::zero(),
        })
    }

    /// The time of day.
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Reads the clock. If it was set since the last reading, a new steady period starts.
    pub(super) fn look(&mut self) -> DateTime<Utc> {
        let (now, uptime) = (self.clock.now(), self.clock.uptime());
        let jump = (now - self.last.0) - (uptime - self.last.1);
        // NTP slews the clock by up to 500 ppm, so a long interval may differ by more than the constant.
        let slack = SLACK + (uptime - self.last.1) / 1000;
        self.last = (now, uptime);
        if jump.abs() > slack {
            tracing::warn!(%now, seconds = jump.num_seconds(), "the clock was set");
            self.since = now;
            self.jump += jump;
        }
        now
    }

    /// Shifts the clocks of the boards, inside the batch's transaction.
    pub(super) fn write(&self, store: &Store) -> store::Result<()> {
        if self.jump.is_zero() {
            return Ok(());
        }
        store.shift_clocks(self.jump, self.since)?;
        store.look_at_warned(self.since)?;
        store.set_note(STEADY_SINCE, &store::millis(self.since).to_string())
    }

    /// Notes a clean stop.
    pub(super) fn end(&self, store: &Store) -> store::Result<()> {
        store.set_note(STOPPED_AT, &store::millis(self.clock.now()).to_string())
    }
}
