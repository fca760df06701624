//! Limits shared by all sessions: the number of connections and the bytes of messages in memory.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::network::Network;
use super::rates::Rates;
use super::settings::Settings;

/// The shared counters of all listeners.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    pub(super) guests: Arc<ConnectionLimit>,
    pub(super) rates: Arc<Rates>,
    pub(super) held: Arc<MemoryBudget>,
}

/// The counter of open connections.
#[derive(Debug, Default)]
pub(super) struct ConnectionLimit {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    by_peer: HashMap<Network, usize>,
}

/// One open connection, counted until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    guests: Arc<ConnectionLimit>,
    peer: Network,
}

/// Why a connection is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// Too many connections in total.
    All,
    /// Too many connections from this peer.
    Peer,
    /// Too many new connections from this network in a minute.
    Often,
    /// Too many refused commands from this network in a minute.
    Refusals,
}

impl ConnectionLimit {
    /// Counts a new connection, if the limits allow it.
    pub(super) fn admit(
        self: &Arc<Self>,
        address: IpAddr,
        is_trusted: bool,
        settings: &Settings,
    ) -> Result<ConnectionPermit, Full> {
        let peer = Network::of_customer(address);
        let most = match settings.max_connections {
            all if is_trusted => all,
            all => all - all / 10,
        };
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.all >= most {
            return Err(Full::All);
        }
        let of_peer = counts.by_peer.get(&peer).copied().unwrap_or(0);
        if of_peer >= settings.max_connections_per_peer && !is_trusted {
            return Err(Full::Peer);
        }
        counts.all += 1;
        counts.by_peer.insert(peer, of_peer + 1);
        Ok(ConnectionPermit {
            guests: Arc::clone(self),
            peer,
        })
    }
}

impl ConnectionPermit {
    /// Whether three quarters of all connections are in use.
    pub(super) fn is_crowded(&self, settings: &Settings) -> bool {
        let counts = self.guests.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.all >= settings.max_connections - settings.max_connections / 4
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut counts = self.guests.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.all = counts.all.saturating_sub(1);
        let left = counts
            .by_peer
            .get(&self.peer)
            .map_or(0, |count| count.saturating_sub(1));
        if left == 0 {
            counts.by_peer.remove(&self.peer);
        } else {
            counts.by_peer.insert(self.peer, left);
        }
    }
}

/// The bytes of messages being received or handled, in all sessions together.
#[derive(Debug, Default)]
pub(super) struct MemoryBudget(AtomicUsize);

/// The share of one message, released when dropped.
#[derive(Debug)]
pub(super) struct MemoryPermit {
    held: Arc<MemoryBudget>,
    bytes: usize,
}

impl MemoryPermit {
    const STEP: usize = 16 * 1024;

    /// The longest ordinary message.
    const ORDINARY: usize = 64 * 1024;

    pub(super) fn none(held: &Arc<MemoryBudget>) -> Self {
        Self {
            held: Arc::clone(held),
            bytes: 0,
        }
    }

