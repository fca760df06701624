//! Reading what players write, and the refusals.

use proptest::prelude::*;

use super::*;
use crate::Kind;

/// Black to move: one short of six in line, with White's stones near.
fn board() -> ShapeChess {
    position(&["", ".....ooo", ".....oxo", "oo...oooo", "xxxxx"])
}

#[test]
fn each_action_is_read_in_any_case_with_blanks_and_arrows() {
    for (text, turn) in [
        ("F1", "f1"),
        (" l12 ", "l12"),
        ("A1 -> L12", "a1-l12"),
        ("f3-e3", "f3-e3"),
        ("F3 - G5", ""),
        ("f3\u{a0}->\te4", "f3-e4"),
    ] {
        let read = board().read(text).map(|turn| turn.to_string());
        assert_eq!(read.ok().unwrap_or_default(), turn, "{text}");
    }
    assert_eq!(
        board().read("a1-l12").unwrap(),
        Turn::Jump(Cell::at(0, 0), Cell::at(11, 11))
    );
    assert_eq!(
        board().read("f3-e4").unwrap(),
        Turn::Push(Cell::at(5, 2), Cell::at(4, 3))
    );
}

#[test]
fn a_refusal_names_the_rule_and_the_place() {
    use Kind::{Illegal, Unreadable};
    let jump = "A stone jumps to an empty cell, and f3 is occupied.";
    for (text, kind, at, reason) in [
        (
            "",
            Unreadable,
            None,
            "There is no action here. One is written like d4 or d4-e5.",
        ),
        ("hello", Unreadable, Some("hello"), "\"hello\" is no cell"),
        ("pass", Unreadable, Some("pass"), "\"pass\" is no cell"),
        ("m1", Unreadable, Some("m1"), "There is no cell m1 on this board"),
        (
            "a1-a13",
            Unreadable,
            Some("a13"),
            "There is no cell a13 on this board",
        ),
        ("a0", Unreadable, Some("a0"), "There is no cell a0 on this board"),
        (
            "f1,",
            Unreadable,
            Some(""),
            "A further action must follow the comma",
        ),
        (
            "f1,g1",
            Unreadable,
            Some("g1"),
            "One action is wanted here, and g1 is a second one.",
        ),
        (
            "A1",
            Illegal,
            Some("A1"),
            "A stone is dropped on an empty cell, and Black has one on a1.",
        ),
        (
            "a2",
            Illegal,
            Some("a2"),
            "A stone is dropped on an empty cell, and White has one on a2.",
        ),
        (
            "l1-l2",
            Illegal,
            Some("l1"),
            "There is no stone on l1 to jump or to be pushed.",
        ),
        ("a1 - F3", Illegal, Some("F3"), jump),
        (
            "a1-a1",
            Illegal,
            Some("a1"),
            "A stone jumps to another cell, not from a1 to a1.",
        ),
        (
            "a2-a5",
            Illegal,
            Some("a5"),
            "White's stone on a2 is pushed to a cell next to it, and a5 is not.",
        ),
        (
            "a2-b2",
            Illegal,
            Some("b2"),
            "White's stone on a2 is pushed to an empty cell, and b2 is occupied.",
        ),
        (
            "a2-a2",
            Illegal,
            Some("a2"),
            "A push moves White's stone to another cell, not from a2 to a2.",
        ),
    ] {
        let refusal = board().read(text).expect_err(text);
        assert_eq!(refusal.kind, kind, "{text}");
        assert!(refusal.reason.starts_with(reason), "{text}: {refusal}");
        let place = text.rfind(at.unwrap_or("")).unwrap();
        assert_eq!(refusal.at, at.map(|at| place..place + at.len()), "{text}");
        if text != "f1," && text != "f1,g1" {
            assert_eq!(board().read_all(text).expect_err(text), refusal, "{text}");
        }
    }
    assert_eq!(board().read("a2-a5").unwrap_err().choices, ["a2-a3", "a2-b3"]);
    let mut shut_in = board();
    shut_in.mover = Seat::Second;
    let refusal = shut_in.read("g3-g5").unwrap_err();
    assert_eq!(
        refusal.reason,
        "Black's stone on g3 cannot be pushed: no cell next to it is empty."
    );
}

