//! The sentences of the first rules text, one by one, with its two mistakes corrected as on the rules page.

use super::*;
use crate::{Game, Kind};

/// A position from words such as `Xa1` and `oj10`.
pub(super) fn position(mover: Seat, options: &str, pieces: &str) -> Pow2 {
    let options = Options::parse(&FACTS, options.split_whitespace()).unwrap();
    let mut position = Pow2 {
        mover,
        ..Pow2::set_up([&[], &[]], &options)
    };
    for word in pieces.split_whitespace() {
        let (letter, point) = word.split_at(1);
        let point = bit(board::find(point).unwrap());
        let side = usize::from(letter.eq_ignore_ascii_case("x"));
        assert_eq!(position.occupied() & point, 0, "{word}");
        position.pieces[side] |= point;
        if letter.chars().all(char::is_lowercase) {
            position.aged |= point;
        }
    }
    position
}

const FIGURE_3: &str = "Xa1 Xa13 xc5 Om1 Om13 Oe3 Od12 Oj12 Ol10 ob10 oj10";

pub(super) fn figure_3(mover: Seat) -> Pow2 {
    position(mover, "", FIGURE_3)
}

fn start(options: &str) -> Pow2 {
    Pow2::start(&Options::parse(&FACTS, options.split_whitespace()).unwrap()).unwrap()
}

fn played(mut position: Pow2, text: &str) -> Pow2 {
    let turn = position
        .read(text)
        .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
    position.play(&turn);
    position
}

fn letter(position: &Pow2, name: &str) -> Option<char> {
    position.letter(board::find(name).unwrap())
}

fn illegal(position: &Pow2, text: &str) -> String {
    let refusal = position.read(text).unwrap_err();
    assert_eq!(refusal.kind, Kind::Illegal, "{text}: {refusal}");
    refusal.reason
}

/// The texts of all turns that begin with this text.
fn completions(position: &Pow2, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let _ = position.turns(&mut |turn| {
        let turn = turn.to_string();
        if turn == text || turn.starts_with(&format!("{text}:")) {
            all.push(turn);
        }
        ControlFlow::Continue(())
    });
    all.sort();
    all
}

#[test]
fn the_boards_are_the_five_figures_byte_for_byte() {
    let figure = |number: u32| {
        let path = format!(
            "{}/tests/oracles/pow2-figures/{number}.txt",
            env!("CARGO_MANIFEST_DIR")
        );
        std::fs::read_to_string(path).unwrap()
    };
    assert_eq!(start("").draw(Display::Small), figure(1));
    assert_eq!(start("").draw(Display::Large), figure(2));
    // The first rules text does not draw the line of this figure.
    let third = figure_3(Seat::Second).draw(Display::Large);
    assert_eq!(
        third,
        format!("Remaining Pieces: Light 8 Dark 13\n\n{}", figure(3))
    );
    assert_eq!(start("-fast").draw(Display::Small), figure(4));
    assert_eq!(start("-middle").draw(Display::Small), figure(5));
}

#[test]
fn a_possible_first_move_for_light_is_m13_j7_and_nothing_more_happens() {
    let after = played(start(""), "m13-j7");
    assert_eq!(letter(&after, "j7"), Some('O'));
    assert_eq!(letter(&after, "m13"), None);
    assert_eq!(
        after.info(),
        vec![("remaining", vec![("Light", 14), ("Dark", 14)])]
    );
    assert_eq!(after.to_move(), Some(Seat::Second));
    assert!(illegal(&start(""), "m13-j7:m7").contains("no occupied neighbour"));
}

#[test]
fn if_light_moves_from_m13_to_m5_he_must_place_a_piece_at_l4() {
    let start = start("");
    assert_eq!(completions(&start, "m13-m5"), ["m13-m5:l4"]);
    assert_eq!(start.read("m13-m5").unwrap().to_string(), "m13-m5:l4");
    assert!(illegal(&start, "m13-m5:k5").contains("no triangle"));
    let after = played(start, "m13-m5");
    let light: Vec<_> = after
        .cells()
        .into_iter()
        .filter(|(_, c)| *c == 'O' || *c == 'o')
        .collect();
    let cell = |name: &str, c| (name.to_owned(), c);
    assert_eq!(light, [cell("m1", 'o'), cell("l4", 'O'), cell("m5", 'o')]);
}

