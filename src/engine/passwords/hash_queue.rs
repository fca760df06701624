//! The queue before the hash: players before strangers, and within each class one message of every sender in turn.
//!
//! A turn is kept until the engine has recorded what came of the hash. Of one source only one message has its turn at a
//! time, and only one stranger's: so two messages never pass the same limit before either is counted.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use pbmserv_core::command::Unchecked;

/// The most messages that have their turn at a time.
pub(super) const AT_ONCE: usize = 2;

/// The most of them that are of strangers. A player never waits for a stranger's hash.
const STRANGERS_AT_ONCE: usize = 1;

/// Who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// The message comes from a confirmed address of the account that it names.
    Owner,
    /// Any other message.
    Stranger,
}

impl Class {
    const fn of(unchecked: &Unchecked) -> Self {
        if unchecked.is_from_owner {
            Self::Owner
        } else {
            Self::Stranger
        }
    }

    /// The most waiting messages of the class, and of one of its sources.
    const fn most_waiting(self) -> (usize, usize) {
        match self {
            Self::Owner => (1000, 250),
            Self::Stranger => (200, 50),
        }
    }
}

/// The queue.
#[derive(Debug, Default)]
pub(super) struct HashQueue {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    owners: WaitingHashes,
    strangers: WaitingHashes,
    /// Who have their turn.
    running: Vec<(Class, String)>,
    next_number: u64,
}

/// The waiting messages of a class.
#[derive(Debug, Default)]
struct WaitingHashes {
    sources: HashMap<String, VecDeque<Waiter>>,
    /// Its sources, the next first.
    round: VecDeque<String>,
    count: usize,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    /// Dropped if the message must give up its place.
    grant: oneshot::Sender<HashPermit>,
}

/// Too many wait already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords wait to be checked, please try again later")]
pub struct Busy;

impl HashQueue {
    /// Waits for the turn of a message from this source.
    ///
    /// # Errors
    /// [`Busy`].
    pub(super) async fn wait(
        self: &Arc<Self>,
        unchecked: &Unchecked,
        source: &str,
    ) -> Result<HashPermit, Busy> {
        let class = Class::of(unchecked);
        let (grant, granted) = oneshot::channel();
        let number = self.lock().push(class, source, grant)?;
        // Leaves the queue if the session ends before its turn.
        let _place = QueuePlace {
            turns: self,
            class,
            source,
            number,
        };
        self.advance();
        granted.await.map_err(|_| Busy)
    }

    /// Gives turns to those who are next.
    fn advance(self: &Arc<Self>) {
        // Dropped after the lock is released: dropping a turn takes the lock.
        let mut unwanted = Vec::new();
        let mut state = self.lock();
        while let Some((class, source, waiter)) = state.next() {
            state.running.push((class, source.clone()));
            let turn = HashPermit {
                turns: self.clone(),
                class,
                source,
            };
            unwanted.extend(waiter.grant.send(turn).err());
        }
        drop(state);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    const fn of(&mut self, class: Class) -> &mut WaitingHashes {
        match class {
            Class::Owner => &mut self.owners,
            Class::Stranger => &mut self.strangers,
        }
    }

    fn push(&mut self, class: Class, source: &str, grant: oneshot::Sender<HashPermit>) -> Result<u64, Busy> {
        self.next_number += 1;
        let number = self.next_number;
        let waiting = self.of(class);
        waiting.make_room(class, source)?;
        waiting.count += 1;
        let of_source = waiting.sources.entry(source.to_owned()).or_default();
        if of_source.is_empty() {
            waiting.round.push_back(source.to_owned());
        }
        of_source.push_back(Waiter { number, grant });
        Ok(number)
    }

    /// Takes who is next, if another turn may be given.
    fn next(&mut self) -> Option<(Class, String, Waiter)> {
        if self.running.len() >= AT_ONCE {
            return None;
        }
        let running = &self.running;
        let is_free = |source: &str| running.iter().all(|(_, other)| other != source);
        if let Some((source, waiter)) = self.owners.next(is_free) {
            return Some((Class::Owner, source, waiter));
        }
        let strangers = running.iter().filter(|(class, _)| *class == Class::Stranger);
        if strangers.count() >= STRANGERS_AT_ONCE {
            return None;
        }
        let (source, waiter) = self.strangers.next(is_free)?;
        Some((Class::Stranger, source, waiter))
    }
}

impl WaitingHashes {
    /// Makes room for one more of this source. If the class is full, the newest of the source that has most gives up its
    /// place, unless this one would have as many.
    fn make_room(&mut self, class: Class, source: &str) -> Result<(), Busy> {
        let (most, most_of_one) = class.most_waiting();
        let own = self.sources.get(source).map_or(0, VecDeque::len);
        if own >= most_of_one {
            return Err(Busy);
        }
        if self.count < most {
            return Ok(());
        }
        let longest = self.sources.iter().max_by_key(|(_, waiters)| waiters.len());
        let (longest, number) = longest
            .filter(|(_, waiters)| waiters.len() > own + 1)
            .and_then(|(longest, waiters)| Some((longest.clone(), waiters.back()?.number)))
            .ok_or(Busy)?;
        self.remove(&longest, number);
        Ok(())
    }

    /// Takes the first message of the first source in the round that is free; the source then goes to the end.
    fn next(&mut self, is_free: impl Fn(&str) -> bool) -> Option<(String, Waiter)> {
        let place = self.round.iter().position(|source| is_free(source))?;
        let source = self.round.remove(place)?;
        let waiters = self.sources.get_mut(&source)?;
        let waiter = waiters.pop_front()?;
        if waiters.is_empty() {
            self.sources.remove(&source);
        } else {
            self.round.push_back(source.clone());
        }
        self.count -= 1;
        Some((source, waiter))
    }

    /// Removes a message, if it still waits.
    fn remove(&mut self, source: &str, number: u64) {
        let Some(waiters) = self.sources.get_mut(source) else {
            return;
        };
        let before = waiters.len();
        waiters.retain(|waiter| waiter.number != number);
        self.count -= before - waiters.len();
        if waiters.is_empty() {
            self.sources.remove(source);
            self.round.retain(|other| other != source);
        }
    }
}

/// The place of a waiting message.
struct QueuePlace<'a> {
    turns: &'a HashQueue,
    class: Class,
    source: &'a str,
    number: u64,
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        self.turns.lock().of(self.class).remove(self.source, self.number);
    }
}

/// The turn of a message, until it is dropped.
#[derive(Debug)]
pub(in crate::engine) struct HashPermit {
    turns: Arc<HashQueue>,
    class: Class,
    source: String,
}

impl HashPermit {
    /// Whether it permits this hash. An owner's permit covers only that account.
    pub(in crate::engine) fn is_for(&self, unchecked: &Unchecked) -> bool {
        self.class == Class::of(unchecked)
    }
}

impl Drop for HashPermit {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        let running = &mut state.running;
        let is_own = |(class, source): &(Class, String)| (*class, source) == (self.class, &self.source);
        if let Some(place) = running.iter().position(is_own) {
            running.swap_remove(place);
        }
        drop(state);
        self.turns.advance();
    }
}

#[cfg(test)]
#[path = "hash_queue_tests.rs"]
mod tests;
