//! The time, given from outside, and since when nobody has set it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};

use crate::store::{self, Store};

/// The time of day.
type Now = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// What the time of day and the uptime may differ by, from one look to the next, without the clock having been set.
pub(crate) const SLACK: TimeDelta = TimeDelta::minutes(1);

/// A clean stop that is no longer than this is no outage: a restart for an update, for example.
const SHORT_STOP: TimeDelta = TimeDelta::minutes(15);

/// When the server stopped cleanly, in milliseconds since 1970; empty while it runs.
const STOPPED_AT: &str = "stopped_at";

/// Since when it has been up with a steady clock, in milliseconds since 1970.
const STEADY_SINCE: &str = "steady_since";

/// The time of day, which can be set, and the time that this process has been up, which cannot.
#[derive(Clone)]
pub struct TimeSource {
    now: Now,
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

    /// A clock that tells this time of day and this uptime.
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

    /// What tells the time of day.
    #[must_use]
    pub fn teller(&self) -> Now {
        self.now.clone()
    }

    fn uptime(&self) -> TimeDelta {
        TimeDelta::from_std((self.uptime)()).unwrap_or(TimeDelta::MAX)
    }
}

/// Whether the clock goes with the uptime, and since when.
///
/// A machine that sleeps has no uptime on Linux: it wakes as if the clock had been set forward.
#[derive(Debug)]
pub(super) struct ClockGuard {
    clock: TimeSource,
    last: (DateTime<Utc>, TimeDelta),
    /// Since when the server has been up with a clock that nobody has set.
    pub(super) since: DateTime<Utc>,
    /// By how much the clock was set, as far as the clocks of the boards do not know it yet.
    pub(super) jump: TimeDelta,
}

impl ClockGuard {
    /// Begins with the start of the server. It has been steady for longer if it was stopped only for a moment. If
    /// the clock was set back since anything was written, the clocks of the boards are mended.
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
            tracing::warn!(%now, %latest, "the clock was set back: the clocks of the boards go on from now");
            store.mend_clocks(now)?;
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

    /// Looks at the clock. If it was set since the last look, what is steady begins anew.
    pub(super) fn look(&mut self) -> DateTime<Utc> {
        let (now, uptime) = (self.clock.now(), self.clock.uptime());
        let jump = (now - self.last.0) - (uptime - self.last.1);
        // Both may differ by what a slow correction of the clock makes of a long time.
        let slack = SLACK + (uptime - self.last.1) / 1000;
        self.last = (now, uptime);
        if jump.abs() > slack {
            tracing::warn!(%now, seconds = jump.num_seconds(), "the clock was set");
            self.since = now;
            self.jump += jump;
        }
        now
    }

    /// Writes what the clocks of the boards have to know, within the batch.
    pub(super) fn write(&self, store: &Store) -> store::Result<()> {
        if self.jump.is_zero() {
            return Ok(());
        }
        store.shift_clocks(self.jump)?;
        store.set_note(STEADY_SINCE, &store::millis(self.since).to_string())
    }

    /// Notes a clean stop.
    pub(super) fn end(&self, store: &Store) -> store::Result<()> {
        store.set_note(STOPPED_AT, &store::millis(self.clock.now()).to_string())
    }
}
