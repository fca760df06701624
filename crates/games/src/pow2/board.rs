//! The board: 64 points and the 44 straight lines through them, with tables computed from the lines.
//!
//! A point is a number from 0 to 63, a set of points a `u64`. The numbers follow the true position on the board, from
//! top to bottom and then from left to right. So they rise or fall along every line, and the first piece along a ray is
//! the lowest or the highest bit. The order of the names (row, column) would not work: two lines pass through e11, f11
//! and i3, h3 upwards although the names are in the same row.

use std::sync::LazyLock;

/// A set of points, one bit for each.
pub(super) type Points = u64;

/// The number of points: all bits of a [`Points`].
pub(super) const POINTS: usize = 64;

/// The name of each point, in the order of the numbers.
pub(super) const NAMES: [&str; POINTS] = [
    "a1", "e1", "g1", "i1", "m1", "d2", "j2", "c3", "e3", "i3", "k3", "f3", "h3", "b4", "l4", "d4", //
    "g4", "j4", "a5", "c5", "e5", "g5", "i5", "k5", "m5", "c6", "k6", "f6", "h6", "a7", "d7", "e7", //
    "i7", "j7", "m7", "f8", "h8", "c8", "k8", "a9", "c9", "e9", "g9", "i9", "k9", "m9", "d10", "g10", //
    "j10", "b10", "l10", "f11", "h11", "c11", "e11", "i11", "k11", "d12", "j12", "a13", "e13", "g13", "i13",
    "m13",
];

/// The outer edges. With `-noborder` pieces do not move along them.
pub(super) const EDGES: [&str; 4] = [
    "a1 e1 g1 i1 m1",
    "a1 a5 a7 a9 a13",
    "m1 m5 m7 m9 m13",
    "a13 e13 g13 i13 m13",
];

/// All other lines, each from end to end.
pub(super) const INNER: [&str; 40] = [
    "a5 c5 e5 g5 i5 k5 m5",
    "a9 c9 e9 g9 i9 k9 m9",
    "e1 e3 e5 e7 e9 e11 e13",
    "i1 i3 i5 i7 i9 i11 i13",
    "a5 b4 c3 d2 e1",
    "a9 b10 c11 d12 e13",
    "i1 j2 k3 l4 m5",
    "i13 j12 k11 l10 m9",
    "a7 c5 d4 e3 g1",
    "a7 c9 d10 e11 g13",
    "g1 i3 j4 k5 m7",
    "g13 i11 j10 k9 m7",
    "e7 f6 g5",
    "e7 f8 g9",
    "g5 h6 i7",
    "g9 h8 i7",
    "a1 c3 d4 e5 f6",
    "a13 c11 d10 e9 f8",
    "h6 i5 j4 k3 m1",
    "h8 i9 j10 k11 m13",
    "g1 g4 g5",
    "g9 g10 g13",
    "a7 d7 e7",
    "i7 j7 m7",
    "a1 b4 c5 c6 d7 e9 f11 g13",
    "a13 b10 c9 c8 d7 e5 f3 g1",
    "g13 h11 i9 j7 k6 k5 l4 m1",
    "g1 h3 i5 j7 k8 k9 l10 m13",
    "a1 d2 e3 f3 g4 i5 k6 m7",
    "a13 d12 e11 f11 g10 i9 k8 m7",
    "a7 c6 e5 g4 h3 i3 j2 m1",
    "a7 c8 e9 g10 h11 i11 j12 m13",
    "b4 d4",
    "b10 d10",
    "j4 l4",
    "j10 l10",
    "d2 d4",
    "d12 d10",
    "j4 j2",
    "j10 j12",
];

/// For one point: the points along each of its lines, in both directions.
#[derive(Clone, Debug, Default)]
struct Rays {
    up: Vec<Points>,
    down: Vec<Points>,
}

/// The tables.
#[derive(Debug)]
pub(super) struct Board {
    /// The adjacent points of each point.
    neighbours: [Points; POINTS],
    /// The rays of each point: over all lines, and over the inner ones only.
    rays: [[Rays; POINTS]; 2],
    /// All points in reading order: by row, then by column.
    reading: [u8; POINTS],
    /// The index of each point in `reading`.
    rank: [u8; POINTS],
}

static BOARD: LazyLock<Board> = LazyLock::new(Board::new);

/// The tables, computed on first use.
pub(super) fn board() -> &'static Board {
    &BOARD
}

