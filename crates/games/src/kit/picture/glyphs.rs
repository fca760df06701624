//! Our own letters and digits, drawn as lines: a picture needs no font and looks the same everywhere.

/// The height of a capital above the baseline.
pub(super) const HEIGHT: f64 = 6.0;
/// The space between two letters.
const GAP: f64 = 1.6;
/// The width of a blank.
const BLANK: f64 = 2.6;

/// A character, its width, and its lines as SVG path data. Capitals and digits reach from 0 at the top to 6 at the
/// baseline; small letters begin at 2 or end at 8.
type Glyph = (char, f64, &'static str);

#[rustfmt::skip]
static GLYPHS: &[Glyph] = &[
    ('0', 4.0, "M2 0C.6 0 0 1.4 0 3S.6 6 2 6 4 4.6 4 3 3.4 0 2 0z"),
    ('1', 1.8, "M0 1.4 1.8 0V6"),
    ('2', 4.0, "M.2 1.5C.4.6 1.1 0 2 0 3.1 0 3.8.7 3.8 1.6 3.8 2.9 1.5 4 0 6H4"),
    ('3', 4.0, "M.2.9C.6.3 1.2 0 2 0 3.1 0 3.7.6 3.7 1.4S3 2.8 1.7 2.8C3.2 2.8 4 3.5 4 4.4S3.1 6 2 6C1.1 6 .4 5.7 0 5"),
    ('4', 4.2, "M3.1 6V0L0 4.2H4.2"),
    ('5', 4.0, "M3.6 0H.6L.3 2.8C.8 2.4 1.3 2.2 2 2.2 3.2 2.2 4 3 4 4.1S3.2 6 1.9 6C1.1 6 .4 5.7 0 5"),
    ('6', 4.0, "M3.6.7C3.2.2 2.7 0 2.2 0 .8 0 0 1.5 0 3.7 0 5.2.8 6 2 6S4 5.2 4 4.1 3.2 2.3 2.1 2.3 .2 3 0 4"),
    ('7', 4.0, "M0 0H4L1.5 6"),
    ('8', 4.0, "M2 2.8C1 2.8.3 2.2.3 1.4S1 0 2 0 3.7.6 3.7 1.4 3 2.8 2 2.8 0 3.4 0 4.4 .9 6 2 6 4 5.4 4 4.4 3 2.8 2 2.8z"),
    ('9', 4.0, "M.4 5.3C.8 5.8 1.3 6 1.8 6 3.2 6 4 4.5 4 2.3 4 .8 3.2 0 2 0S0 .8 0 1.9 .8 3.7 1.9 3.7 3.8 3 4 2"),
    ('a', 3.4, "M3.4 2V6M3.4 4C3.4 2.8 2.7 2 1.7 2S0 2.8 0 4 .7 6 1.7 6 3.4 5.2 3.4 4"),
    ('b', 3.4, "M0 0V6M0 4C0 2.8.7 2 1.7 2S3.4 2.8 3.4 4 2.7 6 1.7 6 0 5.2 0 4"),
    ('c', 3.2, "M3.2 2.7C2.8 2.2 2.3 2 1.8 2 .7 2 0 2.8 0 4S.7 6 1.8 6C2.3 6 2.8 5.8 3.2 5.3"),
    ('d', 3.4, "M3.4 0V6M3.4 4C3.4 2.8 2.7 2 1.7 2S0 2.8 0 4 .7 6 1.7 6 3.4 5.2 3.4 4"),
    ('e', 3.4, "M0 4H3.4C3.4 2.8 2.7 2 1.7 2S0 2.8 0 4 .7 6 1.8 6C2.4 6 2.9 5.8 3.2 5.3"),
    ('f', 2.3, "M2.3.1C1.3-.2.8.4.8 1.3V6M0 2.4H2.1"),
    ('g', 3.4, "M3.4 2V6.2C3.4 7.4 2.7 8 1.7 8 1 8 .5 7.8.2 7.4M3.4 4C3.4 2.8 2.7 2 1.7 2S0 2.8 0 4 .7 6 1.7 6 3.4 5.2 3.4 4"),
    ('h', 3.2, "M0 0V6M0 3.7C.2 2.5.9 2 1.7 2 2.7 2 3.2 2.6 3.2 3.6V6"),
    ('i', 0.4, "M.2 2V6M.2.2V.3"),
    ('j', 1.5, "M1.5 2V6.5C1.5 7.6 1 8 0 8M1.5.2V.3"),
    ('k', 3.1, "M0 0V6M2.9 2 0 4.6M1.1 3.7 3.1 6"),
    ('l', 1.1, "M0 0V5C0 5.7.4 6 1.1 6"),
    ('m', 5.0, "M0 2V6M0 3.6C.2 2.5.8 2 1.4 2 2.2 2 2.5 2.5 2.5 3.3V6M2.5 3.6C2.7 2.5 3.3 2 3.9 2 4.7 2 5 2.5 5 3.3V6"),
    ('n', 3.2, "M0 2V6M0 3.7C.2 2.5.9 2 1.7 2 2.7 2 3.2 2.6 3.2 3.6V6"),
    ('o', 3.6, "M1.8 2C.7 2 0 2.8 0 4S.7 6 1.8 6 3.6 5.2 3.6 4 2.9 2 1.8 2z"),
    ('p', 3.4, "M0 2V8M0 4C0 2.8.7 2 1.7 2S3.4 2.8 3.4 4 2.7 6 1.7 6 0 5.2 0 4"),
    ('q', 3.4, "M3.4 2V8M3.4 4C3.4 2.8 2.7 2 1.7 2S0 2.8 0 4 .7 6 1.7 6 3.4 5.2 3.4 4"),
    ('r', 2.0, "M0 2V6M0 3.9C.2 2.6.9 2 2 2"),
    ('s', 3.0, "M2.9 2.6C2.6 2.2 2.1 2 1.5 2 .7 2 .1 2.4.1 3 .1 4.4 3 3.6 3 5 3 5.6 2.4 6 1.5 6 .9 6 .3 5.8 0 5.3"),
    ('t', 2.3, "M.9.6V4.8C.9 5.7 1.3 6 2.3 6M0 2.1H2.2"),
    ('u', 3.2, "M0 2V4.4C0 5.4.5 6 1.5 6 2.4 6 3 5.5 3.2 4.3M3.2 2V6"),
    ('v', 3.4, "M0 2 1.7 6 3.4 2"),
    ('w', 5.2, "M0 2 1.3 6 2.6 2.6 3.9 6 5.2 2"),
    ('x', 3.2, "M0 2 3.2 6M3.2 2 0 6"),
    ('y', 3.4, "M0 2 1.7 6M3.4 2 1.5 6.8C1.2 7.6.8 8 0 8"),
    ('z', 3.1, "M0 2H3L0 6H3.1"),
    ('A', 4.4, "M0 6 2.2 0 4.4 6M.8 4H3.6"),
    ('B', 4.0, "M0 2.9H2.2C3.3 2.9 4 3.5 4 4.4S3.3 6 2.2 6H0V0H2C3 0 3.6.6 3.6 1.4S3 2.9 2 2.9"),
    ('C', 4.2, "M4.2 1.1C3.7.4 3 0 2.3 0 .9 0 0 1.3 0 3S.9 6 2.3 6C3 6 3.7 5.6 4.2 4.9"),
    ('D', 4.2, "M0 0V6H1.8C3.3 6 4.2 4.8 4.2 3S3.3 0 1.8 0z"),
    ('E', 3.5, "M3.4 0H0V6H3.5M0 2.9H3"),
    ('F', 3.4, "M3.4 0H0V6M0 2.9H2.9"),
    ('G', 4.3, "M4.2 1.1C3.7.4 3 0 2.3 0 .9 0 0 1.3 0 3S.9 6 2.3 6C3.2 6 3.9 5.6 4.3 4.9V3.3H2.6"),
    ('K', 4.1, "M0 0V6M4 0 0 3.6M1.4 2.4 4.1 6"),
    ('N', 4.0, "M0 6V0L4 6V0"),
    ('Q', 4.8, "M2.3 0C.9 0 0 1.3 0 3S.9 6 2.3 6 4.6 4.7 4.6 3 3.7 0 2.3 0zM2.9 4.4 4.8 6.4"),
    ('R', 4.1, "M0 6V0H2.2C3.3 0 4 .7 4 1.6S3.3 3.3 2.2 3.3H0M2.2 3.3 4.1 6"),
    ('P', 4.0, "M0 6V0H2.2C3.3 0 4 .7 4 1.6S3.3 3.3 2.2 3.3H0"),
    ('T', 4.4, "M0 0H4.4M2.2 0V6"),
];

/// Whether all characters can be drawn; a picture leaves the others out.
#[must_use]
pub fn can_write(text: &str) -> bool {
    text.chars().all(|c| c == ' ' || find(c).is_some())
}

fn find(letter: char) -> Option<&'static Glyph> {
    GLYPHS.iter().find(|(of, ..)| *of == letter)
}

