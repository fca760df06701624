use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// The definition: half-column plus row is odd, and the cell is inside the hexagon.
fn exists(column: i32, row: i32) -> bool {
    let shift = (9 - row).abs();
    (1..=17).contains(&row) && (column + row) % 2 == 1 && column >= shift && column <= 32 - shift
}

fn places() -> impl Iterator<Item = (i32, i32)> {
    (1..=17).flat_map(|row| (0..33).map(move |column| (column, row)))
}

#[test]
fn the_cells_are_those_of_the_definition_in_reading_order() {
    let wanted: Vec<_> = places().filter(|(column, row)| exists(*column, *row)).collect();
    let found: Vec<_> = Cell::ALL
        .into_iter()
        .map(|cell| (i32::from(cell.column()), i32::from(cell.row())))
        .collect();
    assert_eq!(found, wanted);
    assert_eq!(found.len(), COUNT);
    for (column, row) in places() {
        assert_eq!(Cell::at(column as u8, row as u8).is_some(), exists(column, row));
    }
}

#[test]
fn neighbours_are_two_columns_away_in_the_row_and_one_in_the_next() {
    for cell in Cell::ALL {
        let (column, row) = (i32::from(cell.column()), i32::from(cell.row()));
        let near: BTreeSet<_> = cell.neighbours().collect();
        let wanted: BTreeSet<_> = Cell::ALL
            .into_iter()
            .filter(|other| {
                let (right, down) = (i32::from(other.column()) - column, i32::from(other.row()) - row);
                matches!((right.abs(), down.abs()), (2, 0) | (1, 1))
            })
            .collect();
        assert_eq!(near, wanted, "{cell}");
    }
    assert_eq!(
        Cell::ALL
            .into_iter()
            .filter(|cell| cell.neighbours().count() == 6)
            .count(),
        169
    );
}

#[test]
fn every_name_is_read_back_and_case_matters() {
    for cell in Cell::ALL {
        assert_eq!(Cell::find(&cell.to_string()), Ok(cell));
    }
    assert_ne!(Cell::find("a9"), Cell::find("A9"));
    assert_eq!(Cell::find("a9").map(Cell::index), Ok(100));
}

#[test]
fn a_name_without_a_cell_gets_the_nearest_ones() {
    let near = |name: &str| match Cell::find(name) {
        Err(NoCell::Outside(near)) => near.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(near("n3"), "m3 o3");
    assert_eq!(near("A1"), "y1");
    assert_eq!(near("i99"), "i17");
    let q9 = Cell::find("q9").unwrap();
    assert_eq!(Cell::find("Q9"), Err(NoCell::NoColumn(Some(q9))));
    assert_eq!(Cell::find("Q8"), Err(NoCell::NoColumn(None)));
    for junk in [
        "", "q", "9", "q09", "q0", "q+9", "q999", "qq9", "9q", "\u{e9}9", "q\u{e9}",
    ] {
        assert_eq!(Cell::find(junk), Err(NoCell::Unreadable), "{junk}");
    }
}

#[test]
fn straight_lines_are_found_and_walked() {
    for cell in Cell::ALL {
        for direction in Direction::ALL {
            for steps in 1..17 {
                if let Some(end) = cell.far(direction, steps) {
                    assert_eq!(cell.way_to(end), Some((direction, steps)));
                }
            }
        }
        let reached = Cell::ALL
            .into_iter()
            .filter(|other| cell.way_to(*other).is_some())
            .count();
        let (x, y) = (i32::from(cell.column()), i32::from(cell.row()));
        let lined = Cell::ALL.into_iter().filter(|other| {
            let (right, down) = (i32::from(other.column()) - x, i32::from(other.row()) - y);
            *other != cell && (down == 0 || right.abs() == down.abs())
        });
        assert_eq!(reached, lined.count(), "{cell}");
    }
}

proptest! {
    #[test]
    fn a_set_is_the_set_of_its_cells(
        one in proptest::collection::btree_set(0..COUNT as u8, 0..COUNT),
        other in proptest::collection::btree_set(0..COUNT as u8, 0..COUNT),
    ) {
        let set = |cells: &BTreeSet<u8>| cells.iter().map(|cell| Cell(*cell)).collect::<Cells>();
        let (a, b) = (set(&one), set(&other));
        prop_assert_eq!(a.count(), one.len());
        prop_assert_eq!(a.is_empty(), one.is_empty());
        prop_assert!(a.iter().map(|cell| cell.0).eq(one.iter().copied()));
        for (n, cell) in one.iter().enumerate() {
            prop_assert_eq!(a.nth(n), Some(Cell(*cell)));
            prop_assert!(a.has(Cell(*cell)));
        }
        prop_assert_eq!(a.nth(one.len()), None);
        prop_assert_eq!(a & b, set(&one.intersection(&other).copied().collect()));
        prop_assert_eq!(a | b, set(&one.union(&other).copied().collect()));
        prop_assert_eq!(a - b, set(&one.difference(&other).copied().collect()));
        prop_assert_eq!(a.is_within(b), one.is_subset(&other));
    }
}
