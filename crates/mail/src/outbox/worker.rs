//! One of the sender's concurrent workers: delivers the mails of one address after another, and recognizes a
//! transport that is down.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{mpsc, watch};

use super::retry::{after_failure, defer};
use super::{Deliver, Failure, Identity, Outcome, Outgoing, Queue, SettledMail, build};

/// When this many addresses in a row are temporarily refused, the transport is down. Otherwise each mail
/// would be deferred separately, by pauses that grow to hours.
const DOWN_AFTER_ADDRESSES: usize = 5;

/// An outcome, and what it says about the transport.
pub(super) struct Done {
    pub(super) settled: SettledMail,
    pub(super) is_down: bool,
    /// Whether the transport saw the mail at all.
    pub(super) was_offered: bool,
}

/// The mails of each address.
type Groups<D> = VecDeque<Vec<Outgoing<D>>>;

/// Takes one address after another and sends its mails in order.
pub(super) struct Worker<Q: Queue, D> {
    pub(super) groups: Arc<Mutex<Groups<Q::Draft>>>,
    pub(super) queue: Arc<Q>,
    pub(super) transport: Arc<D>,
    pub(super) identity: Arc<Identity>,
    pub(super) now: Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>,
    /// Addresses that were temporarily refused since the last success.
    pub(super) refused: Arc<Mutex<HashSet<String>>>,
    pub(super) is_down: Arc<AtomicBool>,
    pub(super) pause: Duration,
    pub(super) stop: watch::Receiver<bool>,
    pub(super) outcomes: mpsc::UnboundedSender<Done>,
}

impl<Q: Queue, D: Deliver> Worker<Q, D> {
    pub(super) async fn run(self) {
        while let Some(group) = self.next_group() {
            for mail in group {
                if self.is_down.load(Ordering::Relaxed) || is_stopped(&self.stop) {
                    return;
                }
                // The next round says why.
                if self.queue.is_ours().await.is_err() {
                    return;
                }
                let id = mail.id;
                let done = match self.queue.render(mail).await {
                    Ok(mail) => self.send(mail).await,
                    Err(why) => Some(Done {
                        settled: SettledMail {
                            id,
                            outcome: Outcome::Failed { why },
                        },
                        is_down: false,
                        was_offered: false,
                    }),
                };
                if let Some(done) = done {
                    // The receiver is dropped only when this worker is being aborted.
                    let _ = self.outcomes.send(done);
                }
            }
        }
    }

    fn next_group(&self) -> Option<Vec<Outgoing<Q::Draft>>> {
        self.groups
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    }

    /// Sends one mail. `None`: another mail has already reported that the transport is down, so this one
    /// stays due and unchanged.
    async fn send(&self, mail: Outgoing) -> Option<Done> {
        let mail = &mail;
        let done = |outcome, is_down, was_offered| {
            let settled = SettledMail { id: mail.id, outcome };
            Some(Done {
                settled,
                is_down,
                was_offered,
            })
        };
        let built = match build(mail, &self.identity) {
            Ok(built) => built,
            Err(e) => return done(Outcome::Failed { why: e.to_string() }, false, false),
        };
        let delivered = self.transport.deliver(&built, mail).await;
        let is_down = self.is_refused_with_others(mail, &delivered);
        match delivered {
            Ok(()) => done(Outcome::Sent, false, true),
            Err(Failure::Permanent(why)) => done(Outcome::Refused { why }, false, true),
            Err(Failure::Temporary(why)) => done(after_failure(mail, (self.now)(), why), is_down, true),
            Err(Failure::Unsupported(why)) => done(after_failure(mail, (self.now)(), why), false, true),
            Err(Failure::Down(_)) if self.is_down.swap(true, Ordering::Relaxed) => None,
            // Twice the loop's pause: the next round then tries another mail, in case this one was at fault
            // after all.
            Err(Failure::Down(why)) => {
                let pause = TimeDelta::from_std(self.pause * 2).unwrap_or(TimeDelta::MAX);
                done(defer(mail, (self.now)(), pause, why), true, true)
            }
        }
    }

    /// Whether too many addresses were refused in a row; then the transport is down. A permanent refusal
    /// counts as a success: the transport judged that mail.
    fn is_refused_with_others(&self, mail: &Outgoing, delivered: &Result<(), Failure>) -> bool {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        match delivered {
            Ok(()) | Err(Failure::Permanent(_)) => refused.clear(),
            Err(Failure::Temporary(_)) if refused.len() < DOWN_AFTER_ADDRESSES => {
                _ = refused.insert(mail.to.key());
            }
            Err(Failure::Temporary(_) | Failure::Down(_)) => {}
            Err(Failure::Unsupported(_)) => return false,
        }
        let is_down = refused.len() >= DOWN_AFTER_ADDRESSES;
        if is_down {
            self.is_down.store(true, Ordering::Relaxed);
        }
        is_down
    }
}

/// Groups the mails by address and keeps their order. Groups are ordered by their first mail.
pub(super) fn by_address<D>(rows: Vec<Outgoing<D>>) -> Groups<D> {
    let mut groups: Groups<D> = VecDeque::new();
    let mut place_of = HashMap::new();
    for mail in rows {
        let place = *place_of.entry(mail.to.key()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(mail),
            None => groups.push_back(vec![mail]),
        }
    }
    groups
}

pub(super) fn is_stopped(stop: &watch::Receiver<bool>) -> bool {
    *stop.borrow() || stop.has_changed().is_err()
}
