//! Which addresses the way out takes. A relay takes other characters than ASCII before the `@` only if it offers SMTPUTF8
//! (RFC 6531), which is known after its EHLO.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

use crate::Address;

#[derive(Clone, Copy, Debug)]
struct Times {
    /// How long the relay's offer counts. The operator may change it.
    fresh: Duration,
    /// The same after a relay that could not be asked.
    unanswered: Duration,
    /// The longest wait for the relay's offer.
    patience: Duration,
}

const TIMES: Times = Times {
    fresh: Duration::from_secs(600),
    unanswered: Duration::from_secs(60),
    patience: Duration::from_secs(10),
};

/// What is known of the way out. Clones share it.
#[derive(Clone, Debug)]
pub struct Reach(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    known: watch::Sender<Known>,
    asked: Notify,
    times: Times,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// It takes any address: a Maildir; or it judges later: sendmail, or no delivery in this process.
    Any,
    /// A relay that said nothing yet.
    Unknown,
    /// What the relay offered, and until when that counts.
    Offered { utf8: bool, until: Instant },
}

impl Default for Reach {
    fn default() -> Self {
        Self::with(TIMES)
    }
}

impl Reach {
    fn with(times: Times) -> Self {
        Self(Arc::new(Shared {
            known: watch::Sender::new(Known::Any),
            asked: Notify::new(),
            times,
        }))
    }

    /// From now on a relay decides.
    pub(super) fn begin(&self) {
        self.0.known.send_replace(Known::Unknown);
    }

    /// The relay offers SMTPUTF8, or not.
    pub(super) fn learn(&self, utf8: bool) {
        let until = Instant::now() + self.0.times.fresh;
        self.0.known.send_replace(Known::Offered { utf8, until });
    }

    /// The relay could not be asked. Until it can, mail is taken in for any address and waits in the outbox.
    pub(super) fn unanswered(&self) {
        let until = Instant::now() + self.0.times.unanswered;
        self.0.known.send_if_modified(|known| {
            let is_open = known.answer().is_none();
            if is_open {
                *known = Known::Offered { utf8: true, until };
            }
            is_open
        });
    }

    /// Whether an address can be written to, as far as is known now.
    #[must_use]
    pub fn may_take(&self, address: &Address) -> bool {
        !address.needs_utf8() || self.answer().unwrap_or(true)
    }

    /// The same, after asking the relay if need be. Waits for a few seconds at most.
    pub async fn takes(&self, address: &Address) -> bool {
        if !address.needs_utf8() {
            return true;
        }
        let mut known = self.0.known.subscribe();
        if self.answer().is_none() {
            self.0.asked.notify_one();
            let answered = known.wait_for(|known| known.answer().is_some());
            // Without an answer the mail is taken in, and nobody else waits.
            let is_late = timeout(self.0.times.patience, answered).await.is_err();
            if is_late {
                self.unanswered();
            }
        }
        self.may_take(address)
    }

    /// Returns when somebody waits for the relay's offer.
    pub(super) async fn asked(&self) {
        self.0.asked.notified().await;
    }

    fn answer(&self) -> Option<bool> {
        self.0.known.borrow().answer()
    }
}

impl Known {
    fn answer(self) -> Option<bool> {
        match self {
            Self::Any => Some(true),
            Self::Unknown => None,
            Self::Offered { utf8, until } => (Instant::now() < until).then_some(utf8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Times = Times {
        fresh: Duration::from_secs(600),
        unanswered: Duration::from_secs(60),
        patience: Duration::from_millis(20),
    };

    fn ivan() -> Address {
        Address::parse("иван@почта.example").unwrap()
    }

    #[tokio::test]
    async fn the_relay_is_asked_once_while_its_offer_counts() {
        let reach = Reach::default();
        assert!(reach.takes(&ivan()).await, "no relay decides");
        reach.begin();
        assert!(reach.may_take(&ivan()));
        let asked = reach.clone();
        let relay = tokio::spawn(async move {
            asked.asked().await;
            asked.learn(false);
        });
        assert!(!reach.takes(&ivan()).await);
        relay.await.unwrap();
        assert!(!reach.takes(&ivan()).await && !reach.may_take(&ivan()));
        for other in ["bob@example.org", "bob@почта.example"] {
            assert!(reach.takes(&Address::parse(other).unwrap()).await, "{other}");
        }
    }

    #[tokio::test]
    async fn an_old_offer_does_not_count() {
        let reach = Reach::with(Times {
            fresh: Duration::ZERO,
            ..QUICK
        });
        reach.learn(false);
        assert!(reach.takes(&ivan()).await);
    }

    #[tokio::test]
    async fn a_relay_that_says_nothing_delays_a_little_and_keeps_nobody_out() {
        let reach = Reach::with(QUICK);
        reach.begin();
        let began = Instant::now();
        assert!(reach.takes(&ivan()).await);
        assert!(began.elapsed() >= QUICK.patience);
        assert_eq!(reach.answer(), Some(true), "nobody else waits");
        reach.learn(false);
        reach.unanswered();
        assert!(!reach.may_take(&ivan()), "what it said counts");
    }
}