#[test]
fn several_actions_are_read_as_long_as_each_but_the_last_scores() {
    let all = |text: &str| {
        let turns = board()
            .read_all(text)
            .map_err(|refusal| (refusal.at, refusal.reason))?;
        Ok(turns.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(all("F1, f3 -> e3"), Ok(vec!["f1".to_owned(), "f3-e3".to_owned()]));
    assert_eq!(all("f1"), Ok(vec!["f1".to_owned()]));
    assert_eq!(
        all("g1, f1"),
        Err((
            Some(4..6),
            "g1 removes no symmetric shape of six stones or more, so Black's turn is over after it and f1 cannot \
             follow."
                .to_owned()
        ))
    );
    // The second action is checked after the first, when a1 is empty.
    assert_eq!(
        all("f1,a1-l12"),
        Err((
            Some(3..5),
            "There is no stone on a1 to jump or to be pushed.".to_owned()
        ))
    );
    assert_eq!(all("f1,a1"), Ok(vec!["f1".to_owned(), "a1".to_owned()]));
    let mut last = board();
    last.points = [3, 0];
    assert_eq!(
        last.read_all("f1,a1").unwrap_err().reason,
        "With f1 Black has won, so a1 cannot follow."
    );
    let mut full = full_but(&["xooooooooooo", "xxxxx.oooooo"]);
    let refusal = full.read_all("f1,a1").unwrap_err();
    assert_eq!(
        refusal.reason,
        "With f1 the board is full and the game drawn, so a1 cannot follow."
    );
    play(&mut full, "f1");
    assert_eq!(full.read_all("a1").unwrap_err().reason, "The game is over.");
}

fn in_progress() -> Box<dyn Match> {
    let mut game = GAME.start(&Options::none(&FACTS)).unwrap();
    for turn in "a1 l12 b1 l10 c1 l8 d1 l6 e1 l4".split(' ') {
        assert_eq!(game.play(turn).unwrap(), turn);
    }
    game
}

#[test]
fn a_match_plays_all_actions_of_a_text_or_none() {
    let mut game = in_progress();
    let state = |game: &dyn Match| (game.draw(Display::Small), game.to_move(), game.perft(1));
    let before = state(game.as_ref());
    for text in ["f1,l12", "f1,a3,a4", "f1,", "f1 a3", "f1,f1-f1", "a3,f1"] {
        assert!(game.play_all(text).is_err(), "{text}");
        assert_eq!(state(game.as_ref()), before, "{text}");
    }
    assert!(game.play("f1,l12-k12").is_err());
    assert_eq!(game.play_all("F1, L12 -> K12").unwrap(), ["f1", "l12-k12"]);
    assert_eq!(game.to_move(), Some(Seat::Second));
    assert_eq!(game.play_all("a1").unwrap(), ["a1"]);

    let mut one_by_one = in_progress();
    for turn in ["f1", "l12-k12", "a1"] {
        one_by_one.play(turn).unwrap();
    }
    assert_eq!(one_by_one.draw(Display::Large), game.draw(Display::Large));
}

proptest! {
    #[test]
    fn no_text_whatever_is_a_fault(text in "\\PC{0,40}|[a-m0-9,> -]{0,30}|([a-l]1?[0-9](-[a-l][0-9])?,?){1,5}") {
        let board = board();
        for read in [board.read(&text).map(|turn| vec![turn]), board.read_all(&text)] {
            match read {
                Ok(turns) => {
                    let printed: Vec<_> = turns.iter().map(ToString::to_string).collect();
                    prop_assert_eq!(board.read_all(&printed.join(",")), Ok(turns));
                }
                Err(refusal) => {
                    prop_assert!(refusal.kind != Kind::Ambiguous);
                    prop_assert!(refusal.to_string().is_ascii() && refusal.to_string().len() < 400);
                    prop_assert!(refusal.at.is_none_or(|at| text.get(at).is_some()));
                }
            }
        }
    }
}
