//! A square grid: its cells with their names, and its two text drawings.

mod bits;
mod cell;
mod moves;
mod small;

use super::display::Display;

pub use bits::{BitBoard, Bits, MAX_BITS, WideBits};
pub use cell::{Cell, MAX_SIZE};
pub use moves::{Move, only_one};
pub use small::{SmallBits, Way};

/// Why a word is not the name of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCell {
    /// It is not a letter and a number.
    Unreadable,
    /// The grid is too small for it; this is the nearest cell.
    Outside(Cell),
}

/// A square grid; row 1 is at the bottom, column a at the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    size: u8,
}

impl Grid {
    /// A grid with this many columns and rows, limited to 1 to [`MAX_SIZE`].
    #[must_use]
    pub const fn new(size: u8) -> Self {
        let size = match size {
            0 => 1,
            1..MAX_SIZE => size,
            MAX_SIZE.. => MAX_SIZE,
        };
        Self { size }
    }

    /// The number of columns, which is the number of rows.
    #[must_use]
    #[inline]
    pub const fn size(self) -> u8 {
        self.size
    }

    /// All cells of the grid, which has at most [`MAX_BITS`] columns and rows.
    #[must_use]
    #[inline]
    pub fn cells(self) -> Bits {
        ALL[usize::from(self.size)]
    }

    /// All cells in reading order: the top row first, each row from the left.
    pub fn in_reading_order(self) -> impl Iterator<Item = Cell> {
        let row = move |row| (0..self.size).map(move |column| Cell::at(column, row));
        (0..self.size).rev().flat_map(row)
    }

    /// The names of the occupied cells in reading order, with the letters of their pieces.
    pub fn occupied(self, letter: impl Fn(Cell) -> Option<char>) -> Vec<(String, char)> {
        let occupied = self
            .in_reading_order()
            .filter_map(|cell| Some((cell.to_string(), letter(cell)?)));
        occupied.collect()
    }

    /// The letter of the last column: `h` on a grid of 8.
    #[must_use]
    pub fn last_column(self) -> char {
        char::from(b'a' + self.size - 1)
    }

    /// The cell with this name, ignoring case.
    ///
    /// # Errors
    /// The word is not the name of a cell, or the grid does not have that cell.
    pub fn find(self, word: &str) -> Result<Cell, NoCell> {
        let mut letters = word.chars();
        let letter = letters
            .next()
            .map(|letter| letter.to_ascii_lowercase())
            .filter(char::is_ascii_lowercase)
            .ok_or(NoCell::Unreadable)?;
        let digits = letters.as_str();
        if digits.is_empty() || digits.len() > 3 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(NoCell::Unreadable);
        }
        let row: u16 = digits.parse().map_err(|_| NoCell::Unreadable)?;
        let column = u16::from(letter as u8 - b'a');
        let size = u16::from(self.size);
        // Both are less than the size, so they fit.
        let cell = |column: u16, row: u16| Cell::at(column as u8, row as u8);
        if column < size && (1..=size).contains(&row) && !digits.starts_with('0') {
            return Ok(cell(column, row - 1));
        }
        Err(NoCell::Outside(cell(
            column.min(size - 1),
            row.clamp(1, size) - 1,
        )))
    }

    /// Draws the board as text with column letters above and below and row numbers on both sides; `letter` gives the
    /// content of a cell. No trailing blanks, at most 79 columns.
    pub fn draw(self, display: Display, letter: impl Fn(Cell) -> char) -> String {
        self.draw_named(display, column_letter, letter)
    }

    fn draw_named(self, display: Display, column: fn(u8) -> char, letter: impl Fn(Cell) -> char) -> String {
        let digits = if self.size > 9 { 2 } else { 1 };
        let between_letters = usize::from(self.size - 1);
        let (first, between, last, border) = match display {
            Display::Small => ("", " ", "", String::new()),
            // The largest board has no room for a frame.
            Display::Large if self.size >= MAX_BITS => (
                "",
                " | ",
                "",
                format!("{}+--", "--+-".repeat(between_letters - 1) + "--"),
            ),
            Display::Large => (
                "| ",
                " | ",
                " |",
                format!("{}+", "+---".repeat(between_letters + 1)),
            ),
        };
        let line = |between: &str, seen: &dyn Fn(u8) -> char| {
            let seen: Vec<String> = (0..self.size).map(|column| seen(column).to_string()).collect();
            seen.join(between)
        };
        let blanks = |text: &str| " ".repeat(text.len());
        let columns = line(&blanks(between), &column);
        let columns = format!("{:digits$} {}{columns}\n", "", blanks(first));
        let border = match display {
            Display::Small => border,
            Display::Large => format!("{:digits$} {border}\n", ""),
        };
        let mut drawn = format!("{columns}{border}");
        for row in (0..self.size).rev() {
            let number = row + 1;
            let cells = line(between, &|column| letter(Cell::at(column, row)));
            drawn += &format!("{number:>digits$} {first}{cells}{last} {number}\n{border}");
        }
        drawn + &columns
    }

    /// The same for a board whose pieces stand on the crossings of lines: `letter` gives a piece, `None` an empty crossing.
    /// The small drawing is that of [`draw`](Self::draw).
    pub fn draw_crossings(self, display: Display, letter: impl Fn(Cell) -> Option<char>) -> String {
        self.draw_named_crossings(display, column_letter, letter)
    }

    /// The same with other letters for the columns.
    pub fn draw_named_crossings(
        self,
        display: Display,
        column: fn(u8) -> char,
        letter: impl Fn(Cell) -> Option<char>,
    ) -> String {
        if display == Display::Small {
            return self.draw_named(display, column, |cell| letter(cell).unwrap_or('.'));
        }
        let digits = if self.size > 9 { 2 } else { 1 };
        let line = |between: &str, seen: &dyn Fn(u8) -> char| {
            let seen: Vec<String> = (0..self.size).map(|column| seen(column).to_string()).collect();
            seen.join(between)
        };
        let columns = line("   ", &column);
        let columns = format!("{:digits$} {columns}\n", "");
        let below = format!("{:digits$} {}\n", "", line("   ", &|_| '|'));
        let mut rows = Vec::new();
        for row in (0..self.size).rev() {
            let crossings = line("---", &|column| letter(Cell::at(column, row)).unwrap_or('+'));
            let number = row + 1;
            rows.push(format!("{number:>digits$} {crossings} {number}\n"));
        }
        format!("{columns}{}{columns}", rows.join(&below))
    }
}

