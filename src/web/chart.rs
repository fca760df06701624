//! The ratings of a player as a small chart.

use std::fmt::Write as _;

/// Width and height of the chart.
const SIZE: (f64, f64) = (320.0, 80.0);

/// The points of a line through these ratings, for `<polyline points>`; `None` for fewer than two.
pub(super) fn chart(ratings: &[f64]) -> Option<String> {
    let lowest = ratings.iter().copied().reduce(f64::min)?;
    let highest = ratings.iter().copied().reduce(f64::max)?;
    let steps = u32::try_from(ratings.len().checked_sub(1)?)
        .ok()
        .filter(|steps| *steps > 0)?;
    // A line that is nearly level shall look so.
    let height = (highest - lowest).max(20.0);
    let mut points = String::new();
    for (at, rating) in (0_u32..).zip(ratings) {
        let x = 4.0 + (SIZE.0 - 8.0) * f64::from(at) / f64::from(steps);
        let y = SIZE.1 - 4.0 - (SIZE.1 - 8.0) * (rating - lowest) / height;
        // Writing to a string cannot fail.
        let _ = write!(points, "{x:.1},{y:.1} ");
    }
    Some(points.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_from_the_first_rating_to_the_last() {
        assert_eq!(chart(&[]), None);
        assert_eq!(chart(&[1500.0]), None);
        assert_eq!(
            chart(&[1500.0, 1600.0, 1550.0]).unwrap(),
            "4.0,76.0 160.0,4.0 316.0,40.0"
        );
        assert_eq!(chart(&[1500.0, 1500.0]).unwrap(), "4.0,76.0 316.0,76.0");
    }
}
