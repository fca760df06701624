//! The placing of new pieces: all choices are computed in advance and looked up.
//!
//! After a move to D, each occupied neighbour of D calls for a new piece that forms a triangle (three pairwise adjacent
//! points) with it and D. The new piece is therefore a neighbour of D too, so the choices depend only on which
//! neighbours of D are occupied. No point has more than ten neighbours: at most 2^10 subsets for each point, few enough
//! for a table.
//!
//! Why a table: the generator of turns needs the choices of every move, and searching for them each time would be most
//! of its work. The neighbours of D are scattered over the 64 bits of the board. A multiplication with a suitable
//! factor and a shift bring them together into a small index, as magic bitboards do in chess programs (see [`Gather`]).
//! Another table exists for each supply of pieces, since a short supply changes the choices.

use std::sync::LazyLock;

use super::board::{POINTS, Points, bit, board, each};

/// The most pieces placed in one turn: no point has more than ten neighbours, and each occupied one needs an empty one.
/// A larger supply than this makes no difference.
pub(super) const MOST: usize = 5;

/// The choices after every move, for one size of the supply.
#[derive(Debug)]
pub(super) struct Choices {
    gathers: &'static [Gather; POINTS],
    counts: Vec<u8>,
    starts: Vec<u32>,
    sets: Vec<Points>,
}

impl Choices {
    /// The index of a move to this point; the same for all other accessors.
    pub(super) fn entry(&self, to: usize, occupied: Points) -> usize {
        self.gathers[to].entry(occupied)
    }

    /// The number of choices: none if the move is illegal.
    pub(super) fn count(&self, entry: usize) -> u8 {
        self.counts[entry]
    }

    /// The sets of points on which the pieces may be placed. If nothing is to be placed, this is one set, the empty
    /// one.
    pub(super) fn sets(&self, entry: usize) -> &[Points] {
        let start = self.starts[entry] as usize;
        &self.sets[start..start + usize::from(self.counts[entry])]
    }
}

/// The choices of a player with this supply.
pub(super) fn choices(exact: bool, supply: u32) -> &'static Choices {
    static TABLES: LazyLock<[[Choices; MOST + 1]; 2]> =
        LazyLock::new(|| [false, true].map(|exact| std::array::from_fn(|supply| table(exact, supply))));
    &TABLES[usize::from(exact)][(supply as usize).min(MOST)]
}

/// A perfect hash for the subsets of a point's neighbours: mask, multiply and shift map each subset to its own index.
#[derive(Debug)]
struct Gather {
    mask: Points,
    factor: u64,
    shift: u32,
    base: usize,
}

impl Gather {
    fn new(point: usize, base: usize) -> Self {
        let mask = board().neighbours(point);
        // One bit more than the neighbours need: with that much room, a few thousand tries find a factor even for the
        // worst point. The factors have few bits set (three random numbers joined by `&`), which makes collisions of
        // the partial products rarer. `seen` holds the round that last used an index, so it need not be cleared between
        // rounds.
        let shift = 64 - mask.count_ones() - 1;
        let mut seen = vec![0; 1 << (64 - shift)];
        let mut noise = Noise(point as u64);
        let mut round = 0;
        loop {
            round += 1;
            let gather = Self {
                mask,
                factor: noise.next() & noise.next() & noise.next(),
                shift,
                base: 0,
            };
            let fresh = |subset| std::mem::replace(&mut seen[gather.entry(subset)], round) != round;
            if subsets(mask).all(fresh) {
                return Self { base, ..gather };
            }
        }
    }

    const fn entry(&self, occupied: Points) -> usize {
        self.base + ((occupied & self.mask).wrapping_mul(self.factor) >> self.shift) as usize
    }

    const fn len(&self) -> usize {
        1 << (64 - self.shift)
    }
}

/// A small deterministic random generator (`SplitMix64`): the same factors in every process.
struct Noise(u64);

impl Noise {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

fn gathers() -> &'static [Gather; POINTS] {
    static GATHERS: LazyLock<[Gather; POINTS]> = LazyLock::new(|| {
        let mut base = 0;
        std::array::from_fn(|point| {
            let gather = Gather::new(point, base);
            base += gather.len();
            gather
        })
    });
    &GATHERS
}