impl Board {
    fn new() -> Self {
        let mut board = Self {
            neighbours: [0; POINTS],
            rays: [const {
                [const {
                    Rays {
                        up: Vec::new(),
                        down: Vec::new(),
                    }
                }; POINTS]
            }; 2],
            reading: std::array::from_fn(|point| point as u8),
            rank: [0; POINTS],
        };
        for line in EDGES {
            board.draw_line(line, &[false]);
        }
        for line in INNER {
            board.draw_line(line, &[false, true]);
        }
        board
            .reading
            .sort_by_key(|point| row_column(NAMES[usize::from(*point)]));
        for (rank, point) in (0..).zip(board.reading) {
            board.rank[usize::from(point)] = rank;
        }
        board
    }

    fn draw_line(&mut self, line: &str, noborder: &[bool]) {
        let mut points: Vec<usize> = line.split(' ').filter_map(find).collect();
        points.sort_unstable();
        for pair in points.windows(2) {
            self.neighbours[pair[0]] |= bit(pair[1]);
            self.neighbours[pair[1]] |= bit(pair[0]);
        }
        let all = points.iter().fold(0, |all, point| all | bit(*point));
        for &point in &points {
            let below = bit(point) - 1;
            let (down, up) = (all & below, all & !below & !bit(point));
            for &noborder in noborder {
                let rays = &mut self.rays[usize::from(noborder)][point];
                rays.up.extend((up != 0).then_some(up));
                rays.down.extend((down != 0).then_some(down));
            }
        }
    }

    /// The adjacent points.
    pub(super) const fn neighbours(&self, point: usize) -> Points {
        self.neighbours[point]
    }

    /// The empty points that a piece on `from` can reach over empty points.
    pub(super) fn reach(&self, noborder: bool, from: usize, occupied: Points) -> Points {
        let rays = &self.rays[usize::from(noborder)][from];
        let mut reached = 0;
        for ray in &rays.up {
            let blockers = ray & occupied;
            // All bits below the lowest blocker, or all bits if nothing blocks.
            reached |= ray & !blockers & blockers.wrapping_sub(1);
        }
        for ray in &rays.down {
            // All bits above the highest blocker. A downward ray never contains the highest point, so the shift is less
            // than 64.
            reached |= ray & u64::MAX.wrapping_shl(64 - (ray & occupied).leading_zeros());
        }
        reached
    }

    /// The points between two points on a common line, and whether pieces may move along it; `None` if no line joins
    /// them.
    pub(super) fn way(&self, noborder: bool, from: usize, to: usize) -> Option<(Points, bool)> {
        let between = |noborder: bool| {
            let rays = &self.rays[usize::from(noborder)][from];
            let (low, high) = (from.min(to), from.max(to));
            let inside = (bit(high) - 1) & !(bit(low) - 1) & !bit(low);
            let ray = rays.up.iter().chain(&rays.down).find(|ray| *ray & bit(to) != 0)?;
            Some(ray & inside)
        };
        let open = between(noborder).map(|points| (points, true));
        open.or_else(|| between(false).map(|points| (points, false)))
    }

    /// The index of a point in reading order.
    pub(super) const fn rank(&self, point: usize) -> u8 {
        self.rank[point]
    }

    /// The points in reading order: by row, then by column.
    pub(super) fn in_reading_order(&self, points: Points) -> impl Iterator<Item = usize> + '_ {
        let ordered = each(points).fold(0u64, |ordered, point| {
            ordered | bit(usize::from(self.rank[point]))
        });
        each(ordered).map(|rank| usize::from(self.reading[rank]))
    }
}

pub(super) const fn bit(point: usize) -> Points {
    1 << point
}

/// The points of a set, in the order of their numbers.
pub(super) fn each(mut points: Points) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let point = (points != 0).then_some(points.trailing_zeros() as usize)?;
        points &= points - 1;
        Some(point)
    })
}

/// The point with this name, ignoring case.
pub(super) fn find(name: &str) -> Option<usize> {
    NAMES.iter().position(|point| point.eq_ignore_ascii_case(name))
}