/// The usual letter of a column, from 0.
fn column_letter(column: u8) -> char {
    char::from(b'a' + column)
}

/// The cells of a grid of each size; size 0 is not used.
static ALL: [Bits; MAX_SIZE as usize + 1] = all();

const fn all() -> [Bits; MAX_SIZE as usize + 1] {
    let mut sets = [Bits::EMPTY; MAX_SIZE as usize + 1];
    let mut size = 0;
    while size < sets.len() {
        sets[size] = Bits::square(size as u8);
        size += 1;
    }
    sets
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_board_of_three_looks_like_this() {
        let letter = |cell: Cell| match cell.to_string().as_str() {
            "a3" => 'x',
            "c1" => 'o',
            _ => '.',
        };
        let small = "  a b c
3 x . . 3
2 . . . 2
1 . . o 1
  a b c
";
        let large = "    a   b   c
  +---+---+---+
3 | x | . | . | 3
  +---+---+---+
2 | . | . | . | 2
  +---+---+---+
1 | . | . | o | 1
  +---+---+---+
    a   b   c
";
        assert_eq!(Grid::new(3).draw(Display::Small, letter), small);
        assert_eq!(Grid::new(3).draw(Display::Large, letter), large);
        let crossings = "  a   b   c
3 x---+---+ 3
  |   |   |
2 +---+---+ 2
  |   |   |
1 +---+---o 1
  a   b   c
";
        let piece = |cell| Some(letter(cell)).filter(|letter| *letter != '.');
        assert_eq!(Grid::new(3).draw_crossings(Display::Small, piece), small);
        assert_eq!(Grid::new(3).draw_crossings(Display::Large, piece), crossings);
    }

    #[test]
    fn the_largest_board_has_no_frame() {
        let drawn = Grid::new(MAX_BITS).draw(Display::Large, |_| '.');
        let lines: Vec<_> = drawn.lines().take(4).collect();
        let border = format!("   --+{}---", "---+".repeat(17));
        assert_eq!(lines[1], border.get(..border.len() - 1).unwrap());
        assert_eq!(lines[2], format!("19 {}. 19", ". | ".repeat(18)));
    }

    #[test]
    fn every_size_fits_80_columns_and_has_no_trailing_blanks() {
        for size in 1..=MAX_BITS {
            for display in [Display::Small, Display::Large] {
                let grid = Grid::new(size);
                for drawn in [
                    grid.draw(display, |_| '*'),
                    grid.draw_crossings(display, |_| Some('*')),
                ] {
                    assert!(drawn.is_ascii());
                    assert!(
                        drawn
                            .lines()
                            .all(|line| line.len() <= 79 && line.trim_end() == line)
                    );
                    assert_eq!(drawn.matches('*').count(), usize::from(size).pow(2));
                }
            }
        }
    }

    #[test]
    fn every_name_is_read_back_in_either_case() {
        for size in 1..=MAX_BITS {
            let grid = Grid::new(size);
            let cells: Vec<_> = grid.in_reading_order().collect();
            assert_eq!(cells.iter().copied().collect::<Bits>(), grid.cells());
            assert_eq!(cells.len(), usize::from(size).pow(2));
            for cell in cells {
                assert_eq!(grid.find(&cell.to_string()), Ok(cell));
                assert_eq!(grid.find(&cell.to_string().to_uppercase()), Ok(cell));
            }
        }
    }

    #[test]
    fn a_name_beyond_the_board_brings_the_nearest_cell() {
        let grid = Grid::new(8);
        let near = |word: &str| match grid.find(word) {
            Err(NoCell::Outside(cell)) => cell.to_string(),
            other => panic!("{word}: {other:?}"),
        };
        assert_eq!(near("i4"), "h4");
        assert_eq!(near("z99"), "h8");
        assert_eq!(near("C9"), "c8");
        assert_eq!(near("c0"), "c1");
        assert_eq!(near("c04"), "c4");
        for word in [
            "", "4", "e", "4e", "e4x", "e-4", "e+4", "ee4", "\u{e9}4", "e\u{664}", "e1000",
        ] {
            assert_eq!(grid.find(word), Err(NoCell::Unreadable), "{word}");
        }
    }

    proptest! {
        #[test]
        fn any_word_is_a_cell_of_the_board_or_none(size in 1..=MAX_BITS, word in "\\PC{0,6}") {
            let grid = Grid::new(size);
            let cell = match grid.find(&word) {
                Ok(cell) => { prop_assert_eq!(word.to_lowercase(), cell.to_string()); cell }
                Err(NoCell::Outside(cell)) => cell,
                Err(NoCell::Unreadable) => return Ok(()),
            };
            prop_assert!(grid.cells().has(cell));
        }
    }
}
