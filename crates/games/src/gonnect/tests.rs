//! A slow model, chains from side to side, captures, the swap, and who cannot move.

use super::*;
use crate::Rules as _;
use crate::families::liberties::slow::{Rule, Slow};
use crate::lockstep::{self, after, lockstep};

#[test]
fn turns_are_counted() {
    // The second player has the swap besides, after which the board has one stone as before.
    lockstep::perft::<Gonnect>("-size=7", &[49, 49 * 49, 49 * (48 * 47 + 48)]);
    lockstep::perft::<Gonnect>("-size=7 -noswap", &[49, 49 * 48, 49 * 48 * 47]);
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (words, size, games) in [("-size=7", 7, 30), ("-size=9", 9, 6), ("", 13, 1)] {
        let results = lockstep::<Gonnect, _>(words, games, || Slow::new(size, Rule::Gonnect, &[]));
        assert_eq!(results[2], 0, "there is no draw");
    }
}

fn words(position: &Gonnect, turn: &str) -> String {
    position.effects(&[position.read(turn).unwrap()]).join(", ")
}

#[test]
fn either_pair_of_sides_wins_for_either_player() {
    let across = "a4 a1 b4 b1 c4 c1 d4 d1 e4 e1 f4 f1";
    let mut position = after::<Gonnect>("-size=7", across);
    assert_eq!(words(&position, "g4"), "joined the left and the right");
    position.play(&position.read("g4").unwrap());
    assert_eq!(position.outcome(), Some(Outcome::Won(Seat::First)));
    let up = "a7 d1 b7 d2 c6 d3 g1 d4 g2 d5 g3 d6 g5";
    assert_eq!(
        words(&after("-size=7", up), "d7"),
        "joined the bottom and the top"
    );
    // Diagonally is not joined.
    assert_eq!(words(&after("-size=7", across), "g5"), "");
}

#[test]
fn the_swap_puts_a_stone_of_the_second_player_there() {
    let mut position = after::<Gonnect>("", "c3");
    assert_eq!(words(&position, "swap"), "replaced Black's stone on c3");
    position.play(&position.read("swap").unwrap());
    assert_eq!(position.cells(), [("c3".to_owned(), 'o')]);
    assert_eq!(position.to_move(), Some(Seat::First));
    assert!(position.read("swap").is_err());
    assert_eq!(
        after::<Gonnect>("-noswap", "c3").read("swap").unwrap_err().reason,
        "This board is played with -noswap."
    );
}

#[test]
fn a_ko_is_forbidden_and_so_is_a_pass() {
    let ko = after::<Gonnect>("-size=9", "d5 e5 c4 f4 d3 e3 g7 d4 e4");
    assert_eq!(
        ko.read("d4").unwrap_err().reason,
        "No board may come twice, and a stone on d4 would bring one back that was there."
    );
    assert_eq!(
        ko.read("pass").unwrap_err().reason,
        "There is no pass in Gonnect."
    );
}

#[test]
fn a_stone_that_takes_nothing_and_has_no_liberty_is_forbidden_even_if_it_joins() {
    assert_eq!(
        after::<Gonnect>("-size=7", "a2 g7 b1")
            .read("a1")
            .unwrap_err()
            .reason,
        "A stone on a1 would have no liberty and take nothing: suicide is not allowed."
    );
}
