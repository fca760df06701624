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
            (
                "",
                "",
                "A point is expected here: 24 to 1, bar or off, as in 8/5 6/5.",
            ),
            (
                "hello",
                "hello",
                "There is no point hello: the points are 24 to 1, bar and off.",
            ),
            (
                "8/31",
                "31",
                "There is no point 31: the points are 24 to 1, bar and off.",
            ),
            ("8", "8", "Say where the checker on 8 goes, such as 8/5."),
            (
                "8/",
                "",
                "A point is expected here: 24 to 1, bar or off, as in 8/5 6/5.",
            ),
            (
                "8/5(9)",
                "9",
                "In brackets stands how many checkers go this way, from 1 to 4: 8/4(2).",
            ),
            (
                "8/5(2 6",
                "2",
                "In brackets stands how many checkers go this way, from 1 to 4: 8/4(2).",
            ),
            (
                "8/5 / 5",
                "8/5 / 5",
                "5/5 goes the wrong way: your checkers go from 24 towards 1, and off.",
            ),
            ("42: 8/5", "42", "The roll is 3-1, not 42."),
            ("8/5(4) 6/5", "6/5", "A roll moves at most four checkers."),
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
            ("9/5", "9/5", "You have no checker on 9."),
            ("8/5 19/18", "19/18", "The checker on 19 is your opponent's."),
            (
                "6/8 8/7",
                "6/8",
                "6/8 goes the wrong way: your checkers go from 24 towards 1, and off.",
            ),
            ("8/4 6/1", "6/1", "6/1 is 5, which is not in the roll 3-1."),
            (
                "8/5 8/5",
                "8/5",
                "8/5 is 3, and the rest of the roll 3-1 does not give it.",
            ),
            (
                "24/23 13/12",
                "13/12",
                "13/12 is 1, and the rest of the roll 3-1 does not give it.",
            ),
            (
                "8/5",
                "8/5",
                "You must use both dice, the 3 and the 1. Possible: 24/23 8/5, 8/7 8/5, 8/5 6/5, 8/4.",
            ),
            ("0/5", "0/5", "A checker that is off stays off."),
            (
                "6/off",
                "6/off",
                "You bear off only when all your checkers are on 6 to 1, and one is on 24.",
            ),
            ("bar/22 8/7", "bar/22", "You have no checker on the bar."),
            (
                "8/5* 6/5",
                "8/5*",
                "There is nothing to hit on 5. Possible: 8/5 6/5.",
            ),
            (
                "8/5 6/5*",
                "6/5*",
                "There is nothing to hit on 5. Possible: 8/5 6/5.",
            ),
        ],
    );
    check(
        &start,
        [6, 5],
        &[
            (
                "24/13 24/18",
                "24/13",
                "24/13 is 11, and the rest of the roll 6-5 does not give it.",
            ),
            (
                "13/8 24/19",
                "24/19",
                "The point 19 is blocked: your opponent has several checkers there.",
            ),
            (
                "6/1 6/off",
                "6/1",
                "The point 1 is blocked: your opponent has several checkers there.",
            ),
        ],
    );
    check(
        &start,
        [5, 5],
        &[
            (
                "24/14 13/3",
                "24/14",
                "24/14 is blocked on the way, on 19, where your opponent has several checkers.",
            ),
            (
                "13/3",
                "13/3",
                "You must play the 5 four times. Possible: 13/3 13/8(2), 13/3(2), 13/3 8/3(2).",
            ),
        ],
    );
    check(
        &start,
        [4, 2],
        &[(
            "8/4(2) 6/4",
            "8/4",
            "8/4 is 4, and the rest of the roll 4-2 does not give it.",
        )],
    );
}

#[test]
fn checkers_on_the_bar_must_enter() {
    let bar = position(&[(25, 1), (8, 3), (6, 5)], &[(3, 2), (13, 2)]);
    check(
        &bar,
        [3, 1],
        &[
            (
                "8/5 6/5",
                "8/5",
                "You have a checker on the bar, which enters first. Possible: bar/21, bar/24 8/5, bar/24 6/3.",
            ),
            (
                "bar/22 8/7",
                "bar/22",
                "The point 22 is blocked: your opponent has several checkers there.",
            ),
            (
                "bar/24",
                "bar/24",
                "You must use both dice, the 3 and the 1. Possible: bar/21, bar/24 8/5, bar/24 6/3.",
            ),
        ],
    );
    let two = position(&[(25, 2), (8, 3)], &[(13, 2)]);
    check(
        &two,
        [3, 1],
        &[
            (
                "bar/22 8/7",
                "8/7",
                "You have two checkers on the bar, which enter first. Possible: bar/24 bar/22.",
            ),
            (
                "bar/22/21",
                "bar/22/21",
                "You have two checkers on the bar, which enter first. Possible: bar/24 bar/22.",
            ),
        ],
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
            (
                "4/off 2/off",
                "4/off",
                "A die higher than 4 bears off from 6 first, where you have a checker.",
            ),
            (
                "6/off 4/2",
                "4/2",
                "4/2 is 2, and the rest of the roll 5-2 does not give it.",
            ),
            (
                "2/off",
                "2/off",
                "You must use both dice, the 5 and the 2. Possible: 6/off.",
            ),
        ],
    );
    check(
        &home,
        [3, 1],
        &[("6/off", "6/off", "6/off is 6, which is not in the roll 3-1.")],
    );
    let outside = position(&[(9, 1), (4, 2), (2, 2), (0, 10)], &[(24, 2)]);
    check(
        &outside,
        [4, 1],
        &[(
            "4/off 9/8",
            "4/off",
            "You bear off only when all your checkers are on 6 to 1, and one is on 8.",
        )],
    );
}

#[test]
fn both_dice_are_played_or_the_higher() {
    let both = position(&[(8, 1), (3, 1)], &[(24, 2)]);
    check(
        &both,
        [6, 2],
        &[(
            "8/2",
            "8/2",
            "You must use both dice, the 6 and the 2. Possible: 8/off.",
        )],
    );
    let higher = position(&[(10, 1)], &[(24, 2), (23, 2)]);
    check(
        &higher,
        [6, 3],
        &[(
            "10/7",
            "10/7",
            "Only one die can be played, and it must be the higher, the 6. Possible: 10/4.",
        )],
    );
    let thrice = position(&[(13, 1)], &[(24, 2)]);
    check(
        &thrice,
        [3, 3],
        &[
            (
                "13/10",
                "13/10",
                "You must play the 3 three times. Possible: 13/4.",
            ),
            ("13/7", "13/7", "You must play the 3 three times. Possible: 13/4."),
            (
                "13/1",
                "13/1",
                "The point 1 is blocked: your opponent has several checkers there.",
            ),
        ],
    );
}
