//! A slow model, ko and superko, captures, area, handicap stones and options.

use super::*;
use crate::families::liberties::Turn;
use crate::families::liberties::slow::{Rule, Slow};
use crate::lockstep::{self, after, lockstep};
use crate::{Display, Evaluate as _, Rules as _, WON};

#[test]
fn turns_are_counted() {
    // Two stones or one stone and a pass, in either order, and then what is empty or a pass; two passes end the game.
    let three = 81 * 80 * 80 + 81 * 81 + 81 * 81;
    lockstep::perft::<Go>("-size=9", &[82, 81 * 81 + 82, three]);
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (words, size, komi, handicap, games) in [
        ("-size=9", 9, 15, &[][..], 4),
        ("-size=9 -komi=0", 9, 0, &[], 4),
        (
            "-size=9 -komi=7 -handicap=5",
            9,
            14,
            &["c3", "g7", "c7", "g3", "e5"],
            2,
        ),
        (
            "-handicap=9 -komi=0.5",
            13,
            1,
            &["d4", "k10", "d10", "k4", "d7", "k7", "g4", "g10", "g7"],
            1,
        ),
    ] {
        lockstep::<Go, _>(words, games, || Slow::new(size, Rule::Go(komi), handicap));
    }
}

fn reason(options: &str, turns: &str, turn: &str) -> String {
    after::<Go>(options, turns).read(turn).unwrap_err().to_string()
}

fn words(position: &Go, turn: &str) -> String {
    position.effects(&[position.read(turn).unwrap()]).join(", ")
}

fn drawn(position: &Go) -> String {
    let drawn = position.draw(Display::Small);
    drawn.split_once("\n\n").unwrap().1.to_owned()
}

