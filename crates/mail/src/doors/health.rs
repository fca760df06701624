//! The health of a door that fetches mail, published for the operator in a watch channel.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio::sync::watch;

/// Reads the time of day.
pub type WallClock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// The messages of a mailbox that could not be handled. Each is tried again at growing intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aside {
    /// How many they are.
    pub count: usize,
    /// Some of them.
    pub mails: Vec<AsideMail>,
}

/// A message that could not be handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsideMail {
    /// Its UID or the name of its file.
    pub name: String,
    /// How often it was tried.
    pub tries: u32,
    /// Why it could not be handled the last time. The text contains no part of a message and no password.
    pub why: String,
}

/// The health of a door that fetches mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Which door: `maildir` or `imap`.
    pub door: &'static str,
    /// When the mailbox was last read successfully; `None` before the first time.
    pub last_ok: Option<DateTime<Utc>>,
    /// The last failure and its time. The text contains no part of a message and no password.
    pub last_error: Option<(DateTime<Utc>, String)>,
    /// Since when no mail can be fetched; `None` while it can.
    pub down_since: Option<DateTime<Utc>>,
    /// What it could not handle so far.
    pub aside: Aside,
}

/// Publishes the health of one door.
pub struct Reporter {
    health: watch::Sender<Health>,
    now: WallClock,
}

impl std::fmt::Debug for Reporter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reporter")
            .field("health", &self.health)
            .finish_non_exhaustive()
    }
}

impl Reporter {
    /// A reporter for the door of this name, and where its health can be read.
    #[must_use]
    pub fn new(door: &'static str, now: WallClock) -> (Self, watch::Receiver<Health>) {
        let (health, seen) = watch::channel(Health {
            door,
            last_ok: None,
            last_error: None,
            down_since: None,
            aside: Aside::default(),
        });
        (Self { health, now }, seen)
    }

    /// The mailbox was read. Returns whether it was down before.
    pub fn ok(&self) -> bool {
        let now = (self.now)();
        let mut was_down = false;
        self.health.send_modify(|health| {
            was_down = health.down_since.take().is_some();
            health.last_ok = Some(now);
        });
        was_down
    }

    /// These messages could not be handled so far.
    pub fn put_aside(&self, aside: Aside) {
        self.health.send_if_modified(|health| {
            let is_news = health.aside != aside;
            health.aside = aside;
            is_news
        });
    }

    /// No mail can be fetched. Returns whether that is news: the door was up, or the reason has changed.
    pub fn failed(&self, why: &str) -> bool {
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
    fn a_failure_is_news_once_and_so_is_the_recovery() {
        let (reporter, seen) = Reporter::new("imap", Arc::new(Utc::now));
        assert!(!reporter.ok());
        assert!(reporter.failed("refused"));
        assert!(!reporter.failed("refused"));
        assert!(seen.borrow().down_since.is_some());
        assert!(reporter.failed("the password is wrong"));
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
