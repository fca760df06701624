//! The rules as the rules page states them, and the contract of the trait.

mod against_model;
pub(super) mod model;
mod reading;
mod winning;

use super::*;
use crate::{Game, Match};

const GAME: Game = Game::of::<ShapeChess>();

fn start(words: &[&str]) -> ShapeChess {
    let options = Options::parse(&FACTS, words.iter().copied()).unwrap();
    ShapeChess::start(&options).unwrap()
}

/// A board of 12 with the first side to move; rows from the top, the last one is row 1.
fn position(rows: &[&str]) -> ShapeChess {
    let mut position = start(&[]);
    for (row, line) in rows.iter().rev().enumerate() {
        for (column, letter) in line.chars().enumerate() {
            let cell = Cell::at(column as u8, row as u8);
            match letter {
                'x' => position.put(Seat::First, cell),
                'o' => position.put(Seat::Second, cell),
                _ => {}
            }
        }
    }
    position
}

fn play(position: &mut ShapeChess, turns: &str) {
    for turn in turns.split_whitespace() {
        let turn = position
            .read(turn)
            .unwrap_or_else(|refusal| panic!("{turn}: {refusal}"));
        position.play(&turn);
    }
}

fn stones(position: &ShapeChess) -> [u32; 2] {
    position.stones.map(|stones| stones.count())
}

#[test]
fn the_numbers_of_turns_are_those_of_the_rules() {
    let perft = |words: &str, depth| {
        let options = Options::parse(&FACTS, words.split_whitespace()).unwrap();
        GAME.start(&options).unwrap().perft(depth)
    };
    assert_eq!([1, 2, 3].map(|depth| perft("", depth)), [144, 21_604, 6_285_664]);
    assert_eq!(
        [1, 2, 3].map(|depth| perft("-size=13", depth)),
        [169, 29_592, 10_091_808]
    );
    assert_eq!(perft("-size=18 -target=9", 1), 324);
}

#[test]
fn a_push_that_completes_a_symmetric_seven_scores_two_and_gives_another_turn() {
    let mut bent = position(&["xx.", "xo.", "x.x"]);
    play(&mut bent, "b2-c2");
    assert_eq!((bent.points, bent.to_move()), ([0, 0], Some(Seat::Second)));

    let mut board = position(&["x.x", "xox", "x.x"]);
    play(&mut board, "b2-b3");
    assert_eq!(board.points, [2, 0]);
    assert_eq!(stones(&board), [0, 1]);
    assert_eq!(board.to_move(), Some(Seat::First));
    play(&mut board, "a1");
    assert_eq!(board.to_move(), Some(Seat::Second));
}

#[test]
fn fewer_than_six_stones_never_count() {
    let mut board = start(&[]);
    for turn in ["a1", "l12", "b1", "l10", "c1", "l8", "d1", "l6", "e1", "l4"] {
        play(&mut board, turn);
    }
    assert_eq!(stones(&board), [5, 5]);
    assert_eq!(board.to_move(), Some(Seat::First));
    play(&mut board, "f1");
    assert_eq!((stones(&board), board.points), ([0, 5], [1, 0]));
}

#[test]
fn shapes_are_joined_by_diagonal_steps_too() {
    let mut board = position(&["....x", "...x", "..x", ".x", "x"]);
    play(&mut board, "f6");
    assert_eq!((stones(&board), board.points), ([0, 0], [1, 0]));
}

#[test]
fn a_shape_that_a_push_makes_symmetric_for_the_opponent_scores_after_his_own_next_action() {
    let bent = ["o", ".", ".", ".xxxxx", "x"];
    let mut board = position(&bent);
    board.mover = Seat::Second;
    // White pushes the stone at a1 up into the row: Black has six in line, but White has acted.
    play(&mut board, "a1-a2");
    assert_eq!((stones(&board), board.points), ([6, 2], [0, 0]));
    assert_eq!(board.to_move(), Some(Seat::First));
    let mut far = board;
    play(&mut far, "l12");
    assert_eq!((stones(&far), far.points), ([1, 2], [1, 0]));
    assert_eq!(far.to_move(), Some(Seat::First));
    // Black spoils it himself.
    let mut spoilt = board;
    play(&mut spoilt, "b3");
    assert_eq!((stones(&spoilt), spoilt.points), ([7, 2], [0, 0]));
    assert_eq!(spoilt.to_move(), Some(Seat::Second));
}

#[test]
fn a_shape_made_symmetric_and_bent_again_by_the_same_player_scores_nothing() {
    let mut board = position(&["......oooooo", "", "", "", ".xxxxx", "x"]);
    board.mover = Seat::Second;
    // White scores with the stone that was pushed away, so White acts twice before Black.
    play(&mut board, "a1-a2");
    assert_eq!((board.points, board.to_move()), ([0, 1], Some(Seat::Second)));
    play(&mut board, "f2-f1 l12");
    assert_eq!((board.points, board.to_move()), ([0, 1], Some(Seat::Second)));
}

