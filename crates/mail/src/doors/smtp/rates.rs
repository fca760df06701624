//! How often a network may do something: connect, send, name a recipient, be refused.
//!
//! Each network has a bucket for each kind of event, which empties at the rate of its limit (the generic cell
//! rate algorithm): as many events at once as are allowed in a minute, then one after the other. A client is
//! counted by its own network and, with a wider limit, by the network around it, since one customer may have
//! many addresses.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::network::Network;

/// The time in which a full bucket empties.
const MINUTE: Duration = Duration::from_secs(60);

/// How many times the limit of a client the network around it may use.
const AROUND: u32 = 4;

/// The most networks in a generation: about 2 MB for both.
const CAPACITY: usize = 8192;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Connection,
    Message,
    Recipient,
    /// A command or message that was refused through the client's fault.
    Refusal,
    /// A line in the log about a limit.
    LogLine,
}

/// For each kind of event, when the bucket will be empty.
type Buckets = [Option<Instant>; 5];

/// The buckets of the networks that were seen last.
#[derive(Debug, Default)]
pub(super) struct Rates(Mutex<Generations>);

/// Networks of the last minute or two. When the young generation is full or a minute old, it becomes the old
/// one, and the old one is forgotten: its buckets are empty, or there are too many of them.
#[derive(Debug, Default)]
struct Generations {
    began: Option<Instant>,
    young: HashMap<Network, Buckets>,
    old: HashMap<Network, Buckets>,
}

impl Rates {
    /// Counts an event, if the limit of so many a minute allows it; 0 is no limit.
    pub(super) fn admit(&self, client: IpAddr, event: Event, limit: u32) -> bool {
        self.admit_at(client, event, limit, Instant::now())
    }

    /// Whether the next event of this kind would be refused.
    pub(super) fn is_spent(&self, client: IpAddr, event: Event, limit: u32) -> bool {
        let now = Instant::now();
        let mut generations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        settings(client, limit).iter().any(|&(network, step)| {
            after(generations.buckets(network, now)[event as usize], step, now).is_none()
        })
    }

    fn admit_at(&self, client: IpAddr, event: Event, limit: u32, now: Instant) -> bool {
        let mut generations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut filled = [now; 2];
        // A refused event fills no bucket.
        let settings = settings(client, limit);
        for (&(network, step), filled) in settings.iter().zip(&mut filled) {
            match after(generations.buckets(network, now)[event as usize], step, now) {
                Some(empty_at) => *filled = empty_at,
                None => return false,
            }
        }
        for (&(network, _), filled) in settings.iter().zip(filled) {
            generations.buckets(network, now)[event as usize] = Some(filled);
        }
        true
    }
}

/// The networks of a client, and by how much an event fills their buckets.
fn settings(client: IpAddr, limit: u32) -> [(Network, Duration); 2] {
    let step = |limit: u32| MINUTE.checked_div(limit).unwrap_or_default();
    [
        (Network::of_customer(client), step(limit)),
        (Network::around(client), step(limit.saturating_mul(AROUND))),
    ]
}

/// When a bucket will be empty after one more event; `None` if it is full.
fn after(empty_at: Option<Instant>, step: Duration, now: Instant) -> Option<Instant> {
    let filled = empty_at.map_or(now, |empty_at| empty_at.max(now)) + step;
    (filled <= now + MINUTE).then_some(filled)
}

impl Generations {
    fn buckets(&mut self, network: Network, now: Instant) -> &mut Buckets {
        let began = *self.began.get_or_insert(now);
        if self.young.len() >= CAPACITY || now.saturating_duration_since(began) > MINUTE {
            self.began = Some(now);
            self.old = std::mem::take(&mut self.young);
        }
        let Self { young, old, .. } = self;
        young
            .entry(network)
            .or_insert_with(|| old.get(&network).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    struct Clock(Instant);

    impl Clock {
        fn after(&self, millis: u64) -> Instant {
            self.0 + Duration::from_millis(millis)
        }
    }

    /// How many of a hundred attempts are admitted.
    fn admitted(rates: &Rates, client: &str, event: Event, limit: u32, now: Instant) -> usize {
        (0..100)
            .filter(|_| rates.admit_at(ip(client), event, limit, now))
            .count()
    }

    #[test]
    fn a_minutes_events_are_admitted_at_once_and_then_one_after_the_other() {
        let (rates, clock) = (Rates::default(), Clock(Instant::now()));
        let count = |at| admitted(&rates, "192.0.2.1", Event::Message, 6, clock.after(at));
        assert_eq!(count(0), 6);
        assert_eq!(count(9_999), 0, "refused attempts do not count");
        assert_eq!(count(10_000), 1);
        assert_eq!(count(35_000), 2);
        assert_eq!(count(1_000_000), 6);
    }

    #[test]
    fn each_kind_of_event_and_each_client_has_its_own_bucket() {
        let (rates, now) = (Rates::default(), Instant::now());
        assert_eq!(admitted(&rates, "192.0.2.1", Event::Message, 6, now), 6);
        assert_eq!(admitted(&rates, "192.0.2.1", Event::Connection, 3, now), 3);
        assert_eq!(admitted(&rates, "192.0.2.2", Event::Message, 6, now), 6);
        assert_eq!(
            admitted(&rates, "192.0.2.3", Event::Message, 0, now),
            100,
            "no limit"
        );
        assert!(rates.is_spent(ip("192.0.2.1"), Event::Message, 6));
        assert!(!rates.is_spent(ip("192.0.2.1"), Event::Refusal, 6));
    }

    #[test]
    fn a_network_full_of_addresses_has_four_times_the_limit_of_one() {
        let now = Instant::now();
        for format in [
            |n: u32| format!("192.0.2.{n}"),
            |n| format!("2001:db8:1:{n:x}::1"),
        ] {
            let rates = Rates::default();
            let all: usize = (0..256)
                .map(|n| admitted(&rates, &format(n), Event::Connection, 10, now))
                .sum();
            assert_eq!(all, 40);
        }
        let rates = Rates::default();
        let of_one_customer: usize = (1..9)
            .map(|n| admitted(&rates, &format!("2001:db8::{n}"), Event::Connection, 10, now))
            .sum();
        assert_eq!(of_one_customer, 10);
    }

    #[test]
    fn however_many_networks_come_the_memory_is_bounded_and_comes_back() {
        let (rates, clock) = (Rates::default(), Clock(Instant::now()));
        for n in 0..100_000_u32 {
            let client = IpAddr::from((n << 8).to_be_bytes());
            assert!(rates.admit_at(client, Event::Connection, 60, clock.0));
        }
        let held = |rates: &Rates| {
            let generations = rates.0.lock().unwrap();
            generations.young.capacity() + generations.old.capacity()
        };
        assert!(held(&rates) <= 4 * CAPACITY, "{}", held(&rates));
        for minute in 1..4 {
            admitted(
                &rates,
                "192.0.2.1",
                Event::Message,
                6,
                clock.after(minute * 60_001),
            );
        }
        assert!(held(&rates) < 10, "{}", held(&rates));
    }

    #[test]
    fn a_bucket_is_still_known_in_the_next_generation() {
        let (rates, clock) = (Rates::default(), Clock(Instant::now()));
        admitted(&rates, "198.51.100.1", Event::Message, 6, clock.0);
        assert_eq!(
            admitted(&rates, "192.0.2.1", Event::Message, 6, clock.after(59_000)),
            6
        );
        assert_eq!(
            admitted(&rates, "192.0.2.1", Event::Message, 6, clock.after(61_000)),
            0
        );
    }
}
