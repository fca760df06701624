//! Growing pauses, for a mailbox that cannot be reached and for a message that cannot be handled yet.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use super::health::{Aside, AsideMail};

/// The first pause.
const FIRST: Duration = Duration::from_secs(1);
/// The longest.
const LONGEST: Duration = Duration::from_secs(600);
/// The most postponed messages that the operator is shown.
const SHOWN: usize = 50;

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

/// Whether two reasons are the same but for their numbers: Dovecot ends each with the time of day.
pub(super) fn is_alike(one: &str, other: &str) -> bool {
    let words = |why: &str| why.replace(|c: char| c.is_ascii_digit(), "");
    words(one) == words(other)
}

/// Postponed messages, by the door's key.
#[derive(Debug)]
pub(super) struct PostponedMessages<K> {
    messages: HashMap<K, Postponed>,
}

#[derive(Debug)]
struct Postponed {
    due: Instant,
    pauses: Pauses,
    tries: u32,
    why: String,
}

impl<K> Default for PostponedMessages<K> {
    fn default() -> Self {
        Self {
            messages: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash + Ord> PostponedMessages<K> {
    /// Postpones a message; returns whether that is news: the first time, or another reason.
    pub(super) fn put_off(&mut self, key: K, why: &str) -> bool {
        let postponed = self.messages.entry(key).or_insert_with(|| Postponed {
            due: Instant::now(),
            pauses: Pauses::default(),
            tries: 0,
            why: String::new(),
        });
        postponed.due = Instant::now() + postponed.pauses.next();
        postponed.tries = postponed.tries.saturating_add(1);
        let is_news = postponed.tries == 1 || !is_alike(&postponed.why, why);
        why.clone_into(&mut postponed.why);
        is_news
    }

    /// How many are postponed.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether the message was postponed, and not handled since.
    pub(super) fn has(&self, key: &K) -> bool {
        self.messages.contains_key(key)
    }

    /// What is postponed, for the operator.
    pub(super) fn aside(&self, name: impl Fn(&K) -> String) -> Aside {
        let mut all: Vec<_> = self.messages.iter().collect();
        all.sort_by_key(|(key, _)| *key);
        let shown = all.iter().take(SHOWN).map(|(key, postponed)| AsideMail {
            name: name(key),
            tries: postponed.tries,
            why: postponed.why.clone(),
        });
        Aside {
            count: all.len(),
            mails: shown.collect(),
        }
    }

    /// Whether the message is still postponed.
    pub(super) fn is_early(&self, key: &K) -> bool {
        self.messages
            .get(key)
            .is_some_and(|postponed| postponed.due > Instant::now())
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
        let first = self.messages.values().map(|postponed| postponed.due).min()?;
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
        let mut waiting = PostponedMessages::default();
        assert_eq!(waiting.until_due(), None);
        assert!(waiting.put_off("a", "busy"));
        assert!(!waiting.put_off("a", "busy"));
        assert!(waiting.put_off("a", "internal error [2026-11-26 17:02:22]"));
        assert!(!waiting.put_off("a", "internal error [2026-11-27 00:00:00]"));
        assert!(waiting.put_off("a", "refused"));
        assert_eq!(waiting.aside(|key| (*key).to_owned()).mails[0].tries, 5);
        assert!(waiting.is_early(&"a"));
        assert!(!waiting.is_early(&"b"));
        assert!(waiting.until_due() > Some(Duration::from_secs(1)));
        waiting.keep(|&key| key == "b");
        assert!(!waiting.is_early(&"a"));
        waiting.put_off("b", "busy");
        waiting.forget(&"b");
        assert_eq!(waiting.until_due(), None);
    }
}
