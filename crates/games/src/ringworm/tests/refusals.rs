//! The refusals of texts that are no legal turn.

use super::super::Ringworm;
use super::{after, position, start};
use crate::{Kind, Refusal, Rules};

fn refused(game: &Ringworm, text: &str) -> Refusal {
    match game.read(text) {
        Err(refusal) => refusal,
        Ok(turn) => panic!("{text} is read as {turn}"),
    }
}

/// The sentence of the refusal, and the part of the text that it points to.
fn refusal_with_part(game: &Ringworm, kind: Kind, text: &str) -> (String, String) {
    let refusal = refused(game, text);
    assert_eq!(refusal.kind, kind, "{text}: {refusal}");
    let at = refusal.at.clone().map_or("", |at| text.get(at).unwrap());
    (refusal.to_string(), at.to_owned())
}

fn unreadable(text: &str) -> (String, String) {
    refusal_with_part(&start(), Kind::Unreadable, text)
}

fn illegal(game: &Ringworm, text: &str) -> (String, String) {
    refusal_with_part(game, Kind::Illegal, text)
}

fn pair(reason: &str, at: &str) -> (String, String) {
    (reason.to_owned(), at.to_owned())
}

/// x needs only p6 for a ring around o5.
fn ring_but_one() -> Ringworm {
    position(&["p4", "m5", "q5", "n6", "n4"], &["a9", "k3"], 4)
}

/// x needs only q9 for rings around p8 and r10, which have no other cell in common.
fn two_rings_but_one() -> Ringworm {
    let x = ["n8", "o7", "q7", "r8", "o9", "p10", "t10", "s9", "q11", "s11"];
    position(&x, &[], 4)
}

#[test]
fn the_number_of_drops_is_named() {
    let too_few = |game: &Ringworm, text: &str| illegal(game, text).0;
    assert_eq!(
        illegal(&start(), "q9,q7"),
        pair("The first turn of the game drops 1 stone, not 2.", "q7")
    );
    let second = after(&["q9"]);
    assert_eq!(
        too_few(&second, "q7"),
        "The second turn of the game drops 3 stones, not 1."
    );
    let third = after(&["q9", "pass"]);
    assert_eq!(
        too_few(&third, "q7,o7,m7"),
        "A turn drops 4 stones, not 3, unless one of them makes a ring."
    );
    assert_eq!(
        illegal(&third, "q7,o7,m7,k7,i7,g7"),
        pair(
            "A turn drops 4 stones, not 6, unless one of them makes a ring.",
            "i7"
        )
    );
}

#[test]
fn a_pass_uses_up_the_number_of_its_turn() {
    after(&["pass", "q9,q7,q5", "m9,m7,m5,m3"]);
    after(&["q9", "pass", "m9,m7,m5,m3"]);
}

#[test]
fn drops_go_on_empty_cells_once() {
    let game = after(&["q9"]);
    assert_eq!(
        illegal(&game, "q7, q9, q5"),
        pair(
            "A stone is dropped on an empty cell, and there is a stone of x on q9.",
            "q9"
        )
    );
    assert_eq!(
        illegal(&game, "q7,m7,q7"),
        pair("You drop a stone on q7 twice in this turn.", "q7")
    );
}

#[test]
fn a_ring_must_be_burst_and_stops_the_dropping() {
    let game = ring_but_one();
    assert_eq!(
        illegal(&game, "q9,p6").0,
        "Your drops made a ring around o5: burst it, for example n4-x4."
    );
    assert_eq!(
        illegal(&game, "p6,q9,n6-i1"),
        pair(
            "Your drops made a ring around o5, and after a ring no stone is dropped: burst it, for example n4-x4.",
            "q9"
        )
    );
    assert_eq!(
        illegal(&game, "p6,n6-i1,q9"),
        pair("After a burst no stone is dropped.", "q9")
    );
    for example in ["p6,n4-x4", "q9,p6,n4-x4", "p6,n6-i1", "q9,i1,c11,p6,n6-x6"] {
        assert_eq!(game.read(example).unwrap().to_string(), example);
    }
}

#[test]
fn only_a_ring_just_made_can_be_burst() {
    let game = ring_but_one();
    assert_eq!(
        illegal(&game, "q9,n6-i1"),
        pair("Your drops made no ring, so there is none to burst.", "n6-i1")
    );
    assert_eq!(
        illegal(&game, "p6,n6-i1,n6-x6"),
        pair("Your line made no ring, so there is none to burst.", "n6-x6")
    );
    assert_eq!(
        illegal(&game, "p6,o5-y5"),
        pair(
            "The pivot must be a stone of the ring around o5, and o5 is none: they are n4, p4, m5, q5, n6 and p6.",
            "o5"
        )
    );
    let old = position(&["p4", "m5", "q5", "n6", "n4", "p6"], &[], 4);
    assert_eq!(
        illegal(&old, "q9,n6-i1"),
        pair(
            "The ring around o5 was there before: a ring is burst only in the step that makes it.",
            "n6-i1"
        )
    );
}

#[test]
fn a_line_is_straight_and_five_long_and_on_the_board() {
    let game = ring_but_one();
    assert_eq!(
        illegal(&game, "p6,n6-o3").0,
        "A burst lays its stones in a straight line, and n6-o3 is none. Possible: n6-x6, n6-s11, n6-i11, n6-d6, \
         n6-i1, n6-s1."
    );
    assert_eq!(
        illegal(&game, "p6,n6-j2"),
        pair(
            "A burst lays 5 stones in a line from the pivot: from n6 that way it ends at i1, not at j2. Possible: \
             n6-x6, n6-s11, n6-i11, n6-d6, n6-i1, n6-s1.",
            "n6-j2"
        )
    );
    assert_eq!(
        illegal(&game, "p6,n4-k1").0,
        "A burst lays 5 stones in a line from the pivot, and from n4 over k1 the line leaves the board. Possible: \
         n4-x4, n4-s9, n4-i9."
    );
}