#[test]
fn in_figure_3_dark_who_moves_a1_e1_may_place_at_d2_or_at_g1_but_not_at_a1() {
    let position = figure_3(Seat::Second);
    assert_eq!(completions(&position, "a1-e1"), ["a1-e1:d2", "a1-e1:g1"]);
    let refusal = position.read("a1-e1").unwrap_err();
    assert_eq!((refusal.kind, refusal.choices.len()), (Kind::Ambiguous, 2));
    assert_eq!(
        refusal.to_string(),
        "There are 2 ways to place 1 piece after this move. Possible: a1-e1:g1, a1-e1:d2."
    );
    assert_eq!(
        illegal(&position, "a1-e1:a1"),
        "a1 forms no triangle with e1 and an occupied neighbour of e1."
    );
}

#[test]
fn a_piece_is_placed_for_each_occupied_neighbour() {
    let position = figure_3(Seat::Second);
    assert_eq!(completions(&position, "a13-c11"), ["a13-c11:d10,a13"]);
    assert_eq!(
        position.read("A13 -> C11 : A13 , D10").unwrap().to_string(),
        "a13-c11:d10,a13"
    );
    assert_eq!(position.read("a13-c11").unwrap().to_string(), "a13-c11:d10,a13");
    assert!(illegal(&position, "a13-c11:d10").contains("2 pieces, not 1"));
    assert!(illegal(&position, "a13-c11:a13,a13").contains("named twice"));
}

#[test]
fn a_move_without_room_for_the_new_pieces_is_illegal() {
    let figure = figure_3(Seat::First);
    assert_eq!(completions(&figure, "m13-k11"), Vec::<String>::new());
    let refusal = figure.read("m13-k11").unwrap_err();
    assert_eq!(refusal.kind, Kind::Illegal);
    assert!(refusal.reason.starts_with("There is no room"), "{refusal}");
    // The refusal names the reason: a neighbour without an empty point for it, or two neighbours with only one, here
    // e5.
    let lonely = position(Seat::Second, "", "Xa1 Xm13 Oe1 Od2 Oc3 Ob4 Oa7 Oc5");
    assert_eq!(
        illegal(&lonely, "a1-a5"),
        "There is no room: no piece could be placed to form a triangle with a5 and c5."
    );
    let shared = position(Seat::First, "", "Oe5 Og5 Xe7");
    assert_eq!(
        illegal(&shared, "e5-f6"),
        "There is no room: f6 has 2 occupied neighbours, and there are not as many different empty points to \
         form a triangle with each."
    );
}

#[test]
fn the_moved_piece_and_adjacent_own_pieces_age() {
    let position = figure_3(Seat::Second);
    assert_eq!(
        completions(&position, "a1-d4"),
        ["a1-d4:b4,e5", "a1-d4:d2,b4", "a1-d4:d2,e5"]
    );
    let after = played(position, "a1-d4:b4,e5");
    let letters = ["d4", "c5", "b4", "e5", "e3", "a1", "a13"].map(|name| letter(&after, name));
    assert_eq!(
        letters,
        [Some('x'), None, Some('X'), Some('X'), Some('O'), None, Some('X')]
    );
    // Three were on the board; two are new and one went back.
    assert_eq!(
        after.info(),
        vec![("remaining", vec![("Light", 8), ("Dark", 12)])]
    );
}

#[test]
fn a_point_that_ageing_will_empty_is_not_free_for_a_new_piece() {
    let position = figure_3(Seat::Second);
    assert_eq!(
        illegal(&position, "a1-d4:c5,e5"),
        "No piece can be placed on c5: it is occupied when pieces are placed."
    );
}

