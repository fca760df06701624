use super::{position, roll};
use crate::Seat;
use crate::families::backgammon::{Position, Variant, read};

/// Each text, the part of it that is wrong, and what is said of it.
fn check(position: &Position, dice: [u8; 2], cases: &[(&str, &str, &str)]) {
    let found: Vec<_> = cases
        .iter()
        .map(|(text, ..)| {
            let refusal = read(position, Seat::First, roll(dice), text).unwrap_err();
            let part = refusal.at.clone().map_or("", |at| text.get(at).unwrap());
            (*text, part, refusal.to_string())
        })
        .collect();
    let found: Vec<_> = found
        .iter()
        .map(|(text, part, said)| (*text, *part, said.as_str()))
        .collect();
    assert_eq!(found, cases, "with {dice:?}");
}

#[test]
fn a_text_that_is_no_play_says_where() {
    let start = Position::start(Variant::Backgammon);
    check(
        &start,
        [3, 1],
        &[
            ("", "", "?"),
            ("hello", "hello", "?"),
            ("8/31", "31", "?"),
            ("8", "8", "?"),
            ("8/", "", "?"),
            ("8/5(9)", "9", "?"),
            ("8/5(2", "2", "?"),
            ("8/5 / 5", "/", "?"),
            ("42: 8/5", "42", "?"),
            ("8/5(4) 6/5", "6/5", "?"),
        ],
    );
}

#[test]
fn a_play_that_a_rule_forbids_says_which() {
    let start = Position::start(Variant::Backgammon);
    check(
        &start,
        [3, 1],
        &[
            ("9/5", "9/5", "?"),
            ("8/5 19/18", "19/18", "?"),
            ("6/8 8/7", "6/8", "?"),
            ("8/4 6/1", "6/1", "?"),
            ("8/5 8/5", "8/5", "?"),
            ("24/23 13/12", "13/12", "?"),
            ("8/5", "8/5", "?"),
            ("0/5", "0/5", "?"),
            ("6/off", "6/off", "?"),
            ("bar/22 8/7", "bar/22", "?"),
            ("8/5* 6/5", "8/5*", "?"),
            ("8/5 6/5*", "6/5*", "?"),
        ],
    );
    check(
        &start,
        [6, 5],
        &[
            ("24/13 24/18", "24/18", "?"),
            ("13/8 24/19", "24/19", "?"),
            ("6/1 6/off", "6/off", "?"),
        ],
    );
    check(
        &start,
        [5, 5],
        &[("24/14 13/3", "24/14", "?"), ("13/3", "13/3", "?")],
    );
    check(&start, [4, 2], &[("8/4(2) 6/4", "8/4(2)", "?")]);
}

#[test]
fn checkers_on_the_bar_must_enter() {
    let bar = position(&[(25, 1), (8, 3), (6, 5)], &[(3, 2), (13, 2)]);
    check(
        &bar,
        [3, 1],
        &[
            ("8/5 6/5", "8/5", "?"),
            ("bar/22 8/7", "bar/22", "?"),
            ("bar/24", "bar/24", "?"),
        ],
    );
    let two = position(&[(25, 2), (8, 3)], &[(13, 2)]);
    check(
        &two,
        [3, 1],
        &[("bar/22 8/7", "8/7", "?"), ("bar/22/21", "bar/22/21", "?")],
    );
    let closed = position(&[(25, 1), (8, 3)], &[(1, 2), (3, 2)]);
    check(&closed, [3, 1], &[]);
    let refusal = read(&closed, Seat::First, roll([3, 1]), "8/5 8/7").unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "No checker can move with 3-1: pass. Possible: pass."
    );
}

#[test]
fn bearing_off_has_its_rules() {
    let home = position(&[(6, 1), (4, 2), (2, 2), (0, 10)], &[(24, 2)]);
    check(
        &home,
        [5, 2],
        &[
            ("4/off 2/off", "4/off", "?"),
            ("6/off 4/2", "6/off", "?"),
            ("2/off", "2/off", "?"),
        ],
    );
    check(&home, [3, 1], &[("6/off", "6/off", "?")]);
    let outside = position(&[(9, 1), (4, 2), (2, 2), (0, 10)], &[(24, 2)]);
    check(&outside, [4, 1], &[("4/off 9/8", "4/off", "?")]);
}

#[test]
fn both_dice_are_played_or_the_higher() {
    let both = position(&[(8, 1), (3, 1)], &[(24, 2)]);
    check(&both, [6, 2], &[("8/2", "8/2", "?")]);
    let higher = position(&[(10, 1)], &[(24, 2), (23, 2)]);
    check(&higher, [6, 3], &[("10/7", "10/7", "?")]);
    let thrice = position(&[(13, 1)], &[(24, 2), (21, 2)]);
    check(
        &thrice,
        [3, 3],
        &[
            ("13/10", "13/10", "?"),
            ("13/7", "13/7", "?"),
            ("13/4", "13/4", "?"),
            ("13/1", "13/1", "?"),
        ],
    );
}