#[test]
fn a_jump_can_leave_a_symmetric_shape_behind_and_complete_another() {
    // From the row of seven with a stone above its end: six in line stay, and six in line arise.
    let mut board = position(&["", ".....x", "xxxxxx", "", "", "xxxxx"]);
    play(&mut board, "f5-f1");
    assert_eq!((stones(&board), board.points), ([0, 0], [2, 0]));
    assert_eq!(board.to_move(), Some(Seat::First));
}

#[test]
fn a_jump_that_splits_a_shape_is_judged_by_both_parts() {
    let mut board = position(&["xxxxxx.xxxxx", "......x"]);
    play(&mut board, "g1-l5");
    assert_eq!(
        (stones(&board), board.points),
        ([6, 0], [1, 0]),
        "five of a row and the stone that jumped stay"
    );
}

#[test]
fn the_first_with_the_target_wins_at_once() {
    let mut board = position(&["xxxxx.xx"]);
    let mut more = board;
    more.target = 5;
    play(&mut more, "f1");
    assert_eq!((more.points, more.outcome()), ([3, 0], None));
    assert_eq!(more.to_move(), Some(Seat::First));

    board.points = [1, 3];
    play(&mut board, "f1");
    assert_eq!(board.points, [4, 3]);
    assert_eq!(board.outcome(), Some(Outcome::Won(Seat::First)));
    assert_eq!(board.to_move(), None);
    assert_eq!(board.count(), 0);
    assert!(board.turns(&mut |_| ControlFlow::Break(())).is_continue());
    assert!(board.random_turn(&mut rand::rng()).is_none());
    assert_eq!(board.read("a1").unwrap_err().reason, "The game is over.");
    assert_eq!(board.read_all("a1").unwrap_err().reason, "The game is over.");
}

/// A board full of white stones except for the given bottom rows.
fn full_but(rows: &[&str]) -> ShapeChess {
    let full = ["oooooooooooo"; 12];
    position(&[&full[rows.len()..], rows].concat())
}

#[test]
fn a_stone_on_the_last_empty_cell_draws_unless_it_scores() {
    let mut board = full_but(&["xooooooooooo", "xxxxx.oooooo"]);
    play(&mut board, "f1");
    assert_eq!(board.outcome(), Some(Outcome::Drawn));
    assert_eq!(
        (board.to_move(), board.count(), stones(&board)),
        (None, 0, [7, 137])
    );

    let mut board = full_but(&["xxxxx.oooooo"]);
    play(&mut board, "f1");
    assert_eq!((board.outcome(), board.points), (None, [1, 0]));
    assert_eq!(board.to_move(), Some(Seat::First));

    let mut board = full_but(&["xoooooxooooo", "xxxxx.xooooo"]);
    play(&mut board, "f1");
    assert_eq!(
        (board.outcome(), board.points),
        (Some(Outcome::Won(Seat::First)), [4, 0])
    );
}

#[test]
fn both_pictures_have_the_points_above_them() {
    let mut board = position(&["x.x", "xox", "x.x"]);
    play(&mut board, "b2-b3");
    let small = "\
Points: Black 2 White 0

   a b c d e f g h i j k l
12 . . . . . . . . . . . . 12
11 . . . . . . . . . . . . 11
10 . . . . . . . . . . . . 10
 9 . . . . . . . . . . . . 9
 8 . . . . . . . . . . . . 8
 7 . . . . . . . . . . . . 7
 6 . . . . . . . . . . . . 6
 5 . . . . . . . . . . . . 5
 4 . . . . . . . . . . . . 4
 3 . o . . . . . . . . . . 3
 2 . . . . . . . . . . . . 2
 1 . . . . . . . . . . . . 1
   a b c d e f g h i j k l
";
    assert_eq!(board.draw(Display::Small), small);
    let large = board.draw(Display::Large);
    assert!(
        large.starts_with("Points: Black 2 White 0\n\n     a   b   c   d"),
        "{large}"
    );
    assert!(large.contains("\n 3 | . | o | . |"), "{large}");
    assert_eq!(board.info(), [("points", vec![("Black", 2), ("White", 0)])]);
}

#[test]
fn cells_are_listed_from_the_top_left() {
    let board = position(&["x.o", ".x.", "o.x"]);
    let cells: Vec<_> = board
        .cells()
        .iter()
        .map(|(name, letter)| format!("{name}{letter}"))
        .collect();
    assert_eq!(cells, ["a3x", "c3o", "b2x", "a1o", "c1x"]);
}

#[test]
fn options_outside_their_range_are_refused() {
    for word in [
        "-size=11",
        "-size=19",
        "-target=3",
        "-target=10",
        "-size",
        "-standard",
    ] {
        assert!(Options::parse(&FACTS, [word]).is_err(), "{word}");
    }
    for size in 12..=18 {
        let board = start(&[&format!("-size={size}"), "-target=9"]);
        assert_eq!((board.count(), board.target), (size * size, 9));
    }
}

#[test]
fn the_help_is_for_every_mail_program_and_its_example_is_legal() {
    assert!(FACTS.rules.is_ascii());
    assert!(
        FACTS
            .rules
            .lines()
            .all(|line| line.len() <= 72 && line.trim_end() == line)
    );
    let mut board = start(&[]);
    play(&mut board, &FACTS.example.join(" "));
    assert_eq!(stones(&board), [1, 2]);
}
