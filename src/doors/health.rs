//! How a door is doing, for the operator: one value a door, which whoever likes may watch.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio::sync::watch;

/// The time, given from outside.
pub type Now = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// How a door that fetches its mail is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Which door: `maildir` or `imap`.
    pub door: &'static str,
    /// When it last looked and all was well; `None` before the first time.
    pub last_ok: Option<DateTime<Utc>>,
    /// The last trouble, over or not, and when. It names no message and no password.
    pub last_error: Option<(DateTime<Utc>, String)>,
    /// Since when no mail can be fetched; `None` while it can.
    pub down_since: Option<DateTime<Utc>>,
}

/// Where a door tells how it is doing.
pub struct Reporter {
    health: watch::Sender<Health>,
    now: Now,
}

impl std::fmt::Debug for Reporter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reporter")
            .field("health", &self.health)
            .finish_non_exhaustive()
    }
}

impl Reporter {
    /// A door of this name that has not looked yet, and where its health can be seen.
    #[must_use]
    pub fn new(door: &'static str, now: Now) -> (Self, watch::Receiver<Health>) {
        let (health, seen) = watch::channel(Health {
            door,
            last_ok: None,
            last_error: None,
            down_since: None,
        });
        (Self { health, now }, seen)
    }

    /// It has looked, and all is well. Says whether it was down before.
    pub fn ok(&self) -> bool {
        let now = (self.now)();
        let mut was_down = false;
        self.health.send_modify(|health| {
            was_down = health.down_since.take().is_some();
            health.last_ok = Some(now);
        });
        was_down
    }

    /// No mail can be fetched. Says whether that is news: it was up before, or the reason is another.
    pub fn trouble(&self, why: &str) -> bool {
        let now = (self.now)();
        let mut is_news = false;
        self.health.send_modify(|health| {
            let known = health.last_error.as_ref().map(|(_, known)| known.as_str());
            is_news = health.down_since.is_none() || known != Some(why);
            health.down_since.get_or_insert(now);
            health.last_error = Some((now, why.to_owned()));
        });
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_news_once_and_its_end_is_told_once() {
        let (reporter, seen) = Reporter::new("imap", Arc::new(Utc::now));
        assert!(!reporter.ok());
        assert!(reporter.trouble("refused"));
        assert!(!reporter.trouble("refused"));
        assert!(seen.borrow().down_since.is_some());
        assert!(reporter.trouble("the password is wrong"));
        assert!(reporter.ok());
        assert!(!reporter.ok());
        let health = seen.borrow().clone();
        assert_eq!(health.down_since, None);
        assert_eq!(
            health.last_error.map(|(_, why)| why).as_deref(),
            Some("the password is wrong")
        );
        assert!(health.last_ok.is_some());
    }
}
