//! Answers of the DNS that are kept, bounded in number, size and time.
//!
//! Each purpose has a shelf of its own: the name that a stranger's SPF record includes may be the one under which a player's
//! domain has its key, and that it is no SPF record must not be taken for "no key".

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mail_auth::{DnsError, DnssecStatus, Error, MX, RecordSet, ResolverCache, Txt};

use super::bounds::Purse;

/// The entries of a shelf. A key may take 64 KiB, the length of a message of the DNS over TCP.
const ENTRIES: usize = 250;

/// What is longer as text, in bytes, is not kept.
const LONGEST: usize = 4096;

/// An entry is kept for so long at least, since a message asks for it more than once, and so long at most.
const KEPT_FOR: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(3600));

/// A kind of answer.
pub(super) trait Kept: Clone {
    /// Whether it is kept.
    fn is_fit(&self) -> bool;

    /// Stands for an answer that may not be asked for.
    fn none() -> Self;
}

impl Kept for Txt {
    fn is_fit(&self) -> bool {
        match self {
            Self::Spf(record) => is_short(record),
            Self::Dmarc(record) => is_short(record),
            Self::DomainKey(_) => true,
            _ => false,
        }
    }

    fn none() -> Self {
        Self::Error(Error::Dns(DnsError::Resolver("too much was asked".to_owned())))
    }
}

impl<T: Clone + fmt::Debug> Kept for RecordSet<T> {
    fn is_fit(&self) -> bool {
        !self.rrset.is_empty() && is_short(&self.rrset)
    }

    /// `mail-auth` may take it for "this name exists", so nothing that was found is used after it: see
    /// [`Purse::is_over`].
    fn none() -> Self {
        Self {
            rrset: Vec::new().into(),
            dnssec_status: DnssecStatus::Indeterminate,
        }
    }
}

/// Counts what is written, and ends it when it is too long.
struct Length(usize);

impl fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

fn is_short(record: &impl fmt::Debug) -> bool {
    write!(Length(LONGEST), "{record:?}").is_ok()
}

/// Answers of one kind for one purpose, and until when they are kept.
pub(super) struct Shelf<K, V>(Mutex<HashMap<K, (V, Instant)>>);

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Kept> Shelf<K, V> {
    fn get<Q: Hash + Eq + ?Sized>(&self, name: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (value, until) = entries.get(name)?;
        (*until > Instant::now()).then(|| value.clone())
    }

    fn keep(&self, name: K, value: V, until: Instant) {
        let now = Instant::now();
        let until = until.clamp(now + KEPT_FOR.0, now + KEPT_FOR.1);
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= ENTRIES {
            entries.retain(|_, (_, until)| *until > now);
        }
        if entries.len() >= ENTRIES {
            entries.clear();
        }
        entries.insert(name, (value, until));
    }

    /// The shelf as it serves one message.
    pub(super) const fn of<'a>(&'a self, purse: &'a Purse<'a>) -> Paid<'a, K, V> {
        Paid { shelf: self, purse }
    }
}

/// A shelf with what one message may still ask: what is not there is paid for before it is asked.
pub(super) struct Paid<'a, K, V> {
    shelf: &'a Shelf<K, V>,
    purse: &'a Purse<'a>,
}

impl<K: Eq + Hash, V: Kept> ResolverCache<K, V> for Paid<'_, K, V> {
    fn get<Q>(&self, name: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let kept = self.shelf.get(name);
        match kept {
            None if !self.purse.pay() => Some(V::none()),
            kept => kept,
        }
    }

    fn remove<Q>(&self, _: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        None
    }

    fn insert(&self, name: K, value: V, until: Instant) {
        if value.is_fit() {
            self.shelf.keep(name, value, until);
        }
    }
}

/// All shelves.
#[derive(Default)]
pub(super) struct Cache {
    pub(super) keys: Shelf<Box<str>, Txt>,
    pub(super) policies: Shelf<Box<str>, Txt>,
    pub(super) senders: Shelf<Box<str>, Txt>,
    pub(super) mx: Shelf<Box<str>, RecordSet<MX>>,
    pub(super) ipv4: Shelf<Box<str>, RecordSet<Ipv4Addr>>,
    pub(super) ipv6: Shelf<Box<str>, RecordSet<Ipv6Addr>>,
    pub(super) names: Shelf<IpAddr, RecordSet<Box<str>>>,
}
