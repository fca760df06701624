//! Reads turns that are written as cells, with or without signs between them, and turns of one cell or one word.

use std::ops::Range;

use super::{Cursor, WrittenCell};
use crate::kit::refusal::Refusal;
use crate::kit::square::Grid;

/// The longest text of a turn in bytes, with any blanks.
const LONGEST: usize = 60;

/// Reads one to `most` cells: `b2-c3`, `B2 -> C3`, `b2xc3`, `b2:c3`, `b2c3`, `d1-d7/g7`, `d1-d7(g7)`, `c3`, `xc3`.
/// `example` is a turn for the refusals.
///
/// # Errors
/// The text is something else, or the grid lacks a cell.
pub fn read_cells(text: &str, grid: Grid, most: usize, example: &str) -> Result<Vec<WrittenCell>, Refusal> {
    let mut cursor = begin(text, example)?;
    take_capture(&mut cursor);
    let form = format!("A turn is written like {example}");
    let mut cells = vec![cursor.adjoined_cell(grid, &form)?];
    while cursor.peek().is_some() {
        if cells.len() == most {
            return Err(cursor.unexpected(&format!("{form}, and nothing follows it")));
        }
        let in_brackets = cursor.take("(");
        if !in_brackets && !cursor.take_hyphen() && !take_capture(&mut cursor) && !cursor.take(":") {
            cursor.take("/");
        }
        cells.push(cursor.adjoined_cell(grid, &form)?);
        if in_brackets && !cursor.take(")") {
            return Err(cursor.unexpected("A bracket must follow the cell"));
        }
    }
    Ok(cells)
}

/// Reads the sign of a capture, `x`, before the name of a cell. The largest grid has no column of that name.
fn take_capture(cursor: &mut Cursor<'_>) -> bool {
    let (word, _) = cursor.word();
    let mut letters = word.chars();
    let is_sign = letters.next().is_some_and(|c| c.eq_ignore_ascii_case(&'x'))
        && letters.next().is_none_or(|c| c.is_ascii_alphabetic());
    is_sign && (cursor.take("x") || cursor.take("X"))
}

/// What is written in a turn of one cell or one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// A cell.
    Cell(WrittenCell),
    /// One of the known words, with its bytes.
    Word(&'static str, Range<usize>),
}

/// Reads a cell, or one of the `words` in upper or lower case. `example` is a turn for the refusals.
///
/// # Errors
/// The text is something else, or the grid lacks the cell.
pub fn read_cell_or_word(
    text: &str,
    grid: Grid,
    words: &[&'static str],
    example: &str,
) -> Result<Written, Refusal> {
    let mut cursor = begin(text, example)?;
    let (word, at) = cursor.word();
    let form = format!("A turn is one cell, such as {example}");
    let known = words.iter().find(|known| known.eq_ignore_ascii_case(word));
    let written = match known {
        Some(known) => {
            cursor.skip(&at);
            Written::Word(known, at)
        }
        None => Written::Cell(cursor.cell(grid, &form)?),
    };
    match cursor.peek() {
        Some(_) => Err(cursor.unexpected(&format!("{form}, and nothing follows it"))),
        None => Ok(written),
    }
}

fn begin<'a>(text: &'a str, example: &str) -> Result<Cursor<'a>, Refusal> {
    if text.len() > LONGEST {
        let reason = format!("A turn is no longer than {LONGEST} characters.");
        return Err(Refusal::unreadable(reason));
    }
    let mut cursor = Cursor::of(text);
    if cursor.peek().is_none() {
        let reason = format!("There is no turn here. A turn is written like {example}.");
        return Err(Refusal::unreadable(reason));
    }
    Ok(cursor)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid::new(10);

    fn names(text: &str) -> Result<String, String> {
        let cells = read_cells(text, GRID, 3, "b2-c3").map_err(|refusal| {
            let at = refusal.at.clone().and_then(|at| text.get(at)).unwrap_or("-");
            format!("{at}: {refusal}")
        })?;
        for written in &cells {
            assert_eq!(
                text[written.at.clone()].to_ascii_lowercase(),
                written.cell.to_string()
            );
        }
        let names: Vec<_> = cells.iter().map(|written| written.cell.to_string()).collect();
        Ok(names.join(" "))
    }

    #[test]
    fn signs_between_cells_are_forgiven_and_may_be_missing() {
        for text in [
            "b2-c3", "B2 -> C3", "b2xc3", "b2Xc3", "b2 x c3", "b2:c3", "b2c3", " b2 c3 ", "b2/c3",
        ] {
            assert_eq!(names(text).as_deref(), Ok("b2 c3"), "{text}");
        }
        for text in [
            "d1-d7/j10",
            "D1D7J10",
            "d1-d7(j10)",
            "d1 - d7 ( j10 )",
            "d1xd7xj10",
            "d1-d7-j10",
        ] {
            assert_eq!(names(text).as_deref(), Ok("d1 d7 j10"), "{text}");
        }
        for text in ["c3", "xc3", "X C3"] {
            assert_eq!(names(text).as_deref(), Ok("c3"), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused_where_it_goes_wrong() {
        for (text, refusal) in [
            ("", "-: There is no turn here. A turn is written like b2-c3."),
            ("-b2", "-: A turn is written like b2-c3, not \"-\"."),
            ("b2-", ": A turn is written like b2-c3; the text ends there."),
            ("b2--c3", "-: A turn is written like b2-c3, not \"-\"."),
            (
                "b2-c3-d4-e5",
                "-: A turn is written like b2-c3, and nothing follows it, not \"-\".",
            ),
            ("b2(c3", ": A bracket must follow the cell; the text ends there."),
            (
                "b2-k3",
                "k3: There is no cell k3 on this board: columns go from a to j, rows from 1 to 10. Possible: j3.",
            ),
            (
                "hello",
                "hello: \"hello\" is no cell: a cell is a column letter from a to j and a row number from 1 to 10, \
                 such as j10.",
            ),
        ] {
            assert_eq!(names(text).unwrap_err(), refusal, "{text}");
        }
        assert!(names(&" ".repeat(61)).unwrap_err().contains("60"));
    }

    #[test]
    fn a_word_is_read_in_place_of_a_cell() {
        let read = |text: &str| read_cell_or_word(text, GRID, &["swap"], "c5");
        assert_eq!(read(" Swap "), Ok(Written::Word("swap", 1..5)));
        assert!(matches!(read("C5"), Ok(Written::Cell(written)) if written.at == (0..2)));
        for wrong in ["", "swap c5", "c5 c6", "c5-c6", "pass", "c5,"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
