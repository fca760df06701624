//! The board as players see it.

use super::super::Ringworm;
use super::sample::score;
use super::{after, start};
use crate::{Display, Outcome, Rules, Seat};

#[test]
fn the_facts_are_plain_text_within_their_widths() {
    let facts = Ringworm::FACTS;
    assert!(
        facts
            .rules
            .lines()
            .all(|line| line.len() <= 72 && line.is_ascii() && line == line.trim_end())
    );
    after(facts.example);
}

#[test]
fn boards_are_narrow_plain_lines() {
    let mut game = start();
    for text in score() {
        game.play(&game.read(text).unwrap());
        for display in [Display::Small, Display::Large] {
            let drawn = game.draw(display);
            assert!(drawn.ends_with('\n') && drawn.is_ascii());
            assert!(
                drawn
                    .lines()
                    .all(|line| line.len() <= 80 && line == line.trim_end())
            );
            let board: String = drawn.lines().skip(3).filter(|line| is_row(line)).collect();
            let stones = |letter| board.matches(letter).count();
            assert_eq!(game.stones.map(|stones| stones.count()), ['x', 'o'].map(stones));
        }
    }
}

/// Not a line of column letters.
fn is_row(line: &str) -> bool {
    !line.contains('k')
}

#[test]
fn in_both_pictures_a_stone_stands_under_its_column_in_its_row() {
    for (display, row_height) in [(Display::Small, 1), (Display::Large, 2)] {
        for cell in crate::kit::hex::Cell::ALL {
            let game = after(&[&cell.to_string()]);
            let drawn = game.draw(display);
            let lines: Vec<_> = drawn.lines().collect();
            let head = lines.iter().position(|line| line.contains("k")).unwrap();
            let line = lines[head + row_height * usize::from(cell.row())];
            let letter = cell.to_string().remove(0);
            let columns: String = lines[head].to_owned();
            assert_eq!(line.find('x'), columns.find(letter), "{cell}");
            assert!(line.trim_start().starts_with(&cell.row().to_string()), "{cell}");
        }
    }
}

#[test]
fn the_line_above_the_board_and_its_counts_agree() {
    let game = after(&["q9", "t6,u7,v8"]);
    assert!(
        game.draw(Display::Small)
            .starts_with("Stones: x 1 o 3\nx drops 4 stones.\n\n   abc")
    );
    assert_eq!(
        game.info(),
        [("stones", vec![("x", 1), ("o", 3)]), ("drops", vec![("x", 4)])]
    );
    let cells: Vec<_> = game.cells();
    let cells: Vec<_> = cells
        .iter()
        .map(|(name, letter)| (name.as_str(), *letter))
        .collect();
    assert_eq!(cells, [("t6", 'o'), ("u7", 'o'), ("v8", 'o'), ("q9", 'x')]);
    assert!(
        start()
            .draw(Display::Large)
            .starts_with("Stones: x 0 o 0\nx drops 1 stone.\n\n")
    );
    let over = after(&["q9", "pass", "pass"]);
    assert_eq!(over.outcome(), Some(Outcome::Won(Seat::First)));
    assert!(over.draw(Display::Small).starts_with("Stones: x 1 o 0\n\n"));
    assert_eq!(after(&["pass", "pass"]).outcome(), Some(Outcome::Drawn));
}
