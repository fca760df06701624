//! The published table of classes, and properties of the solver.

use proptest::prelude::*;
use serde_json::Value;

use super::key::Key;
use super::position::shifted;
use super::*;
use crate::kit::square::Bits;
use crate::kit::square::{Cell, Grid};

fn class(text: &str) -> Class {
    solve(text)
        .unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
        .class()
}

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}

#[test]
fn the_classes_are_those_of_the_table() {
    let oracles: Value = serde_json::from_str(include_str!("../../../tests/oracles/forms.json")).unwrap();
    let table = &oracles["outcome_classes"];
    let mut entries = 0;
    for (name, wanted) in [("N", Class::N), ("P", Class::P), ("O", Class::O)] {
        for text in strings(&table[name]) {
            assert_eq!(class(text), wanted, "{text}");
            entries += 1;
        }
    }
    assert_eq!(entries, 26);
    for pair in table["equivalent_pairs"].as_array().unwrap() {
        let pair = strings(pair);
        assert_eq!(class(pair[0]), class(pair[1]), "{pair:?}");
    }
}

#[test]
fn the_misprinted_position_is_won_by_the_player_to_move() {
    let solved = solve("x o o x o").unwrap();
    assert_eq!(solved.class(), Class::N);
    let text = solved.to_string();
    assert!(
        text.contains("N: whoever moves first wins.\nBlack to move wins with "),
        "{text}"
    );
    // The turn that the rules page names: the inner stone slides round to the far side of the last.
    let mut position = Forms {
        mover: Seat::First,
        ..solved.position
    };
    let turn = position.read("e2-g2").unwrap();
    position.play(&turn);
    assert!(!Search::default().wins(&position).unwrap());
}

#[test]
fn a_solution_shows_the_cells_that_its_turns_name() {
    let wanted = "\
        \x20 a b c d\n\
        4 . . . . 4\n\
        3 . . . . 3\n\
        2 . x o . 2\n\
        1 . . . . 1\n\
        \x20 a b c d\n\
        \n\
        P: whoever moves first loses.\n\
        Black to move loses.\n\
        White to move loses.\n";
    for text in ["x o", "-XO", " ./ -.xo-/./-", "---------------------------x o"] {
        assert_eq!(solve(text).unwrap().to_string(), wanted, "{text}");
    }
}

#[test]
fn the_longest_line_is_solved() {
    assert_eq!(class("o o o o x o x x x o x o o o o x"), Class::O);
    assert_eq!(
        class("o o o o x o x x x o x o o o o x".replace(' ', "/").as_str()),
        Class::O
    );
}

#[test]
fn an_enclosed_hole_is_not_the_outside() {
    // The stone at the end may slide to any outer cell, never into the hole.
    let solved = solve("x o x -/o - o -/x o x x").unwrap();
    let outer = Forms {
        mover: Seat::First,
        ..solved.position
    };
    assert_eq!(
        outer.read("e2-c3").unwrap_err().to_string().split(',').next(),
        Some("A stone slides by steps to the sides")
    );
    assert!(outer.read("d2-c3").is_err());
    assert!(outer.read("c2-c3").is_err());
    assert_eq!(solved.class(), class("x o x/o - o/x o x/- - x"));
}

#[test]
fn invalid_positions_are_refused() {
    let refused = |text: &str| solve(text).unwrap_err().to_string();
    assert_eq!(
        refused("x o q"),
        "\"q\" stands for nothing in a position: x is a black stone, o a white one, - or . an empty cell, \
         and / ends a row. Possible: x x o x o."
    );
    assert_eq!(refused(""), "A position needs stones of both colours: x and o.");
    assert_eq!(
        refused("x x"),
        "A position needs stones of both colours: x and o."
    );
    assert_eq!(
        refused("x - o"),
        "All stones must hang together side by side, as after any turn."
    );
    assert_eq!(refused(&format!("x{}o", "/".repeat(900))), refused("x - o"));
    assert_eq!(
        refused(&"xo".repeat(9)),
        "The position has 18 stones; at most 16 can be solved."
    );
    // However great the distance, the two stones must not appear to be neighbours.
    assert_eq!(refused(&format!("x{}o", "/".repeat(257))), refused("x - o"));
    assert_eq!(refused(&format!("x{}o", "-".repeat(256))), refused("x - o"));
    assert_eq!(refused(&"-".repeat(1000)), refused(""));
    assert!(refused(&"-".repeat(1001)).contains("1000 characters"));
}