    /// Grows the share to this many bytes; returns false if that exceeds the total limit. The last quarter is
    /// reserved for ordinary messages, so a few long messages that never end cannot block the others.
    pub(super) fn grow_to(&mut self, bytes: usize, settings: &Settings) -> bool {
        if bytes <= self.bytes {
            return true;
        }
        let wanted = bytes.div_ceil(Self::STEP).saturating_mul(Self::STEP);
        let open = match settings.max_held_bytes {
            all if wanted <= Self::ORDINARY => all,
            all => all - all / 4,
        };
        let limit = open.max(settings.max_message_bytes.saturating_add(Self::STEP));
        let more = wanted - self.bytes;
        let grown = self
            .held
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |all| {
                all.checked_add(more).filter(|&all| all <= limit)
            });
        if grown.is_ok() {
            self.bytes = wanted;
        }
        grown.is_ok()
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        self.held.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            max_connections: 5,
            max_connections_per_peer: 2,
            max_message_bytes: 1000,
            max_held_bytes: 64 * 1024,
            ..Settings::default()
        }
    }

    fn admit(guests: &Arc<ConnectionLimit>, address: &str) -> Result<ConnectionPermit, Full> {
        let address = address.parse().unwrap();
        let settings = settings();
        guests.admit(address, settings.trusted.contains(address), &settings)
    }

    #[test]
    fn a_peer_has_its_share_of_connections_and_gets_it_back() {
        let guests = Arc::new(ConnectionLimit::default());
        let admit = |address: &str| admit(&guests, address);
        let first = admit("192.0.2.1").unwrap();
        let _second = admit("::ffff:192.0.2.1").unwrap();
        assert_eq!(admit("192.0.2.1").unwrap_err(), Full::Peer);
        let _other = admit("192.0.2.2").unwrap();
        drop(first);
        let _again = admit("192.0.2.1").unwrap();
        let _v6 = admit("2001:db8::1").unwrap();
        let _v6_too = admit("2001:db8::2").unwrap();
        assert_eq!(admit("192.0.2.9").unwrap_err(), Full::All);
    }

    #[test]
    fn one_ipv6_network_is_one_peer_and_the_machine_itself_is_exempt() {
        let guests = Arc::new(ConnectionLimit::default());
        let admit = |address: &str| admit(&guests, address);
        let _held = [admit("2001:db8::1").unwrap(), admit("2001:db8::2").unwrap()];
        assert_eq!(admit("2001:db8::3").unwrap_err(), Full::Peer);
        let _local = [
            admit("127.0.0.1").unwrap(),
            admit("127.0.0.1").unwrap(),
            admit("127.0.0.1").unwrap(),
        ];
        assert_eq!(admit("127.0.0.1").unwrap_err(), Full::All);
    }

    #[test]
    fn the_last_tenth_of_all_connections_is_for_trusted_clients() {
        let guests = Arc::new(ConnectionLimit::default());
        let settings = Settings {
            max_connections: 20,
            max_connections_per_peer: 20,
            ..Settings::default()
        };
        let mut held = Vec::new();
        let mut come = |address: &str, is_trusted| {
            let come = guests.admit(address.parse().unwrap(), is_trusted, &settings);
            come.map(|permit| {
                let is_crowded = permit.is_crowded(&settings);
                held.push(permit);
                is_crowded
            })
        };
        let crowded: Vec<_> = (0..18).map(|_| come("192.0.2.1", false).unwrap()).collect();
        assert_eq!(crowded.iter().position(|&is_crowded| is_crowded), Some(14));
        assert_eq!(come("192.0.2.2", false), Err(Full::All));
        assert_eq!(come("127.0.0.1", true), Ok(true));
        assert_eq!(come("127.0.0.1", true), Ok(true));
        assert_eq!(come("127.0.0.1", true), Err(Full::All));
    }

    #[test]
    fn bytes_are_shared_and_given_back() {
        let held = Arc::new(MemoryBudget::default());
        let mut first = MemoryPermit::none(&held);
        let mut second = MemoryPermit::none(&held);
        assert!(first.grow_to(40_000, &settings()));
        assert!(second.grow_to(16_000, &settings()));
        assert!(!second.grow_to(20_000, &settings()));
        drop(first);
        assert!(second.grow_to(20_000, &settings()));
        drop(second);
        assert_eq!(held.0.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn long_messages_leave_room_for_ordinary_ones() {
        let settings = Settings {
            max_held_bytes: 1024 * 1024,
            max_message_bytes: 500_000,
            ..Settings::default()
        };
        let held = Arc::new(MemoryBudget::default());
        let mut long: Vec<_> = (0..10).map(|_| MemoryPermit::none(&held)).collect();
        for share in &mut long {
            // Like the door: a refused message releases its share.
            if !(1..=30).all(|step| share.grow_to(step * 16 * 1024, &settings)) {
                *share = MemoryPermit::none(&held);
            }
        }
        let mut ordinary: Vec<_> = (0..4).map(|_| MemoryPermit::none(&held)).collect();
        assert!(ordinary.iter_mut().all(|share| share.grow_to(50_000, &settings)));
        drop(long);
        assert!(MemoryPermit::none(&held).grow_to(500_000, &settings));
    }
}