#[test]
fn handicap_stones_stand_where_the_go_text_protocol_puts_them() {
    let stones = |options: &str| {
        let cells = after::<Go>(options, "").cells();
        assert!(cells.iter().all(|(_, letter)| *letter == 'x'));
        cells
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(stones("-size=19 -handicap=2"), "q16 d4");
    assert_eq!(stones("-size=19 -handicap=3"), "d16 q16 d4");
    assert_eq!(stones("-size=19 -handicap=5"), "d16 q16 k10 d4 q4");
    assert_eq!(stones("-size=19 -handicap=6"), "d16 q16 d10 q10 d4 q4");
    assert_eq!(stones("-size=19 -handicap=8"), "d16 k16 q16 d10 q10 d4 k4 q4");
    assert_eq!(stones("-size=9 -handicap=9"), "c7 e7 g7 c5 e5 g5 c3 e3 g3");
    assert_eq!(after::<Go>("-handicap=2", "").to_move(), Some(Seat::Second));
    assert_eq!(after::<Go>("", "").to_move(), Some(Seat::First));
}

#[test]
fn options_are_refused_with_their_choices() {
    let refused = |word: &str| Options::parse(&FACTS, [word]).unwrap_err().to_string();
    assert_eq!(refused("-size=11"), "-size takes 9, 13 or 19. Possible: -size=9.");
    assert_eq!(
        refused("-size=100"),
        "-size takes 9, 13 or 19. Possible: -size=19."
    );
    assert_eq!(
        refused("-komi=6.3"),
        "-komi takes a whole or a half number from 0 to 100. Possible: -komi=7.5."
    );
    assert_eq!(
        refused("-komi=101"),
        "-komi takes a whole or a half number from 0 to 100. Possible: -komi=100."
    );
    assert_eq!(
        refused("-handicap=1"),
        "-handicap takes a number from 2 to 9. Possible: -handicap=2."
    );
    for (written, printed) in [
        ("-komi=6.5", "-komi=6.5"),
        ("-komi=6.0", "-komi=6"),
        ("-komi=0", "-komi=0"),
    ] {
        assert_eq!(Options::parse(&FACTS, [written]).unwrap().to_string(), printed);
    }
}

#[test]
fn the_letter_i_is_no_column() {
    let position = after::<Go>("-size=9", "J9");
    assert_eq!(position.cells(), [("j9".to_owned(), 'x')]);
    assert!(drawn(&position).starts_with("  a b c d e f g h j\n"));
    assert_eq!(
        reason("-size=9", "", "i5"),
        "No column has the letter i: j follows h. Possible: h5, j5."
    );
    assert_eq!(
        reason("-size=9", "", "k5"),
        "There is no crossing k5 on this board: columns go from a to j, without i, rows from 1 to 9. Possible: j5."
    );
    assert_eq!(
        reason("-size=9", "", "hello"),
        "\"hello\" is no crossing: a crossing is a column letter from a to j, without i, and a row number from 1 to 9, such as \
         j9."
    );
    assert!(reason("-size=9", "", "d4 e5").contains("nothing follows it"));
    assert!(reason("-size=9", "", "swap").contains("no swap"));
}

#[test]
fn a_stone_is_put_on_an_empty_crossing() {
    assert_eq!(
        reason("-size=9", "d4", "d4"),
        "A stone is put on an empty crossing, and there is one on d4."
    );
}

#[test]
fn suicide_is_not_allowed_unless_it_takes() {
    // White's a1 has no liberty among b1 and a2.
    let eye = "b1 e5 a2 e6";
    let suicide = "A stone on a1 would have no liberty and take nothing: suicide is not allowed.";
    assert_eq!(reason("-size=9", &format!("{eye} pass"), "a1"), suicide);
    assert!(
        after::<Go>("-size=9", eye).read("a1").is_ok(),
        "it is Black's eye"
    );
    // With stones on c1, b2 and a3 White takes two.
    let takes = after::<Go>("-size=9", "b1 c1 a2 b2 e5 a3 e6");
    assert_eq!(words(&takes, "a1"), "captured two black stones");
}

#[test]
fn a_ko_is_not_taken_back_at_once() {
    // Black surrounds d4 but for e4; White surrounds e4 but for d4.
    let before = "d5 e5 c4 f4 d3 e3 g7 d4";
    let mut position = after::<Go>("-size=9", before);
    assert_eq!(words(&position, "e4"), "captured a white stone");
    position.play(&position.read("e4").unwrap());
    let back = "No board may come twice, and a stone on d4 would bring one back that was there.";
    assert_eq!(position.read("d4").unwrap_err().reason, back);
    // After a turn elsewhere of each it is allowed.
    for turn in ["h2", "h8"] {
        position.play(&position.read(turn).unwrap());
    }
    assert_eq!(words(&position, "d4"), "captured a black stone");
}

#[test]
fn passes_do_not_lift_the_ban_on_a_board_that_was_there() {
    let position = after::<Go>("-size=9", "d5 e5 c4 f4 d3 e3 g7 d4 e4 pass pass");
    assert!(position.outcome().is_some());
    let mut position = after::<Go>("-size=9", "d5 e5 c4 f4 d3 e3 g7 d4 e4 pass h2 pass");
    assert!(position.outcome().is_none());
    position.play(&position.read("h3").unwrap());
    assert!(position.read("d4").is_ok(), "h2 and h3 are new");
}

#[test]
fn a_ladder_runs_to_the_corner() {
    let runs = "c4 d4 d3 a1 e3 a9 d5 e4 f4 e5 e6 f5 g5 f6 f7 g6 h6 g7 g8 h7 j7 h8 h9 j8";
    assert_eq!(words(&after("-size=9", runs), "j9"), "captured ten white stones");
}

#[test]
fn a_snapback_takes_the_stones_that_took() {
    let thrown_in = "a3 a2 b3 b2 c3 c2 d2 c1 d1 e9 b1";
    assert_eq!(
        words(&after("-size=9", thrown_in), "a1"),
        "captured a black stone"
    );
    let taken = after("-size=9", &format!("{thrown_in} a1"));
    assert_eq!(words(&taken, "b1"), "captured five white stones");
}

#[test]
fn three_kos_do_not_go_round() {
    let black = "c2 d3 d1 c5 d6 d4 c8 d9 d7 e8 j1".split(' ');
    let white = "f2 e3 e1 f5 e6 e4 f8 e9 e7 d2 d5".split(' ');
    let kos: Vec<_> = black
        .zip(white)
        .map(|(black, white)| format!("{black} {white}"))
        .collect();
    let mut position = after::<Go>("-size=9", &kos.join(" "));
    for turn in ["e2", "d8", "e5", "d2", "e8"] {
        let turn = position.read(turn).unwrap();
        assert!(!position.effects(&[turn]).is_empty(), "it takes a stone");
        position.play(&turn);
    }
    assert_eq!(
        position.read("d5").unwrap_err().reason,
        "No board may come twice, and a stone on d5 would bring one back that was there."
    );
}

#[test]
fn the_area_is_stones_and_what_only_they_reach() {
    let count = |turns: &str| {
        after::<Go>("-size=9", turns)
            .board
            .area()
            .map(|area| area.count())
    };
    assert_eq!(count(""), [0, 0]);
    assert_eq!(count("e5"), [81, 0]);
    assert_eq!(count("e5 a1"), [1, 1]);
    // A wall on row 5 and one on row 6.
    let wall: Vec<_> = "abcdefghj".chars().map(|c| format!("{c}5 {c}6")).collect();
    assert_eq!(count(&wall.join(" ")), [45, 36]);
    let position = after::<Go>("-size=9 -komi=9", &format!("{} pass", wall.join(" ")));
    assert_eq!(
        words(&position, "pass"),
        "ended the game (area: 45 to 36, komi 9)"
    );
    let won = |komi: &str| {
        after::<Go>(
            &format!("-size=9 -komi={komi}"),
            &format!("{} pass pass", wall.join(" ")),
        )
        .outcome()
    };
    assert_eq!(won("9"), Some(Outcome::Drawn));
    assert_eq!(won("8.5"), Some(Outcome::Won(Seat::First)));
    assert_eq!(won("9.5"), Some(Outcome::Won(Seat::Second)));
}

#[test]
fn a_computer_passes_only_if_that_does_not_lose() {
    let wall: Vec<_> = "abcdefghj".chars().map(|c| format!("{c}5 {c}6")).collect();
    let wall = wall.join(" ");
    // Black has nine crossings more than White.
    let value = |options: &str, turns: &str| {
        let position = after::<Go>(&format!("-size=9 {options}"), turns);
        position.value_after(&Turn::Pass)
    };
    assert_eq!(
        value("", &format!("{wall} pass")),
        -WON,
        "White would end the game and lose"
    );
    assert_eq!(value("-komi=9.5", &format!("{wall} pass")), WON);
    assert!(value("-komi=9.5", &wall) < -10_000, "White would end it");
    assert!(value("", &wall) > -1000);
}
