//! How many requests a network may send.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Requests that a network may send at once.
const BURST: f64 = 240.0;

/// Requests that it may send a second, again and again: a page has a style sheet and some pictures.
const A_SECOND: f64 = 20.0;

/// The most networks that are counted; when there are more, those that have their whole burst again are forgotten.
const MAX_NETWORKS: usize = 10_000;

/// How much of that a /48 of IPv6 may send: one customer often has it, and with it 65536 networks.
const AROUND: f64 = 4.0;

/// How long a request is kept waiting for its turn before it is refused. So one of a few clients behind an address is served
/// though another one hammers: each connection has one request that waits.
const PATIENCE: Duration = Duration::from_secs(4);

/// How many requests each network may send now.
#[derive(Debug, Default)]
pub(super) struct Rates(Mutex<HashMap<Source, Left>>);

/// An IPv4 address, or an IPv6 network with its length.
type Source = (IpAddr, u32);

/// The requests that were left at a time; fewer than none if some wait.
#[derive(Clone, Copy, Debug)]
struct Left {
    requests: f64,
    at: Instant,
    times: f64,
}

impl Left {
    fn refilled(self, now: Instant) -> f64 {
        let more = now.saturating_duration_since(self.at).as_secs_f64() * A_SECOND * self.times;
        (self.requests + more).min(BURST * self.times)
    }
}

impl Rates {
    /// Takes one of the requests of this client's network, and says how long it must wait; `None`: it is refused, and has used up
    /// nothing.
    pub(super) fn take(&self, client: IpAddr, now: Instant) -> Option<Duration> {
        let mut rates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rates.len() >= MAX_NETWORKS {
            rates.retain(|_, left| left.refilled(now) < BURST * left.times);
        }
        if rates.len() >= MAX_NETWORKS {
            rates.clear();
        }
        let mut wait = Duration::ZERO;
        let mut taken = Vec::new();
        for (source, times) in sources(client) {
            let left = rates
                .get(&source)
                .map_or(BURST * times, |left| left.refilled(now));
            let requests = left - 1.0;
            let seconds = (-requests / (A_SECOND * times)).max(0.0);
            wait = wait.max(Duration::from_secs_f64(seconds));
            let at = now;
            taken.push((source, Left { requests, at, times }));
        }
        if wait > PATIENCE {
            return None;
        }
        rates.extend(taken);
        Some(wait)
    }
}

/// The networks by which a client counts: an IPv4 address; the /64 and the /48 of an IPv6 address.
fn sources(client: IpAddr) -> Vec<(Source, f64)> {
    match client {
        IpAddr::V6(v6) => {
            let network = |prefix: u32| {
                let shift = 128 - prefix;
                IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> shift << shift))
            };
            vec![((network(64), 64), 1.0), ((network(48), 48), AROUND)]
        }
        v4 => vec![((v4, 32), 1.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of these requests are served at once, and how many after a wait.
    fn served(rates: &Rates, clients: impl Iterator<Item = IpAddr>, now: Instant) -> (usize, usize) {
        let waits: Vec<Duration> = clients.filter_map(|client| rates.take(client, now)).collect();
        let at_once = waits.iter().filter(|wait| wait.is_zero()).count();
        (at_once, waits.len() - at_once)
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_has_a_burst_and_then_a_rate() {
        let rates = Rates::default();
        let now = Instant::now();
        let [one, same, other] = ["2001:db8::1", "2001:db8::2", "192.0.2.1"].map(address);
        let many = || std::iter::repeat_n(one, 1000);
        assert_eq!(served(&rates, many(), now), (240, 80));
        assert_eq!(rates.take(same, now), None);
        assert_eq!(rates.take(other, now), Some(Duration::ZERO));
        let later = now + Duration::from_secs(1);
        assert_eq!(served(&rates, many(), later), (0, 20));
    }

    #[test]
    fn what_is_refused_uses_up_nothing() {
        let rates = Rates::default();
        let now = Instant::now();
        let client = address("192.0.2.1");
        served(&rates, std::iter::repeat_n(client, 320), now);
        for millisecond in 1..50 {
            assert_eq!(rates.take(client, now + Duration::from_millis(millisecond)), None);
        }
        assert!(rates.take(client, now + Duration::from_millis(51)).is_some());
    }

    #[test]
    fn all_networks_of_a_48_count_as_four_of_them() {
        let rates = Rates::default();
        let now = Instant::now();
        let networks = (0..3000_u128).map(|number| {
            let first = u128::from_be_bytes("2001:db8::1".parse::<Ipv6Addr>().unwrap().octets());
            IpAddr::V6(Ipv6Addr::from_bits(first + (number << 64)))
        });
        assert_eq!(served(&rates, networks, now), (960, 320));
        assert_eq!(rates.take(address("2001:db8:1::1"), now), Some(Duration::ZERO));
    }
}