/// The path of each letter with its horizontal offset, and the width of all. Characters without a glyph are left out.
pub(super) fn lay_out(text: &str) -> (Vec<(f64, &'static str)>, f64) {
    let (mut letters, mut right) = (Vec::new(), 0.0);
    for letter in text.chars() {
        match find(letter) {
            Some((_, width, lines)) => {
                letters.push((right, *lines));
                right += width + GAP;
            }
            None => right += BLANK,
        }
    }
    (letters, (right - GAP).max(0.0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_letter_of_a_name_is_there_once_and_different() {
        assert!(can_write("0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFG KNPQRT"));
        let letters: BTreeSet<_> = GLYPHS.iter().map(|(letter, ..)| letter).collect();
        let lines: BTreeSet<_> = GLYPHS.iter().map(|(.., lines)| lines).collect();
        assert_eq!((letters.len(), lines.len()), (GLYPHS.len(), GLYPHS.len()));
    }

    #[test]
    fn letters_stand_side_by_side() {
        let (letters, width) = lay_out("11 0");
        let places: Vec<_> = letters.iter().map(|(right, _)| *right).collect();
        assert_eq!(places, [0.0, 1.8 + GAP, 2.0 * (1.8 + GAP) + BLANK]);
        assert!((width - (places[2] + 4.0)).abs() < 1e-9);
        assert_eq!(lay_out(""), (Vec::new(), 0.0));
    }
}
