//! The two text drawings of the board: templates into which the points are written.

use std::fmt::Write as _;
use std::sync::LazyLock;

use super::board::{POINTS, find};
use crate::Display;

/// A drawing with a `*` for each point, and the position of each point in it.
#[derive(Debug)]
struct Template {
    picture: &'static str,
    places: [usize; POINTS],
}

impl Template {
    /// Finds the points by the row number at the start of their line and the column letter above them.
    fn new(picture: &'static str) -> Self {
        let columns = picture.lines().next().unwrap_or_default();
        let mut places = [0; POINTS];
        let mut start = 0;
        for line in picture.lines() {
            let row = line.split_whitespace().next().unwrap_or_default();
            for (at, _) in line.match_indices('*') {
                let name = format!("{}{row}", columns.get(at..=at).unwrap_or_default());
                if let Some(point) = find(&name) {
                    places[point] = start + at;
                }
            }
            start += line.len() + 1;
        }
        Self { picture, places }
    }
}

/// The board below the line of remaining pieces; `letter` gives the content of a point.
pub(super) fn draw(display: Display, remaining: [u32; 2], letter: impl Fn(usize) -> Option<char>) -> String {
    static SMALL: LazyLock<Template> = LazyLock::new(|| Template::new(include_str!("small.txt")));
    static LARGE: LazyLock<Template> = LazyLock::new(|| Template::new(include_str!("large.txt")));
    let template: &Template = match display {
        Display::Small => &SMALL,
        Display::Large => &LARGE,
    };
    let mut pieces: Vec<_> = (0..POINTS)
        .filter_map(|point| Some((template.places[point], letter(point)?)))
        .collect();
    pieces.sort_unstable();
    let mut drawn = String::with_capacity(template.picture.len() + 50);
    let [light, dark] = remaining;
    let _ = write!(drawn, "Remaining Pieces: Light {light} Dark {dark}\n\n");
    let mut done = 0;
    for (place, letter) in pieces {
        drawn.push_str(template.picture.get(done..place).unwrap_or_default());
        drawn.push(letter);
        done = place + 1;
    }
    drawn.push_str(template.picture.get(done..).unwrap_or_default());
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_its_own_star_in_both_pictures() {
        for picture in [include_str!("small.txt"), include_str!("large.txt")] {
            let mut places = Template::new(picture).places;
            places.sort_unstable();
            let stars: Vec<_> = picture.match_indices('*').map(|(at, _)| at).collect();
            assert_eq!(places.as_slice(), stars);
        }
    }
}