#[test]
fn of_two_rings_one_is_burst_and_named_if_the_pivot_is_shared() {
    let game = two_rings_but_one();
    let text = "i1, q9, q9->v4";
    let refusal = refused(&game, text);
    assert_eq!(refusal.kind, Kind::Ambiguous);
    assert_eq!(refusal.choices, ["i1,q9,q9-v4@p8", "i1,q9,q9-v4@r10"]);
    assert_eq!(text.get(refusal.at.clone().unwrap()), Some("q9->v4"));
    assert_eq!(
        refusal.reason,
        "q9 is a stone of several rings that your drops made: name the middle of the one to burst after an @."
    );
    let mut ends = Vec::new();
    for choice in &refusal.choices {
        let turn = game.read(choice).unwrap();
        assert_eq!(turn.to_string(), *choice);
        let mut end = game;
        end.play(&turn);
        ends.push(end);
    }
    assert_ne!(ends[0], ends[1]);
    assert_eq!(
        illegal(&game, "q9").0,
        "Your drops made rings around p8 and r10: burst one of them, for example o7-y7."
    );
    assert_eq!(
        illegal(&game, "q9,q9-v4@q9"),
        pair(
            "Your drops made no ring around q9, but rings around p8 and r10.",
            "q9"
        )
    );
    assert_eq!(
        illegal(&game, "q9,o7-y7@r10").0,
        "The pivot must be a stone of the ring around r10, and o7 is none: they are q9, s9, p10, t10, q11 and s11."
    );
    // A middle that is not needed may be named, and is not printed.
    assert_eq!(game.read("q9 o7 -> y7 @ p8").unwrap().to_string(), "q9,o7-y7");
}

#[test]
fn a_ring_left_standing_is_not_burst_later() {
    let mut game = two_rings_but_one();
    game.play(&game.read("q9,q9-v4@p8").unwrap());
    game.play(&game.read("pass").unwrap());
    assert_eq!(
        illegal(&game, "a9,q9-v4").0,
        "The ring around r10 was there before: a ring is burst only in the step that makes it."
    );
    assert!(game.read("a9,b10,c11,d12").is_ok());
}

#[test]
fn a_full_board_ends_the_game_and_shortens_the_last_turn() {
    // Rows alternate between the players, so that no ring can arise.
    let mut game = start();
    for cell in crate::kit::hex::Cell::ALL {
        game.stones[usize::from(cell.row() % 2 == 0)].insert(cell);
    }
    for name in ["a9", "c9"] {
        game.stones[0] -= crate::kit::hex::Cells::of(crate::kit::hex::Cell::find(name).unwrap());
    }
    game.allowance = 4;
    assert_eq!(
        illegal(&game, "a9").0,
        "Only 2 cells are empty: this turn drops 2, not 1."
    );
    assert_eq!(all(&game), ["pass", "a9,c9", "c9,a9"]);
    game.play(&game.read("a9,c9").unwrap());
    assert_eq!(game.to_move(), None);
    assert!(game.outcome().is_some());
    assert_eq!(illegal(&game, "pass").0, "The game is over.");
    assert!(all(&game).is_empty());
    assert_eq!(game.count(), 0);
}

fn all(game: &Ringworm) -> Vec<String> {
    let mut texts = Vec::new();
    let _ = game.turns(&mut |turn| {
        texts.push(turn.to_string());
        std::ops::ControlFlow::Continue(())
    });
    texts
}

#[test]
fn unreadable_text_and_an_illegal_turn_are_refused_differently() {
    assert_eq!(
        unreadable("n3"),
        pair(
            "There is no cell n3: row 3 has cells in the columns g i k m o q s u w y A only. Possible: m3, o3.",
            "n3"
        )
    );
    assert_eq!(
        unreadable("q18"),
        pair(
            "There is no cell q18: rows go from 1 to 17. Possible: q17.",
            "q18"
        )
    );
    assert_eq!(
        unreadable("Q9"),
        pair(
            "There is no column Q: columns are a to z, then A to G, and small and capital letters differ. Possible: q9.",
            "Q9"
        )
    );
    assert_eq!(
        unreadable("q9t8"),
        pair(
            "\"q9t8\" is no cell: a cell is a column letter (a to z, then A to G) and a row number from 1 to 17, such \
             as q9; commas stand between cells.",
            "q9t8"
        )
    );
    assert_eq!(
        unreadable("q9,").0,
        "A cell must follow the comma; the text ends there."
    );
    assert_eq!(
        unreadable("q9,,q7"),
        pair("A cell must follow the comma, not \",\".", ",")
    );
    assert_eq!(
        unreadable("q9-"),
        pair(
            "The far end of the line must follow the hyphen; the text ends there.",
            ""
        )
    );
    assert_eq!(
        unreadable("q9:q7"),
        pair("Drops and bursts are separated by commas, not \":\".", ":")
    );
    assert_eq!(
        unreadable("q9 pass").0,
        "A pass is a whole turn: write pass alone, or only drops and bursts."
    );
    assert!(unreadable(" \t").0.starts_with("There is no turn here."));
    let padded = |length: usize| format!("{:length$}", "q9");
    assert_eq!(start().read(&padded(1000)).unwrap().to_string(), "q9");
    assert!(
        unreadable(&padded(1001))
            .0
            .ends_with("no longer than 1000 characters.")
    );
}
