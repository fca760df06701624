//! How many requests a network may send.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Requests that a network may send at once.
const BURST: f64 = 240.0;

/// Requests that it may send a second, again and again: a page has a style sheet and some pictures.
const A_SECOND: f64 = 20.0;

/// The most networks that are counted; when there are more, those that have their whole burst again are forgotten.
const MOST_NETWORKS: usize = 10_000;

/// How many requests each network may send now.
#[derive(Debug, Default)]
pub(super) struct Rates(Mutex<HashMap<IpAddr, (f64, Instant)>>);

impl Rates {
    /// Takes one of the requests of this client's network; `false` if there is none.
    pub(super) fn take(&self, client: IpAddr, now: Instant) -> bool {
        let mut rates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rates.len() >= MOST_NETWORKS {
            rates.retain(|_, (left, at)| refilled(*left, *at, now) < BURST);
        }
        if rates.len() >= MOST_NETWORKS {
            rates.clear();
        }
        let (left, at) = rates.entry(network(client)).or_insert((BURST, now));
        let now_left = refilled(*left, *at, now);
        *at = now;
        *left = (now_left - 1.0).max(0.0);
        now_left >= 1.0
    }
}

fn refilled(left: f64, at: Instant, now: Instant) -> f64 {
    (left + now.saturating_duration_since(at).as_secs_f64() * A_SECOND).min(BURST)
}

/// The network of one customer: an IPv4 address, or the /64 of an IPv6 address.
fn network(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_network_has_a_burst_and_then_a_rate() {
        let rates = Rates::default();
        let now = Instant::now();
        let [one, same, other]: [IpAddr; 3] =
            ["2001:db8::1", "2001:db8::2", "192.0.2.1"].map(|text| text.parse().unwrap());
        let taken = (0..1000).filter(|_| rates.take(one, now)).count();
        assert_eq!(taken, 240);
        assert!(!rates.take(same, now));
        assert!(rates.take(other, now));
        let later = now + Duration::from_secs(1);
        assert_eq!((0..1000).filter(|_| rates.take(same, later)).count(), 20);
    }
}