#[test]
fn an_aged_piece_that_moves_stays_aged_where_nothing_is_placed_and_leaves_where_something_is() {
    let alone = position(Seat::Second, "", "xa1 Om13");
    assert_eq!(letter(&played(alone, "a1-g1"), "g1"), Some('x'));
    let adjacent = position(Seat::Second, "", "xa1 Xa13 Og1");
    let after = played(adjacent, "a1-e1:e3");
    assert_eq!((letter(&after, "e1"), letter(&after, "e3")), (None, Some('X')));
    assert_eq!(after.supply(Seat::Second), 14);
}

#[test]
fn the_game_ends_with_all_sixteen_on_the_board_after_ageing() {
    // Dark has fifteen; next to an enemy one is placed and only the moved piece ages.
    let fifteen = "Xa1 Xk3 Xj4 Xl4 Xk5 Xm5 Xj7 Xm7 Xk9 Xm9 Xl10 Xk11 Xi13 Xm13 Xi11 Og1";
    let fresh = position(Seat::Second, "", fifteen);
    assert_eq!(fresh.outcome(), None);
    let after = played(fresh, "a1-e1:e3");
    assert_eq!(after.outcome(), Some(Outcome::Won(Seat::Second)));
    assert_eq!((after.to_move(), after.count()), (None, 0));
    assert_eq!(illegal(&after, "g1-g4"), "The game is over.");
    // The same with an aged piece: it returns to the supply, and fifteen remain.
    let aged = played(
        position(Seat::Second, "", &fifteen.replace("Xa1", "xa1")),
        "a1-e1:e3",
    );
    assert_eq!((aged.outcome(), aged.supply(Seat::Second)), (None, 1));
}

const SHORT: &str = "Xa1 xc5 Oe3 Xl4 Xm5 Xm7 Xk5 Xk6 Xj7 Xk8 Xk9 Xm9 Xl10 Xk11 Xm13 Xi13 Xi11";

#[test]
fn a_player_may_run_out_of_pieces() {
    let mut position = position(Seat::Second, "", SHORT);
    assert_eq!(position.pieces[1].count_ones(), 16);
    // With two left nothing changes; with one, any point of a complete choice is legal.
    position.pieces[1] &= !bit(board::find("k8").unwrap());
    assert_eq!(
        completions(&position, "a1-d4"),
        ["a1-d4:b4", "a1-d4:d2", "a1-d4:e5"]
    );
    assert_eq!(
        illegal(&position, "a1-d4:b4,e5"),
        "d4 has 2 occupied neighbours, but 1 piece is left: 1 piece must be placed, not 2."
    );
    position.pieces[1] &= !bit(board::find("k9").unwrap());
    assert_eq!(
        completions(&position, "a1-d4"),
        ["a1-d4:b4,e5", "a1-d4:d2,b4", "a1-d4:d2,e5"]
    );
}

#[test]
fn with_exact_the_pieces_must_be_used_up_by_exact_count() {
    let mut position = position(Seat::Second, "-exact", SHORT);
    position.pieces[1] &= !bit(board::find("k8").unwrap());
    assert_eq!(completions(&position, "a1-d4"), Vec::<String>::new());
    assert_eq!(
        illegal(&position, "a1-d4:b4"),
        "With -exact all pieces that a move calls for must be placed: d4 calls for 2, and 1 piece is left."
    );
    position.pieces[1] &= !bit(board::find("k9").unwrap());
    assert_eq!(completions(&position, "a1-d4").len(), 3);
}

#[test]
fn a_player_without_a_legal_move_loses() {
    let shut_in = position(Seat::Second, "", "Xa1 Oe1 Od2 Oc3 Ob4 Oa5 Om13");
    assert_eq!(shut_in.outcome(), Some(Outcome::Won(Seat::First)));
    assert_eq!((shut_in.to_move(), shut_in.count()), (None, 0));
    assert_eq!(shut_in.random_turn(&mut rand::rng()), None);
    assert_eq!(
        position(Seat::Second, "", "Xa1 Oe1 Od2 Oc3 Ob4 Om13").outcome(),
        None
    );
}

