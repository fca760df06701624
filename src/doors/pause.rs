//! Growing pauses, for a mailbox that cannot be reached and for a message that cannot be handled yet.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

/// The first pause.
const FIRST: Duration = Duration::from_secs(1);
/// The longest.
const LONGEST: Duration = Duration::from_secs(600);

/// Pauses, each twice as long as the one before, up to a limit.
#[derive(Clone, Debug)]
pub(super) struct Pauses {
    next: Duration,
    longest: Duration,
}

impl Default for Pauses {
    /// From a second to ten minutes.
    fn default() -> Self {
        Self::new(FIRST, LONGEST)
    }
}

impl Pauses {
    pub(super) fn new(first: Duration, longest: Duration) -> Self {
        Self { next: first, longest }
    }

    /// The next pause, randomly up to a quarter shorter or longer, so that the clients of a failed server do
    /// not all return at the same moment.
    pub(super) fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        pause.mul_f64(rand::random_range(0.75..1.25))
    }
}

/// Postponed messages, by the door's key.
#[derive(Debug)]
pub(super) struct Waiting<K> {
    messages: HashMap<K, (Instant, Pauses)>,
}

impl<K> Default for Waiting<K> {
    fn default() -> Self {
        Self {
            messages: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash> Waiting<K> {
    /// Postpones a message; returns whether it is the first time.
    pub(super) fn put_off(&mut self, key: K) -> bool {
        let mut is_first = false;
        let (due, pauses) = self.messages.entry(key).or_insert_with(|| {
            is_first = true;
            (Instant::now(), Pauses::default())
        });
        *due = Instant::now() + pauses.next();
        is_first
    }

    /// Whether the message is still postponed.
    pub(super) fn is_early(&self, key: &K) -> bool {
        self.messages
            .get(key)
            .is_some_and(|(due, _)| *due > Instant::now())
    }

    /// The message was handled.
    pub(super) fn forget(&mut self, key: &K) {
        self.messages.remove(key);
    }

    /// Forgets messages that no longer exist.
    pub(super) fn keep(&mut self, is_there: impl Fn(&K) -> bool) {
        self.messages.retain(|key, _| is_there(key));
    }

    /// The time until the first of them is due.
    pub(super) fn until_due(&self) -> Option<Duration> {
        let first = self.messages.values().map(|(due, _)| *due).min()?;
        Some(first.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest_and_none_is_exact() {
        let mut pauses = Pauses::default();
        let mut exact = 1.0;
        for _ in 0..20 {
            let pause = pauses.next().as_secs_f64();
            assert!(
                (exact * 0.75..=exact * 1.25).contains(&pause),
                "{pause} for {exact}"
            );
            exact = f64::min(exact * 2.0, 600.0);
        }
    }

    #[test]
    fn a_message_put_off_waits_and_is_forgotten_when_gone() {
        let mut waiting = Waiting::default();
        assert_eq!(waiting.until_due(), None);
        assert!(waiting.put_off("a"));
        assert!(!waiting.put_off("a"));
        assert!(waiting.is_early(&"a"));
        assert!(!waiting.is_early(&"b"));
        assert!(waiting.until_due() > Some(Duration::from_secs(1)));
        waiting.keep(|&key| key == "b");
        assert!(!waiting.is_early(&"a"));
        waiting.put_off("b");
        waiting.forget(&"b");
        assert_eq!(waiting.until_due(), None);
    }
}
