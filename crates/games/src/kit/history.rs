//! Which positions of a game have occurred before.

/// The positions that are kept without a list.
const RECENT: usize = 16;

/// The positions since the last turn that cannot be undone: those before it cannot occur again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<P> {
    recent: [P; RECENT],
    count: usize,
    /// Earlier ones. It is empty in most positions, so that a copy allocates nothing.
    older: Vec<P>,
}

impl<P: Copy + Eq> History<P> {
    /// Begins with this position.
    #[must_use]
    pub const fn new(first: P) -> Self {
        Self {
            recent: [first; RECENT],
            count: 1,
            older: Vec::new(),
        }
    }

    /// Forgets everything before this position.
    pub fn restart(&mut self, first: P) {
        self.older.clear();
        self.count = 1;
        self.recent[0] = first;
    }

    /// Adds a position, and returns how often it has occurred now.
    pub fn add(&mut self, position: P) -> usize {
        if self.count == RECENT {
            self.older.extend(self.recent);
            self.count = 0;
        }
        self.recent[self.count] = position;
        self.count += 1;
        let all = self.older.iter().chain(self.recent.iter().take(self.count));
        all.filter(|earlier| **earlier == position).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_counted_however_long_ago_it_was() {
        let mut history = History::new(0);
        for round in 2..5 {
            for position in 1..50 {
                assert_eq!(history.add(position), round - 1);
            }
            assert_eq!(history.add(0), round);
        }
        history.restart(7);
        assert_eq!(history.add(0), 1);
        assert_eq!(history.add(7), 2);
    }
}