fn table(exact: bool, supply: usize) -> Choices {
    let gathers = gathers();
    let len = gathers.iter().map(Gather::len).sum();
    let mut table = Choices {
        gathers,
        counts: vec![0; len],
        starts: vec![0; len],
        sets: Vec::new(),
    };
    for (point, gather) in gathers.iter().enumerate() {
        for occupied in subsets(gather.mask) {
            let mut sets = allowed(complete(point, occupied), occupied, exact, supply);
            // Sorted like the text of the turns, so that the list of turns is sorted without another step.
            sets.sort_by_cached_key(|set| {
                board()
                    .in_reading_order(*set)
                    .map(|p| board().rank(p))
                    .collect::<Vec<_>>()
            });
            let entry = gather.entry(occupied);
            table.counts[entry] = u8::try_from(sets.len()).unwrap_or(u8::MAX);
            table.starts[entry] = u32::try_from(table.sets.len()).unwrap_or(u32::MAX);
            table.sets.extend(sets);
        }
    }
    table
}

/// Every set of empty points that can be matched one to one with the occupied neighbours of `to`, so that each pair
/// forms a triangle with `to`. Extends all partial sets by one neighbour at a time. Different matchings often give the
/// same set, so duplicates are removed after each step, which also keeps the number of partial sets small.
pub(super) fn complete(to: usize, occupied: Points) -> Vec<Points> {
    let neighbours = board().neighbours(to);
    let occupied = occupied & neighbours;
    let mut sets = vec![0];
    for neighbour in each(occupied) {
        let corners = board().neighbours(neighbour) & neighbours & !occupied;
        let longer = |set: &Points| {
            let set = *set;
            each(corners & !set).map(move |corner| set | bit(corner))
        };
        sets = sets.iter().flat_map(longer).collect();
        sets.sort_unstable();
        sets.dedup();
    }
    sets
}

/// Reduces the complete choices to those that the supply allows. With `exact` a short supply makes the move illegal;
/// otherwise the player places all pieces that are left, on any part of a complete choice.
fn allowed(complete: Vec<Points>, occupied: Points, exact: bool, supply: usize) -> Vec<Points> {
    if occupied.count_ones() as usize <= supply {
        return complete;
    }
    if exact {
        return Vec::new();
    }
    let of_size = |part: &Points| part.count_ones() as usize == supply;
    let mut parts: Vec<_> = complete.into_iter().flat_map(subsets).filter(of_size).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn subsets(of: Points) -> impl Iterator<Item = Points> {
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let subset = next?;
        next = Some(subset.wrapping_sub(of) & of).filter(|subset| *subset != 0);
        Some(subset)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subset_of_neighbours_has_its_own_place() {
        let mut places: Vec<_> = gathers()
            .iter()
            .flat_map(|gather| subsets(gather.mask).map(|subset| gather.entry(subset)))
            .collect();
        let all = places.len();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), all);
        assert_eq!(all, 4 * 8 + 20 * 16 + 16 * 32 + 16 * 64 + 4 * 128 + 4 * 1024);
    }

    #[test]
    fn no_turn_places_more_than_five_pieces_or_offers_more_than_a_few_dozen_choices() {
        for (exact, supply) in (0..=20).flat_map(|supply| [(false, supply), (true, supply)]) {
            let table = choices(exact, supply);
            assert!(table.counts.iter().all(|count| *count <= 36));
            assert!(
                table
                    .sets
                    .iter()
                    .all(|set| set.count_ones() as usize <= MOST.min(supply as usize))
            );
        }
    }

    #[test]
    fn a_short_supply_places_any_part_of_a_complete_choice() {
        let to = super::super::board::find("d4").unwrap();
        let occupied = ["c5", "e3"]
            .iter()
            .filter_map(|name| super::super::board::find(name));
        let occupied = occupied.fold(0, |all, point| all | bit(point));
        assert_eq!(complete(to, occupied).len(), 3);
        let one = choices(false, 1);
        assert_eq!(one.sets(one.entry(to, occupied)).len(), 3);
        let none = choices(true, 1);
        assert_eq!(none.count(none.entry(to, occupied)), 0);
    }

    #[test]
    fn the_ways_to_place_are_listed_by_row_and_column() {
        use super::super::board::{NAMES, row_column};
        let read = |set: &Points| -> Vec<_> {
            let points = board().in_reading_order(*set);
            points.map(|point| row_column(NAMES[point])).collect()
        };
        let table = choices(false, 16);
        for (point, gather) in gathers().iter().enumerate() {
            for occupied in subsets(gather.mask) {
                let sets = table.sets(table.entry(point, occupied));
                assert!(sets.iter().map(read).is_sorted(), "{}", NAMES[point]);
            }
        }
    }
}
