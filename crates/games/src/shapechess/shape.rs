//! Finding the shapes in a set of stones, and testing whether a shape is symmetric.

use crate::kit::square::Bits;
use crate::kit::square::MAX_BITS;

/// The rows of a board from the bottom, or its columns from the left, one bit for each cell.
type Lines = [u32; MAX_BITS as usize];

/// The shapes of these stones that contain one of these cells, each once.
///
/// A shape is a maximal set of stones joined by orthogonal and diagonal steps.
pub(super) fn shapes(stones: Bits, cells: Bits) -> impl Iterator<Item = Bits> {
    let mut left = cells & stones;
    std::iter::from_fn(move || {
        let shape = Bits::of(left.first()?).spread_around(stones);
        left -= shape;
        Some(shape)
    })
}

/// Whether a reflection maps the shape onto itself.
///
/// Only horizontal, vertical and diagonal axes are possible: a shape of two stones or more has two stones one step
/// apart, and no other axis maps such a step to a step. The axis halves the bounding box, because the box is mapped
/// onto itself too; a diagonal axis therefore needs a square box.
pub(super) fn is_symmetric(shape: Bits) -> bool {
    let (mut rows, mut columns) = (Lines::default(), Lines::default());
    for cell in shape {
        rows[usize::from(cell.row())] |= 1 << cell.column();
        columns[usize::from(cell.column())] |= 1 << cell.row();
    }
    let (rows, columns) = (boxed(&mut rows), boxed(&mut columns));
    let mirrored = |line: &u32| line.reverse_bits() >> (u32::BITS - rows.len() as u32);
    let horizontal = || rows.iter().eq(rows.iter().rev());
    let vertical = || columns.iter().eq(columns.iter().rev());
    let rising = || rows == columns;
    let falling =
        || rows.len() == columns.len() && rows.iter().copied().eq(columns.iter().rev().map(mirrored));
    rows.is_empty() || horizontal() || vertical() || rising() || falling()
}

/// The non-empty lines, shifted so that the first stone is at bit 0.
fn boxed(lines: &mut Lines) -> &[u32] {
    let margin = lines.iter().fold(0, |all, line| all | line).trailing_zeros();
    let first = lines.iter().position(|line| *line != 0).unwrap_or_default();
    let end = lines
        .iter()
        .rposition(|line| *line != 0)
        .map_or(first, |last| last + 1);
    let lines = &mut lines[first..end];
    lines.iter_mut().for_each(|line| *line >>= margin);
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kit::square::Cell;
    use crate::shapechess::tests::model::{is_symmetric as mirrors, picture};

    fn set(stones: impl IntoIterator<Item = (i32, i32)>) -> Bits {
        stones
            .into_iter()
            .map(|(x, y)| Cell::at(x as u8, y as u8))
            .collect()
    }

    fn stones(set: Bits) -> Vec<(i32, i32)> {
        set.iter()
            .map(|cell| (i32::from(cell.column()), i32::from(cell.row())))
            .collect()
    }

    /// The eight rotations and reflections, each at every place where it fits on a board of this size.
    fn everywhere(stones: &[(i32, i32)], size: i32) -> Vec<Bits> {
        let mut sets = Vec::new();
        for way in 0..8 {
            let turned: Vec<_> = stones
                .iter()
                .map(|&(x, y)| if way & 1 == 0 { (x, y) } else { (y, x) })
                .map(|(x, y)| {
                    (
                        if way & 2 == 0 { x } else { -x },
                        if way & 4 == 0 { y } else { -y },
                    )
                })
                .collect();
            for (right, up) in (-size..=size).flat_map(|x| (-size..=size).map(move |y| (x, y))) {
                let moved = turned.iter().map(|(x, y)| (x + right, y + up));
                if moved
                    .clone()
                    .all(|(x, y)| (0..size).contains(&x) && (0..size).contains(&y))
                {
                    sets.push(set(moved));
                }
            }
        }
        sets
    }

    fn check(shape: &str, symmetric: bool, size: i32) {
        let sets = everywhere(&picture(shape), size);
        assert!(sets.len() >= 8 * 36, "{shape}: {}", sets.len());
        for stones in sets {
            assert_eq!(is_symmetric(stones), symmetric, "{shape}");
            assert_eq!(
                shapes(stones, stones).collect::<Vec<_>>(),
                [stones],
                "{shape} is one shape"
            );
        }
    }

    #[test]
    fn the_shapes_of_the_rules_are_symmetric_or_not_however_turned_and_wherever_they_stand() {
        for shape in ["XX./X.X/XX.", "XX./X.X/.XX", "X..X/X..X/.XX."] {
            check(shape, true, 18);
        }
        for shape in [".XX/.XX/X.X", "..X/XXX/X..", "XX.X/X.XX", "..X../XXXX./..X.X"] {
            check(shape, false, 18);
        }
    }

    #[test]
    fn lines_through_stones_and_midway_between_them_serve() {
        for shape in [
            "X",
            "XX",
            "XXX",
            ".X/X.",
            "X.X/XXX",
            "X..X/.XX.",
            "XX./XXX/.XX",
            "XX/X.",
            "X.X/.X./X.X",
            "X../XX./XXX",
            "..X./.XX./XXXX/.XX.",
            "X.../.X../..XX/..X.",
            "XXXXXX/X....X/X....X/X....X/XXXXXX",
        ] {
            let symmetric = shape != "..X./.XX./XXXX/.XX.";
            assert_eq!(mirrors(&picture(shape)), symmetric, "{shape}");
            check(shape, symmetric, 12);
        }
    }

    #[test]
    fn a_shape_that_only_turns_onto_itself_is_not_symmetric() {
        // A pinwheel with a rotational symmetry of a quarter turn, and three shapes with one of half a turn.
        for shape in [
            "XX.X/.XXX/XXX./X.XX",
            ".XX/.X./XX.",
            "XX.../.XX../..XX.",
            "XXX./.XXX",
        ] {
            assert!(!mirrors(&picture(shape)), "{shape}");
            check(shape, false, 12);
        }
    }

    proptest! {
        #[test]
        fn no_line_in_any_other_direction_serves_a_shape(
            half in prop::collection::vec((0..6_i32, 0..6_i32), 1..14), reflection in 0..5,
        ) {
            let image = |&(x, y): &(i32, i32)| match reflection {
                0 => (11 - x, y),
                1 => (x, 10 - y),
                2 => (y, x),
                3 => (7 - y, 7 - x),
                _ => (x, y),
            };
            let all = set(half.iter().copied().chain(half.iter().map(image)));
            let mut count = 0;
            for shape in shapes(all, all) {
                prop_assert_eq!(is_symmetric(shape), mirrors(&stones(shape)));
                count += shape.count();
            }
            prop_assert_eq!(count, all.count());
        }
    }
}
