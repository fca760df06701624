//! What verifying may cost: time, questions, and how many at a time. Strangers cause it, so each question is paid for before it
//! is asked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::claim::Claim;

/// The questions that one message may cause: SPF has ten lookups and the hosts of an MX, DMARC eight for each domain.
pub(super) const QUESTIONS: u32 = 40;

/// The longest time that verifying one message may take.
pub(super) const LONGEST: Duration = Duration::from_secs(5);

/// The time that one message has after others have used up what they may take together.
const SHORTEST: Duration = Duration::from_millis(300);

/// How long messages may wait together where one comes after another, as from a mailbox: a slow name server of a stranger would
/// otherwise hold up everybody's mail. A tenth of the time that passes comes back.
const WAITING: Duration = Duration::from_secs(10);
const WAITING_SHARE: u32 = 10;

/// Messages of players, and of strangers, that are verified at a time.
const AT_ONCE: usize = 16;

/// Messages of players, and of strangers, whose text is hashed at a time.
const HASHED_AT_ONCE: usize = 2;

/// Questions in a second: of all players, of all strangers, and of one network around a client; and how many seconds are saved up.
const OF_ALL: u32 = 50;
const OF_ONE: u32 = 4;
const SAVED_SECONDS: u32 = 60;

/// The networks of which this is remembered. Beyond it those that owe nothing are forgotten, and if all do, everything is.
const NETWORKS: usize = 10_000;

/// What is left of a number a second.
#[derive(Clone, Copy, Debug)]
struct Account {
    /// When all of it is there again.
    full_at: Instant,
}

impl Account {
    const fn new(now: Instant) -> Self {
        Self { full_at: now }
    }

    /// Takes one of so many a second, if one is left.
    fn take(&mut self, a_second: u32, now: Instant) -> bool {
        let full_at = self.full_at.max(now) + Duration::from_secs(1) / a_second;
        let is_left = full_at - now <= Duration::from_secs(SAVED_SECONDS.into());
        if is_left {
            self.full_at = full_at;
        }
        is_left
    }
}

/// What players may cause, or strangers.
#[derive(Debug)]
struct Lane {
    turns: Semaphore,
    places: Semaphore,
    questions: Mutex<Account>,
    /// When the time for waiting is all there again.
    rested_at: Mutex<Instant>,
}

impl Lane {
    fn new(now: Instant) -> Self {
        Self {
            turns: Semaphore::new(HASHED_AT_ONCE),
            places: Semaphore::new(AT_ONCE),
            questions: Mutex::new(Account::new(now)),
            rested_at: Mutex::new(now),
        }
    }
}

/// The bounds of all messages together.
#[derive(Debug)]
pub(super) struct Bounds {
    players: Lane,
    strangers: Lane,
    networks: Mutex<HashMap<String, Account>>,
}

impl Bounds {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self {
            players: Lane::new(now),
            strangers: Lane::new(now),
            networks: Mutex::default(),
        }
    }

    const fn lane(&self, is_known: bool) -> &Lane {
        match is_known {
            true => &self.players,
            false => &self.strangers,
        }
    }

    /// Waits for a turn to read and hash the message.
    pub(super) async fn turn(&self, claim: &Claim) -> Option<SemaphorePermit<'_>> {
        self.lane(claim.is_known).turns.acquire().await.ok()
    }

    /// Waits for a place among those that ask.
    pub(super) async fn enter(&self, claim: &Claim) -> Option<SemaphorePermit<'_>> {
        self.lane(claim.is_known).places.acquire().await.ok()
    }

    /// How long verifying may take.
    pub(super) fn patience(&self, claim: &Claim) -> Duration {
        if claim.client.is_some() {
            return LONGEST;
        }
        let rested_at = self.lane(claim.is_known).rested_at.lock();
        let rested_at = *rested_at.unwrap_or_else(PoisonError::into_inner);
        let used = rested_at.saturating_duration_since(Instant::now()) / WAITING_SHARE;
        WAITING.saturating_sub(used).clamp(SHORTEST, LONGEST)
    }

    /// Notes that a message has held up those after it.
    pub(super) fn waited(&self, is_known: bool, time: Duration) {
        let rested_at = self.lane(is_known).rested_at.lock();
        let mut rested_at = rested_at.unwrap_or_else(PoisonError::into_inner);
        *rested_at = (*rested_at).max(Instant::now()) + time * WAITING_SHARE;
    }

    /// Whether one more question may be asked because of this claim.
    fn pay(&self, claim: &Claim) -> bool {
        let now = Instant::now();
        if claim.client.is_some() {
            let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
            if networks.len() >= NETWORKS {
                networks.retain(|_, account| account.full_at > now);
            }
            if networks.len() >= NETWORKS {
                networks.clear();
            }
            let account = networks.entry(claim.realm.clone());
            if !account.or_insert(Account::new(now)).take(OF_ONE, now) {
                return false;
            }
        }
        let account = self.lane(claim.is_known).questions.lock();
        account.unwrap_or_else(PoisonError::into_inner).take(OF_ALL, now)
    }
}

/// What is left for one message.
#[derive(Debug)]
pub(super) struct Purse<'a> {
    bounds: &'a Bounds,
    claim: &'a Claim,
    left: AtomicU32,
    is_over: AtomicBool,
}

impl<'a> Purse<'a> {
    pub(super) const fn new(bounds: &'a Bounds, claim: &'a Claim) -> Self {
        Self {
            bounds,
            claim,
            left: AtomicU32::new(QUESTIONS),
            is_over: AtomicBool::new(false),
        }
    }

    /// Pays for a question; returns whether it may be asked.
    pub(super) fn pay(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        let may = !self.is_over() && taken.is_ok() && self.bounds.pay(self.claim);
        self.is_over.fetch_or(!may, Ordering::Relaxed);
        may
    }

    /// Whether a question was not asked. What was found then is worth nothing.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}