/// Row (from 1) and column (from 0) of a name like `m13`, whether or not the point exists.
pub(super) fn row_column(name: &str) -> Option<(u8, u8)> {
    let column = name.bytes().next()?.to_ascii_lowercase();
    let row = name
        .get(1..)
        .filter(|row| row.bytes().all(|b| b.is_ascii_digit()))?;
    let (row, column) = (row.parse().ok()?, column.checked_sub(b'a')?);
    (column < 13 && (1..=13).contains(&row)).then_some((row, column))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use super::*;

    type Places = HashMap<String, (f64, f64)>;

    fn oracle() -> (Places, Vec<Vec<String>>) {
        #[derive(serde::Deserialize)]
        struct Oracle {
            points: HashMap<String, [String; 2]>,
            lines: Vec<String>,
        }
        let text = include_str!("../../tests/oracles/pow2-board.json");
        let Oracle { points, lines } = serde_json::from_str(text).unwrap();
        let number = |text: &String| match text.split_once('/') {
            Some((over, under)) => over.parse::<f64>().unwrap() / under.parse::<f64>().unwrap(),
            None => text.parse().unwrap(),
        };
        let place = |(name, [x, y]): (String, [String; 2])| (name, (number(&x), number(&y)));
        let words = |line: &String| line.split(' ').map(str::to_owned).collect();
        (
            points.into_iter().map(place).collect(),
            lines.iter().map(words).collect(),
        )
    }

    #[test]
    fn points_and_lines_are_those_of_the_table() {
        let (points, lines) = oracle();
        assert!(NAMES.iter().all(|name| points.contains_key(*name)));
        assert_eq!(points.len(), NAMES.len());
        let mut ours: Vec<_> = EDGES
            .iter()
            .chain(&INNER)
            .map(|line| (*line).to_owned())
            .collect();
        let mut theirs: Vec<_> = lines.iter().map(|line| line.join(" ")).collect();
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs);
    }

    #[test]
    fn points_are_numbered_down_the_board_and_then_from_left_to_right() {
        let (points, lines) = oracle();
        let places = NAMES.map(|name| points[name]);
        assert!(places.windows(2).all(|w| (w[0].1, w[0].0) < (w[1].1, w[1].0)));
        for line in lines {
            let numbers: Vec<_> = line.iter().map(|name| find(name).unwrap()).collect();
            assert!(
                numbers.is_sorted() || numbers.iter().rev().is_sorted(),
                "{line:?}"
            );
        }
    }

    #[test]
    fn the_check_figures_hold() {
        let board = board();
        let degrees = (0..POINTS).map(|p| board.neighbours(p).count_ones());
        let mut tally = BTreeMap::new();
        for degree in degrees {
            *tally.entry(degree).or_insert(0) += 1;
        }
        assert_eq!(
            tally,
            BTreeMap::from([(3, 4), (4, 20), (5, 16), (6, 16), (7, 4), (10, 4)])
        );
        assert_eq!(tally.iter().map(|(degree, n)| degree * n).sum::<u32>(), 2 * 168);
        let corners = (0..POINTS).flat_map(|a| each(board.neighbours(a)).map(move |b| (a, b)));
        let common = corners.map(|(a, b)| (board.neighbours(a) & board.neighbours(b)).count_ones());
        assert_eq!(common.sum::<u32>(), 6 * 104);
    }

    #[test]
    fn the_board_has_the_eight_symmetries_of_the_square() {
        let (points, _) = oracle();
        let at = |x: f64, y: f64| {
            let near = |name: &str| (points[name].0 - x).abs() + (points[name].1 - y).abs() < 1e-6;
            NAMES.iter().position(|name| near(name)).unwrap()
        };
        for symmetry in 0..8 {
            let image = |point: usize| {
                let (mut x, mut y) = points[NAMES[point]];
                if symmetry & 1 != 0 {
                    x = 24.0 - x;
                }
                if symmetry & 2 != 0 {
                    y = 24.0 - y;
                }
                if symmetry & 4 != 0 {
                    (x, y) = (y, x);
                }
                at(x, y)
            };
            for point in 0..POINTS {
                let images = each(board().neighbours(point)).fold(0, |all, p| all | bit(image(p)));
                assert_eq!(images, board().neighbours(image(point)));
            }
        }
    }

    #[test]
    fn a_piece_reaches_what_a_walk_along_the_lines_reaches() {
        let (_, lines) = oracle();
        let mut seed = 1u64;
        for round in 0..200 {
            let mut random = || {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                seed ^ (seed >> 29)
            };
            let occupied = if round % 2 == 0 {
                random() & random()
            } else {
                random() & random() & random()
            };
            for (from, noborder) in (0..POINTS).flat_map(|p| [(p, false), (p, true)]) {
                let mut reached = 0;
                for line in lines
                    .iter()
                    .filter(|l| !noborder || !EDGES.contains(&l.join(" ").as_str()))
                {
                    let line: Vec<_> = line.iter().map(|name| find(name).unwrap()).collect();
                    let Some(at) = line.iter().position(|p| *p == from) else {
                        continue;
                    };
                    let free = |p: &&usize| occupied & bit(**p) == 0;
                    let there = line[at + 1..].iter().take_while(free);
                    reached |= there
                        .chain(line[..at].iter().rev().take_while(free))
                        .fold(0, |r, p| r | bit(*p));
                }
                assert_eq!(board().reach(noborder, from, occupied), reached);
            }
        }
    }

    #[test]
    fn sets_are_read_by_row_and_column() {
        let all: Vec<_> = board()
            .in_reading_order(u64::MAX)
            .map(|p| row_column(NAMES[p]))
            .collect();
        assert_eq!(all.len(), POINTS);
        assert!(all.is_sorted());
    }
}
