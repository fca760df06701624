//! What a search knows of positions that it has seen.

use super::value::later;

/// 16 bytes each: 16 megabytes.
const MAX_ENTRIES: u64 = 1 << 20;

/// How a value is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    value: i32,
    turn: u16,
    depth: u8,
    bound: Bound,
}

/// What is known of a position.
pub(super) struct Known {
    /// For the player to move there.
    pub(super) value: i32,
    pub(super) depth: u32,
    /// The best turn: its number in the list of the position.
    pub(super) turn: u16,
    bound: Bound,
}

impl Known {
    /// Whether the value answers a search between these bounds so many turns after the first position.
    pub(super) const fn decides(&self, least: i32, most: i32, ply: i32) -> bool {
        let value = later(self.value, ply);
        match self.bound {
            Bound::Exact => true,
            Bound::AtLeast => value >= most,
            Bound::AtMost => value <= least,
        }
    }
}

/// Each position has two places, side by side: in one stays what was searched deepest, in the other what was searched last.
pub(super) struct Table(Vec<Option<Entry>>);

impl Table {
    /// A table for a search of so many nodes.
    pub(super) fn for_nodes(nodes: u64) -> Self {
        let entries = nodes.next_power_of_two().clamp(2, MAX_ENTRIES);
        Self(vec![None; entries as usize])
    }

    pub(super) fn get(&self, key: u64) -> Option<Known> {
        let place = self.place(key);
        let places = [place, place ^ 1].into_iter();
        let entry = places
            .filter_map(|place| self.0[place])
            .find(|entry| entry.key == key)?;
        Some(Known {
            value: entry.value,
            depth: u32::from(entry.depth),
            turn: entry.turn,
            bound: entry.bound,
        })
    }

    pub(super) fn put(&mut self, key: u64, value: i32, bound: Bound, depth: u32, turn: usize) {
        let mut place = self.place(key);
        let is_deeper = |entry: Entry| entry.key != key && u32::from(entry.depth) > depth;
        if self.0[place].is_some_and(is_deeper) {
            place ^= 1;
        }
        self.0[place] = Some(Entry {
            key,
            value,
            turn: turn as u16,
            depth: depth as u8,
            bound,
        });
    }

    /// The first of two places. The number of entries is a power of two.
    fn place(&self, key: u64) -> usize {
        key as usize & (self.0.len() - 2)
    }
}