#[test]
fn a_player_whose_moves_all_lack_room_has_no_legal_move_and_loses() {
    // a1 can only go to a5, which calls for a piece next to each of a7, b4 and c5: only a1 itself would be free.
    let shut_in = "Xa1 Oe1 Od2 Oc3 Ob4 Oa7 Om13";
    let stuck = position(Seat::Second, "", &format!("{shut_in} Oc5"));
    assert_eq!(stuck.outcome(), Some(Outcome::Won(Seat::First)));
    assert_eq!((stuck.to_move(), stuck.count()), (None, 0));
    let free = position(Seat::Second, "", shut_in);
    assert_eq!(free.outcome(), None);
    assert_eq!(completions(&free, "a1-a5"), ["a1-a5:a1,c5"]);
}

#[test]
fn with_noborder_the_outer_edges_are_for_triangles_only() {
    let start = start("-noborder");
    assert_eq!(
        illegal(&start, "m13-m5"),
        "With -noborder no piece moves along the outer edges, as from m13 to m5."
    );
    assert!(start.read("m13-j7").is_ok());
    // e1 and g1 are neighbours along the edge, and e3 is next to both.
    let adjacent = position(Seat::Second, "-noborder", "Xe5 Xa13 Og1");
    assert!(completions(&adjacent, "e5-e1").contains(&"e5-e1:e3".to_owned()));
}

#[test]
fn fast_and_middle_do_not_go_together() {
    let options = Options::parse(&FACTS, ["-fast", "-middle"]).unwrap();
    assert!(Pow2::start(&options).unwrap_err().reason.contains("two set-ups"));
    for words in ["-exact -noborder -fast", "-middle -noborder -exact"] {
        assert_eq!(start(words).to_move(), Some(Seat::First));
    }
}

#[test]
fn each_rule_of_moving_has_its_own_sentence() {
    let position = figure_3(Seat::Second);
    for (text, reason) in [
        ("m1-i1", "The piece on m1 is Light's, and it is Dark's turn."),
        ("g1-i1", "There is no piece on g1."),
        ("a1-a1", "A piece must move to another point, not from a1 to a1."),
        ("a1-c5", "A piece moves to an empty point, and c5 is occupied."),
        (
            "a1-c6",
            "A piece moves over empty points only, and c5 lies between a1 and c6.",
        ),
        ("a1-a13", "A piece moves to an empty point, and a13 is occupied."),
        (
            "a1-g4",
            "A piece moves over empty points only, and e3 lies between a1 and g4.",
        ),
        (
            "a1-j2",
            "A piece moves along one straight line, and no line joins a1 and j2.",
        ),
        (
            "a1-d4:d4,e5",
            "No piece can be placed on d4: the piece that moves stands there.",
        ),
        (
            "a1-d4:b4,g4",
            "g4 forms no triangle with d4 and an occupied neighbour of d4.",
        ),
        // Next to one of the occupied neighbours of d4, but not to d4; next to d4, but to none of those.
        (
            "a1-d4:b4,e1",
            "e1 forms no triangle with d4 and an occupied neighbour of d4.",
        ),
        (
            "a1-d4:b4,c3",
            "c3 forms no triangle with d4 and an occupied neighbour of d4.",
        ),
        (
            "a1-d4:b4",
            "One piece must be placed for each occupied neighbour of d4: 2 pieces, not 1.",
        ),
    ] {
        assert_eq!(illegal(&position, text), reason, "{text}");
    }
}

#[test]
fn the_example_is_legal_and_the_game_is_served_under_both_its_names() {
    let game: Game = Game::of::<Pow2>();
    let mut position = game.start(&Options::none(&FACTS)).unwrap();
    for turn in FACTS.example {
        assert_eq!(position.play(turn).as_deref(), Ok(*turn));
    }
    assert!(game.answers_to("pow2") && game.answers_to("POWEROFTWO"));
}