#[test]
fn a_stone_in_the_corner_makes_another_position() {
    let key = |text: &str| Key::of(&position::read(text).unwrap());
    assert_ne!(key("- x -/x o x/o x -"), key("- x -/x o x/- x -"));
}

/// A joined position with this many stones of both colours, in the middle of a board of 14.
fn forms(stones: usize) -> impl Strategy<Value = Forms> {
    let choices = proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 2..=stones);
    choices.prop_map(|choices| {
        let mut stones = [Bits::of(Cell::at(7, 7)), Bits::EMPTY];
        for (place, (choice, colour)) in choices.iter().enumerate() {
            let form = stones[0] | stones[1];
            let cells: Vec<Cell> = (form.adjacent() - form).iter().collect();
            stones[usize::from(place == 0 || *colour)].insert(cells[choice.index(cells.len())]);
        }
        Forms {
            grid: Grid::new(14),
            stones,
            mover: Seat::First,
            standard: false,
        }
    })
}

fn text(position: &Forms, letter: impl Fn(u8, u8) -> Cell) -> String {
    let row = |row: u8| {
        (0..14)
            .map(|column| position.letter(letter(column, row)).unwrap_or('.'))
            .collect()
    };
    (0..14).rev().map(row).collect::<Vec<String>>().join("/")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Searches without shifts, symmetries and memory: every turn, on a board whose edges are too far away to matter.
    #[test]
    fn trying_everything_on_a_wide_board_gives_the_same(position in forms(4)) {
        let solved = solve(&text(&position, Cell::at)).unwrap();
        for mover in Seat::BOTH {
            prop_assert_eq!(solved.winning[mover.index()].is_none(), Forms { mover, ..position }.is_lost());
            if let Some(turn) = solved.winning[mover.index()] {
                let mut after = Forms { mover, ..solved.position };
                prop_assert_eq!(after.read(&turn.to_string()), Ok(turn));
                after.play(&turn);
                prop_assert!(is_lost_far_from_edges(&after));
            }
        }
    }

    #[test]
    fn turning_reflecting_and_exchanging_colours_change_nothing(position in forms(8)) {
        let plain = class(&text(&position, Cell::at));
        let pictures: [fn(u8, u8) -> Cell; 3] =
            [|c, r| Cell::at(r, c), |c, r| Cell::at(13 - c, r), |c, r| Cell::at(r, 13 - c)];
        for picture in pictures {
            prop_assert_eq!(class(&text(&position, picture)), plain);
        }
        let other = Forms { stones: [position.stones[1], position.stones[0]], ..position };
        let exchanged = match plain {
            Class::O => Class::X,
            Class::X => Class::O,
            same => same,
        };
        prop_assert_eq!(class(&text(&other, Cell::at)), exchanged);
    }

    #[test]
    fn a_key_is_that_of_all_eight_pictures_and_of_no_other_mover(position in forms(8)) {
        let key = Key::of(&position);
        let turned = |stones: Bits| stones.iter().map(|c| Cell::at(c.row(), 13 - c.column())).collect();
        let reflected = |stones: Bits| stones.iter().map(|c| Cell::at(13 - c.column(), c.row())).collect();
        let mut picture = position;
        for _ in 0..4 {
            picture.stones = picture.stones.map(turned);
            prop_assert_eq!(Key::of(&picture), key);
            prop_assert_eq!(Key::of(&Forms { stones: picture.stones.map(reflected), ..picture }), key);
        }
        prop_assert_eq!(Key::of(&shifted(&position)), key);
        let exchanged = Forms { stones: [position.stones[1], position.stones[0]], mover: Seat::Second, ..position };
        prop_assert_eq!(Key::of(&exchanged), key);
        if position.own().count() != position.enemy().count() {
            prop_assert_ne!(Key::of(&Forms { mover: Seat::Second, ..position }), key);
        }
    }

    #[test]
    fn any_text_is_solved_or_refused(text in "([xo./ -]{0,24}|\\PC{0,40})") {
        let _ = solve(&text);
    }
}

/// Whether the mover of this position on a small board loses on the wide one.
fn is_lost_far_from_edges(position: &Forms) -> bool {
    let wide = |stones: Bits| {
        stones
            .iter()
            .map(|c| Cell::at(c.column() + 4, c.row() + 4))
            .collect()
    };
    Forms {
        grid: Grid::new(14),
        stones: position.stones.map(wide),
        ..*position
    }
    .is_lost()
}
