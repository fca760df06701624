use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::kit::square::Bits;

fn all() -> Vec<Cell> {
    (0..10)
        .flat_map(|row| (0..10).map(move |column| Cell::at(column, row)))
        .collect()
}

fn small(cells: &BTreeSet<Cell>) -> SmallBits {
    cells.iter().copied().collect()
}

fn cells() -> impl Strategy<Value = BTreeSet<Cell>> {
    proptest::collection::btree_set((0_u8..10, 0_u8..10).prop_map(|(c, r)| Cell::at(c, r)), 0..100)
}

#[test]
fn the_cells_of_a_square_are_those_of_its_grid() {
    for size in 1..=10 {
        let grid = crate::kit::square::Grid::new(size);
        let found: Vec<_> = SmallBits::square(size).iter().collect();
        assert_eq!(found, grid.cells().iter().collect::<Vec<_>>());
    }
    let row: Vec<_> = SmallBits::square(5).row(2).iter().collect();
    assert_eq!(row, (0..5).map(|column| Cell::at(column, 2)).collect::<Vec<_>>());
}

#[test]
fn a_ray_is_walked_step_by_step() {
    for from in all() {
        for way in Way::ALL {
            let (mut walked, mut at) = (SmallBits::EMPTY, SmallBits::of(from));
            loop {
                at = at.step(way) & SmallBits::square(10);
                if at.is_empty() {
                    break;
                }
                walked |= at;
            }
            assert_eq!(SmallBits::ray(from, way), walked, "{from} {way:?}");
            let ((right, up), (left, down)) = (way.step(), way.opposite().step());
            assert_eq!((right + left, up + down), (0, 0));
        }
    }
}

proptest! {
    #[test]
    fn a_small_set_is_as_a_large_one(one in cells(), other in cells()) {
        let (a, b) = (small(&one), small(&other));
        let large = |set: SmallBits| set.iter().collect::<Bits>();
        let (c, d) = (large(a), large(b));
        prop_assert_eq!(a.count(), c.count());
        prop_assert_eq!(a.first(), c.first());
        prop_assert_eq!(large(a & b), c & d);
        prop_assert_eq!(large(a | b), c | d);
        prop_assert_eq!(large(a ^ b), c ^ d);
        prop_assert_eq!(large(a - b), c - d);
        prop_assert_eq!(large(a.spread_around(b)), c.spread_around(d));
        prop_assert!(all().into_iter().all(|cell| a.has(cell) == one.contains(&cell)));
    }

    #[test]
    fn a_run_ends_at_the_first_cell_that_is_not_in_it(own in cells(), over in cells()) {
        let (own, over) = (small(&own), small(&over));
        for way in Way::ALL {
            let mut wanted = SmallBits::EMPTY;
            for from in own {
                let run = SmallBits::run(from, way, over);
                // The largest small board leaves room for eight between two cells.
                if (run & over).count() <= 8 && !(run & over).is_empty() {
                    wanted |= run - over;
                }
            }
            prop_assert_eq!((own.beyond(over, way) & SmallBits::square(10)) - over, wanted - over);
        }
    }

    #[test]
    fn a_queen_goes_as_far_as_the_cells_are_free(free in cells(), from in 0_usize..100) {
        let from = all()[from];
        let mut wanted = BTreeSet::new();
        for (right, up) in Way::ALL.map(Way::step) {
            let (mut column, mut row) = (from.column() as i8 + right, from.row() as i8 + up);
            while (0..10).contains(&column) && (0..10).contains(&row)
                && free.contains(&Cell::at(column as u8, row as u8)) {
                wanted.insert(Cell::at(column as u8, row as u8));
                column += right;
                row += up;
            }
        }
        prop_assert_eq!(SmallBits::queen(from, small(&free)), small(&wanted));
    }
}
