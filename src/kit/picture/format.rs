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

/// A closed path through these corners.
pub(super) struct Outline<'a>(pub(super) &'a [Coordinates]);

impl fmt::Display for Outline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (corner, command) in self
            .0
            .iter()
            .zip(std::iter::once("M").chain(std::iter::repeat(" ")))
        {
            write!(f, "{command}{}", P(*corner))?;
        }
        f.write_char('z')
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
        assert_eq!(Outline(&[(0.0, 1.5), (2.0, -3.0)]).to_string(), "M0 1.5 2 -3z");
    }

    #[test]
    fn any_text_is_the_text_of_an_element() {
        let xml = format!("<a>{}</a>", Text("<b> & \"c\" ]]> \u{0}\u{1b}\u{fffe}\u{e9}"));
        let document = Document::parse(&xml).unwrap();
        assert_eq!(document.root_element().text(), Some("<b> & \"c\" ]]>   \u{e9}"));
    }
}
