//! Counts of turns from an independent source, a slow model, and the refusals.

use super::Checkers;
use crate::Rules as _;
use crate::families::draughts::slow;
use crate::lockstep::{self, after};

const COUNTS: [u64; 10] = [
    7, 49, 302, 1469, 7361, 36768, 179_740, 845_931, 3_963_680, 18_391_564,
];

#[test]
fn turns_are_counted_as_elsewhere() {
    lockstep::perft::<Checkers>("", &COUNTS[..7]);
}

#[test]
#[ignore = "slow without optimisation"]
fn turns_are_counted_as_elsewhere_ten_deep() {
    lockstep::perft::<Checkers>("", &COUNTS);
}

fn model() -> slow::Game {
    let rules = slow::Slow {
        size: 8,
        is_numbered: true,
        letters: ["xX", "oO"],
        first_goes: -1,
        man_moves: &[(1, 1), (-1, 1)],
        man_captures: &[(1, 1), (-1, 1)],
        king_moves: slow::DIAGONALS,
        king_captures: slow::DIAGONALS,
        flies: false,
        most: false,
        lines: false,
        idle: 80,
        ending: |_| None,
    };
    let cells = (0..3).flat_map(|row| (0..8).map(move |column| (column, row)));
    slow::Game::new(rules, cells.filter(|(column, row)| (column + row) % 2 == 0))
}

#[test]
fn random_games_agree_with_a_slow_model() {
    let results = lockstep::lockstep::<Checkers, _>("", 60, model);
    assert!(results[0] > 0 && results[1] > 0, "{results:?}");
}

#[test]
#[ignore = "takes long"]
fn many_random_games_agree_with_a_slow_model() {
    let results = lockstep::lockstep::<Checkers, _>("", 3000, model);
    assert!(results.iter().all(|count| *count > 0), "{results:?}");
}

#[test]
fn a_turn_is_read_with_other_signs_and_short_if_only_one_is_meant() {
    let start = after::<Checkers>("", "11-15 22-18");
    for text in ["15x22", "15-22", " 15 X 22 ", "15 22", "15->22", "15:22"] {
        assert_eq!(start.read(text).unwrap().to_string(), "15x22", "{text}");
    }
    let chain = after::<Checkers>("", "9-13 22-18 5-9 25-22 11-16 18-15");
    let (whole, short) = (chain.read("10x19"), chain.read("10-19"));
    assert_eq!(whole.unwrap().to_string(), short.unwrap().to_string());
}

#[test]
fn a_refusal_names_the_rule_and_the_place() {
    let refused = |turns: &str, text: &str| {
        let refusal = after::<Checkers>("", turns).read(text).expect_err(text);
        (text[refusal.at.unwrap()].to_owned(), refusal.reason)
    };
    for (turns, text, at, reason) in [
        (
            "",
            "33-1",
            "33",
            "\"33\" is no square: squares are numbers from 1 to 32.",
        ),
        (
            "",
            "11-",
            "",
            "A square is expected here: squares are numbers from 1 to 32.",
        ),
        ("", "15-18", "15", "There is no piece on 15."),
        (
            "",
            "22-18",
            "22",
            "The piece on 22 is White's, and it is Black's turn.",
        ),
        (
            "",
            "7-11",
            "11",
            "A piece moves to an empty square, and there is a piece on 11.",
        ),
        (
            "",
            "11-18",
            "18",
            "A man moves one square diagonally forward. From 11 it cannot go to 18.",
        ),
        (
            "",
            "11-15-18",
            "18",
            "Only a capture names more than two squares, and no piece of yours can capture.",
        ),
        (
            "11-15 22-18",
            "12-16",
            "16",
            "You must capture if you can, and this is no legal capture.",
        ),
    ] {
        assert_eq!(refused(turns, text), (at.to_owned(), reason.to_owned()), "{text}");
    }
}
