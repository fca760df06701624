//! How a game is written in SGF, the Smart Game Format FF\[4\] (<https://red-bean.com/sgf/>). The format leaves to each game how its
//! points and special moves are written.

/// The custom of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sgf {
    /// The number of the game, for the property GM.
    pub number: u32,
    /// How we write points. Both ways are read.
    pub points: Points,
    /// Whether row 1, which is at the bottom of our boards, is the top row of theirs. A point of two letters counts from the top.
    pub first_row_is_top: bool,
    /// How a swap is written.
    pub swap: Swapped,
    /// Whose custom it is.
    pub source: &'static str,
}

/// How points are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// `c5`.
    Names,
    /// `ce`: the column from the left, the row from the top, as in Go.
    Letters,
    /// The same, where our names leave out the letter i: j is the ninth column, which is `i` there.
    LettersWithI,
}

/// How a swap is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swapped {
    /// By a word.
    Word(&'static str),
    /// By the point of the first stone: a stone of the other colour takes its place.
    SamePoint,
}

/// The properties of Go, which are options of ours.
pub(crate) const GO_OPTIONS: [(&str, &str); 2] = [("KM", "-komi"), ("HA", "-handicap")];

impl Sgf {
    /// A point on a board of this size, given by its name, as it is written; `None` if it is not the name of a point.
    #[must_use]
    pub fn written(&self, name: &str, size: u32) -> Option<String> {
        match self.points {
            Points::Names => Some(name.to_owned()),
            Points::Letters | Points::LettersWithI => {
                let mut signs = name.chars();
                let mut column = signs.next()?;
                if self.points == Points::LettersWithI && column > 'i' {
                    column = char::from(u8::try_from(column).ok()? - 1);
                }
                let row: u32 = signs.as_str().parse().ok()?;
                let from_top = self.turned(row, size)?;
                let letter = char::from(b'a' + u8::try_from(from_top - 1).ok().filter(|at| *at < 26)?);
                Some(format!("{column}{letter}"))
            }
        }
    }

    /// The name of a point as any program may write it: `c5`, `C5`, `ce`; other texts are returned in small letters.
    #[must_use]
    pub fn read(&self, written: &str, size: u32) -> String {
        let text = written.trim().to_ascii_lowercase();
        let named = match text.as_bytes() {
            [column @ b'a'..=b'z', row @ b'a'..=b'z'] => {
                let from_top = u32::from(row - b'a') + 1;
                let row = self.turned(from_top, size);
                let skips = self.points == Points::LettersWithI && *column >= b'i';
                row.map(|row| format!("{}{row}", char::from(column + u8::from(skips))))
            }
            _ => None,
        };
        named.unwrap_or(text)
    }

    /// Turns the number of a row into its place from the top, and back.
    fn turned(&self, row: u32, size: u32) -> Option<u32> {
        if !(1..=size).contains(&row) {
            return None;
        }
        Some(match self.first_row_is_top {
            true => row,
            false => size + 1 - row,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERS: Sgf = Sgf {
        number: 4,
        points: Points::Letters,
        first_row_is_top: false,
        swap: Swapped::SamePoint,
        source: "",
    };

    #[test]
    fn points_of_two_letters_count_from_the_top() {
        assert_eq!(LETTERS.written("a1", 15).as_deref(), Some("ao"));
        assert_eq!(LETTERS.written("h15", 15).as_deref(), Some("ha"));
        assert_eq!(LETTERS.read("HA", 15), "h15");
        let top = Sgf {
            points: Points::Names,
            first_row_is_top: true,
            ..LETTERS
        };
        assert_eq!(top.written("k11", 11).as_deref(), Some("k11"));
        assert_eq!(top.read("ad", 11), "a4");
        assert_eq!(top.read(" C12 ", 11), "c12");
        // No such row: the text stays, and the game refuses it.
        assert_eq!(top.read("az", 11), "az");
        assert_eq!(LETTERS.written("a16", 15), None);
    }
}
