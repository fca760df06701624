//! Who asks how often: rate limits, and the access log, in which tokens are masked.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::fault::Fault;
use super::site::Site;

/// Requests that a network may send at once.
const BURST: f64 = 240.0;

/// Requests that it may send a second, again and again: a page has a style sheet and some pictures.
const A_SECOND: f64 = 20.0;

/// The most networks that are counted; when there are more, those that have their whole burst again are forgotten.
const MOST_NETWORKS: usize = 10_000;

/// The segments of a path after which a token stands.
const BEFORE_TOKENS: [&str; 2] = ["k", "u"];

/// Who sent a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client(pub(super) IpAddr);

/// How many requests each network may send now.
#[derive(Debug, Default)]
pub(super) struct Rates(Mutex<HashMap<IpAddr, (f64, Instant)>>);

impl Rates {
    /// Takes one of the requests of this client's network; `false` if there is none.
    fn take(&self, client: IpAddr, now: Instant) -> bool {
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

/// The address without its last part, for the log.
fn masked_address(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 80 << 80)),
        IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() >> 8 << 8)),
    }
}

/// A path whose tokens are masked, for the log.
fn masked_path(path: &str) -> String {
    let mut is_token = false;
    let shown = path.split('/').map(|segment| {
        let shown = if is_token && !segment.is_empty() {
            "***"
        } else {
            segment
        };
        is_token = BEFORE_TOKENS.contains(&segment);
        shown
    });
    shown.collect::<Vec<_>>().join("/")
}

/// Limits the rate, and logs each request with its answer.
pub(super) async fn watch(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let client = request.extensions().get::<Client>().map(|client| client.0);
    let client = client.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let method = request.method().clone();
    let path = masked_path(request.uri().path());
    let answer = match site.rates.take(client, started) {
        true => next.run(request).await,
        false => Fault::hurried().into_response(),
    };
    let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (client, status) = (masked_address(client), answer.status().as_u16());
    tracing::info!(%client, %method, path, status, milliseconds, "page");
    answer
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn tokens_are_masked_wherever_the_pages_are() {
        for (path, shown) in [
            ("/", "/"),
            ("/board/Pow2/105", "/board/Pow2/105"),
            ("/k/kaa-bbb/board/Pow2/105", "/k/***/board/Pow2/105"),
            ("/games/k/kaa-bbb", "/games/k/***"),
            ("/games/u/uaa-bbb", "/games/u/***"),
            ("/k//kaa-bbb", "/k//kaa-bbb"),
        ] {
            assert_eq!(masked_path(path), shown);
        }
    }

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
