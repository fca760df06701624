use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::kit::square::{Grid, MAX_BITS};

fn board(size: u8) -> impl Strategy<Value = (Grid, BTreeSet<(u8, u8)>)> {
    let cells = proptest::collection::btree_set((0..size, 0..size), 0..usize::from(size).pow(2));
    cells.prop_map(move |cells| (Grid::new(size), cells))
}

fn boards() -> impl Strategy<Value = (Grid, BTreeSet<(u8, u8)>)> {
    (1..=MAX_BITS).prop_flat_map(board)
}

fn bits(cells: &BTreeSet<(u8, u8)>) -> Bits {
    cells
        .iter()
        .map(|(column, row)| Cell::at(*column, *row))
        .collect()
}

fn near((column, row): (u8, u8), (c, r): (u8, u8), diagonal: bool) -> bool {
    match (column.abs_diff(c), row.abs_diff(r)) {
        (0, 1) | (1, 0) => true,
        (1, 1) => diagonal,
        _ => false,
    }
}

fn all(size: u8) -> impl Iterator<Item = (u8, u8)> {
    (0..size).flat_map(move |row| (0..size).map(move |column| (column, row)))
}

proptest! {
    #[test]
    fn neighbours_are_the_cells_one_step_away((grid, cells) in boards()) {
        for (found, diagonal) in [(bits(&cells).adjacent(), false), (bits(&cells).around(), true)] {
            for cell in all(grid.size()) {
                let wanted = cells.iter().any(|other| near(cell, *other, diagonal));
                prop_assert_eq!(found.has(Cell::at(cell.0, cell.1)), wanted, "{:?}", cell);
            }
        }
    }

    #[test]
    fn a_spread_is_what_steps_reach((grid, area) in boards(), from in any::<prop::sample::Index>()) {
        let Some(start) = area.iter().nth(from.index(area.len().max(1))) else { return Ok(()) };
        for diagonal in [false, true] {
            let mut reached = BTreeSet::from([*start]);
            let mut todo = vec![*start];
            while let Some(cell) = todo.pop() {
                for next in area.iter().filter(|other| near(cell, **other, diagonal)) {
                    if reached.insert(*next) {
                        todo.push(*next);
                    }
                }
            }
            let start = Bits::of(Cell::at(start.0, start.1));
            let spread = if diagonal { start.spread_around(bits(&area)) } else { start.spread(bits(&area)) };
            prop_assert_eq!(spread, bits(&reached));
            prop_assert!(spread.is_within(grid.cells()));
            if !diagonal {
                prop_assert_eq!(bits(&area).is_joined(), reached == area);
            }
        }
    }

    #[test]
    fn a_set_gives_back_its_cells((_, cells) in boards()) {
        let set = bits(&cells);
        let listed: BTreeSet<_> = set.iter().map(|cell| (cell.column(), cell.row())).collect();
        prop_assert_eq!(set.count() as usize, cells.len());
        prop_assert_eq!(set.is_empty(), cells.is_empty());
        prop_assert_eq!(set.first(), set.iter().next());
        prop_assert_eq!(listed, cells);
    }

    #[test]
    fn the_operators_are_those_of_sets((_, one) in board(MAX_BITS), (_, other) in board(MAX_BITS)) {
        let (a, b) = (bits(&one), bits(&other));
        prop_assert_eq!(a & b, bits(&one.intersection(&other).copied().collect()));
        prop_assert_eq!(a | b, bits(&one.union(&other).copied().collect()));
        prop_assert_eq!(a - b, bits(&one.difference(&other).copied().collect()));
        prop_assert_eq!(a ^ b, bits(&one.symmetric_difference(&other).copied().collect()));
        prop_assert_eq!(a.meets(b), !one.is_disjoint(&other));
    }
}
