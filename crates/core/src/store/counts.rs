//! The counts of limits that the open batch has read and changed. Its messages count the same things again and again, so each
//! count is read once and written once, before the commit.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// What is counted: of which limit, on which day, under which key.
pub(super) type Key = (&'static str, i64, String);

/// The counts of a batch.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Without a transaction nothing is kept.
    is_open: Cell<bool>,
    known: RefCell<BTreeMap<Key, Count>>,
    /// What stood there before each change in the open savepoints.
    before: RefCell<Vec<(Key, Count)>>,
    /// Where in that list each of these savepoints began.
    savepoints: RefCell<Vec<usize>>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    count: u32,
    is_changed: bool,
}

impl Counts {
    /// Begins with nothing known, at the begin of a transaction.
    pub(super) fn begin(&self) {
        self.end();
        self.is_open.set(true);
    }

    /// Forgets everything, at the end of a transaction.
    pub(super) fn end(&self) {
        self.is_open.set(false);
        self.known.borrow_mut().clear();
        self.before.borrow_mut().clear();
        self.savepoints.borrow_mut().clear();
    }

    pub(super) fn begin_savepoint(&self) {
        self.savepoints.borrow_mut().push(self.before.borrow().len());
    }

    /// A savepoint ends, and what was counted in it stays.
    pub(super) fn keep_savepoint(&self) {
        let mut savepoints = self.savepoints.borrow_mut();
        savepoints.pop();
        if savepoints.is_empty() {
            self.before.borrow_mut().clear();
        }
    }

    /// A savepoint is rolled back.
    pub(super) fn undo_savepoint(&self) {
        let begun = self.savepoints.borrow_mut().pop().unwrap_or_default();
        for (key, count) in self.before.borrow_mut().drain(begun..).rev() {
            self.known.borrow_mut().insert(key, count);
        }
    }

    /// The count under this key, if it was read or changed.
    pub(super) fn known(&self, key: &Key) -> Option<u32> {
        self.known.borrow().get(key).map(|count| count.count)
    }

    /// Keeps a count that was read.
    pub(super) fn keep(&self, key: &Key, count: u32) {
        if self.is_open.get() {
            let read = Count {
                count,
                is_changed: false,
            };
            self.known.borrow_mut().insert(key.clone(), read);
        }
    }

    /// Changes a count that was read. Returns false if it must be written at once.
    pub(super) fn change(&self, key: &Key, count: u32) -> bool {
        if let Some(kept) = self.known.borrow_mut().get_mut(key) {
            self.before.borrow_mut().push((key.clone(), *kept));
            *kept = Count {
                count,
                is_changed: true,
            };
        }
        self.is_open.get()
    }

    /// The counts that have changed.
    pub(super) fn changed(&self) -> Vec<(Key, u32)> {
        let known = self.known.borrow();
        let changed = known.iter().filter(|(_, count)| count.is_changed);
        changed.map(|(key, count)| (key.clone(), count.count)).collect()
    }
}
