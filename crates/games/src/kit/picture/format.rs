//! Writes numbers, coordinates and text for SVG.

use std::fmt::{self, Write as _};

use super::Coordinates;

/// A number with at most two decimals.
pub(super) struct N(pub(super) f64);

impl fmt::Display for N {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0.0 turns -0.0 into 0.0.
        write!(f, "{}", (self.0 * 100.0).round() / 100.0 + 0.0)
    }
}

/// A pair of coordinates.
pub(super) struct P(pub(super) Coordinates);

impl fmt::Display for P {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", N(self.0.0), N(self.0.1))
    }
}

/// A closed path through these corners, by steps: a board has hundreds of them, and steps have fewer digits than places. They
/// are the differences of rounded places, so that cells that share a corner meet there.
pub(super) struct Outline<'a>(pub(super) &'a [Coordinates]);

impl fmt::Display for Outline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = |number: f64| (number * 100.0).round() as i64;
        let mut corners = self.0.iter().map(|(x, y)| (hundredths(*x), hundredths(*y)));
        let Some(first) = corners.next() else {
            return Ok(());
        };
        write!(f, "M{}", Step(first))?;
        let (mut at, mut is_open) = (first, false);
        for corner in corners {
            let step = (corner.0 - at.0, corner.1 - at.1);
            match step {
                (right, 0) => write!(f, "h{}", Hundredths(right))?,
                (0, down) => write!(f, "v{}", Hundredths(down))?,
                // The letter is said once for several steps.
                _ if is_open && step.0 >= 0 => write!(f, " {}", Step(step))?,
                _ if is_open => write!(f, "{}", Step(step))?,
                _ => write!(f, "l{}", Step(step))?,
            }
            is_open = step.0 != 0 && step.1 != 0;
            at = corner;
        }
        f.write_char('z')
    }
}

/// Two numbers; a sign separates them as well as a blank.
struct Step((i64, i64));

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (right, down) = self.0;
        let blank = if down < 0 { "" } else { " " };
        write!(f, "{}{blank}{}", Hundredths(right), Hundredths(down))
    }
}

/// A number that is given in hundredths, without zeros that say nothing.
struct Hundredths(i64);

impl fmt::Display for Hundredths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, number) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        match (number / 100, number % 100) {
            (whole, 0) => write!(f, "{sign}{whole}"),
            (0, part) if part % 10 == 0 => write!(f, "{sign}.{}", part / 10),
            (0, part) => write!(f, "{sign}.{part:02}"),
            (whole, part) if part % 10 == 0 => write!(f, "{sign}{whole}.{}", part / 10),
            (whole, part) => write!(f, "{sign}{whole}.{part:02}"),
        }
    }
}

/// Text escaped for XML, without the characters that XML forbids.
pub(super) struct Text<'a>(pub(super) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '\u{fffe}' | '\u{ffff}' => {}
                c if c.is_control() => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use resvg::usvg::roxmltree::Document;

    use super::*;

    #[test]
    fn numbers_are_short_and_nothing_is_never_negative() {
        let short = [(1.0, "1"), (-0.001, "0"), (8.666_666, "8.67"), (-0.5, "-0.5")];
        for (number, text) in short {
            assert_eq!(N(number).to_string(), text);
        }
    }

    #[test]
    fn an_outline_is_short_and_its_corners_are_where_they_were() {
        assert_eq!(Outline(&[(0.0, 1.5), (2.0, -3.0)]).to_string(), "M0 1.5l2-4.5z");
        assert_eq!(Outline(&[]).to_string(), "");
        let (half, side) = (15.0, 30.0 / 3.0_f64.sqrt());
        // Beside another by a step that is no number of hundredths.
        let corners = [(0.0, -side), (half, -side / 2.0), (half, side / 2.0), (0.0, side)];
        let short = Outline(&corners).to_string();
        assert_eq!(short, "M0-17.32l15 8.66v17.32l-15 8.66z");
        let far: Vec<_> = corners.iter().map(|(x, y)| (x + 45.0, y + 9.0 * side)).collect();
        let last = far.last().copied().unwrap_or_default();
        assert_eq!(P(last).to_string(), "45 173.21");
        assert_eq!(Outline(&far).to_string(), "M45 138.56l15 8.66v17.32l-15 8.67z");
        assert_eq!(
            Outline(&[(-0.25, 0.5), (0.0, 0.0), (0.25, 0.05)]).to_string(),
            "M-.25 .5l.25-.5 .25 .05z"
        );
    }

    #[test]
    fn any_text_is_the_text_of_an_element() {
        let xml = format!("<a>{}</a>", Text("<b> & \"c\" ]]> \u{0}\u{1b}\u{fffe}\u{e9}"));
        let document = Document::parse(&xml).unwrap();
        assert_eq!(document.root_element().text(), Some("<b> & \"c\" ]]>   \u{e9}"));
    }
}
