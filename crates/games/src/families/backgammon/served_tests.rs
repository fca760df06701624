//! The served games: the dice before a play, the start, the cube.

use crate::{Display, Match, Options, Outcome, Seat, find};

fn start(game: &str, options: &[&str]) -> Box<dyn Match> {
    let game = find(game).unwrap();
    let options = Options::parse(game.facts, options.iter().copied()).unwrap();
    game.start(&options).unwrap()
}

fn after(game: &str, options: &[&str], turns: &str) -> Box<dyn Match> {
    let mut position = start(game, options);
    for turn in turns.split_whitespace() {
        position
            .play(turn)
            .unwrap_or_else(|refusal| panic!("{turn}: {refusal}"));
    }
    position
}

#[test]
fn both_say_roll_and_the_higher_die_begins() {
    let mut position = after("Backgammon", &[], "roll roll");
    assert_eq!(
        position.due_roll().map(|due| (due.number, due.must_differ)),
        Some((1, true))
    );
    position.roll([4, 4]);
    assert!(position.due_roll().is_some(), "equal dice do not count");
    position.roll([3, 6]);
    assert_eq!(position.to_move(), Some(Seat::Second));
    assert_eq!(position.play("24/18 13/10").unwrap(), "36:24/18,13/10");
    assert_eq!(
        position.due_roll().map(|due| (due.number, due.must_differ)),
        Some((2, false))
    );
    position.roll([1, 6]);
    assert_eq!(position.read("61: 13/7, 8/7").unwrap(), "61:13/7*,8/7");
    let refusal = position.read("54: 13/8 13/9").unwrap_err();
    assert_eq!(refusal.reason, "The roll is 6-1, not 5-4.");
}

#[test]
fn a_word_of_ones_own_is_read_with_roll() {
    let mut position = start("Nackgammon", &[]);
    assert_eq!(position.play("Roll plum").unwrap(), "roll");
    assert!(position.play("31: 8/5 6/5").is_err());
    assert_eq!(position.to_move(), Some(Seat::Second));
}

#[test]
fn while_the_dice_are_not_known_they_stand_before_the_turn() {
    let mut position = after("Backgammon", &[], "roll roll");
    let refusal = position.read("8/5 6/5").unwrap_err();
    assert!(
        refusal.reason.starts_with("The dice are not known here"),
        "{refusal}"
    );
    assert!(position.read("33: 8/5(2) 6/3(2)").is_err());
    assert_eq!(position.play("31:8/5 6/5").unwrap(), "31:8/5,6/5");
    assert_eq!(
        position.play("66: 24/18(2) 13/7(2)").unwrap(),
        "66:24/18(2),13/7(2)"
    );
}

#[test]
fn a_match_has_a_cube() {
    let mut position = after("Backgammon", &["-points=3"], "roll roll 31:8/5,6/5 double");
    assert_eq!(position.turns(9), ["take", "drop"]);
    assert_eq!(position.to_move(), Some(Seat::First));
    position.play("take").unwrap();
    assert!(position.info().contains(&("cube", vec![("White", 2)])));
    assert_eq!(position.due_roll().map(|due| due.number), Some(2));
    let position = after("Backgammon", &["-points=3"], "roll roll 31:8/5,6/5 double drop");
    assert!(position.due_roll().is_some_and(|due| due.must_differ));
    assert!(
        position
            .info()
            .contains(&("score", vec![("White", 0), ("Black", 1)]))
    );
}

#[test]
fn the_board_is_drawn_as_the_player_to_move_counts_it() {
    let mut position = after("Hypergammon", &[], "roll roll 31:24/21,22/21");
    position.roll([2, 1]);
    println!("{}", position.draw(Display::Small));
    let drawn = position.draw(Display::Large);
    assert!(drawn.contains("Black to play 2-1"), "{drawn}");
    // White's two checkers are on Black's point 4.
    assert!(position.cells().contains(&("21.2".to_owned(), 'o')));
}

#[test]
fn a_game_is_played_to_its_end() {
    let mut rng = <rand::rngs::ChaCha8Rng as rand::SeedableRng>::seed_from_u64(7);
    let mut position = start("Hypergammon", &["-points=3"]);
    while let Some(turn) = position.random_turn(&mut rng) {
        position.play(&turn).unwrap();
    }
    assert!(matches!(position.outcome(), Some(Outcome::Won(_))));
}

#[test]
fn the_board_is_read_aloud_by_points_and_numbers() {
    let position = after("Hypergammon", &[], "roll roll 31:24/21,22/21 43:24/21,23/19");
    assert_eq!(
        position.in_words(),
        [
            "White has 1 on 23 and 2 on 21, by its own count.",
            "Black has 1 on 22, 1 on 21 and 1 on 19, by its own count."
        ]
    );
}
